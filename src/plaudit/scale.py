"""Scales: the labels that a rater chooses from, each with a value in [0, 1]."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from plaudit.errors import InvalidInput, UnknownName

__all__ = ["FUNNY", "STARS", "THUMBS", "Scale"]

MAX_LEVELS = 64


@dataclass(frozen=True)
class Scale:
    """Labels with their values, in the order in which a rater sees them.

    >>> funny = Scale.parse("Unfunny=0, Somewhat funny=0.5, Funny=1")
    >>> funny.values
    (0.0, 0.5, 1.0)
    >>> funny.level("funny")
    2
    """

    labels: tuple[str, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not 2 <= len(self.labels) == len(self.values) <= MAX_LEVELS:
            raise InvalidInput(
                f"A scale needs 2 to {MAX_LEVELS} labels with one value each; got "
                f"{len(self.labels)} labels and {len(self.values)} values."
            )
        for label, value in zip(self.labels, self.values, strict=True):
            if not label.strip():
                raise InvalidInput("A scale's label is empty: give every level a name.")
            if not (math.isfinite(value) and 0.0 <= value <= 1.0):
                raise InvalidInput(
                    f"The value of {label!r} is {value}; values lie in [0, 1]. "
                    "Divide by the largest value of your scale first."
                )
        if len({label.casefold() for label in self.labels}) < len(self.labels):
            raise InvalidInput("Two labels of the scale are the same: each must differ.")
        if len(set(self.values)) < len(self.values):
            raise InvalidInput("Two labels of the scale have the same value: each must differ.")

    @classmethod
    def of(cls, levels: Mapping[str, float]) -> "Scale":
        """The scale with these labels and values.

        >>> Scale.of({"thumbs down": 0, "thumbs up": 1}).values
        (0.0, 1.0)
        """
        return cls(tuple(levels), tuple(float(value) for value in levels.values()))

    @classmethod
    def parse(cls, text: str) -> "Scale":
        """The scale written as ``label=value`` pairs with commas between them."""
        labels, values = zip(*_pairs(text), strict=True)
        return cls(labels, values)

    def level(self, label: str) -> int:
        """The position of a label, whatever its case and outer spaces."""
        wanted = label.strip().casefold()
        for position, known in enumerate(self.labels):
            if known.casefold() == wanted:
                return position
        raise UnknownName("label", label, self.labels)


def _pairs(text: str) -> Iterator[tuple[str, float]]:
    for part in text.split(","):
        label, equals, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not equals or math.isnan(value):
            raise InvalidInput(
                f"Cannot read {part.strip()!r} in the scale {text!r}: write label=value pairs with "
                "commas between them, such as 'Unfunny=0,Somewhat funny=0.5,Funny=1'."
            )
        yield label.strip(), value


THUMBS = Scale.of({"Thumbs down": 0, "Thumbs up": 1})
FUNNY = Scale.of({"Unfunny": 0, "Somewhat funny": 0.5, "Funny": 1})
STARS = Scale.of({"1 star": 0, "2 stars": 0.25, "3 stars": 0.5, "4 stars": 0.75, "5 stars": 1})
