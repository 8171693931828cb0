"""Races of raters who visit one after the other, none of whom sees an item twice.

The plain runner gives a leader every other vote if its rule says so; in a contest that would need
as many raters. Here each rater visits once and gets a few different items, chosen by the code of a
live contest.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled
from plaudit.race.asking import ask
from plaudit.race.index import put_key
from plaudit.race.judge import may_stop
from plaudit.race.race import Race
from plaudit.race.state import BY_CHOICE, State
from plaudit.race.tree import set_key
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace, add_vote, draw

MANY = 2**62


class VisitRace(SimulatedRace):
    """A race whose raters vote on `votes_per_rater` different items each; `raters` at most come.

    >>> race = VisitRace(Profile.bernoulli([0.9, 0.5, 0.1]), votes_per_rater=2, delta=0.05)
    >>> race.run().winners, bool(race.raters >= race.race.intervals().votes.max())
    ((0,), True)
    """

    asked = True

    def __init__(
        self,
        profile: Profile,
        *,
        votes_per_rater: int,
        raters: int | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        super().__init__(profile, seed=seed, **settings)
        self._open(votes_per_rater, raters)

    @classmethod
    def continue_with(
        cls, race: Race, profile: Profile, *, votes_per_rater: int, seed: int = 0
    ) -> "VisitRace":
        """A copy of a race, to continue with raters who have seen nothing yet."""
        simulated = cls.continuing(race, profile, seed=seed)
        assert isinstance(simulated, cls)
        simulated._open(votes_per_rater)  # noqa: SLF001
        return simulated

    def _open(self, votes_per_rater: int, raters: int | None = None) -> None:
        self._most_raters = MANY if raters is None else raters
        self._raters = np.zeros(1, dtype=np.int64)
        self._seen = np.empty(min(votes_per_rater, len(self.profile)), dtype=np.int64)

    @property
    def raters(self) -> int:
        """How many raters have come."""
        return int(self._raters[0])

    def advance(self, votes: int) -> bool:
        """Runs for up to this many more votes and to the end of a visit; whether the race ended."""
        limit = self.race.votes + votes
        profile = self.profile
        with self.stream.lend() as generator:
            return bool(
                run_visits(
                    self.race.engine.state,
                    profile.values,
                    profile.below,
                    generator,
                    limit,
                    self.race.engine.blocked,
                    self._seen,
                    self._raters,
                    self._most_raters,
                )
            )


@compiled
def run_visits(
    state: State,
    values: NDArray[np.float64],
    below: NDArray[np.float64],
    generator: Any,
    limit: int,
    blocked: NDArray[np.uint8],
    seen: NDArray[np.int64],
    raters: NDArray[np.int64],
    most_raters: int,
) -> bool:
    """Lets raters vote until the race may stop, has `limit` votes, or runs out of raters.

    Returns whether it may stop.
    """
    h = state.header[0]
    while True:
        if h.unsampled == 0 and may_stop(state):
            return True
        if h.votes >= limit or raters[0] >= most_raters:
            return False
        if serve(state, values, below, generator, blocked, seen) == 0:
            return False
        raters[0] += 1


@compiled
def serve(
    state: State,
    values: NDArray[np.float64],
    below: NDArray[np.float64],
    generator: Any,
    blocked: NDArray[np.uint8],
    seen: NDArray[np.int64],
) -> int:
    """The visit of one rater, item by item, each voted on at once; returns how many items."""
    found = 0
    while found < seen.size and ask(state, blocked, True, seen[found : found + 1]) == 1:
        item = seen[found]
        state.items[item].pending -= 1
        state.header[0].pending -= 1
        add_vote(state, item, values, draw(below, item, generator))
        # Hidden until the visit is over; `ask` would find it and skip it again and again.
        set_key(state.field, BY_CHOICE, item, -np.inf, np.uint64(0))
        found += 1
    for k in range(found):
        blocked[seen[k]] = 0
        put_key(state, BY_CHOICE, seen[k], state.header[0].horizon)
    return found
