"""Every second, fourth, eighth … rater of a contest: who that is, and reading their answers.

A sample of whole raters keeps bands honest, which are computed from sums by rater. It takes the
last of each `step` numbers, so that those of a larger step are among those of a smaller one, and
so many raters times `step` are never more than there were.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.watch.growing_columns import GrowingColumns
from plaudit.store.contract import LogStore

# Small pages: while one is turned into numbers, all other threads wait for a few milliseconds.
PAGE = 2_000
# A start reads a little more than it may keep and thins that out, so that it ends with the step
# that following the log would have led to, though raters differ.
_MARGIN = 1.25


class Extent(NamedTuple):
    """How far a log went at some time: its position, and the number of its raters."""

    position: int
    raters: int


# That of a log before its first entry.
NOWHERE = Extent(0, 0)


def extent_of(snapshot: ContestSnapshot) -> Extent:
    """How far the log of a snapshot went."""
    return Extent(snapshot.contest.position, snapshot.contest.raters)


def places_of(raters: NDArray[Any], step: int) -> NDArray[np.intp]:
    """Where the answers of every `step`-th rater stand; `step` is a power of two."""
    return np.flatnonzero((raters & (step - 1)) == step - 1)


def first_step(answers: int, most: int) -> int:
    """The step to begin reading so many answers with, when about `most` may be kept."""
    step = 1
    while answers > _MARGIN * most * step:
        step *= 2
    return step


class RaterSample:
    """The answers of every `step`-th rater up to an extent, at most `most`, read from the store.

    They are found by rater, so this takes time by the answers that are kept, not by the log.
    """

    def __init__(self, extent: Extent, fields: tuple[str, ...], most: int) -> None:
        self.step = first_step(extent.position, most)
        self._extent = extent
        self._most = most
        self._rater = fields.index("rater")
        self._next = self.step - 1
        # With positions: they are read by rater, and wanted in the order of the log.
        self._read = GrowingColumns((*fields, "position"))

    @property
    def share(self) -> float:
        """How much of it was read."""
        return min(1.0, self._next / max(1, self._extent.raters))

    def read(self, store: LogStore, name: str, *, is_stopped: Callable[[], bool]) -> bool:
        """Reads all of it, unless it is stopped; whether it did."""
        while self._next < self._extent.raters and not is_stopped():
            self._read_page(store, name)
        return self._next >= self._extent.raters

    def in_order(self) -> list[NDArray[Any]]:
        """The columns of the fields, in the order of the log."""
        *columns, positions = self._read.columns
        order = np.argsort(positions)
        return [column[order] for column in columns]

    def _read_page(self, store: LogStore, name: str) -> None:
        numbers = range(self._next, self._extent.raters, self.step)[: self._raters_a_page]
        # The log may grow meanwhile: what comes after the extent is read by its position later.
        self._read.add(store.answers_of_several(name, numbers, upto=self._extent.position))
        while len(self._read) > self._most:
            self.step *= 2
            self._read.keep(places_of(self._read.columns[self._rater], self.step))
        self._next = (numbers[-1] + 1) // self.step * self.step + self.step - 1

    @property
    def _raters_a_page(self) -> int:
        return max(1, min(PAGE, PAGE * self._extent.raters // self._extent.position))
