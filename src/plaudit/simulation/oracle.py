"""Races sampled by someone who knows the means: what better sampling could still save.

Track-and-Stop estimates the best shares of the votes and follows them. An oracle knows them
from the start, and stops by the race's own stopping rule. Its verdict is as certain as any other,
since the proof holds however items are chosen.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.bounds.bernoulli import divergence
from plaudit.compiled import compiled, inlined
from plaudit.errors import InvalidInput
from plaudit.race.judge import may_stop
from plaudit.race.readings import lower_of, ticket_of, time_now, upper_of
from plaudit.race.state import State
from plaudit.race.top_two.transport import cost_kernel
from plaudit.race.tree import Forest, plant, set_key, set_node, settle, winner
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace, add_vote, draw

HALVINGS = 60
# Where the search for the fewest votes begins: logarithms of ratios, or of odds.
PLACES = range(-24, 25, 3)


class OracleRace(SimulatedRace):
    """A simulated race whose votes follow given shares, by default the best for its stopping.

    >>> OracleRace(Profile.bernoulli([0.9, 0.1]), seed=1, delta=0.05).run().winners
    (0,)

    After a first vote on each item, the next vote goes to the item where it is due first: item i
    is due at (votes + 1/2) / share. With a bar, an item whose bound has passed it gets no more
    votes: shares alone take no account of luck, and would wait for the unluckiest item while the
    others get votes too. `separation` needs all bounds on their side of one bar, and `evidence`
    seldom does with less; the oracle knows the best bar (`best_bar`). For any other stopping the
    shares are `information_shares`, without a bar.
    """

    def __init__(
        self, profile: Profile, *, seed: int = 0, shares: ArrayLike | None = None, **settings: Any
    ) -> None:
        super().__init__(profile, seed=seed, **settings)
        self.bar = math.nan
        if shares is None:
            self._aim()
        else:
            self.shares = _checked(shares, len(profile))
        self._named = np.zeros(len(profile), dtype=np.uint8)
        self._named[_best_of(profile.means, self.race.settings.top)] = 1
        self._due = plant(1, len(profile))
        fill_due(self.race.engine.state, self._due, self.shares)

    def _aim(self) -> None:
        """Takes the best shares, and the bar where the stopping has one."""
        engine, means = self.race.engine, self.profile.means
        epsilon, top = engine.settings.epsilon, engine.settings.top
        if engine.method.algorithm.stopping in ("separation", "evidence"):
            lower = float(engine.records["lower_level"][0])
            levels = {"inside": lower, "outside": float(engine.header["upper_level"])}
            self.bar, self.shares = best_bar(means, epsilon=epsilon, top=top, **levels)
        elif top == 1:
            self.shares = information_shares(means, epsilon=epsilon)
        else:
            raise InvalidInput("information_shares are for top=1: give the oracle its shares.")

    def advance(self, votes: int) -> bool:
        """Runs for up to this many more votes; whether the race has ended."""
        limit = self.race.votes + votes
        state, profile = self.race.engine.state, self.profile
        with self.stream.lend() as generator:
            given = (profile.values, profile.below, generator, limit)
            return bool(run_by_shares(state, self._due, self.shares, self._named, self.bar, *given))


def information_shares(means: ArrayLike, *, epsilon: float = 0.0) -> NDArray[np.float64]:
    """The shares w of the votes that make the smallest cost of a rival as large as it can be.

    With W the cost of `race.top_two.transport` they maximise min over a of
    W(w_1, mu_1; w_a, mu_a): the evidence per vote that no rival is better than the best item by
    epsilon. Without epsilon they are `theory.optimal_shares`, and the maximum is 1/T*. With
    epsilon the oracle still names the best item itself, although others within epsilon would do.

    At the optimum all rivals cost the same y; given y, x_a = w_a/w_1 solves W(1; x_a) = y, and
    y makes the votes (1 + sum of x_a)/y least.

    >>> information_shares([0.25, 0.75]).round(6).tolist()
    [0.5, 0.5]
    """
    values = _means(means)
    best = int(values.argmax())
    lead, rivals = float(values[best]), np.delete(values, best)
    if epsilon == 0.0 and rivals.max() == lead:
        raise InvalidInput("Two items share the largest mean: without epsilon no votes part them.")
    ratios = np.empty(rivals.size)

    def votes(place: float) -> float:
        cost = cost_kernel(1.0, lead, math.exp(place), float(rivals.max()), epsilon)
        _fill_ratios(lead, rivals, cost, epsilon, ratios)
        return float((1.0 + ratios.sum()) / cost)

    votes(_fewest(votes))
    shares: NDArray[np.float64] = np.insert(ratios, best, 1.0) / (1.0 + ratios.sum())
    return shares


def best_bar(
    means: ArrayLike,
    *,
    epsilon: float = 0.0,
    top: int = 1,
    inside: float = 1.0,
    outside: float = 1.0,
) -> tuple[float, NDArray[np.float64]]:
    """The bar that all bounds pass with the fewest votes, and the shares of these votes.

    An item that is to be named needs inside/D(mu, c - epsilon) votes until its lower bound is
    above c - epsilon, and any other outside/D(mu, c) until its upper bound is below c; `inside` and
    `outside` are the evidence that the levels ask for. The best bar c makes the sum least: there a
    small move costs one side what it saves the other, so the sums of votes over radius are equal
    on both sides.

    >>> bar, shares = best_bar([0.25, 0.75])
    >>> round(bar, 6), shares.round(6).tolist()
    (0.5, [0.5, 0.5])
    """
    values = _means(means)
    named = np.zeros(values.size, dtype=bool)
    named[_best_of(values, top)] = True
    low, high = float(values[~named].max()), min(1.0, float(values[named].min()) + epsilon)
    if not low < high:
        raise InvalidInput("Items on both sides share a mean: without epsilon no votes part them.")

    def bar_at(place: float) -> float:
        return low + (high - low) / (1.0 + math.exp(-place))

    def needs(place: float) -> NDArray[np.float64]:
        over = np.full(values.size, bar_at(place))
        under = np.maximum(over - epsilon, 0.0)
        with np.errstate(divide="ignore"):
            lead = inside / np.asarray(divergence(values, under))
            trail = outside / np.asarray(divergence(values, over))
        return np.where(named, lead, trail)

    place = _fewest(lambda place: float(needs(place).sum()))
    votes = needs(place)
    return bar_at(place), votes / votes.sum()


def _best_of(means: NDArray[np.float64], top: int) -> NDArray[np.int64]:
    return np.argsort(-means, kind="stable")[:top]


def _fewest(votes: Callable[[float], float]) -> float:
    """The place of the fewest votes: a scan finds the valley, a search its lowest point."""
    from scipy.optimize import minimize_scalar

    start = min(PLACES, key=votes)
    sides = (start - 3.0, start + 3.0)
    found = minimize_scalar(votes, bounds=sides, method="bounded", options={"xatol": 1e-8})
    return float(found.x)


def _means(means: ArrayLike) -> NDArray[np.float64]:
    values: NDArray[np.float64] = np.asarray(means, dtype=np.float64)
    if values.ndim != 1 or values.size < 2 or not ((values >= 0.0) & (values <= 1.0)).all():
        raise InvalidInput("means must be a list of at least 2 numbers in [0, 1].")
    return values


def _checked(shares: ArrayLike, items: int) -> NDArray[np.float64]:
    values: NDArray[np.float64] = np.asarray(shares, dtype=np.float64)
    if values.shape != (items,) or not ((values > 0.0) & np.isfinite(values)).all():
        raise InvalidInput(f"shares must be {items} positive numbers, one an item.")
    checked: NDArray[np.float64] = values / values.sum()
    return checked


@compiled
def _fill_ratios(best: float, rivals: Any, cost: float, epsilon: float, out: Any) -> None:
    """The x at which W(1; x) reaches a cost, for every rival: halving between logarithms."""
    for i in range(rivals.size):
        low, high = -30.0, 30.0
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if cost_kernel(1.0, best, math.exp(middle), rivals[i], epsilon) < cost:
                low = middle
            else:
                high = middle
        out[i] = math.exp(high)


@compiled
def fill_due(state: State, due: Forest, shares: Any) -> None:
    """When each item's next vote is due; negative, so that the soonest is the largest key."""
    for item in range(shares.size):
        key = -(state.items[item].votes + 0.5) / shares[item]
        set_node(due, 0, item, key, ticket_of(state.header[0], state.items, item))
    settle(due, 0)


