"""Checks of what callers give a race: items, votes, numbers of items."""

import math
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput, UnknownItem
from plaudit.scale import Scale


def plain(given: Any) -> Any:
    """NumPy's numbers as Python's own; anything else as it is."""
    return given.item() if isinstance(given, np.generic) else given


def check_count(given: Any) -> int:
    """The number of items that is asked for."""
    count = plain(given)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise InvalidInput(f"count must be a whole number of at least 1; got {given!r}.")
    return count


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
    # As unsigned numbers, those below 0 are very large: one comparison finds both.
    if items.size and items.view(np.uint64).max() >= known:
        item_of(items[(items < 0) | (items >= known)][0], known=known)
    return items


class VoteReader:
    """Reads votes: numbers in [0, 1], or labels and values of a scale."""

    def __init__(self, scale: Scale | None) -> None:
        self._scale = scale
        self._level_of = {v: k for k, v in enumerate(scale.values)} if scale else None

    def read(self, vote: float | str) -> tuple[float, int]:
        """The value of a vote, and its level on the scale; -1 where there is none."""
        scale = self._scale
        if isinstance(vote, str):
            if scale is None:
                raise InvalidInput(f"The vote {vote!r} is a label, and this race has no scale.")
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
            raise InvalidInput(f"The vote {vote!r} is not on the scale {scale}.")
        return value, self._level_of[value]
