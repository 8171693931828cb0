"""Exports: the votes or items of a contest, a summary, or the whole contest.

Each function looks the contest up at once, then yields its file in chunks of bytes. A file shows
the contest at one position of its log, however long it takes to read.
"""

import zlib
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.datasets.summary import LEVELS
from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase, item_id
from plaudit.scale import FUNNY
from plaudit.service.archive.csv_rows import Cell, cell, csv_chunks, line_chunks
from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.rater_keys import RaterNames
from plaudit.service.contest.changes import current_settings
from plaudit.service.contest.counting import items_of_vote
from plaudit.service.contest.grounds import grounds_name
from plaudit.service.contest.replay import load_state
from plaudit.service.contest.settings import REASONS, ContestSettings
from plaudit.service.contest.standings import summary_order
from plaudit.service.contest.state import ContestState
from plaudit.store.contract import Item, Store
from plaudit.store.log import ANSWERS, Kind
from plaudit.words import N_

__all__ = ["contest_lines", "gzipped", "items_csv", "summary_csv", "votes_csv"]

PAGE = 10_000
VOTE_COLUMNS = (
    "position",
    "time",
    "rater",
    "item",
    "text",
    "level",
    "value",
    "algorithm",
    "response_ms",
    "kind",
    "counted",
    "counts_for",
    "excluded",
)
# The last column of every table: the id of the item, as all pages, commands and answers have it.
# The column `item` has its position in the log, from 0, for programs of before.
ID = "id"
ITEM_COLUMNS = ("item", "text", "image", "status", "votes", "mean")
SUMMARY_COLUMNS = ("rank", "caption", "mean", "precision", "votes", *LEVELS)
_KINDS: dict[int, str] = {Kind.VOTE: "vote", Kind.SKIP: "skip", Kind.FLAG: "flag"}


def votes_csv(store: Store, name: str, *, spreadsheet: bool = False) -> Iterator[bytes]:
    """Every answer, one a row, in the order of the log.

    `time` is in UTC. `rater` is the rater's key in hexadecimal, or `erased-` with a number.
    `level` is the chosen label, or the reason of a flag. `counts_for` is the item for which a vote
    counts now: its own, or one that replaced it; several are separated by spaces. It is empty if
    the item is withdrawn, if the rater is excluded or erased, or if another vote of the rater was
    first on the merged items; then `counted` is no. Skips and flags count unless the rater is
    excluded or erased; `excluded` says on what grounds. `spreadsheet` makes texts safe that look
    like formulas.
    """
    contest = load_state(store, name)
    settings = current_settings(store.contest(name).settings, contest.changes)
    rows = _Rows(store, name, settings, contest, spreadsheet=spreadsheet)
    return line_chunks((*VOTE_COLUMNS, ID), rows.all(), spreadsheet=spreadsheet)


def items_csv(store: Store, name: str, *, spreadsheet: bool = False) -> Iterator[bytes]:
    """Every item with the votes that count: their number, their mean, and how many at each level.

    The mean is in [0, 1]; it is empty for an item without votes.
    """
    contest = load_state(store, name)
    settings = current_settings(store.contest(name).settings, contest.changes)
    labels = (f"votes: {level.label}" for level in settings.scale)
    rows = _item_rows(store, name, settings, contest)
    return csv_chunks((*ITEM_COLUMNS, *labels, ID), rows, spreadsheet=spreadsheet)


def summary_csv(store: Store, name: str, *, spreadsheet: bool = False) -> Iterator[bytes]:
    """The contest in the form of the public caption-contest summaries, best item first.

    The form has three levels with the values 0, ½ and 1, written 1, 2 and 3; a contest on
    another scale has none. `precision` is the standard error of the mean. Items that were
    withdrawn are left out.
    """
    contest = load_state(store, name)
    settings = current_settings(store.contest(name).settings, contest.changes)
    values = settings.race_scale.values
    if sorted(values) != sorted(FUNNY.values):
        told = N_(
            "The contest {name!r} has a scale with the values {values}. A caption-contest summary "
            "has three levels with the values 0, 0.5 and 1: export the items instead."
        )
        raise InvalidInput(Phrase(told, name=name, values=", ".join(map(str, values))))
    order = np.argsort(values)
    counts = contest.standing_counts.sum(axis=0)[:, order]
    rows = _summary_rows(store.items(name), counts, contest.withdrawn)
    return csv_chunks((*SUMMARY_COLUMNS, ID), rows, spreadsheet=spreadsheet)


