"""Profiles: how often votes on simulated items fall on each level of a scale."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.bounds.arrays import in_unit_interval
from plaudit.errors import InvalidInput
from plaudit.scale import MAX_LEVELS, Scale
from plaudit.theory import power_profile

MAX_EXPONENT = 100.0


@dataclass(frozen=True)
class Profile:
    """Items whose votes are drawn from fixed frequencies of the values of a scale.

    `below[i, k]` is the probability that a vote on item i lies at level k or lower, without
    the last level, whose probability is 1.
    """

    values: NDArray[np.float64]
    below: NDArray[np.float64]

    @classmethod
    def bernoulli(cls, means: ArrayLike) -> "Profile":
        """Items with votes 0 and 1.

        >>> Profile.bernoulli([0.5, 0.25]).means
        array([0.5 , 0.25])
        """
        chances = np.atleast_1d(in_unit_interval("means", means))
        if chances.ndim != 1 or chances.size < 2:
            raise InvalidInput("A profile needs at least two items, one mean each.")
        return cls(np.array([0.0, 1.0]), (1.0 - chances)[:, None].copy())

    @classmethod
    def power(cls, items: int, exponent: float) -> "Profile":
        """The paper's Section 5: means 1 - ((i-1)/n)^exponent, votes 0 and 1."""
        return cls.bernoulli(power_profile(items, exponent))

    @classmethod
    def frequencies(cls, counts: ArrayLike, values: Sequence[float]) -> "Profile":
        """Items whose votes are drawn from past votes: counts of each level."""
        table = np.asarray(counts, dtype=np.float64)
        if table.ndim != 2 or not (np.isfinite(table) & (table >= 0)).all():
            raise InvalidInput("Counts must be a table of numbers of at least 0, a row an item.")
        totals = table.sum(axis=1)
        if (totals <= 0).any():
            raise InvalidInput(
                f"Item {int(np.argmin(totals))} has no votes to draw from: leave it out."
            )
        below = np.cumsum(table, axis=1)[:, :-1] / totals[:, None]
        return cls(np.asarray(values, dtype=np.float64), np.ascontiguousarray(below))

    def __len__(self) -> int:
        return len(self.below)

    @property
    def fingerprint(self) -> str:
        """A hash of the values and frequencies: equal profiles have equal hashes."""
        digest = hashlib.sha256(self.values.tobytes() + self.below.tobytes())
        return digest.hexdigest()[:16]

    @property
    def scale(self) -> Scale | None:
        """The values as a scale, each its own label; None where they are no scale."""
        values = tuple(float(value) for value in self.values)
        if not 2 <= len(values) <= MAX_LEVELS or len(set(values)) < len(values):
            return None
        return Scale(tuple(f"{value!r}" for value in values), values)

    @property
    def means(self) -> NDArray[np.float64]:
        """The items' true means."""
        steps = np.diff(self.values)
        means: NDArray[np.float64] = self.values[0] + (1.0 - self.below) @ steps
        return means


def parse_profile(text: str, items: int | None = None) -> Profile:
    """The profile written as ``power:EXPONENT`` (with `items`) or ``means:0.5,0.4,...``.

    >>> len(parse_profile("power:0.5", 1000)), len(parse_profile("means:0.9,0.5,0.1"))
    (1000, 3)
    """
    kind, _, rest = text.partition(":")
    if kind == "power":
        if items is None:
            raise InvalidInput(f"The profile {text!r} needs a number of items: add --items 1000.")
        exponent = _number(rest, text)
        if not 0.0 < exponent <= MAX_EXPONENT:
            raise InvalidInput(f"The exponent in {text!r} must lie in (0, {MAX_EXPONENT:g}].")
        return Profile.power(items, exponent)
    if kind == "means":
        profile = Profile.bernoulli([_number(part, text) for part in rest.split(",")])
        if items is not None and items != len(profile):
            raise InvalidInput(f"{text!r} has {len(profile)} means, and --items says {items}.")
        return profile
    raise InvalidInput(
        f"Cannot read the profile {text!r}: write power:0.5, means:0.9,0.5,0.1 or csv:FILE."
    )


def _number(part: str, text: str) -> float:
    try:
        return float(part)
    except ValueError:
        raise InvalidInput(f"{part.strip()!r} in the profile {text!r} is not a number.") from None
