"""Very many attacked races of one kind, on one state that is wiped between races."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from plaudit.errors import InvalidInput
from plaudit.simulation.attacks.lies import run_attacked
from plaudit.simulation.attacks.plans import HALFWAY, Attack
from plaudit.simulation.attacks.watching import Crowd, Notes, Orders
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace, run
from plaudit.simulation.streams import Stream

# Races without an attack that say how long one takes, and the seed of their votes.
TRIAL_RACES, TRIAL_SEED = 15, 20_261_117


@dataclass(frozen=True)
class AttackResult:
    """Of a block: how many races ran, named a wrong item, were cut; their votes, and the false."""

    races: int
    wrong: int
    cut: int
    votes: int
    false_votes: int


class AttackedRaces:
    """Races of one kind on one profile with dishonest raters; settings are those of `Race`.

    >>> races = AttackedRaces(Profile.bernoulli([0.9, 0.1]), delta=0.1, tolerance=2)
    >>> races.block(20, Attack(), raters=2, seed=1, limit=1000).wrong
    0
    """

    def __init__(self, profile: Profile, **settings: Any) -> None:
        self._engine = SimulatedRace(profile, **settings).race.engine
        if self._engine.settings.top != 1 or self._engine.is_all_good:
            raise InvalidInput("Attacks are planned for races that name one item: use top=1.")
        self._arrays = list(self._engine.arrays())
        self._empty = [array.copy() for array in self._arrays]
        means, size = profile.means, len(profile)
        self._is_right = means >= means.max() - self._engine.epsilon - 1e-12
        if self._is_right.all():
            raise InvalidInput("Every item may win here: no attack could make a verdict wrong.")
        self._crowd = Crowd(
            profile.values,
            profile.below,
            means,
            np.argsort(-means, kind="stable"),
            int(self._is_right.sum()),
            int(profile.values.argmin()),
            int(profile.values.argmax()),
        )
        self._notes = Notes(
            np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size), np.zeros(size)
        )

    def block(
        self, races: int, attack: Attack, *, raters: int, seed: int, limit: int
    ) -> AttackResult:
        """Runs this many races one after the other, each cut at `limit` votes.

        `raters` dishonest raters attack each. Races that are cut are not wrong.
        """
        orders = self._orders(attack, raters)
        wrong = cut = votes = false_votes = 0
        with Stream(seed).lend() as generator:
            for number in range(races):
                self._wipe((seed + number) % 2**63)
                stopped = run_attacked(
                    self._engine.state, self._crowd, orders, self._notes, generator, limit
                )
                votes += self._engine.votes
                false_votes += int(self._notes.cast.sum())
                cut += not stopped
                wrong += bool(stopped) and not self._is_right[list(self._engine.named)].all()
        return AttackResult(races, wrong, cut, votes, false_votes)

    def _orders(self, attack: Attack, raters: int) -> Orders:
        moment = self._usual_votes // 2 if attack.when == HALFWAY else 0
        return Orders(
            raters, attack.when, attack.ruined, attack.pushed, attack.others, attack.sleeps,
            attack.early, moment, attack.slack, attack.margin, attack.patience,
        )  # fmt: skip

    @cached_property
    def _usual_votes(self) -> int:
        """The median number of votes of races without an attack."""
        taken = []
        with Stream(TRIAL_SEED).lend() as generator:
            for number in range(TRIAL_RACES):
                self._wipe(number)
                crowd = self._crowd
                run(self._engine.state, crowd.values, crowd.below, generator, 10**7)
                taken.append(self._engine.votes)
        return int(np.median(taken))

    def _wipe(self, seed: int) -> None:
        for array, empty in zip(self._arrays, self._empty, strict=True):
            np.copyto(array, empty)
        self._engine.reseed(seed)
