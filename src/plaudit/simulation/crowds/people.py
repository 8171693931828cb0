"""Who comes: a crowd in a few words, such as ``kind-stern:0.15+careless:0.1+knock-out:4``."""

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput, UnknownName
from plaudit.simulation.crowds.attacks import ATTACKS
from plaudit.simulation.profiles import Profile

INDEPENDENT = "independent"
# What a word without a number means.
TRAITS = {
    "kind-stern": 0.15,
    "camps": 0.5,
    "mood": 0.3,
    "drift": 0.3,
    "fatigue": 0.5,
    "careless": 0.1,
}
FAKES = 4
DAY = 100


class Traits(NamedTuple):
    """The honest part of a crowd as compiled code reads it; `alike` and `camps` are shares."""

    alike: float
    camps: float
    mood: float
    drift: float
    fatigue: float
    careless: float
    day: float


@dataclass(frozen=True)
class Population:
    """A crowd. Votes on an item keep the item's law, whatever the crowd is like.

    A vote falls at a place u from 0 to 1 among all votes that the crowd would give this item, and
    its level is what the item's law has there. In every crowd u is uniform over the raters, so
    each item has the profile's frequencies, and its mean, exactly. What differs is how the u of
    one rater hang together, and when they come:

    - `kind_stern`: the correlation of one rater's u on any two items. Every rater has a u of their
      own, and each vote takes it with probability √kind_stern.
    - `camps`: the same, but items of odd number get 1 - u: whoever likes the even ones dislikes
      the odd ones, by the same correlation.
    - `mood`, `drift`: a tilt that turns full circle every `day` raters; over a whole day u is
      uniform. With mood all items rise and fall together, with drift even and odd ones opposed.
    - `fatigue`: raters start a visit kind and end it stern; over all places of a visit u is
      uniform.
    - `careless`: the share of raters who click at random. They are part of the crowd, so the means
      of the crowd move towards the middle: `laws` has them.
    - `attack`, `fakes`: how many fakes come, and what they do (`ATTACKS`).

    >>> Population(kind_stern=0.2, attack="knock-out", fakes=4).name
    'kind-stern:0.2+knock-out:4'
    """

    kind_stern: float = 0.0
    camps: float = 0.0
    mood: float = 0.0
    drift: float = 0.0
    fatigue: float = 0.0
    careless: float = 0.0
    attack: str = ""
    fakes: int = 0
    day: int = DAY

    def __post_init__(self) -> None:
        for field in fields(self)[: len(TRAITS)]:
            given = getattr(self, field.name)
            if not 0.0 <= given <= 1.0:
                raise InvalidInput(f"{_word(field.name)} must lie in [0, 1]; got {given!r}.")
        if self.attack and self.attack not in ATTACKS:
            raise UnknownName("attack", self.attack, ATTACKS)
        if self.fakes < 0 or bool(self.fakes) != bool(self.attack):
            raise InvalidInput(f"An attack needs at least 1 fake; got {self.fakes}.")
        if self.day < 2:
            raise InvalidInput(f"day must be at least 2 raters; got {self.day!r}.")
        if math.sqrt(self.kind_stern) + math.sqrt(self.camps) > 1.0:
            raise InvalidInput(
                "The square roots of kind-stern and camps must not add up to more than 1; got "
                f"{self.kind_stern} and {self.camps}."
            )
        if self.mood + self.drift + self.fatigue > 1.0:
            raise InvalidInput("mood, drift and fatigue must not add up to more than 1.")

    @property
    def name(self) -> str:
        """The crowd in the words that `parse_population` reads."""
        words = [
            f"{word}:{getattr(self, word.replace('-', '_')):g}"
            for word in TRAITS
            if getattr(self, word.replace("-", "_"))
        ]
        words += [f"{self.attack}:{self.fakes}"] if self.fakes else []
        return "+".join(words) or INDEPENDENT

    @property
    def traits(self) -> Traits:
        """The honest part, for compiled code."""
        alike, camps = math.sqrt(self.kind_stern), math.sqrt(self.camps)
        return Traits(
            alike, camps, self.mood, self.drift, self.fatigue, self.careless, float(self.day)
        )

    def laws(self, profile: Profile) -> Profile:
        """How often all who are no fakes give each level to each item."""
        if not self.careless:
            return profile
        levels = profile.values.size
        by_chance: NDArray[np.float64] = np.arange(1, levels) / levels
        below = (1.0 - self.careless) * profile.below + self.careless * by_chance
        return Profile(profile.values, np.ascontiguousarray(below))


def parse_population(text: str) -> Population:
    """The crowd written as words with a number each, joined by ``+``.

    >>> parse_population("camps:0.5+careless").careless
    0.1
    """
    given: dict[str, Any] = {}
    for part in text.split("+"):
        word, _, number = part.strip().partition(":")
        if word in TRAITS:
            given[word.replace("-", "_")] = _number(number, text) if number else TRAITS[word]
        elif word in ATTACKS:
            if "attack" in given:
                raise InvalidInput(f"{text!r} has two attacks; one crowd makes one.")
            given["attack"], given["fakes"] = word, int(_number(number, text) if number else FAKES)
        elif part.strip() != INDEPENDENT:
            raise UnknownName("crowd", word, (INDEPENDENT, *TRAITS, *ATTACKS))
    return Population(**given)


def _number(number: str, text: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise InvalidInput(f"{number!r} in the crowd {text!r} is not a number.") from None


def _word(field: str) -> str:
    return field.replace("_", "-")
