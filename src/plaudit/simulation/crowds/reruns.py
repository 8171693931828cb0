"""Very many short races of one crowd, on one state that is wiped between races."""

from typing import Any

import numpy as np

from plaudit.simulation.crowds.people import Population
from plaudit.simulation.profiles import Profile
from plaudit.simulation.reruns import BlockResult
from plaudit.simulation.streams import Stream
from plaudit.simulation.visits import VisitRace


class CrowdReruns:
    """Races of one crowd on one profile, run in blocks; settings are those of `VisitRace`.

    >>> pair = Profile.bernoulli([0.9, 0.1])
    >>> CrowdReruns(pair, "camps:0.5", votes_per_rater=2, delta=0.1).block(20, seed=1).races
    20
    """

    def __init__(self, profile: Profile, people: Population | str, **settings: Any) -> None:
        self._race = VisitRace(profile, people=people, **settings)
        self._engine = self._race.race.engine
        self._arrays = [*self._engine.arrays(), *self._race.visit_arrays()]
        self._empty = [array.copy() for array in self._arrays]
        top, epsilon = self._engine.settings.top, self._engine.epsilon
        self._least = float(np.sort(self._race.means)[-top]) - epsilon - 1e-12

    def block(self, races: int, *, seed: int, max_votes: int = 10**6) -> BlockResult:
        """Runs this many races one after the other; races that are cut are not wrong."""
        wrong = cut = votes = 0
        with Stream(seed).lend() as generator:
            for number in range(races):
                for array, empty in zip(self._arrays, self._empty, strict=True):
                    np.copyto(array, empty)
                self._engine.reseed((seed + number) % 2**63)
                stopped = self._race.go_on(generator, max_votes)
                votes += self._engine.votes
                cut += not stopped
                wrong += stopped and not self._is_right()
        return BlockResult(races, wrong, cut, votes)

    def _is_right(self) -> bool:
        named = list(self._engine.named)
        return bool((self._race.means[named] >= self._least).all())
