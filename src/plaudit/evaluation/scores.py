"""What a score says: a number in [0, 1], a label or a number on a scale, won, tied or lost."""

import inspect
import math
from typing import Any

from plaudit.errors import InvalidInput
from plaudit.race.arguments import VoteReader, is_number, plain
from plaudit.scale import Scale

# What a judge of two candidates may say of the first.
OUTCOMES = Scale.of({"lost": 0.0, "tied": 0.5, "won": 1.0})


class ScoreReader:
    """Turns what `score` returned into a value in [0, 1], and values back into its units.

    `scale` is a `plaudit.Scale`, or the least and the largest number that a score may be.
    """

    def __init__(self, scale: Scale | tuple[float, float] | None) -> None:
        self.low, self.span = 0.0, 1.0
        self._labels = VoteReader(scale if isinstance(scale, Scale) else None)
        if scale is not None and not isinstance(scale, Scale):
            self.low, self.span = _ends(scale)

    def value(self, score: Any) -> float:
        """The value of a score; an error where it is none."""
        given = plain(score)
        if isinstance(given, bool):
            given = float(given)
        if not isinstance(given, str) and (self.low, self.span) != (0.0, 1.0):
            return self._within(given)
        return self._labels.read(given)[0]

    def _within(self, score: Any) -> float:
        high = self.low + self.span
        if not is_number(score) or not self.low <= score <= high:
            raise InvalidInput(f"A score must lie in [{self.low:g}, {high:g}]; got {score!r}.")
        return min(1.0, max(0.0, (float(score) - self.low) / self.span))

    def units(self, value: float) -> float:
        """A value in the units of the scores."""
        return self.low + self.span * value


def check_score(score: Any, given: tuple[str, ...]) -> None:
    """Refuses what cannot be called with what it will be given."""
    called = f"score({', '.join(given)})"
    if not callable(score):
        raise InvalidInput(f"score must be a function that is called as {called}; got {score!r}.")
    try:
        signature = inspect.signature(score)
    except (TypeError, ValueError):
        # Some functions written in C do not say.
        return
    try:
        signature.bind(*given)
    except TypeError as problem:
        raise InvalidInput(
            f"score is called as {called}; the one given is score{signature}: {problem}."
        ) from None


def _ends(scale: Any) -> tuple[float, float]:
    try:
        low, high = (float(plain(end)) for end in scale)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InvalidInput(
            f"scale must be a plaudit.Scale, or the least and the largest score, such as (0, 10); "
            f"got {scale!r}."
        )
    return low, high - low
