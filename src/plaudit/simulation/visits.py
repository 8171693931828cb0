"""Races of raters who visit, none of whom sees an item twice.

The plain runner gives a leader every other vote if its rule says so; in a contest that would need
as many raters. Here each rater visits once and gets a few different items, chosen by the code of a
live contest. Who the raters are is a `Population`; unless told otherwise their votes are
independent.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput
from plaudit.race.lead.parts import APPOINTING
from plaudit.race.race import Race
from plaudit.simulation.crowds.attacks import strike_of
from plaudit.simulation.crowds.kernel import (
    LOG_COLUMNS,
    TALLY,
    VISIT,
    Manner,
    Visits,
    run_crowd,
)
from plaudit.simulation.crowds.people import Population, parse_population
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace

MANY = 2**62
# Those who leave when they like have room for so many times the mean of their votes.
ROOM = 8


class VisitRace(SimulatedRace):
    """A race whose raters vote on `votes_per_rater` different items each; `raters` at most come.

    `people` is who comes, a `Population` or its name. The list of a visit is fixed when it
    begins; with `listed=False` every item is chosen after the vote on the one before. `shuffled`
    shows a list in random order. With `leaving`, raters leave when they like, each after about
    `votes_per_rater` votes. `at_once` visits are under way at the same time, and any of them votes
    next. `log` keeps so many votes for `votes_log`.

    With `listed=False`, and with several visits at once, votes leave the crowd in which the
    stoppings `fresh` and `lead` are proven (docs/theory/fresh.md): so one can see what that does.

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
        people: Population | str = "independent",
        raters: int | None = None,
        listed: bool = True,
        shuffled: bool = False,
        leaving: bool = False,
        at_once: int = 1,
        log: int = 0,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        if votes_per_rater < 1 or at_once < 1:
            raise InvalidInput(
                "votes_per_rater and at_once must be at least 1; "
                f"got {votes_per_rater} and {at_once}."
            )
        super().__init__(profile, seed=seed, **settings)
        self._manner = Manner(listed, shuffled, 1.0 / votes_per_rater if leaving else 0.0)
        self._open(people, votes_per_rater, raters, at_once=at_once, log=log)

    @classmethod
    def continue_with(
        cls, race: Race, profile: Profile, *, votes_per_rater: int, seed: int = 0
    ) -> "VisitRace":
        """A copy of a race, to continue with raters who have seen nothing yet."""
        simulated = cls.continuing(race, profile, seed=seed)
        assert isinstance(simulated, cls)
        simulated._manner = Manner(True, False, 0.0)  # noqa: SLF001
        simulated._open("independent", votes_per_rater, None)  # noqa: SLF001
        return simulated

    def _open(
        self,
        people: Population | str,
        votes_per_rater: int,
        raters: int | None,
        *,
        at_once: int = 1,
        log: int = 0,
    ) -> None:
        self.people = parse_population(people) if isinstance(people, str) else people
        room = votes_per_rater * (ROOM if self._manner.leaving else 1)
        self._visits = Visits(
            np.zeros(at_once, dtype=VISIT),
            np.full((at_once, min(room, len(self.profile))), -1, dtype=np.int64),
            np.zeros(1, dtype=TALLY),
            np.zeros((log, LOG_COLUMNS), dtype=np.int64),
        )
        self._visits.tally["most_raters"] = MANY if raters is None else raters
        settings = self.race.settings
        if self.people.fakes and settings.stopping in APPOINTING:
            raise InvalidInput(
                f"Fakes give votes that nobody asked for, and stopping={settings.stopping!r} takes "
                "none: leave them out, or use another stopping."
            )
        self._strike = strike_of(
            self.people.attack, self.people.fakes, self.profile,
            top=settings.top, epsilon=settings.epsilon,
        )  # fmt: skip
        self._means = self.people.laws(self.profile).means

    @property
    def raters(self) -> int:
        """How many raters have come, without fakes who only vote falsely."""
        return int(self._visits.tally["raters"][0])

    @property
    def false_votes(self) -> int:
        """How many false votes fakes have given."""
        return int(self._visits.tally["false_votes"][0])

    @property
    def means(self) -> NDArray[np.float64]:
        """What a verdict is about: each item's mean over all who are no fakes."""
        return self._means

    @property
    def votes_log(self) -> NDArray[np.int64]:
        """The first votes in order: rater, item and level; fakes have the numbers -1, -2, …"""
        return self._visits.log[: int(self._visits.tally["logged"][0])]

    def visit_arrays(self) -> Iterator[NDArray[Any]]:
        """The arrays of the crowd; a copy of them put back is the crowd as it was."""
        return iter(self._visits)

    def advance(self, votes: int) -> bool:
        """Runs for up to this many more votes; whether the race has ended."""
        limit = self.race.votes + votes
        with self.stream.lend() as generator:
            return self.go_on(generator, limit)

    def go_on(self, generator: Any, limit: int) -> bool:
        """Runs to `limit` votes in all, with random numbers from elsewhere; whether it ended."""
        profile, engine = self.profile, self.race.engine
        return bool(
            run_crowd(
                engine.state, profile.values, profile.below, generator, limit, engine.state.blocked,
                self._visits, self._manner, self.people.traits, self._strike,
            )
        )  # fmt: skip
