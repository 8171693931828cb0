"""What a race says of its items: intervals, shortlists, standings, frames and pictures."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.race.display.frames import frame_of
from plaudit.race.display.picture import Picture, interval_picture
from plaudit.race.engine import Engine
from plaudit.race.item_names import ItemId, Numbered
from plaudit.race.settings import Method, Settings
from plaudit.race.shortlist import Shortlists, find_shortlists
from plaudit.race.standing import IN, WITHDRAWN, good_standings, standings
from plaudit.race.verdict import Intervals, Verdict


class Report:
    """The side of a `Race` that is only read: nothing here changes a vote or the verdict."""

    engine: Engine
    settings: Settings
    _method: Method
    _items: Numbered
    _stood: Verdict | None

    def __len__(self) -> int:
        return self.engine.size

    def __repr__(self) -> str:
        return f"<Race of {len(self)} items by {self._method.algorithm.name}, {self.votes} votes>"

    @property
    def votes(self) -> int:
        """Votes told so far, on items that were not withdrawn."""
        return self.engine.votes

    @property
    def pending(self) -> int:
        """Votes asked for and not yet told or forgotten."""
        return int(self.engine.records["pending"].sum())

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the items, in the order of their numbers; None where they have none."""
        return self._items.names

    @property
    def leaders(self) -> tuple[Any, ...]:
        """The `top` items of largest empirical mean, best first; ties by the seed.

        For all good items: those at most 1.5 epsilon below the largest mean; none at first.
        at-lucb recommends those that led when its last stage ended.
        """
        return tuple(self._items.shown(self.engine.leaders))

    def intervals(self, items: Iterable[ItemId] | None = None) -> Intervals:
        """Votes, means and the judging bounds now, of all items or of those listed, in order."""
        chosen = np.arange(len(self)) if items is None else self._items.numbers(items)
        table = self.engine.intervals(chosen)
        return table if self.names is None else replace(table, items=self._items.shown(chosen))

    def shortlists(self, longest: int | None = None) -> Shortlists:
        """For k = 1, 2, … the k items of largest mean, and the smallest epsilon certified now.

        All k up to `longest` (K) and all times are right at once with probability 1 - delta:
        a delta of their own, beside the verdict's. K is to be chosen before the votes are
        seen; it is 10 or twice `top` unless told otherwise, and less than the items that the
        race began with.
        """
        found = find_shortlists(
            self.engine.state,
            self.settings,
            self._method,
            membership=self.engine.membership,
            longest=longest,
        )
        if self.names is None:
            return found
        return replace(found, items=np.array(self._items.shown(found.items)))

    @property
    def withdrawn(self) -> tuple[Any, ...]:
        """The items that were taken out."""
        return tuple(self._items.shown(np.flatnonzero(self.engine.withdrawn)))

    def standings(self, intervals: Intervals | None = None) -> NDArray[np.str_]:
        """For each item: certainly "in" the top, certainly "out", "open", or "withdrawn".

        Whoever has the intervals of all items already gives them: they take most of the time.
        """
        known = self.intervals() if intervals is None else intervals
        gone = np.flatnonzero(self.engine.withdrawn)
        lower, upper = known.lower.copy(), known.upper.copy()
        lower[gone] = upper[gone] = -np.inf
        table = replace(known, lower=lower, upper=upper)
        epsilon = self.settings.epsilon
        if self.engine.is_all_good:
            leading = np.isin(np.arange(len(self)), self.engine.leaders)
            found = good_standings(table, epsilon=epsilon, leading=leading)
        else:
            found = standings(table, top=self.settings.top, epsilon=epsilon)
        if self._stood is not None and self._stood.certified:
            # Pairs that were compared directly say more than the intervals.
            found[self._items.numbers(self._stood.items)] = IN
        return np.where(np.isin(np.arange(len(self)), gone), WITHDRAWN, found)

    def to_frame(self) -> Any:
        """A row an item: votes, mean, bounds, standing and pending asks.

        A pandas or polars frame if one of them is installed, else a dictionary of columns.
        """
        table = self.intervals()
        about = {"standing": self.standings(table), "pending": self.engine.records["pending"]}
        return frame_of(table.columns() | about)

    def plot(self) -> Picture:
        """The intervals as a picture; those of the leaders, or of the verdict, stand out."""
        return interval_picture(self.intervals(), self.engine.named, title=str(self))
