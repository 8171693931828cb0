"""The table of all items: found by text and standing, sorted by any column, a page at a time."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.phrase import shown_number
from plaudit.race.standing import IN, OPEN, OUT, WITHDRAWN
from plaudit.service.archive.csv_rows import Cell, csv_chunks
from plaudit.service.watch.board import Board
from plaudit.service.watch.lane_view import LaneView

STANDINGS = (IN, OPEN, OUT, WITHDRAWN)
PAGE = 50
# Columns to sort by, and whether the largest is what one looks for first.
COLUMNS = {
    "place": False,
    "number": False,
    "text": False,
    "votes": True,
    "mean": True,
    "lower": True,
    "upper": True,
    "standing": False,
    "flags": True,
}
_HEADER = ("place", "number", "text", "votes", "mean", "lower", "upper", "standing", "flags")


class Query(NamedTuple):
    """What is looked for; `descending` None is the column's usual way."""

    text: str = ""
    standing: str = ""
    sort: str = "place"
    descending: bool | None = None
    page: int = 1
    lane: int = 0

    @property
    def is_descending(self) -> bool:
        """Whether the largest comes first."""
        return COLUMNS[self.sort] if self.descending is None else self.descending


class Found(NamedTuple):
    """A page of the items found: rows as plain values, how many in all, and which page."""

    rows: list[dict[str, Any]]
    total: int
    page: int
    pages: int


class ItemTable:
    """The items of a board, with what finding and sorting them takes."""

    def __init__(self, board: Board, texts: "Texts") -> None:
        self._board = board
        self._texts = texts.of(board)
        self._places = [_places(view) for view in board.lanes]

    def page(self, query: Query) -> Found:
        """The page that was asked for, or the last there is."""
        numbers = self.find(query)
        pages = max(1, -(-numbers.size // PAGE))
        page = min(max(1, query.page), pages)
        part = numbers[(page - 1) * PAGE : page * PAGE]
        rows = [self._row(int(number), query.lane) for number in part]
        return Found(rows, int(numbers.size), page, pages)

    def csv(self, query: Query) -> Iterator[bytes]:
        """All items found, as a file for a spreadsheet."""
        found = (self._row(int(number), query.lane) for number in self.find(query))
        rows = (row | {"number": shown_number(row["number"])} for row in found)
        return csv_chunks(_HEADER, map(_cells, rows), spreadsheet=True)

    def find(self, query: Query) -> NDArray[np.int64]:
        """The numbers of the items found, in the order asked for; ties by place."""
        view = self._board.lanes[query.lane]
        chosen = np.ones(len(self._texts.plain), dtype=bool)
        if query.standing:
            chosen &= view.standing == query.standing
        words = query.text.casefold().split()
        if words:
            chosen &= self._texts.having(words)
        ranked = view.order[chosen[view.order]]
        if query.sort == "place":
            return ranked[::-1] if query.is_descending else ranked
        keys = self._keys(query.sort, view)[ranked]
        order = np.argsort(-keys if query.is_descending else keys, kind="stable")
        return ranked[order]

    def _keys(self, column: str, view: LaneView) -> NDArray[Any]:
        table = view.table
        if column == "text":
            return self._texts.order
        if column == "standing":
            return np.select([view.standing == word for word in STANDINGS], range(4), 4)
        if column == "mean":
            return np.where(table.votes > 0, np.nan_to_num(table.means), -1.0)
        known = {
            "number": np.arange(len(self._texts.plain)),
            "votes": table.votes,
            "lower": table.lower,
            "upper": table.upper,
            "flags": self._board.flags,
        }
        return known[column]

    def _row(self, number: int, lane: int) -> dict[str, Any]:
        view = self._board.lanes[lane]
        item, table = self._board.items[number], view.table
        gone = view.standing[number] == WITHDRAWN
        return {
            "place": None if gone else int(self._places[lane][number]),
            "number": number,
            "text": item.text,
            "image": item.image,
            "votes": int(table.votes[number]),
            "mean": float(table.means[number]) if table.votes[number] else None,
            "lower": None if gone else float(table.lower[number]),
            "upper": None if gone else float(table.upper[number]),
            "standing": str(view.standing[number]),
            "flags": int(self._board.flags[number]),
        }


class _Plain(NamedTuple):
    plain: list[str]
    order: NDArray[np.int64]

    def having(self, words: list[str]) -> NDArray[np.bool_]:
        """Which items have all these words, or parts of words, in their texts; #7 is a number."""
        found = (
            all(word in text or word == f"#{shown_number(item)}" for word in words)
            for item, text in enumerate(self.plain)
        )
        return np.fromiter(found, dtype=bool, count=len(self.plain))


class Texts:
    """The texts of all items, made plain once: a text that has a number never changes."""

    def __init__(self) -> None:
        self._known: dict[str, _Plain] = {}

    def of(self, board: Board) -> _Plain:
        """The texts of a board's items, and the order that they have among each other."""
        known = self._known.get(board.contest)
        if known is None or len(known.plain) != len(board.items):
            plain = [item.text.casefold() for item in board.items]
            order = np.empty(len(plain), dtype=np.int64)
            order[sorted(range(len(plain)), key=plain.__getitem__)] = np.arange(len(plain))
            known = self._known[board.contest] = _Plain(plain, order)
        return known


def _places(view: LaneView) -> NDArray[np.int64]:
    places = np.empty(view.order.size, dtype=np.int64)
    places[view.order] = np.arange(1, view.order.size + 1)
    return places


def _cells(row: dict[str, Any]) -> list[Cell]:
    cells = (row[name] for name in _HEADER)
    return [
        "" if cell is None else round(cell, 5) if isinstance(cell, float) else cell
        for cell in cells
    ]
