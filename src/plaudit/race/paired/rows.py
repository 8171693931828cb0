"""Rows: what one rater, or many, voted on several items; checked, and counted for each item."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.errors import InvalidInput
from plaudit.race.arguments import VoteReader
from plaudit.race.item_names import Numbered
from plaudit.scale import Scale


class RowReader:
    """Reads rows of votes: numbers in [0, 1], or labels and values of a scale."""

    def __init__(self, items: Numbered, scale: Scale | None) -> None:
        self._items = items
        self._votes = VoteReader(scale)
        values = np.array(scale.values if scale else ())
        self._order = np.argsort(values)
        self._values = values[self._order]

    def one(self, row: Any) -> NDArray[np.float64]:
        """A rater's row as one line of values, NaN where there is no vote."""
        if not isinstance(row, Mapping):
            raise InvalidInput(
                f"A rater's votes must be given as {{item: vote, …}}; got {row!r}. Use tell_many "
                "for a table."
            )
        line = np.full((1, self._items.count), math.nan)
        for item, vote in row.items():
            number = self._items.number(item)
            if vote is not None:
                line[0, number] = self._votes.read(vote)[0]
        if np.isnan(line).all():
            raise InvalidInput("The row has no votes: leave out raters who answered nothing.")
        return line

    def many(self, rows: ArrayLike) -> NDArray[np.float64]:
        """A table of values with a line for each rater, NaN where there is no vote."""
        try:
            table = np.array(rows, dtype=np.float64)
        except (TypeError, ValueError):
            raise InvalidInput(
                "The rows must be a table of numbers, NaN where there is no vote; use tell for "
                "labels."
            ) from None
        if table.ndim != 2 or table.shape[1] != self._items.count:
            raise InvalidInput(
                f"The rows must have {self._items.count} columns, one for each item; got an array "
                f"of shape {table.shape}."
            )
        given = ~np.isnan(table)
        bad = given & ~((table >= 0.0) & (table <= 1.0))
        if self._values.size:
            bad |= given & ~np.isin(table, self._values)
        if bad.any():
            # Says what is wrong with the first of them.
            self._votes.read(float(table[bad][0]))
        if not given.any(axis=1).all():
            empty = int(np.argmin(given.any(axis=1)))
            raise InvalidInput(f"Row {empty} has no votes: leave out raters who answered nothing.")
        return table

    def levels(self, table: NDArray[np.float64]) -> NDArray[np.int64]:
        """The level of every vote on the scale, -1 where there is none; all 0 without a scale."""
        if not self._values.size:
            return np.where(np.isnan(table), -1, 0)
        found = np.searchsorted(self._values, np.where(np.isnan(table), 0.0, table))
        levels = self._order[np.minimum(found, self._values.size - 1)]
        return np.where(np.isnan(table), -1, levels).astype(np.int64)


class Tally:
    """Votes of each item: counted at each level of a scale, or added up where there is none."""

    def __init__(self, items: int, scale: Scale | None) -> None:
        self._values = np.array(scale.values) if scale else np.empty(0)
        levels = max(self._values.size, 1)
        self.arrays = {"tally": np.zeros((items, levels), np.int64), "totals": np.zeros(items)}

    def count(self, table: NDArray[np.float64], levels: NDArray[np.int64]) -> None:
        """Counts the votes of a table and of their levels."""
        tally, totals = self.arrays["tally"], self.arrays["totals"]
        raters, items = np.nonzero(levels >= 0)
        np.add.at(tally, (items, levels[raters, items]), 1)
        if self._values.size:
            totals[:] = tally @ self._values
        else:
            totals += np.where(levels < 0, 0.0, table).sum(axis=0)

    @property
    def votes(self) -> NDArray[np.int64]:
        """How many votes each item has."""
        votes: NDArray[np.int64] = self.arrays["tally"].sum(axis=1)
        return votes

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean of each item's votes; NaN before the first."""
        votes = self.votes
        means = np.full(votes.size, math.nan)
        np.divide(self.arrays["totals"], votes, out=means, where=votes > 0)
        return means
