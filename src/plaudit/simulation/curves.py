"""How soon a race finds the best item: what its ranking says on the way.

At each vote count of a grid it notes whether a best item is among the few with the largest
empirical means, and how many votes went to items below the median. Early in a race very many
means tie, so equal means are ranked in two ways: at random, and with more votes first.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled
from plaudit.race.readings import mean_of, ticket_of
from plaudit.race.state import State
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace, run

# Equal means from different counts may differ in their last bits.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Curve:
    """Sums over several races, at each vote count of the grid.

    `found` counts the races whose ranking has a best item among its first `shown`, ties in
    random order; `found_voted` the same where ties go to the item with more votes; `votes`
    sums the votes so far, and `below` those on items below the median.
    """

    found: NDArray[np.int64]
    found_voted: NDArray[np.int64]
    votes: NDArray[np.int64]
    below: NDArray[np.int64]


def follow_races(
    profile: Profile, seeds: list[int], grid: NDArray[np.int64], *, shown: int = 5, **settings: Any
) -> Curve:
    """The summed curves of one race for each seed; settings are those of `Race`.

    A pair is never cut in two, so a race may be one vote over a count of the grid.

    >>> curve = follow_races(Profile.bernoulli([0.9, 0.5, 0.1]), [1, 2], np.array([31]), shown=1)
    >>> curve.votes.tolist()
    [62]
    """
    means = profile.means
    best = np.flatnonzero(means >= means.max() - ROUNDING)
    low = (means < np.median(means)).astype(np.int64)
    totals = np.zeros((4, grid.size), dtype=np.int64)
    for seed in seeds:
        simulated = SimulatedRace(profile, seed=seed, **settings)
        state = simulated.race.engine.state
        with simulated.stream.lend() as generator:
            follow(state, profile.values, profile.below, generator, grid, best, low, shown, totals)
    return Curve(*totals)


@compiled
def follow(
    state: State,
    values: NDArray[np.float64],
    below: NDArray[np.float64],
    generator: Any,
    grid: NDArray[np.int64],
    best: NDArray[np.int64],
    low: NDArray[np.int64],
    shown: int,
    totals: NDArray[np.int64],
) -> None:
    """Runs a race along the grid and adds its curve to the totals."""
    h = state.header[0]
    done = False
    for k in range(grid.size):
        if not done:
            # A race that has its verdict asks for no more votes: its ranking stands.
            done = run(state, values, below, generator, grid[k])
        for voted_first in range(2):
            totals[voted_first, k] += is_shown(state, best, shown, voted_first == 1)
        totals[2, k] += h.votes
        for item in range(h.items):
            totals[3, k] += low[item] * state.items[item].votes


@compiled
def is_shown(state: State, best: NDArray[np.int64], shown: int, voted_first: bool) -> bool:
    """Whether one of the best items has fewer than `shown` items ranked before it."""
    for k in range(best.size):
        ahead = 0
        for item in range(state.header[0].items):
            if ranks_before(state, item, best[k], voted_first):
                ahead += 1
                if ahead == shown:
                    break
        if ahead < shown:
            return True
    return False


@compiled
def ranks_before(state: State, item: int, other: int, voted_first: bool) -> bool:
    """Whether an item ranks before another by mean, then perhaps votes, then the draw."""
    h, items = state.header[0], state.items
    mean, mark = mean_of(items[item]), mean_of(items[other])
    if mean != mark:
        return mean > mark
    if voted_first and items[item].votes != items[other].votes:
        return items[item].votes > items[other].votes
    return ticket_of(h, items, item) > ticket_of(h, items, other)
