"""Frames of votes, one vote a row: ranked, or compared rater by rater.

The functions take a frame of pandas or polars, or a dict of columns, and give back the same kind.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput
from plaudit.race import PairedRace, Race, Verdict
from plaudit.race.arguments import VoteReader
from plaudit.scale import Scale

__all__ = ["compare", "rank"]


def rank(
    frame: Any,
    *,
    item: str = "item",
    vote: str = "vote",
    rater: str | None = None,
    scale: Scale | None = None,
    **settings: Any,
) -> tuple[Any, Verdict]:
    """The items of a frame, best first, with what is certain; and the verdict on the best.

    `item`, `vote` and `rater` name columns. Votes lie in [0, 1], or are labels or values of
    `scale`. With `rater`, nobody may have two votes on an item. `settings` are those of `Race`:
    `delta`, `top`, `epsilon`, `tolerance` and so on. The promise is that of `Race`: with
    probability 1 - delta no verdict is wrong, however often a growing frame is ranked.

    The answer has the columns item, mean, lower, upper, votes and standing ("in" the top, "out",
    or "open").

    >>> votes = {"item": ["tea", "milk"] * 40, "vote": [1.0, 0.0] * 40}
    >>> table, verdict = rank(votes, delta=0.05)
    >>> table["item"], verdict.items, verdict.votes
    (['tea', 'milk'], ('tea',), 80)
    """
    names, which, values, levels = _votes(frame, item, vote, scale)
    if rater is not None:
        _rows_of(frame, rater, which, names)
    counts = np.bincount(which, minlength=len(names))
    if scale is None:
        race = Race.from_votes(counts, np.bincount(which, values), names=names, **settings)
    else:
        width = len(scale.values)
        at = np.bincount(which * width + levels, minlength=len(names) * width).reshape(-1, width)
        totals = at @ np.array(scale.values)
        race = Race.from_votes(counts, totals, levels=at, names=names, scale=scale, **settings)
    intervals = race.intervals()
    standings = race.standings()
    order = _best_first(intervals.means, [names.index(name) for name in race.leaders])
    columns = {
        "item": [names[number] for number in order],
        "mean": intervals.means[order],
        "lower": intervals.lower[order],
        "upper": intervals.upper[order],
        "votes": intervals.votes[order],
        "standing": [str(standings[number]) for number in order],
    }
    return _like(frame, columns), race.verdict()


def compare(
    frame: Any,
    *,
    item: str = "item",
    vote: str = "vote",
    rater: str = "rater",
    scale: Scale | None = None,
    **settings: Any,
) -> tuple[Any, Verdict]:
    """By how much each leader beats each other item, for few items that the same raters rated.

    Judged by the differences of one rater's votes, as `PairedRace` does, whose promise this is and
    whose `settings` it takes. An example on which candidates are scored is a rater here. The
    answer has the columns first, second, raters, mean, lower and upper.

    >>> votes = {"rater": [1, 1, 2, 2] , "item": ["a", "b", "a", "b"], "vote": [1.0, 0.0, 0.5, 0.5]}
    >>> table, verdict = compare(votes)
    >>> table["first"], table["second"], table["mean"], bool(verdict)
    (['a'], ['b'], [0.5], False)
    """
    names, which, values, _ = _votes(frame, item, vote, scale)
    rows, raters = _rows_of(frame, rater, which, names)
    table = np.full((raters, len(names)), np.nan)
    table[rows, which] = values
    race = PairedRace.from_rows(table, scale=scale, **settings)
    leaders = list(race.leaders)
    others = [number for number in _best_first(race.means, leaders) if number not in leaders]
    found = [race.difference(leader, other) for leader in leaders for other in others]
    columns: dict[str, Any] = {
        "first": [names[int(each.first)] for each in found],
        "second": [names[int(each.second)] for each in found],
    }
    for name in ("raters", "mean", "lower", "upper"):
        columns[name] = [getattr(each, name) for each in found]
    verdict = race.verdict()
    return _like(frame, columns), replace(verdict, items=tuple(names[n] for n in verdict.items))


def _column(frame: Any, name: str) -> list[Any]:
    known = list(frame.keys() if isinstance(frame, dict) else frame.columns)
    if name not in known:
        shown = ", ".join(map(repr, known))
        raise InvalidInput(f"The frame has no column {name!r}; it has {shown}. Name the one meant.")
    column: list[Any] = frame[name].to_list() if hasattr(frame[name], "to_list") else frame[name]
    return list(column)


def _votes(
    frame: Any, item: str, vote: str, scale: Scale | None
) -> tuple[list[str], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """The items in the order of their first vote; which of them each vote is on, and its value."""
    items = [str(name) for name in _column(frame, item)]
    places: dict[str, int] = {}
    which = np.array([places.setdefault(name, len(places)) for name in items], np.int64)
    if len(places) < 2:
        raise InvalidInput(
            f"The column {item!r} has {len(places)} different items: a ranking needs at least two."
        )
    values, levels = VoteReader(scale).read_many(_column(frame, vote))
    return list(places), which, values, levels


def _rows_of(
    frame: Any, rater: str, which: NDArray[np.int64], names: Sequence[str]
) -> tuple[NDArray[np.int64], int]:
    """The number of each vote's rater, and how many there are; an error for a second vote."""
    places: dict[Any, int] = {}
    given = _column(frame, rater)
    rows = np.array([places.setdefault(who, len(places)) for who in given], np.int64)
    pairs = rows * len(names) + which
    first = np.unique(pairs, return_index=True)[1]
    if first.size < pairs.size:
        again = np.setdiff1d(np.arange(pairs.size), first)[0]
        raise InvalidInput(
            f"Rater {given[again]!r} has two votes on {names[which[again]]!r}: each rater may vote "
            "once on an item. Keep one of them."
        )
    return rows, len(places)


def _best_first(means: NDArray[np.float64], leaders: Sequence[int]) -> list[int]:
    outside = np.ones(means.size, dtype=bool)
    outside[list(leaders)] = False
    order = np.lexsort((np.arange(means.size), -np.nan_to_num(means, nan=-1.0), outside))
    return [int(number) for number in order]


def _like(frame: Any, columns: dict[str, Any]) -> Any:
    return columns if isinstance(frame, dict) else type(frame)(columns)
