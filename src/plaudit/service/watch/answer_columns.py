"""Answers of a contest as columns of numbers, for charts and moderation.

A million answers take 25 MB. Up to `MOST` all are kept. Past that, charts have those of every
second, fourth, eighth … rater, so that neither memory nor an update grows with the contest.
What was handed out stays as it is while more is read.
"""

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.service.watch.growing_columns import GrowingColumns
from plaudit.service.watch.rater_sample import (
    NOWHERE,
    PAGE,
    Extent,
    RaterSample,
    first_step,
    places_of,
)
from plaudit.store.contract import LogStore
from plaudit.store.log import ANSWERS, Entry

# So many answers take 50 MB, and an update from them less than half a second.
MOST = 2_000_000
# More than any log has.
_ALL = 2**62


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


class Sample(NamedTuple):
    """The answers of every `step`-th rater; of all raters where `step` is 1."""

    answers: Answers
    step: int


class AnswerColumns:
    """The answers of one contest up to `position`; `read_on` reads the rest of the log.

    At most `most` are kept: those of every `step`-th rater, with the least power of two that is
    enough. Any thread may call it. `sample` is what was read so far.
    """

    def __init__(self, most: int = MOST) -> None:
        self.position = 0
        self.stopped = False
        self._most = most
        self._reading = threading.Lock()
        self._beginning: RaterSample | None = None
        self._kept = GrowingColumns(Answers._fields)
        self.sample = Sample(Answers._make(self._kept.columns), 1)

    def __len__(self) -> int:
        return len(self.at)

    def read_on(self, store: LogStore, name: str, extent: Extent = NOWHERE) -> None:
        """Takes in the answers that the log of contest `name` has after `position`; blocks.

        `extent` is one that the log has reached. If it is far ahead, the answers up to there are
        read rater by rater, and only those that are kept.
        """
        with self._reading:
            if self._is_far(extent):
                self._begin_at(store, name, extent)
            more = True
            while more and not self.stopped:
                page = store.entries(name, after=self.position, limit=PAGE)
                self._append(page)
                self.position = page[-1].position if page else self.position
                more = len(page) == PAGE

    def share(self, position: int) -> float:
        """How much of a log up to this position was read."""
        if self.position >= position:
            return 1.0
        beginning = self._beginning
        return self.position / position if beginning is None else beginning.share

    def _is_far(self, extent: Extent) -> bool:
        is_long = first_step(extent.position, self._most) > 1
        return is_long and extent.position - self.position > self._most

    def _begin_at(self, store: LogStore, name: str, extent: Extent) -> None:
        """Begins afresh with the sample of a log up to this extent."""
        self._beginning = RaterSample(extent, Answers._fields, self._most)
        try:
            if self._beginning.read(store, name, is_stopped=lambda: self.stopped):
                self._kept = GrowingColumns.of(Answers._fields, self._beginning.in_order())
                self._hand_out(self._beginning.step)
                self.position = extent.position
        finally:
            self._beginning = None

    def _append(self, entries: list[Entry]) -> None:
        step = self.step
        # As `places_of`, before anything is made of the others.
        last = step - 1
        wanted = [one for one in entries if one.kind in ANSWERS and one.rater & last == last]
        self._kept.add(wanted)
        while len(self._kept) > self._most:
            step *= 2
            raters = self._kept.columns[Answers._fields.index("rater")]
            self._kept.keep(places_of(raters, step))
        self._hand_out(step)

    def _hand_out(self, step: int) -> None:
        # One assignment: other threads see all columns and the step before it, or all after it.
        self.sample = Sample(Answers._make(self._kept.columns), step)

    @property
    def answers(self) -> Answers:
        """The answers so far."""
        return self.sample.answers

    @property
    def step(self) -> int:
        """Of how many raters one is here."""
        return self.sample.step

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


class AllColumns:
    """The columns of the contests that were used last; those of others are forgotten."""

    def __init__(self, most: int = 8, *, most_answers: int = MOST) -> None:
        self._most = most
        self._most_answers = most_answers
        self._lock = threading.Lock()
        self._columns: dict[str, AnswerColumns] = {}
        self._complete: dict[str, AnswerColumns] = {}

    def of(self, name: str) -> AnswerColumns:
        """The columns of a contest, which may still be empty."""
        return self._latest(self._columns, name, self._most_answers)

    def complete(self, store: LogStore, name: str, extent: Extent) -> Answers:
        """All answers of a contest, read on until now; blocks.

        They are those of `of`, unless these are a sample: then there are columns for them alone.
        """
        shared = self.of(name)
        shared.read_on(store, name, extent)
        answers, step = shared.sample
        if step == 1:
            return answers
        alone = self._latest(self._complete, name, _ALL)
        alone.read_on(store, name)
        return alone.answers

    def stop(self) -> None:
        """Ends all reading soon, because the service stops."""
        with self._lock:
            for columns in (*self._columns.values(), *self._complete.values()):
                columns.stopped = True

    def _latest(self, kept: dict[str, AnswerColumns], name: str, most: int) -> AnswerColumns:
        with self._lock:
            columns = kept.pop(name, None)
            columns = AnswerColumns(most) if columns is None else columns
            kept[name] = columns
            for forgotten in list(kept)[: -self._most]:
                del kept[forgotten]
            return columns
