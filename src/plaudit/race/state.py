"""The state of a race: arrays that the compiled functions read and write.

Everything that decides (keys, leaders, intervals) is a function of the votes counted
here, so two states with the same votes are the same race, in whatever order they came.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bets import capital_within, gains
from plaudit.bounds.from_levels import levels_lower, levels_upper
from plaudit.bounds.kernels import (
    BETTING,
    TIME_SUM,
    Formula,
    betting_lower,
    betting_upper,
    lower_kernel,
    rate_kernel,
    reads_levels,
    upper_index,
)
from plaudit.compiled import compiled, inlined
from plaudit.race.alike import Alike, gather
from plaudit.race.stages import staged_time
from plaudit.race.tree import Forest, plant, ticket

# Which item comes next.
PAIR, LARGEST_UPPER, FEWEST_VOTES, SURVIVORS, BALANCE = 0, 1, 2, 3, 4
# The Top-Two rules, which `top_two` carries out.
EB_TC, TTUCB, T3C = 32, 33, 34
FIRST_OF_TWO, LAST_OF_TWO = EB_TC, T3C
# How many trees of costs each keeps.
TREES_OF_TWO = {EB_TC: 1, TTUCB: 2}
# When the race may name its winners.
SEPARATION, DOMINANCE, LAST_STANDING, EVIDENCE, NEVER = 0, 1, 2, 3, 4
# The same for another goal than the best `top`: see all_good.
ALL_GOOD = 16
# An item competes, is out for good, or needs no more votes (SURVIVORS only).
ACTIVE, WITHDRAWN, SETTLED = 0, 1, 2

# Trees over all items: those outside the leading set by mean and by upper bound, and
# whatever the rule compares.
# NumPy's integers: for Python's, numba would compile a copy of each function per tree.
BY_MEAN, BY_UPPER, BY_CHOICE = (np.int64(tree) for tree in range(3))
# Trees over the places of the leading set: the weakest by mean, and by lower bound.
WEAKEST_MEAN, WEAKEST_LOWER = (np.int64(tree) for tree in range(2))
# Trees over all items in a race for all good ones: every item by mean and by both bounds;
# those inside, the last by mean and by lower bound; those outside, by what the rule compares.
TOP_MEAN, BEST_LOWER, BEST_UPPER, LAST_MEAN, LAST_LOWER, OUT_CHOICE = (
    np.int64(tree) for tree in range(6)
)

# Sides of `logs`.
UPPER_SIDE, LOWER_SIDE = (np.int64(side) for side in range(2))

# One integer type in all that indexes: numba compiles a function anew for each other one.
ITEM = np.dtype(
    [
        ("votes", np.int64),
        ("total", np.float64),
        ("lower_level", np.float64),
        ("pending", np.int64),
        ("place", np.int64),
        ("status", np.int64),
        ("pull", np.int64),
        ("led", np.int64),
    ],
    align=True,
)

HEADER = np.dtype(
    [
        ("seed", np.int64),
        ("top", np.int64),
        ("epsilon", np.float64),
        ("rule", np.int64),
        ("stopping", np.int64),
        ("shape", np.int64),
        ("growth", np.int64),
        ("factor", np.float64),
        ("scale", np.float64),
        ("weight", np.float64),
        ("uses_time", np.bool_),
        ("upper_level", np.float64),
        ("choice_level", np.float64),
        ("choice_stretch", np.float64),
        ("dominance", np.float64),
        ("keeps_choice", np.bool_),
        ("own_choice_level", np.bool_),
        ("items", np.int64),
        ("initial", np.int64),
        ("votes", np.int64),
        ("most_votes", np.int64),
        ("unsampled", np.int64),
        ("turn", np.int64),
        ("round", np.int64),
        ("behind", np.int64),
        ("standing", np.int64),
        ("dominant", np.int64),
        ("horizon", np.float64),
        ("span", np.float64),
        ("looks", np.int64),
        ("balance", np.int64),
        ("log_odds", np.float64),
        ("open_epsilon", np.float64),
        ("open_item", np.int64),
        ("open_item_votes", np.int64),
        ("open_rival", np.int64),
        ("open_rival_votes", np.int64),
        ("open_item_gain", np.float64),
        ("open_rival_gain", np.float64),
        ("open_shortfall", np.float64),
        ("pending", np.int64),
        ("stage", np.int64),
    ],
    align=True,
)

# What the keys of the Top-Two rules were made with; made anew with them, and never saved.
WATCH = np.dtype(
    [
        ("low_votes", np.float64),
        ("low_mean", np.float64),
        ("slack", np.float64),
        ("looks", np.int64),
        ("bonus", np.float64),
        ("span", np.float64),
        ("index_looks", np.int64),
    ],
    align=True,
)


class Rare(NamedTuple):
    """What the rare rules need, see `needs_rare`; what a race does not use is empty.

    `duel`, `alike` and `watch` serve the Top-Two rules. `camp` and `stages` (the levels of
    upper bounds that fewer and fewer items share) serve the goal of all good items.
    """

    camp: Forest
    stages: NDArray[np.float64]
    duel: Forest
    alike: Alike
    watch: NDArray[Any]


class State(NamedTuple):
    """All of a race: one header, a record an item, level counts, and the two forests.

    `logs` is what a vote at each level does for each bet, on both sides; betting reads it.
    `standing` lists the items that SURVIVORS still asks for; it is empty under other rules.
    `scratch` is where a search notes the keys that it must put back, `seats` the items at
    the places of the leading set, `chosen` those that a race without a verdict recommends.
    `rare` is `Rare` where the race needs it, and else empty: kernels are compiled apart.
    """

    header: NDArray[Any]
    items: NDArray[Any]
    levels: NDArray[np.int32]
    values: NDArray[np.float64]
    standing: NDArray[np.int64]
    scratch: NDArray[np.int64]
    seats: NDArray[np.int64]
    chosen: NDArray[np.int64]
    field: Forest
    leaders: Forest
    logs: NDArray[np.float64]
    rare: Any


def make_state(
    capacity: int, top: int, rule: int, values: NDArray[np.float64], rare: Any = ()
) -> State:
    """An empty state with room for `capacity` items; `values` are the scale's, or none."""
    items = np.zeros(capacity, dtype=ITEM)
    items["place"] = -1
    levels = np.zeros((capacity, values.size), dtype=np.int32)
    standing = np.zeros(capacity if rule == SURVIVORS else 0, dtype=np.int64)
    return State(
        np.zeros(1, dtype=HEADER),
        items,
        levels,
        values,
        standing,
        np.zeros(capacity, dtype=np.int64),
        np.full(top, -1, dtype=np.int64),
        np.full(top, -1, dtype=np.int64),
        plant(3, capacity),
        plant(2, top),
        gains(values),
        rare,
    )


