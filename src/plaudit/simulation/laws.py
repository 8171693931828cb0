"""Laws of a single vote in [0, 1], all of a kind that can be drawn exactly.

A law is a mixture of parts. A part is `low + (high - low) u^power` with u uniform on [0, 1]:
an atom where low = high, uniform at power 1, Beta(a, 1) on [0, 1] at power 1/a, and its
mirror Beta(1, b) where low is 1 and high 0. Nothing is read from a table of quantiles.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.arrays import in_unit_interval, valid
from plaudit.errors import InvalidInput

EVEN = 1e-12


@dataclass(frozen=True)
class Part:
    """One part of a law: its weight, and votes low + (high - low) u^power."""

    weight: float
    low: float
    high: float
    power: float = 1.0

    def __post_init__(self) -> None:
        in_unit_interval("weight", self.weight)
        in_unit_interval("votes", [self.low, self.high])
        _positive("power", self.power)

    @property
    def mean(self) -> float:
        """The mean of its votes."""
        return self.low + (self.high - self.low) / (self.power + 1.0)


class Lattice(NamedTuple):
    """Votes origin + spacing k, with the probability of each k = 0, 1, ..."""

    origin: float
    spacing: float
    chances: NDArray[np.float64]


@dataclass(frozen=True)
class VoteLaw:
    """The law of one vote; every vote is drawn from it, independently.

    >>> VoteLaw.bernoulli(0.3).mean, VoteLaw.uniform().mean, VoteLaw.beta(3, 1).mean
    (0.3, 0.5, 0.75)
    """

    name: str
    parts: tuple[Part, ...]

    def __post_init__(self) -> None:
        weights = [part.weight for part in self.parts]
        if abs(math.fsum(weights) - 1.0) > EVEN:
            raise InvalidInput(f"The weights of a law must add up to 1; got {weights}.")

    @classmethod
    def levels(cls, values: Sequence[float], chances: Sequence[float]) -> "VoteLaw":
        """Votes that take a few values, with the probability of each.

        >>> VoteLaw.levels([0, 0.5, 1], [0.25, 0.25, 0.5]).mean
        0.625
        """
        _same_length("values", values, "chances", chances)
        pairs = sorted(zip(map(float, values), map(float, chances), strict=True))
        name = "levels " + ", ".join(f"{value:g}: {chance:g}" for value, chance in pairs)
        return cls(name, tuple(Part(chance, value, value) for value, chance in pairs))

    @classmethod
    def bernoulli(cls, mean: float) -> "VoteLaw":
        """Votes 0 and 1."""
        chance = float(in_unit_interval("mean", mean))
        parts = (Part(1.0 - chance, 0.0, 0.0), Part(chance, 1.0, 1.0))
        return cls(f"bernoulli {chance:g}", parts)

    @classmethod
    def uniform(cls, low: float = 0.0, high: float = 1.0) -> "VoteLaw":
        """Votes uniform between two values."""
        return cls(f"uniform {low:g} to {high:g}", (Part(1.0, float(low), float(high)),))

    @classmethod
    def beta(cls, a: float, b: float) -> "VoteLaw":
        """Votes of law Beta(a, 1) or Beta(1, b), with mean a/(a+b)."""
        if b == 1:
            part = Part(1.0, 0.0, 1.0, 1.0 / _positive("a", a))
        elif a == 1:
            part = Part(1.0, 1.0, 0.0, 1.0 / _positive("b", b))
        else:
            raise InvalidInput(f"One of a and b must be 1 in a law Beta(a, b); got {a} and {b}.")
        return cls(f"beta {a:g}, {b:g}", (part,))

    @classmethod
    def mixture(cls, laws: Sequence["VoteLaw"], weights: Sequence[float]) -> "VoteLaw":
        """A vote of one of the laws, chosen anew for each vote."""
        _same_length("laws", laws, "weights", weights)
        pairs = list(zip(map(float, weights), laws, strict=True))
        parts = tuple(
            Part(weight * part.weight, part.low, part.high, part.power)
            for weight, law in pairs
            for part in law.parts
        )
        return cls(" + ".join(f"{weight:g} ({law.name})" for weight, law in pairs), parts)

    @property
    def mean(self) -> float:
        """The mean of a vote."""
        return math.fsum(part.weight * part.mean for part in self.parts)

    @property
    def lattice(self) -> Lattice | None:
        """The law as equally spaced levels, or None where it is not of that kind."""
        values = np.array([part.low for part in self.parts])
        if len(values) < 2 or any(part.low != part.high for part in self.parts):
            return None
        spacing = float(values[-1] - values[0]) / (len(values) - 1)
        if spacing <= 0.0 or np.abs(np.diff(values) - spacing).max() > EVEN:
            return None
        return Lattice(float(values[0]), spacing, np.array([part.weight for part in self.parts]))


def _positive(name: str, given: float) -> float:
    return float(valid(name, given, lambda v: (v > 0) & np.isfinite(v), "a number above 0"))


def _same_length(name: str, first: Sequence[object], other: str, second: Sequence[object]) -> None:
    if len(first) != len(second):
        raise InvalidInput(f"{len(first)} {name} need as many {other}; got {len(second)}.")
