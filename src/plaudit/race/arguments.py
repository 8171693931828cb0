"""Checks of what callers give a race: items, votes, numbers of items."""

import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.arrays import in_unit_interval
from plaudit.errors import InvalidInput, UnknownItem
from plaudit.scale import Scale

MOST_RATERS = 2**31 - 2**10

MAX_DELTA = 0.5
# Up to so many numbers, Python's own are quicker than NumPy's.
FEW = 64


def plain(given: Any) -> Any:
    """NumPy's numbers as Python's own; anything else as it is."""
    return given.item() if isinstance(given, np.generic) else given


def check_count(given: Any) -> int:
    """The number of items that is asked for."""
    count = plain(given)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InvalidInput(f"count must be a whole number of at least 1; got {given!r}.")
    return count


def check_whole(name: str, given: Any, least: int, most: int | None) -> None:
    """Refuses what is not a whole number in the given limits."""
    whole = isinstance(given, int) and not isinstance(given, bool)
    if not whole or given < least or (most is not None and given > most):
        limit = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidInput(f"{name} must be a whole number {limit}; got {given!r}.")


def is_number(given: Any) -> bool:
    """Whether it is a finite number."""
    return isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given)


def check_delta(delta: Any) -> None:
    """Refuses what is not a probability of at most ½: more is most likely the confidence."""
    if not is_number(delta) or not 0.0 < delta < 1.0:
        raise InvalidInput(
            f"delta must be a probability between 0 and 1, such as 0.01; got {delta!r}."
        )
    if delta > MAX_DELTA:
        raise InvalidInput(
            f"delta is how likely a verdict may be wrong, at most {MAX_DELTA:g}; got {delta:g}. "
            f"For {100 * delta:.6g} % confidence say delta={1 - delta:.6g}."
        )


def check_items(items: Any, most: int) -> None:
    """Refuses what is no number of items, or not enough of them."""
    if not isinstance(items, int) or isinstance(items, bool) or not 2 <= items <= most:
        raise InvalidInput(
            f"items must be a list of names, or how many there are, from 2 to {most:,}; got "
            f"{items!r}."
        )


def check_wanted(wanted: Any, *, most_items: int) -> None:
    """Refuses what no race can have as items, delta, epsilon, top, seed, tolerance and scale."""
    check_items(wanted.items, most_items)
    check_delta(wanted.delta)
    if not is_number(wanted.epsilon) or not 0.0 <= wanted.epsilon < 1.0:
        raise InvalidInput(
            f"epsilon must lie in [0, 1): 0 asks for the best itself; got {wanted.epsilon!r}."
        )
    check_whole("top", wanted.top, 1, None)
    if wanted.top >= wanted.items:
        raise InvalidInput(
            f"top must be less than the number of items ({wanted.items}); got {wanted.top}. "
            "With all items wanted there is nothing to find out."
        )
    check_whole("seed", wanted.seed, 0, 2**63 - 1)
    check_whole("tolerance", wanted.tolerance, 0, MOST_RATERS)
    if not isinstance(wanted.scale, Scale | None):
        raise InvalidInput(
            "scale must be a plaudit.Scale, such as plaudit.Scale.of({'bad': 0, 'good': 1}), or "
            f"None for votes in [0, 1]; got {wanted.scale!r}."
        )


def item_of(item: Any, *, known: int) -> int:
    """The number of an item, where items are 0 to `known` - 1."""
    try:
        number = operator.index(item)
    except TypeError:
        number = -1
    if not 0 <= number < known or isinstance(item, bool):
        raise UnknownItem(f"There is no item {item!r}: items are 0 to {known - 1}.")
    return number


def items_of(items: Any, *, known: int) -> NDArray[np.int64]:
    """The items as an array; an array of whole numbers is checked without a loop."""
    if not isinstance(items, Iterable):
        raise InvalidInput(f"Items must be given as a collection; got {items!r}.")
    if not isinstance(items, np.ndarray) or items.dtype != np.int64:
        return np.fromiter((item_of(item, known=known) for item in items), np.int64)
    if items.size and not _are_below(items, known):
        item_of(items[(items < 0) | (items >= known)][0], known=known)
    return items


def _are_below(items: NDArray[np.int64], known: int) -> bool:
    """Whether all numbers are from 0 to before `known`; every ask of a rater comes by here."""
    if items.ndim == 1 and items.size <= FEW:
        listed = items.tolist()
        return bool(min(listed) >= 0 and max(listed) < known)
    # As unsigned numbers, those below 0 are very large: one comparison finds both.
    return bool(items.view(np.uint64).max() < known)


class VoteReader:
    """Reads votes: numbers in [0, 1], or labels and values of a scale."""

    def __init__(self, scale: Scale | None) -> None:
        self._scale = scale
        self._level_of = {v: k for k, v in enumerate(scale.values)} if scale else None
        # In ascending order, each with its level.
        self._sorted = np.array(sorted(self._level_of or ()), dtype=np.float64)
        self._levels = np.array([(self._level_of or {})[v] for v in self._sorted], dtype=np.int64)

    def read(self, vote: float | str) -> tuple[float, int]:
        """The value of a vote, and its level on the scale; -1 where there is none."""
        if type(vote) is float:
            # Nearly all votes are: they need no further look.
            if self._level_of is None:
                if 0.0 <= vote <= 1.0:
                    return vote, -1
            elif vote in self._level_of:
                return vote, self._level_of[vote]
        return self._read_any(vote)

    def _read_any(self, vote: float | str) -> tuple[float, int]:
        scale = self._scale
        if isinstance(vote, str):
            if scale is None:
                raise InvalidInput(
                    f"The vote {vote!r} is a label, and there is no scale: say which value each "
                    "label has, such as scale=plaudit.Scale.of({'bad': 0, 'good': 1})."
                )
            level = scale.level(vote)
            return scale.values[level], level
        try:
            value = float(vote)
        except (TypeError, ValueError):
            value = math.nan
        if not 0.0 <= value <= 1.0:
            raise InvalidInput(f"A vote must be a number in [0, 1]; got {vote!r}.")
        if self._level_of is None:
            return value, -1
        if value not in self._level_of:
            raise InvalidInput(
                f"The vote {vote!r} is not on the scale: give a label or a value of {scale}."
            )
        return value, self._level_of[value]

    def read_many(self, votes: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The values and levels of many votes, each as in `read`."""
        given = np.atleast_1d(np.asarray(votes))
        if given.ndim != 1:
            raise InvalidInput(f"Votes must be given as one list; got the shape {given.shape}.")
        if self._scale is None and given.dtype.kind in "fiub":
            values = in_unit_interval("vote", given)
            return values, np.full(values.size, -1, dtype=np.int64)
        if self._scale is not None and given.dtype.kind in "fiub":
            values = given.astype(np.float64)
            places = np.searchsorted(self._sorted, values).clip(max=self._sorted.size - 1)
            if (self._sorted[places] == values).all():
                return values, self._levels[places]
            # Something is not on the scale, and the usual way says what.
        # From the collection itself: an array of numbers and labels would hold texts alone.
        alone = isinstance(votes, str) or not isinstance(votes, Iterable)
        read = [self.read(plain(vote)) for vote in ([votes] if alone else votes)]
        values = np.array([value for value, _ in read], dtype=np.float64)
        return values, np.array([level for _, level in read], dtype=np.int64)