def make_rare(capacity: int, rule: int, stages: NDArray[np.float64]) -> Rare:
    """What the rare rules need, empty."""
    watch = np.zeros(1, dtype=WATCH)
    watch["slack"], watch["span"] = 0.25, 2.0**-10
    return Rare(
        plant(6, capacity if stages.size else 0),
        stages,
        plant(TREES_OF_TWO.get(rule, 0), capacity),
        gather(capacity if rule in TREES_OF_TWO else 0),
        watch,
    )


@inlined
def formula_of(h: Any) -> Formula:
    """The race's bound."""
    return Formula(h.shape, h.growth, h.factor, h.scale, h.weight)


@inlined
def time_now(h: Any) -> float:
    """Rounds so far, as LUCB counts them: 1 after every item's first vote, then pairs.

    Never below the votes of any item, so that bounds which use it hold under any rule.
    """
    rounds = max(1.0 + max(0, h.votes - h.initial) // 2, float(h.most_votes))
    return staged_time(rounds, h.stage) if h.growth == TIME_SUM else rounds


@inlined
def ticket_of(h: Any, items: Any, item: int) -> Any:
    """An item's place in a draw among equals."""
    return ticket(h.seed, item, items[item].votes)


@inlined
def choice_ticket(h: Any, items: Any, item: int) -> Any:
    """The same among equal choices, where the item with fewer votes pending comes first."""
    fewer = np.uint64(0xFFFF) - np.uint64(min(items[item].pending, 0xFFFF))
    return (fewer << np.uint64(48)) | (ticket_of(h, items, item) >> np.uint64(16))


@inlined
def mean_of(record: Any) -> float:
    """The empirical mean; -1 before the first vote, below every mean."""
    return record.total / record.votes if record.votes > 0 else -1.0


@inlined
def upper_of(state: State, item: int, time: float) -> float:
    """The upper bound that judges, uncut; infinite before the first vote."""
    h, record = state.header[0], state.items[item]
    if h.shape == BETTING:
        return _betting_upper(record, h.upper_level, 1.0, state.levels[item], state.logs)
    if reads_levels(h.shape):
        return _levels_upper(h, record, h.upper_level, 1.0, state.levels[item], state.values)
    return _upper(h, record, time)


@compiled
def _upper(h: Any, record: Any, time: float) -> float:
    if record.votes == 0:
        return np.inf
    return upper_index(formula_of(h), h.upper_level, mean_of(record), float(record.votes), time)


@compiled
def _betting_upper(record: Any, level: float, share: float, counts: Any, logs: Any) -> float:
    """The upper index from `share` times the votes of an item."""
    if record.votes == 0:
        return np.inf
    votes = float(record.votes)
    return betting_upper(level, votes, record.total, share, counts, logs[UPPER_SIDE])


@compiled
def _levels_upper(
    h: Any, record: Any, level: float, share: float, counts: Any, values: Any
) -> float:
    """The same for the other bounds that read levels."""
    if record.votes == 0:
        return np.inf
    votes = float(record.votes)
    return levels_upper(formula_of(h), level, votes, record.total, share, counts, values)


@inlined
def lower_of(state: State, item: int, time: float) -> float:
    """The lower bound that judges."""
    return lower_at(state, item, float(state.items[item].votes), time)


@inlined
def lower_at(state: State, item: int, votes: float, time: float) -> float:
    """The lower bound if that many votes fell as those so far."""
    h, record = state.header[0], state.items[item]
    if h.shape == BETTING:
        return _betting_lower(record, votes, state.levels[item], state.logs)
    if reads_levels(h.shape):
        return _levels_lower(h, record, votes, state.levels[item], state.values)
    return _lower(h, record, votes, time)


@compiled
def _lower(h: Any, record: Any, votes: float, time: float) -> float:
    mean = max(mean_of(record), 0.0)
    if h.growth == TIME_SUM and votes > 0.0:
        # Not cut at 0: AT-LUCB tells leaders apart whose lower bounds are negative.
        return mean - math.sqrt(rate_kernel(formula_of(h), record.lower_level, votes, time))
    return lower_kernel(formula_of(h), record.lower_level, mean, votes, time)


@compiled
def _betting_lower(record: Any, votes: float, counts: Any, logs: Any) -> float:
    if record.votes == 0:
        return 0.0
    own = float(record.votes)
    level, side = record.lower_level, logs[LOWER_SIDE]
    return betting_lower(level, own, record.total, votes / own, counts, side)


@compiled
def _levels_lower(h: Any, record: Any, votes: float, counts: Any, values: Any) -> float:
    if record.votes == 0:
        return 0.0
    own, level = float(record.votes), record.lower_level
    return levels_lower(formula_of(h), level, own, record.total, votes / own, counts, values)


@inlined
def bets_leave(state: State, item: int, value: float) -> bool:
    """Whether `value` is surely at or above the lower bound by betting; no root to find."""
    record = state.items[item]
    counts, logs = state.levels[item], state.logs[LOWER_SIDE]
    votes = float(record.votes)
    return capital_within(record.lower_level, votes, record.total, 1.0, counts, logs, value)


@inlined
def weakness_of(state: State, item: int, time: float) -> float:
    """A leader's key in WEAKEST_LOWER: its lower bound, negative.

    An only leader is the weakest whatever its bound, which is then computed when it may
    decide something (`judge.may_stop`), and not at every vote: 0 stands for it.
    """
    if state.items[item].status != ACTIVE:
        return -np.inf
    return -lower_of(state, item, time) if keeps_lower(state.header[0]) else 0.0


@inlined
def keeps_lower(h: Any) -> bool:
    """Whether every leader's lower bound is at hand."""
    return h.top > 1 or h.rule == BALANCE or h.stopping == EVIDENCE


@inlined
def expected_mean(record: Any) -> float:
    """The mean once the pending votes are in, if they fall as (total+1/2)/(votes+1) says.

    Never above the present mean: pending votes make no item more attractive, and an item
    with votes of 1 only does not keep all raters to itself.
    """
    if record.pending == 0:
        return mean_of(record)
    rate = (record.total + 0.5) / (record.votes + 1)
    expected = (record.total + record.pending * rate) / (record.votes + record.pending)
    return min(mean_of(record), expected) if record.votes > 0 else expected


@inlined
def _has_sides(h: Any) -> bool:
    """Whether the rule asks for leaders and for items outside by different keys."""
    return h.rule == PAIR or h.rule == BALANCE


@inlined
def takes_two(h: Any) -> bool:
    """Whether the rule is of the Top-Two family."""
    return FIRST_OF_TWO <= h.rule <= LAST_OF_TWO


@inlined
def choice_of(state: State, item: int, time: float) -> float:
    """What the rule compares; votes asked for and not yet told count here, and only here."""
    h, record = state.header[0], state.items[item]
    by_bound = h.rule == LARGEST_UPPER or (_has_sides(h) and record.place < 0)
    if reads_levels(h.shape) and by_bound and record.votes > 0:
        if h.shape == BETTING:
            return _betting_choice(h, record, state.levels[item], state.logs)
        return _levels_choice(h, record, state.levels[item], state.values)
    return _choice(h, record, time)


@compiled
def _betting_choice(h: Any, record: Any, counts: Any, logs: Any) -> float:
    """The bound of the votes so far in the number expected, moved to the mean expected."""
    if record.status != ACTIVE:
        return -np.inf
    share = (record.votes + record.pending) / record.votes
    index = _betting_upper(record, h.choice_level, share, counts, logs)
    mean = mean_of(record)
    return stretched(h, mean, index) - (mean - expected_mean(record))


@compiled
def _levels_choice(h: Any, record: Any, counts: Any, values: Any) -> float:
    if record.status != ACTIVE:
        return -np.inf
    share = (record.votes + record.pending) / record.votes
    index = _levels_upper(h, record, h.choice_level, share, counts, values)
    mean = mean_of(record)
    return stretched(h, mean, index) - (mean - expected_mean(record))


@compiled
def _choice(h: Any, record: Any, time: float) -> float:
    if record.status != ACTIVE:
        return -np.inf
    expected = record.votes + record.pending
    if h.rule == FEWEST_VOTES or h.rule == SURVIVORS:
        return -float(expected)
    if expected == 0:
        return np.inf
    if takes_two(h) or (_has_sides(h) and record.place >= 0):
        return -np.inf
    mean = expected_mean(record)
    index = upper_index(formula_of(h), h.choice_level, mean, float(expected), time)
    return stretched(h, mean, index)


@inlined
def stretched(h: Any, mean: float, index: float) -> float:
    """The upper index as the rule sees it: closer to the mean, or farther from it.

    Not rounded again where nothing is stretched: the choice is then the bound that judges.
    """
    return mean + h.choice_stretch * (index - mean) if h.choice_stretch != 1.0 else index


@inlined
def judges_choice(h: Any, record: Any) -> bool:
    """Whether what the rule compares is the upper bound that judges, to the last bit."""
    by_bound = _has_sides(h) or h.rule == LARGEST_UPPER
    return by_bound and not h.own_choice_level and record.pending == 0 and record.votes > 0
