"""Very many short races of one kind, on one state that is wiped between races.

Setting up a race in Python takes longer than a short race. Here it is done once: every race
starts from a copy of the empty arrays, with its own seed for ties.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled
from plaudit.race.judge import may_stop
from plaudit.race.readings import mean_of
from plaudit.race.state import State
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace, add_vote, draw, run
from plaudit.simulation.streams import Stream

# Who chooses the next item: the race's own rule, or an attack that knows the truth.
OWN_RULE, LEADER, STREAK, CHERRY = 0, 1, 2, 3
ATTACKS = {
    "leader": LEADER,
    "streak": STREAK,
    "cherry-picking": CHERRY,
}
# An attack that never asked for some item could never cause a verdict.
LOOKS_AWAY = 0.1


@dataclass(frozen=True)
class BlockResult:
    """Of a block: how many races ran, named a wrong item, were cut, and their votes in all."""

    races: int
    wrong: int
    cut: int
    votes: int


class Reruns:
    """Races of one kind on one profile, run in blocks; settings are those of `Race`.

    >>> Reruns(Profile.bernoulli([0.9, 0.1]), delta=0.1).block(20, seed=1, limit=1000).races
    20
    """

    def __init__(self, profile: Profile, **settings: Any) -> None:
        self._profile = profile
        self.engine = SimulatedRace(profile, **settings).race.engine
        self._arrays = list(self.engine.arrays())
        self._empty = [array.copy() for array in self._arrays]
        best = np.sort(profile.means)[::-1]
        top, epsilon = self.engine.settings.top, self.engine.epsilon
        self._least = float(best[top - 1]) - epsilon - 1e-12
        # Among equals at the edge of the top any will do.
        self._good = (profile.means >= best[top - 1] - 1e-12).astype(np.int64)

    def block(self, races: int, *, seed: int, limit: int, attack: str | None = None) -> BlockResult:
        """Runs this many races one after the other, each cut at `limit` votes.

        An attack takes the place of the race's rule. Races that are cut are not wrong.
        """
        who = OWN_RULE if attack is None else ATTACKS[attack]
        wrong = cut = votes = 0
        with Stream(seed).lend() as generator:
            for number in range(races):
                self._wipe()
                stopped = self._run(generator, seed=(seed + number) % 2**63, limit=limit, who=who)
                votes += self.engine.votes
                cut += not stopped
                wrong += stopped and not self._is_right()
        return BlockResult(races, wrong, cut, votes)

    def _wipe(self) -> None:
        for array, empty in zip(self._arrays, self._empty, strict=True):
            np.copyto(array, empty)

    def _run(self, generator: Any, *, seed: int, limit: int, who: int) -> bool:
        profile = self._profile
        state = self.engine.state
        self.engine.reseed(seed)
        if who == OWN_RULE:
            return bool(run(state, profile.values, profile.below, generator, limit))
        return bool(mislead(state, profile.values, profile.below, generator, limit, who,
                            profile.means, self._good))  # fmt: skip

    def _is_right(self) -> bool:
        named = list(self.engine.named)
        return bool((self._profile.means[named] >= self._least).all())


@compiled
def mislead(
    state: State,
    values: NDArray[np.float64],
    below: NDArray[np.float64],
    generator: Any,
    limit: int,
    who: int,
    means: NDArray[np.float64],
    good: NDArray[np.int64],
) -> bool:
    """Runs a race whose votes an attack asks for, until it may stop; whether it may."""
    h = state.header[0]
    while True:
        if h.unsampled == 0 and may_stop(state):
            return True
        if h.votes >= limit:
            return False
        item = _prey(state, who, generator.random(), means, good)
        add_vote(state, item, values, draw(below, item, generator))


@compiled
def _prey(state: State, who: int, chance: float, means: Any, good: Any) -> Any:
    """The item that an attack wants votes on next.

    `leader` asks for the item of largest mean. `streak` asks for the item whose votes mislead
    most, in the hope of more such votes. `cherry-picking` leaves such items alone and tries its
    luck with the others.
    """
    h = state.header[0]
    for item in range(h.items):
        if state.items[item].votes == 0:
            return item
    if chance < LOOKS_AWAY:
        return min(int(chance / LOOKS_AWAY * h.items), h.items - 1)
    found, most = 0, -np.inf
    for item in range(h.items):
        if who == LEADER:
            key = mean_of(state.items[item])
        else:
            key = _misleads(state.items[item], means[item], good[item])
            key = key if who == STREAK else -key
        if key > most:
            found, most = item, key
    return found


@compiled
def _misleads(record: Any, mean: float, good: int) -> float:
    """How strongly an item's votes speak for a wrong verdict; negative where for a right one."""
    off = mean_of(record) - mean
    wrong_way = off < 0.0 if good == 1 else off > 0.0
    evidence: float = record.votes * off * off
    return evidence if wrong_way else -evidence
