"""The table of all items: found by text and standing, sorted by any column, a page at a time."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.phrase import item_id
from plaudit.race.standing import WITHDRAWN
from plaudit.service.archive.csv_rows import Cell, csv_chunks
from plaudit.service.contest.standings import STANDINGS, Standings
from plaudit.service.watch.dashboard import Dashboard
from plaudit.store.contract import Item

PAGE = 50
# Columns to sort by, and whether the largest comes first as a rule.
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
_HEADER = ("place", "id", "text", "votes", "mean", "lower", "upper", "standing", "flags")


class Query(NamedTuple):
    """The items to find, and their order; with `descending` None it is the column's usual one."""

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
    """The items of a dashboard, with what finding and sorting them takes."""

    def __init__(self, dashboard: Dashboard, texts: "ItemTexts") -> None:
        self._dashboard = dashboard
        self._texts = texts
        self._places = [_places(one) for one in dashboard.lanes]

    def page(self, query: Query) -> Found:
        """The page that was asked for, or the last one."""
        numbers = self.find(query)
        pages = max(1, -(-numbers.size // PAGE))
        page = min(max(1, query.page), pages)
        part = numbers[(page - 1) * PAGE : page * PAGE]
        rows = [self._row(int(number), query.lane) for number in part]
        return Found(rows, int(numbers.size), page, pages)

    def csv(self, query: Query) -> Iterator[bytes]:
        """All items found, as a file for a spreadsheet."""
        found = (self._row(int(number), query.lane) for number in self.find(query))
        rows = (row | {"id": item_id(row["number"])} for row in found)
        return csv_chunks(_HEADER, map(_cells, rows), spreadsheet=True)

    def find(self, query: Query) -> NDArray[np.int64]:
        """The numbers of the items found, in the order asked for; ties by place."""
        standings = self._dashboard.lanes[query.lane]
        chosen = np.ones(len(self._dashboard.items), dtype=bool)
        if query.standing:
            chosen &= standings.standing == query.standing
        words = query.text.casefold().split()
        if words:
            chosen &= self._texts.having(words)
        ranked = standings.order[chosen[standings.order]]
        if query.sort == "place":
            return ranked[::-1] if query.is_descending else ranked
        keys = self._keys(query.sort, standings)[ranked]
        order = np.argsort(-keys if query.is_descending else keys, kind="stable")
        return ranked[order]

    def _keys(self, column: str, standings: Standings) -> NDArray[Any]:
        table = standings.table
        if column == "text":
            return self._texts.order
        if column == "standing":
            return np.select([standings.standing == word for word in STANDINGS], range(4), 4)
        if column == "mean":
            return np.where(table.votes > 0, np.nan_to_num(table.means), -1.0)
        known = {
            "number": np.arange(len(self._dashboard.items)),
            "votes": table.votes,
            "lower": table.lower,
            "upper": table.upper,
            "flags": self._dashboard.flags,
        }
        return known[column]

    def _row(self, number: int, lane: int) -> dict[str, Any]:
        standings = self._dashboard.lanes[lane]
        item, table = self._dashboard.items[number], standings.table
        gone = standings.standing[number] == WITHDRAWN
        return {
            "place": None if gone else int(self._places[lane][number]),
            "number": number,
            "text": item.text,
            "image": item.image,
            "votes": int(table.votes[number]),
            "mean": standings.mean_of(number),
            "lower": None if gone else float(table.lower[number]),
            "upper": None if gone else float(table.upper[number]),
            "standing": str(standings.standing[number]),
            "flags": int(self._dashboard.flags[number]),
        }


class ItemTexts:
    """The texts of items in lower case, and their order, once somebody looks for either.

    Texts never change, so all of this depends on how many items there are.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items

    @cached_property
    def lower(self) -> list[str]:
        """The texts of all items in lower case."""
        return [item.text.casefold() for item in self._items]

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The place of each item among all others, by text."""
        lower = self.lower
        order = np.empty(len(lower), dtype=np.int64)
        order[sorted(range(len(lower)), key=lower.__getitem__)] = np.arange(len(lower))
        return order

    def having(self, words: list[str]) -> NDArray[np.bool_]:
        """Which items have all these words, or parts of them, in their texts; i7 or #7 is an id."""
        found = (
            all(word in text or word in (item_id(item), f"#{item + 1}") for word in words)
            for item, text in enumerate(self.lower)
        )
        return np.fromiter(found, dtype=bool, count=len(self.lower))


def _places(standings: Standings) -> NDArray[np.int64]:
    places = np.empty(standings.order.size, dtype=np.int64)
    places[standings.order] = np.arange(1, standings.order.size + 1)
    return places


def _cells(row: dict[str, Any]) -> list[Cell]:
    cells = (row[name] for name in _HEADER)
    return [
        "" if cell is None else round(cell, 5) if isinstance(cell, float) else cell
        for cell in cells
    ]