@inlined
def _has_passed(state: State, item: int, named: Any, bar: float) -> bool:
    """Whether an item's bound is where the verdict wants it: above or below the bar."""
    h = state.header[0]
    now = time_now(h)
    if named[item]:
        return bool(lower_of(state, item, now) > bar - h.epsilon)
    return bool(upper_of(state, item, now) < bar)


@compiled
def run_by_shares(
    state: State,
    due: Forest,
    shares: Any,
    named: Any,
    bar: float,
    values: Any,
    below: Any,
    generator: Any,
    limit: int,
) -> bool:
    """Runs a race by shares until it may stop or has `limit` votes; whether it may stop."""
    h = state.header[0]
    while True:
        if h.unsampled == 0 and may_stop(state):
            return True
        if h.votes >= limit:
            return False
        item = h.items - h.unsampled if h.unsampled > 0 else winner(due, 0)
        if item < 0:
            # All have passed, and the wrong one leads: the shares alone go on.
            bar = np.nan
            fill_due(state, due, shares)
        elif h.unsampled == 0 and _has_passed(state, item, named, bar):
            set_key(due, 0, item, -np.inf, np.uint64(0))
        else:
            add_vote(state, item, values, draw(below, item, generator))
            key = -(state.items[item].votes + 0.5) / shares[item]
            set_key(due, 0, item, key, ticket_of(h, state.items, item))
