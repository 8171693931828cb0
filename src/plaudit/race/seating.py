"""Setting a state up: its header, its levels, its leading set."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bound import Bound
from plaudit.bounds.error_budget import Budget, GoodBudget
from plaudit.compiled import compiled
from plaudit.race.algorithms import RULES, STOPPINGS
from plaudit.race.all_good.parts import step_levels
from plaudit.race.balance import boldness
from plaudit.race.index import rebuild
from plaudit.race.judge import open_round
from plaudit.race.lead.parts import APPOINTING, open_book
from plaudit.race.membership import Counted, Membership
from plaudit.race.settings import Method, Settings
from plaudit.race.stages import STAGED
from plaudit.race.state import (
    ALL_GOOD,
    BALANCE,
    FEWEST_VOTES,
    FIRST_OF_TWO,
    LARGEST_UPPER,
    LAST_OF_TWO,
    NEVER,
    PAIR,
    SURVIVORS,
    WITHDRAWN,
    State,
    make_rare,
    make_state,
)
from plaudit.race.tree import ticket


def prepare(settings: Settings, method: Method, *, keeps_choice: bool = True) -> State:
    """The state of a race before its first vote.

    `keeps_choice` is False only where nobody asks: a simulation reads the pair from the trees
    that judge, unless the rule or its level compares something else.
    """
    values = settings.scale.values if settings.scale else ()
    rule = RULES[method.algorithm.rule]
    budget = method.budget
    good = isinstance(budget, GoodBudget)
    levels = step_levels(method.bound, budget) if isinstance(budget, GoodBudget) else np.zeros(0)
    numbers = np.array(values, dtype=np.float64)
    appoints = method.algorithm.stopping in APPOINTING
    rare: Any = ()
    if appoints or _needs_rare(method):
        rare = make_rare(settings.items, rule, levels, numbers.size, appoints=appoints)
    logs = method.bound.gains(numbers)
    state = make_state(settings.items, settings.top, rule, numbers, rare, logs)
    h = state.header[0]
    h["seed"], h["top"], h["epsilon"] = settings.seed, settings.top, settings.epsilon
    h["tolerance"] = settings.tolerance
    h["rule"], h["stopping"] = rule, STOPPINGS[method.algorithm.stopping]
    h["items"] = h["initial"] = h["unsampled"] = settings.items
    h["dominant"] = -1
    h["span"], h["horizon"] = 1.0, 1.0
    h["uses_time"] = method.bound.uses_time
    if good:
        # What is chosen compares upper bounds of all items; bounds hold at the items' own times.
        h["stopping"], h["uses_time"] = ALL_GOOD, False
        h["rule"] = rule if rule == FEWEST_VOTES else LARGEST_UPPER
    _set_choice(state, settings, method, keeps_choice)
    set_levels(state, method, Membership(settings.items))
    if appoints:
        open_book(state, method.bound, settings.delta)
    place_leaders(state)
    rebuild(state)
    if rule == SURVIVORS:
        open_round(state)
    return state


def _needs_rare(method: Method) -> bool:
    """Whether a race needs kernels that most races do without."""
    rule, stopping = RULES[method.algorithm.rule], STOPPINGS[method.algorithm.stopping]
    of_rules = rule == SURVIVORS or FIRST_OF_TWO <= rule <= LAST_OF_TWO
    good = isinstance(method.budget, GoodBudget)
    return good or of_rules or stopping == NEVER or method.bound.uses_time


def _set_choice(state: State, settings: Settings, method: Method, keeps_choice: bool) -> None:
    h = state.header[0]
    formula = method.dominance.formula if method.dominance else method.bound.formula
    if method.algorithm.stopping == "never":
        formula = STAGED
        h["epsilon"] = 0.0
    for name, number in formula._asdict().items():
        h[name] = number
    h["choice_stretch"] = method.dominance.stretch if method.dominance else 1.0
    h["dominance"] = method.dominance.ratio if method.dominance else 0.0
    choosing = settings.choosing_delta or method.algorithm.choosing
    if choosing is not None and h["rule"] == BALANCE:
        # In turns with the level of judging, so one bound serves both.
        judging = method.bound.level(method.budget.upper_after(0))
        h["choice_stretch"] = boldness(method.bound.level(choosing / settings.top), judging)
    elif choosing is not None:
        h["choice_level"] = method.bound.level(choosing / settings.top)
        h["own_choice_level"] = True
    elif method.dominance:
        h["choice_level"] = method.dominance.level
        h["own_choice_level"] = True
    # A pair, or the two sides of the balance, can be read from the trees that judge.
    from_judging = h["rule"] in (PAIR, BALANCE) and h["choice_stretch"] == 1.0
    h["keeps_choice"] = keeps_choice or not from_judging or h["own_choice_level"]


def set_levels(state: State, method: Method, membership: Membership) -> None:
    """Puts the levels of the error budget into the state, for the items as they are now."""
    h = state.header[0]
    budget, bound = method.budget, method.bound
    counted = counted_in(state, membership)
    set_lower_levels(state.items, bound, budget, membership)
    if isinstance(budget, GoodBudget):
        _set_good_levels(state, method, budget, counted)
        return
    pooled = counted.pooled
    h["upper_level"] = bound.level(budget.upper_after(counted.changes, pooled=pooled))
    h["log_odds"] = budget.log_odds_after(counted.changes, pooled=pooled)
    if not h["own_choice_level"]:
        h["choice_level"] = h["upper_level"]


def counted_in(state: State, membership: Membership) -> Counted:
    """What the error budget has to pay for, with the items that are in the race now."""
    present = state.items["status"][: int(state.header[0]["items"])] != WITHDRAWN
    pools = [item for item in membership.pools if present[item]]
    return membership.count(int(present.sum()), pools)


def set_lower_levels(
    items: NDArray[Any], bound: Bound, budget: Budget, membership: Membership
) -> None:
    """Puts the levels of lower bounds into the records of items."""
    first = budget.lower_after(len(membership.joined))
    items["lower_level"][: membership.initial] = bound.level(first)
    known: dict[float, float] = {}
    for item, level in membership.lower_levels(budget):
        if level not in known:
            known[level] = bound.level(level)
        items["lower_level"][item] = known[level]


def _set_good_levels(state: State, method: Method, budget: GoodBudget, counted: Counted) -> None:
    """The same for all good items, with the levels that hold while no item is out."""
    h, level = state.header[0], method.bound.level
    changed = counted.changes > 0
    upper = budget.upper_after_additions(counted.joined) if changed else budget.upper
    h["upper_level"] = h["choice_level"] = level(upper)
    h["standing"] = 0 if changed else h["initial"]


def place_leaders(state: State) -> None:
    """Seats the `top` items of largest mean, ties by ticket."""
    count, top = (int(state.header[0][name]) for name in ("items", "top"))
    records = state.items[:count]
    means = np.where(records["votes"] > 0, records["total"] / np.maximum(records["votes"], 1), -1.0)
    means[records["status"] == WITHDRAWN] = -np.inf
    tickets = np.empty(count, dtype=np.uint64)
    fill_tickets(state, records["votes"].copy(), tickets)
    # Only these can lead; to sort all items would take as long as all that follows.
    ahead = np.flatnonzero(means >= np.partition(means, -top)[-top])
    order = ahead[np.lexsort((tickets[ahead], means[ahead]))[::-1]]
    state.items["place"] = -1
    state.seats[:] = order[:top]
    state.items["place"][order[:top]] = np.arange(top)


@compiled
def seat_by_seed(state: State, seed: int) -> None:
    """Gives an empty race its seed: the first leaders are those with the largest tickets."""
    h = state.header[0]
    h.seed = seed
    for item in range(h.items):
        state.items[item].place = -1
    for place in range(h.top):
        best = -1
        for item in range(h.items):
            free = state.items[item].place < 0
            if free and (best < 0 or ticket(seed, item, 0) > ticket(seed, best, 0)):
                best = item
        state.seats[place] = best
        state.items[best].place = place
    rebuild(state)
    if h.rule == SURVIVORS:
        open_round(state)


@compiled
def fill_tickets(state: State, votes: NDArray[np.int64], out: NDArray[np.uint64]) -> None:
    """The ticket of every item, which decides ties."""
    for item in range(votes.size):
        out[item] = ticket(state.header[0].seed, item, votes[item])


def grow(state: State, items: int) -> State:
    """The state with room for this many items: itself, or a larger copy."""
    if items <= state.items.size:
        return state
    capacity = max(items, 2 * state.items.size)
    h = state.header[0]
    rule = int(h["rule"])
    rare = make_rare(capacity, rule, state.rare.step_levels) if state.rare else ()
    larger = make_state(capacity, int(h["top"]), rule, state.values, rare, state.logs)
    larger.header[:] = state.header
    larger.items[: state.items.size] = state.items
    larger.levels[: state.items.size] = state.levels
    larger.standing[: state.standing.size] = state.standing
    larger.seats[:] = state.seats
    larger.chosen[:] = state.chosen
    return larger
