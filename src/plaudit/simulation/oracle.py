"""A race asked by someone who knows the means: what better sampling could still save.

Track-and-Stop estimates the best shares of the votes and follows them. An oracle knows them
from the start, and stops by the race's own stopping: its verdict is as certain as any other,
since no proof asks how items were chosen. Its votes are what the shares can do.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar

from plaudit.bounds.bernoulli import divergence
from plaudit.compiled import compiled
from plaudit.errors import InvalidInput
from plaudit.race.judge import may_stop
from plaudit.race.state import State, ticket_of
from plaudit.race.transport import cost_kernel
from plaudit.race.tree import Forest, plant, set_key, set_node, settle, winner
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace, add_vote, draw

HALVINGS = 60
# Places between the two sides where the search for the best bar begins, as logits.
PLACES = range(-24, 25, 3)


class OracleRace(SimulatedRace):
    """A simulated race whose votes follow given shares, by default the best for its stopping.

    >>> OracleRace(Profile.bernoulli([0.9, 0.1]), seed=1, delta=0.05).run().winners
    (0,)

    `separation` wants two bounds on either side of one bar, for which `bar_shares` are best;
    for any other stopping it is `information_shares`. After a first vote on each item, the one
    whose next vote is due first gets it: item i is due at (votes + 1/2) / share.
    """

    def __init__(
        self, profile: Profile, *, seed: int = 0, shares: ArrayLike | None = None, **settings: Any
    ) -> None:
        super().__init__(profile, seed=seed, **settings)
        self.shares = self._best_shares() if shares is None else _checked(shares, len(profile))
        self._due = plant(1, len(profile))
        state = self.race._state
        _fill_due(state, self._due, self.shares)

    def _best_shares(self) -> NDArray[np.float64]:
        race = self.race
        epsilon, top = race.settings.epsilon, race.settings.top
        if race._plan.algorithm.stopping != "separation":
            if top > 1:
                raise InvalidInput("information_shares are for top=1: give the oracle its shares.")
            return information_shares(self.profile.means, epsilon=epsilon)
        lower = float(race._state.items["lower_level"][0])
        upper = float(race._header["upper_level"])
        return bar_shares(self.profile.means, epsilon=epsilon, top=top, inside=lower, outside=upper)

    def advance(self, votes: int) -> bool:
        """Runs up to so many votes more; whether the race has ended."""
        limit = self.race.votes + votes
        state, profile = self.race._state, self.profile
        with self._stream.lend() as generator:
            given = (profile.values, profile.below, generator, limit)
            return bool(_run(state, self._due, self.shares, *given))


def information_shares(means: ArrayLike, *, epsilon: float = 0.0) -> NDArray[np.float64]:
    """The shares w of the votes that make the smallest cost of a rival as large as it can be.

    With W the cost of `race.transport` they maximise min over a of W(w_1, mu_1; w_a, mu_a), the
    evidence a vote that the best item is no worse than a by epsilon. Without epsilon they
    are `theory.optimal_shares`, and the maximum is 1/T*. With it the oracle insists on naming the
    best item itself, where others within epsilon would do.

    At the optimum all rivals cost the same y; given y, x_a = w_a/w_1 solves W(1; x_a) = y, and y
    makes the votes (1 + sum of x_a)/y least.

    >>> information_shares([0.25, 0.75]).round(6).tolist()
    [0.5, 0.5]
    """
    values = _means(means)
    best = int(values.argmax())
    rivals = np.delete(values, best)
    if epsilon == 0.0 and rivals.max() == values[best]:
        raise InvalidInput("Two items share the largest mean: without epsilon no votes part them.")
    ratios = np.empty(rivals.size)

    def votes(place: float) -> float:
        cost = cost_kernel(1.0, values[best], float(np.exp(place)), rivals.max(), epsilon)
        _fill_ratios(values[best], rivals, cost, epsilon, ratios)
        return float((1.0 + ratios.sum()) / cost)

    _minimise(votes)
    shares: NDArray[np.float64] = np.insert(ratios, best, 1.0) / (1.0 + ratios.sum())
    return shares


def bar_shares(
    means: ArrayLike,
    *,
    epsilon: float = 0.0,
    top: int = 1,
    inside: float = 1.0,
    outside: float = 1.0,
) -> NDArray[np.float64]:
    """The shares of the votes that bring all bounds to one bar with the fewest votes.

    An item that is to be named needs inside/D(mu, c - epsilon) votes until its lower bound is
    above c - epsilon, any other outside/D(mu, c) until its upper bound is below c; `inside` and
    `outside` are the evidence that the levels ask for. The bar c makes the sum least: where
    it moves by little, what one side saves the other pays, so that votes over radius, added
    up, are equal on both sides.

    >>> bar_shares([0.25, 0.75]).round(6).tolist()
    [0.5, 0.5]
    """
    values = _means(means)
    order = np.argsort(-values, kind="stable")
    named = np.zeros(values.size, dtype=bool)
    named[order[:top]] = True
    low, high = float(values[~named].max()), min(1.0, float(values[named].min()) + epsilon)
    if not low < high:
        raise InvalidInput("Items on both sides share a mean: without epsilon no votes part them.")

    def needs(place: float) -> NDArray[np.float64]:
        bar = low + (high - low) / (1.0 + np.exp(-place))
        under = np.full(values.size, max(bar - epsilon, 0.0))
        over = np.full(values.size, min(bar, 1.0))
        with np.errstate(divide="ignore"):
            lead = inside / np.asarray(divergence(values, under))
            trail = outside / np.asarray(divergence(values, over))
        return np.where(named, lead, trail)

    votes = needs(_minimise(lambda place: float(needs(place).sum())))
    return votes / votes.sum()


def _minimise(votes: Any) -> float:
    """The place of the fewest votes, the last at which `votes` was called."""
    start = min(PLACES, key=votes)
    sides = (start - 3.0, start + 3.0)
    found = minimize_scalar(votes, bounds=sides, method="bounded", options={"xatol": 1e-8})
    place = float(found.x)
    votes(place)
    return place


def _means(means: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(means, dtype=np.float64)
    if values.ndim != 1 or values.size < 2 or not ((values >= 0.0) & (values <= 1.0)).all():
        raise InvalidInput("means must be a list of at least 2 numbers in [0, 1].")
    return values


def _checked(shares: ArrayLike, items: int) -> NDArray[np.float64]:
    values = np.asarray(shares, dtype=np.float64)
    if values.shape != (items,) or not ((values > 0.0) & np.isfinite(values)).all():
        raise InvalidInput(f"shares must be {items} positive numbers, one an item.")
    return values / values.sum()


@compiled
def _fill_ratios(best: float, rivals: Any, cost: float, epsilon: float, out: Any) -> None:
    """The x at which W(1; x) reaches a cost, for every rival: halving between logarithms."""
    for i in range(rivals.size):
        low, high = -80.0, 80.0
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if cost_kernel(1.0, best, np.exp(middle), rivals[i], epsilon) < cost:
                low = middle
            else:
                high = middle
        out[i] = np.exp(high)


@compiled
def _fill_due(state: State, due: Forest, shares: Any) -> None:
    """When each item's next vote is due; negative, so that the soonest is the largest key."""
    for item in range(shares.size):
        key = -(state.items[item].votes + 0.5) / shares[item]
        set_node(due, 0, item, key, ticket_of(state.header[0], state.items, item))
    settle(due, 0)


@compiled
def _run(
    state: State, due: Forest, shares: Any, values: Any, below: Any, generator: Any, limit: int
) -> bool:
    """Runs a race by shares until it may stop or has `limit` votes; whether it may stop."""
    h = state.header[0]
    while True:
        if h.unsampled == 0 and may_stop(state):
            return True
        if h.votes >= limit:
            return False
        item = h.items - h.unsampled if h.unsampled > 0 else winner(due, 0)
        add_vote(state, item, values, draw(below, item, generator))
        key = -(state.items[item].votes + 0.5) / shares[item]
        set_key(due, 0, item, key, ticket_of(h, state.items, item))
