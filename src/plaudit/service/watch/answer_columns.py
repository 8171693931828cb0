"""All answers of a contest as columns of numbers, for charts and moderation.

A million answers take 25 MB. The log only grows, and so do the columns: what was handed out stays
as it is while more is read.
"""

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.store.contract import LogStore
from plaudit.store.log import ANSWERS, Entry

# Small pages: while one is turned into numbers, all other threads wait for a few milliseconds.
PAGE = 2_000
_FIRST = 4_096


class Answers(NamedTuple):
    """Columns of one length, an answer each, in the order of the log.

    `at` is in milliseconds since 1970; `level`, `lane` and `response_ms` are as in `Entry`.
    """

    at: NDArray[np.int64]
    kind: NDArray[np.int8]
    rater: NDArray[np.int32]
    item: NDArray[np.int32]
    level: NDArray[np.int16]
    lane: NDArray[np.int16]
    response_ms: NDArray[np.int32]


_TYPES = (np.int64, np.int8, np.int32, np.int32, np.int16, np.int16, np.int32)
# The places in an entry of what the columns hold.
_PLACES = tuple(Entry._fields.index(name) for name in Answers._fields)


class AnswerColumns:
    """The answers of one contest up to `position`; `read_on` reads the rest of the log.

    Any thread may call it. `answers` is what was read so far, all columns of one length.
    """

    def __init__(self) -> None:
        self.position = 0
        self.stopped = False
        self._reading = threading.Lock()
        self._room = Answers._make(np.empty(_FIRST, dtype=kind) for kind in _TYPES)
        self.answers = Answers._make(column[:0] for column in self._room)

    def __len__(self) -> int:
        return len(self.answers.at)

    def read_on(self, store: LogStore, name: str) -> None:
        """Appends the answers that the log of contest `name` has after `position`; blocks."""
        with self._reading:
            more = True
            while more and not self.stopped:
                page = store.entries(name, after=self.position, limit=PAGE)
                self._append([entry for entry in page if entry.kind in ANSWERS])
                self.position = page[-1].position if page else self.position
                more = len(page) == PAGE

    def _append(self, entries: list[Entry]) -> None:
        begin, end = len(self), len(self) + len(entries)
        if end > len(self._room.at):
            self._room = Answers._make(_doubled(column, end) for column in self._room)
        if entries:
            fields = list(zip(*entries, strict=True))
            for number, place in enumerate(_PLACES):
                column: NDArray[Any] = self._room[number]
                column[begin:end] = fields[place]
        # One assignment: other threads see all columns before it or all after it.
        self.answers = Answers._make(column[:end] for column in self._room)

    @property
    def at(self) -> NDArray[np.int64]:
        """When each answer came."""
        return self.answers.at

    @property
    def kind(self) -> NDArray[np.int8]:
        """Vote, skip or flag."""
        return self.answers.kind

    @property
    def rater(self) -> NDArray[np.int32]:
        """The raters' numbers."""
        return self.answers.rater

    @property
    def item(self) -> NDArray[np.int32]:
        """The items' numbers."""
        return self.answers.item

    @property
    def level(self) -> NDArray[np.int16]:
        """The labels chosen, by their places on the scale; reasons of flags."""
        return self.answers.level

    @property
    def lane(self) -> NDArray[np.int16]:
        """The algorithms that asked; `NONE` for uniform traffic."""
        return self.answers.lane

    @property
    def response_ms(self) -> NDArray[np.int32]:
        """How long raters took; `NONE` where the page did not say."""
        return self.answers.response_ms


def _doubled(column: NDArray[Any], least: int) -> NDArray[Any]:
    larger = np.empty(max(least, 2 * len(column)), dtype=column.dtype)
    larger[: len(column)] = column
    return larger


class AllColumns:
    """The columns of the contests that were used last; those of others are forgotten."""

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._columns: dict[str, AnswerColumns] = {}

    def of(self, name: str) -> AnswerColumns:
        """The columns of a contest, which may still be empty."""
        with self._lock:
            columns = self._columns.pop(name, None)
            columns = AnswerColumns() if columns is None else columns
            self._columns[name] = columns
            for forgotten in list(self._columns)[: -self._most]:
                del self._columns[forgotten]
            return columns

    def stop(self) -> None:
        """Ends all reading soon, because the service stops."""
        with self._lock:
            for columns in self._columns.values():
                columns.stopped = True
