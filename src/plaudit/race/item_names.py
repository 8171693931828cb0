"""Items as a race's callers see them: by number, or by the names that they gave."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput, UnknownItem
from plaudit.race.arguments import check_count, item_of, items_of, plain

# Items are numbers from 0, or names where the race was started with names.
ItemId = int | str
FEW = 5


class Numbered:
    """Items without names: each is its number."""

    names: tuple[str, ...] | None = None

    def __init__(self, items: int) -> None:
        self.count = items

    def number(self, item: Any) -> int:
        """The number of an item."""
        if type(item) is int and 0 <= item < self.count:
            return item
        return item_of(item, known=self.count)

    def numbers(self, items: Any) -> NDArray[np.int64]:
        """The numbers of several items."""
        return items_of(items, known=self.count)

    def shown(self, numbers: Iterable[int]) -> list[Any]:
        """Items as callers see them."""
        return list(map(int, numbers))

    def many(self, items: Any) -> NDArray[np.int64]:
        """The numbers of one item or of several."""
        return items_of(np.atleast_1d(np.asarray(items)), known=self.count)

    def joining(self, given: Any) -> Any:
        """The items that are to join, as callers see them; `join` takes them in."""
        if isinstance(given, str) or isinstance(plain(given), Iterable):
            raise InvalidInput(
                f"The items of this race have numbers, not names: say how many join; got {given!r}."
            )
        return range(self.count, self.count + check_count(given))

    def join(self, joining: Any) -> None:
        """Takes in the items of `joining`."""
        self.count += len(joining)


class Named(Numbered):
    """Items with names. Numbers are understood too: no name is a number."""

    names: tuple[str, ...]

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._numbers = _numbers_of(self.names)
        super().__init__(len(self.names))

    def number(self, item: Any) -> int:
        """The number of an item, given by its name or by its number."""
        if isinstance(item, str):
            number = self._numbers.get(item)
            if number is None:
                raise UnknownItem(f"There is no item {item!r}: items are {some_of(self.names)}.")
            return number
        return item_of(item, known=self.count)

    def numbers(self, items: Any) -> NDArray[np.int64]:
        """The numbers of several items, given by names or by numbers."""
        if isinstance(items, str):
            raise InvalidInput(f"Items must be given as a collection; got {items!r}.")
        if isinstance(items, Iterable) and not isinstance(items, np.ndarray):
            return np.fromiter((self.number(item) for item in items), np.int64)
        if isinstance(items, np.ndarray) and items.dtype.kind in "UO":
            return np.fromiter((self.number(plain(item)) for item in items.flat), np.int64)
        return items_of(items, known=self.count)

    def shown(self, numbers: Iterable[int]) -> list[str]:
        """The names of items."""
        return [self.names[number] for number in numbers]

    def many(self, items: Any) -> NDArray[np.int64]:
        """The numbers of one item or of several, given by names or by numbers."""
        alone = isinstance(items, str) or not isinstance(items, Iterable)
        return self.numbers([items] if alone else items)

    def joining(self, given: Any) -> tuple[str, ...]:
        """The names of the items that are to join; `join` takes them in."""
        added = (given,) if isinstance(given, str) else given
        if not isinstance(added, Iterable):
            raise InvalidInput(
                f"The items of this race have names: give those of the items that join; got "
                f"{given!r}."
            )
        names = tuple(added)
        if not names:
            raise InvalidInput("Give the name of at least one item that joins.")
        _numbers_of((*self.names, *names))
        return names

    def join(self, joining: Any) -> None:
        """Takes in the items of `joining`."""
        self.names = (*self.names, *joining)
        self._numbers = _numbers_of(self.names)
        self.count = len(self.names)


def read_items(given: Any) -> Numbered:
    """The items that a race is started with: their number, or a list of their names."""
    known: Any = given.tolist() if isinstance(given, np.ndarray) else plain(given)
    if isinstance(known, Iterable) and not isinstance(known, str):
        return Named(tuple(known))
    # `Settings` checks it.
    return Numbered(known)


def _numbers_of(names: Sequence[Any]) -> dict[str, int]:
    """Each name with its number; an error where a name is no text, empty, or there twice."""
    numbers: dict[str, int] = {}
    for number, name in enumerate(names):
        if not isinstance(name, str) or not name.strip():
            raise InvalidInput(
                f"The name of an item must be a text that is not empty; got {name!r}. Write "
                "str(…) around things of another kind."
            )
        if name in numbers:
            raise InvalidInput(f"Two items have the name {name!r}: each needs a name of its own.")
        numbers[str(name)] = number
    return numbers


def some_of(names: Sequence[str]) -> str:
    """The first few names, for a message."""
    shown = ", ".join(repr(name) for name in names[:FEW])
    return shown if len(names) <= FEW else f"{shown} and {len(names) - FEW:,} more"
