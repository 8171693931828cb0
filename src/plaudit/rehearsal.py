"""Who plays in a rehearsal: the raters of a crowd in the order in which they come, and their votes.

The service is real, the raters are not. Fakes know how good the items are, and vote falsely on
those that they mean: the best are voted down, and one that is not among them is voted up.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from plaudit.simulation.crowds import ATTACKS, Person, Population


class Cast:
    """The raters of one contest, whose items have `qualities` as far as these are known."""

    def __init__(
        self,
        people: Population,
        *,
        levels: int,
        items: int,
        visit: int,
        qualities: Mapping[int, float],
        generator: np.random.Generator,
    ) -> None:
        self._people = people
        self._levels = levels
        self._visit = max(1, min(visit or items, items))
        self._random = generator
        self._came = 0
        # What fakes do, by item; all of them share it, and it grows as they see items.
        self._false: dict[int, int] = {}
        self._attack = ATTACKS[people.attack] if people.fakes else None
        self._pushed: int | None = None
        down = self._attack.down if self._attack else 0
        self._bar = bar_of(down or 1, items, qualities)

    def next_person(self) -> Person:
        """The rater who comes next."""
        person = Person(self._people, self._came, self._random, false=self._false)
        self._came += 1
        return person

    def level(self, person: Person, item: int, quality: float, *, place: int) -> int:
        """The level that a rater gives an item of this quality, at this place of the visit."""
        if person.is_fake:
            self._plan_for(item, quality)
        law = binomial_law(self._levels, quality)
        return person.level(item, law, place=place, length=self._visit, came=self._came)

    def _plan_for(self, item: int, quality: float) -> None:
        """Decides what fakes do to an item that one of them sees."""
        assert self._attack is not None
        if quality >= self._bar:
            if self._attack.down:
                self._false[item] = 0
        elif self._attack.up and self._pushed in (None, item):
            self._pushed = item
            self._false[item] = self._levels - 1


def bar_of(best: int, items: int, qualities: Mapping[int, float]) -> float:
    """From which quality on an item is one of so many best.

    Where the qualities of the items are not known, it is where they lie on average.

    >>> bar_of(2, 4, {0: 0.1, 1: 0.5, 2: 0.3, 3: 0.2})
    0.3
    """
    if len(qualities) >= items:
        return sorted(qualities.values(), reverse=True)[min(best, items) - 1]
    return quality_at(max(0.0, 1.0 - best / items))


def quality_at(share: float) -> float:
    """The made-up quality of an item that is better than this share of all; most are low."""
    return 0.05 + 0.7 * share**3


def binomial_law(levels: int, quality: float) -> NDArray[np.float64]:
    """How often a vote lies at each level or below, without the last: as many tosses as steps.

    >>> binomial_law(3, 0.5)
    array([0.25, 0.75])
    """
    law = np.ones(1)
    for _ in range(levels - 1):
        law = np.append(law * (1.0 - quality), 0.0) + np.append(0.0, law * quality)
    return np.asarray(np.cumsum(law)[:-1])