def gzipped(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes compressed by gzip; the same content gives the same file."""
    packer = zlib.compressobj(wbits=31)
    for chunk in chunks:
        if packed := packer.compress(chunk):
            yield packed
    yield packer.flush()


class _Rows:
    """The lines of the file of votes; texts that repeat are prepared once."""

    def __init__(
        self,
        store: Store,
        name: str,
        settings: ContestSettings,
        contest: ContestState,
        *,
        spreadsheet: bool,
    ) -> None:
        self._store, self._name = store, name
        self._end, self._contest = contest.position, contest
        # Read after the contest, so that it has every rater of its entries.
        self._raters = RaterNames(store.raters(name))
        self._items = [
            f"{item.number},{cell(item.text, spreadsheet=spreadsheet)}"
            for item in store.items(name)
        ]
        levels = [
            f"{cell(level.label, spreadsheet=spreadsheet)},{level.value}"
            for level in settings.scale
        ]
        reasons = [f"{reason}," for reason in REASONS]
        # By level; a skip has the level -1, which is the last element of its list.
        self._levels: dict[int, list[str]] = {
            Kind.VOTE: levels,
            Kind.SKIP: [","],
            Kind.FLAG: reasons,
        }
        self._ids = [f",{item_id(item)}" for item in range(contest.items)]
        # By lane; lane -1, uniform traffic, is the last element too.
        self._algorithms = [*(lane.algorithm for lane in settings.lanes), "uniform"]

    def all(self) -> Iterator[str]:
        position = 0
        while position < self._end:
            limit = min(PAGE, self._end - position)
            page = self._store.entries(self._name, after=position, limit=limit)
            yield from (self._line(*entry) for entry in page if entry.kind in ANSWERS)
            position = page[-1].position

    def _line(self, position: int, kind: int, at: int, rater: int, item: int, *more: Any) -> str:
        level, lane, response_ms, _ = more
        is_in = rater not in self._contest.excluded
        counts = self._counts_for(item, rater, position) if is_in and kind == Kind.VOTE else ""
        return (
            f"{position},{utc_text(at)},{self._raters[rater]},{self._items[item]},"
            f"{self._levels[kind][level]},{self._algorithms[lane]},"
            f"{response_ms if response_ms >= 0 else ''},{_KINDS[kind]},"
            f"{'yes' if counts or (is_in and kind != Kind.VOTE) else 'no'},{counts},"
            f"{'' if is_in else grounds_name(self._contest.grounds[rater])}"
            f"{self._ids[item]}"
        )

    def _counts_for(self, item: int, rater: int, position: int) -> str:
        """The items in the race that a vote counts for."""
        return " ".join(map(str, items_of_vote(self._contest, item, rater, position)))


def utc_text(at: int) -> str:
    """Milliseconds since 1970 as a time in UTC.

    >>> utc_text(1796112000007)
    '2026-12-01T08:00:00.007Z'
    """
    day, rest = divmod(at, 86_400_000)
    minutes, rest = divmod(rest, 60_000)
    return (
        f"{_day(day)}T{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}.{rest % 1000:03d}Z"
    )


@cache
def _day(day: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()


def _item_rows(
    store: Store, name: str, settings: ContestSettings, contest: ContestState
) -> Iterator[tuple[Any, ...]]:
    counts = contest.standing_counts.sum(axis=0)
    totals = counts @ np.array([level.value for level in settings.scale])
    for item in store.items(name, limit=contest.items):
        votes = int(counts[item.number].sum())
        yield (
            item.number,
            item.text,
            item.image,
            "withdrawn" if item.number in contest.withdrawn else "active",
            votes,
            float(totals[item.number]) / votes if votes else "",
            *counts[item.number].tolist(),
            item_id(item.number),
        )


def _summary_rows(
    items: list[Item], counts: NDArray[np.int64], withdrawn: set[int]
) -> Iterator[tuple[Cell, ...]]:
    votes = counts.sum(axis=1)
    points = np.array([1.0, 2.0, 3.0])
    means = counts @ points / np.maximum(votes, 1)
    squares = (counts * (points - means[:, None]) ** 2).sum(axis=1)
    errors = np.sqrt(squares / np.maximum(votes - 1, 1) / np.maximum(votes, 1))
    for rank, number in enumerate(summary_order(means, votes, withdrawn)):
        item, count = items[number], int(votes[number])
        yield (
            rank,
            item.text,
            float(means[item.number]) if count else "",
            float(errors[item.number]) if count > 1 else "",
            count,
            *counts[item.number].tolist(),
            item_id(item.number),
        )
