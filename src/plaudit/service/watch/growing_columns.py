"""Fields of answers as columns of numbers that grow: 25 bytes an answer instead of a tuple."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.store.log import Entry

_FIRST = 4_096
_TYPES: dict[str, type[np.integer[Any]]] = {
    "position": np.int64,
    "at": np.int64,
    "kind": np.int8,
    "rater": np.int32,
    "item": np.int32,
    "level": np.int16,
    "lane": np.int16,
    "response_ms": np.int32,
}


class GrowingColumns:
    """Columns of one length, one for each of these fields. What was handed out stays as it is."""

    def __init__(self, fields: Sequence[str]) -> None:
        self._places = [Entry._fields.index(name) for name in fields]
        self._room = [np.empty(_FIRST, dtype=_TYPES[name]) for name in fields]
        self._count = 0

    @classmethod
    def of(cls, fields: Sequence[str], columns: Sequence[NDArray[Any]]) -> "GrowingColumns":
        """These columns, to go on from; they must not be changed any more."""
        made = cls(fields)
        made._room, made._count = [*columns], len(columns[0])
        return made

    def __len__(self) -> int:
        return self._count

    @property
    def columns(self) -> list[NDArray[Any]]:
        """The columns so far."""
        return [column[: self._count] for column in self._room]

    def add(self, entries: Sequence[Entry]) -> None:
        """Appends the fields of these entries."""
        begin, end = self._count, self._count + len(entries)
        if end > len(self._room[0]):
            self._room = [_doubled(column, end) for column in self._room]
        if entries:
            fields = list(zip(*entries, strict=True))
            for column, place in zip(self._room, self._places, strict=True):
                column[begin:end] = fields[place]
        self._count = end

    def keep(self, places: NDArray[np.intp]) -> None:
        """Keeps what stands at these places, in their order, and drops the rest."""
        self._room = [_chosen(column, places) for column in self._room]
        self._count = len(places)


def _doubled(column: NDArray[Any], least: int) -> NDArray[Any]:
    larger = np.empty(max(least, 2 * len(column)), dtype=column.dtype)
    larger[: len(column)] = column
    return larger


def _chosen(column: NDArray[Any], places: NDArray[np.intp]) -> NDArray[Any]:
    other = np.empty_like(column)
    other[: len(places)] = column[places]
    return other
