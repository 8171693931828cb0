"""One rater of a crowd in plain Python, for rehearsals of live contests."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.simulation.crowds.attacks import ATTACKS, AWAKE, EARLY, WAKE
from plaudit.simulation.crowds.drawing import place_of, tilt_of
from plaudit.simulation.crowds.people import Population


class Person:
    """The rater who came as number `number`, with all that makes their votes their own.

    In a live contest nobody chooses what they are shown. A fake gives the items in `false` the
    level that it says there, and votes honestly on all others. Early fakes are the first to come.
    Sleepers come first too, and wake up once `WAKE` raters came; late and adaptive fakes come then.

    >>> person = Person(Population(kind_stern=1.0), 0, np.random.default_rng(1))
    >>> len({person.level(item, np.array([0.5]), place=item, length=9) for item in range(9)})
    1
    """

    def __init__(
        self,
        people: Population,
        number: int,
        generator: np.random.Generator,
        *,
        false: Mapping[int, int] | None = None,
    ) -> None:
        self._traits = people.traits
        self._number = number
        self._random = generator
        self._own, self._camp, careless = generator.random(3).tolist()
        self._careless = careless < people.careless
        self.is_fake = is_fake(people, number)
        self._sleeps = self.is_fake and ATTACKS[people.attack].when == AWAKE
        self._false = false if self.is_fake and false is not None else {}

    def level(
        self, item: int, below: NDArray[np.float64], *, place: int, length: int, came: int = 0
    ) -> int:
        """The level of the vote on an item whose law is `below`, at a place of the visit.

        `came` is how many raters have come by now.
        """
        if item in self._false and not (self._sleeps and came < WAKE):
            return self._false[item]
        fresh, pick, again, tilted = self._random.random(4).tolist()
        if self._careless:
            return int(fresh * (len(below) + 1))
        tilt = tilt_of(self._traits, self._number, item, min(place, length - 1), length)
        drawn: Any = place_of(
            self._traits, self._own, self._camp, item, tilt, fresh, pick, again, tilted
        )
        return int(np.searchsorted(below, drawn, side="right"))


def is_fake(people: Population, number: int) -> bool:
    """Whether the rater who comes as this number is a fake."""
    if not people.fakes:
        return False
    first = 0 if ATTACKS[people.attack].when in (EARLY, AWAKE) else WAKE
    return first <= number < first + people.fakes
