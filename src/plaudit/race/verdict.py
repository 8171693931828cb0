"""What a race says: which items it names and how sure it is, or what is still missing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.race.display.frames import frame_of

_COLUMNS = ("votes", "means", "lower", "upper")


@dataclass(frozen=True)
class Intervals:
    """For each item: votes, empirical mean, and the bounds by which the race judges.

    Means are NaN before the first vote. `lower` and `upper` are one-sided each, at the
    levels of the race's error budget. `items` has the names, where items have names.
    """

    votes: NDArray[np.int64]
    means: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    items: Sequence[str] | None = None

    def columns(self) -> dict[str, Any]:
        """Item, votes, mean, lower and upper bound, one list or array each."""
        items = range(self.votes.size) if self.items is None else self.items
        return {
            "item": list(items),
            "votes": self.votes,
            "mean": self.means,
            "lower": self.lower,
            "upper": self.upper,
        }

    def to_frame(self) -> Any:
        """A row an item: a pandas or polars frame if one of them is installed, else the columns."""
        return frame_of(self.columns())

    def rows(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """These items as plain values, ready for JSON; a mean is None before the first vote."""
        columns = self.columns()
        return [{name: plain_value(column[n]) for name, column in columns.items()} for n in numbers]


@dataclass(frozen=True)
class Verdict:
    """Who leads; true once the race has stopped.

    With probability at least 1 - delta, no certified verdict of the race ever names an
    item whose mean is more than epsilon below the top-th largest. `delta` is the real
    total error, or None where there is no proof: then nothing is certified. `gap` is the
    largest upper bound outside minus the smallest lower bound inside: the smallest epsilon
    that the intervals certify now, where it is not negative. A race that stops by evidence
    compares items in pairs, which may certify `epsilon` sooner; `gap` is then no larger. In a
    paired race `gap` is the smallest epsilon that the differences certify.

    With the goal "all-good", no certified verdict ever lacks an item within epsilon of the
    best, or names one more than 2 epsilon below it. `top` is then how many are named, and
    `gap` by how much the worst bound misses its mark.

    `withstands` is the largest number of dishonest raters that a stopped race withstands by the
    votes that it had: all of this holds even if any so many raters lied. It is `tolerance`, what
    the race was asked for, or more; None where nothing is certified.

    `items` are numbers, or names where the items of the race have names.
    """

    stopped: bool
    items: tuple[Any, ...]
    delta: float | None
    epsilon: float
    top: int
    votes: int
    algorithm: str
    gap: float
    intervals: Intervals | None = field(default=None, repr=False)
    goal: str = "top"
    tolerance: int = 0
    withstands: int | None = None
    stopping: str = "separation"

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the items named, which are their places in `intervals`."""
        names = None if self.intervals is None else self.intervals.items
        if names is None or not self.items or not isinstance(self.items[0], str):
            return self.items
        return tuple(names.index(item) for item in self.items)

    @property
    def certified(self) -> bool:
        """Whether the race has stopped and the error is proven."""
        return self.stopped and self.delta is not None

    def but(self, **changed: Any) -> "Verdict":
        """This verdict with other values of some fields.

        `dataclasses.replace` takes longer than judging a race does: it sets one field at a time.
        """
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, **changed)
        return other

    def __bool__(self) -> bool:
        return self.stopped

    def __str__(self) -> str:
        names = ", ".join(str(item) for item in self.items)
        votes = "1 vote" if self.votes == 1 else f"{self.votes:,} votes"
        if not self.stopped and self.goal == "all-good":
            return f"Not yet after {votes}: {self.top} items lead, {self.gap:.4f} short of certain."
        if not self.stopped and self.delta is None:
            return f"After {votes}: {names} leads; {self.algorithm} certifies nothing."
        if not self.stopped:
            return f"Not yet after {votes}: {names} leads, certified only within {self._slack()}."
        head = f"{_plural('Item', self.top)} {names} after {votes}: {self._claim()}"
        return "\n".join([head + self._even_if(), *self._rows(), *self._despite_overlap()])

    def _repr_html_(self) -> str:
        # The picture is made of intervals, which are defined here.
        from plaudit.race.display.picture import interval_picture

        said = f"<p>{escape(str(self))}</p>".replace("\n", "<br>")
        if self.intervals is None:
            return said
        return said + interval_picture(self.intervals, self.numbers, title=str(self)).svg

    def _even_if(self) -> str:
        if not self.certified or not self.withstands:
            return ""
        who = f"any {self.withstands:,} raters were" if self.withstands > 1 else "any one rater was"
        return f" Right even if {who} dishonest."

    def _slack(self) -> str:
        return f"{max(self.gap, 0.0):.4f} (wanted: {self.epsilon:g})"

    def _claim(self) -> str:
        if self.delta is None:
            return f"named by {self.algorithm}, without a proven error."
        sure = f"with at least {100 * (1 - self.delta):.6g} % confidence"
        if self.goal == "all-good":
            return f"{sure}, {self._good_claim()}"
        best = "the best of all" if self.top == 1 else f"the best {self.top} of all"
        return f"{sure}, {best}, up to {self.epsilon:g}." if self.epsilon else f"{sure}, {best}."

    def _good_claim(self) -> str:
        near, far = f"within {self.epsilon:g} of", f"more than {2 * self.epsilon:g} below it"
        if self.top == 1:
            # The best is within epsilon of itself, so it is the one that is named.
            return f"the best of all, and no other is {near} it."
        return f"every item {near} the best is one of these, and none of them is {far}."

    def _rows(self) -> list[str]:
        table = self.intervals
        if table is None:
            return []
        return [
            f"  {item}: mean {table.means[n]:.4f} in "
            f"[{table.lower[n]:.4f}, {table.upper[n]:.4f}], {table.votes[n]:,} votes"
            for item, n in zip(self.items, self.numbers, strict=True)
        ]

    def _despite_overlap(self) -> list[str]:
        """Why a verdict by evidence was given while intervals overlap, where they do."""
        table = self.intervals
        if table is None or self.stopping not in ("evidence", "lead", "fresh"):
            return []
        inside = np.isin(np.arange(table.upper.size), self.numbers)
        if table.upper[~inside].max() < table.lower[inside].min() + self.epsilon:
            return []
        return ["  Some intervals overlap: the votes on two items were judged together."]

    def to_record(self) -> dict[str, Any]:
        """All of it as plain values, from which `from_record` makes it again."""
        table = self.intervals
        columns = {name: getattr(table, name).tolist() for name in _COLUMNS} if table else None
        if columns is not None and table is not None and table.items is not None:
            columns["items"] = list(table.items)
        return self.to_dict() | {"intervals": columns}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> "Verdict":
        """The verdict that `to_record` wrote."""
        fields = {name: value for name, value in record.items() if name != "certified"}
        columns = fields.pop("intervals")
        table = None
        if columns:
            votes, means, lower, upper = (np.array(columns[name]) for name in _COLUMNS)
            table = Intervals(votes, means, lower, upper, columns.get("items"))
        return cls(**fields | {"items": tuple(fields["items"]), "intervals": table})

    def to_dict(self) -> dict[str, Any]:
        """The verdict with the intervals of the items that it names, ready for JSON."""
        names = ["stopped", "certified", "delta", "epsilon", "top", "votes", "algorithm", "gap"]
        names += ["tolerance", "withstands", "stopping"]
        names += [] if self.goal == "top" else ["goal"]
        rows = self.intervals.rows(self.numbers) if self.intervals is not None else []
        facts = {"items": list(self.items)} | {name: getattr(self, name) for name in names}
        return facts | {"intervals": rows}


def plain_value(value: Any) -> Any:
    """A number of NumPy's as JSON can hold it."""
    number = value.item() if isinstance(value, np.generic) else value
    return None if number != number else number


def _plural(word: str, count: int) -> str:
    return word if count == 1 else word + "s"
