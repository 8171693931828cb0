"""The charts of one race: its leaders, how sure they are, votes by place, and scores."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from plaudit.phrase import item_id
from plaudit.race import Shortlists
from plaudit.race.standing import WITHDRAWN
from plaudit.service.contest.standings import Standings
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.watch.chart import HISTOGRAM, INTERVALS, LINE, Axis, Chart, Row
from plaudit.store.contract import Item

# How many leaders a chart shows, and steps of a histogram of means.
SHOWN = 20
_STEPS = 20
_POINTS = 40


def shown_leaders(found: Standings) -> NDArray[np.int64]:
    """The items that a chart of the leaders shows."""
    return found.listed[:SHOWN]


def race_charts(snapshot: ContestSnapshot, found: Standings) -> list[Chart]:
    """The charts of one race of a contest."""
    charts = [_leaders(snapshot, found), _ranks(found), _means(found)]
    if found.shortlists is not None:
        charts.insert(1, _epsilons(found.shortlists))
    algorithm = found.algorithm if len(snapshot.settings.lanes) > 1 else ""
    return [replace(chart, lane=found.lane, algorithm=algorithm) for chart in charts]


def _leaders(snapshot: ContestSnapshot, found: Standings) -> Chart:
    table = found.table
    rows: list[Row] = [
        (
            label_of(snapshot.items[item]),
            round(float(table.means[item]), 5) if table.votes[item] else None,
            round(float(table.lower[item]), 5),
            round(float(table.upper[item]), 5),
            str(found.standing[item]),
            int(table.votes[item]),
            item_id(item),
        )
        for item in shown_leaders(found).tolist()
    ]
    return Chart(
        "leaders", INTERVALS, Axis(low=0.0, high=1.0), Axis(),
        ("item", "mean", "lower", "upper", "standing", "votes", "id"), rows,
    )  # fmt: skip


def label_of(item: Item) -> str:
    """An item in words: its text, or its id where it is a picture alone."""
    return item.text.strip() or f"Picture {item_id(item.number)}"


def _epsilons(shortlists: Shortlists) -> Chart:
    rows: list[Row] = [
        (int(k), round(float(epsilon), 5), item_id(int(item)))
        for k, epsilon, item in zip(shortlists.k, shortlists.epsilon, shortlists.items, strict=True)
    ]
    return Chart(
        "epsilons", LINE, Axis(low=1.0, is_whole=True), Axis(low=0.0),
        ("k", "epsilon", "number of the k-th item"), rows,
        facts={"delta": shortlists.delta}, has_dots=True,
    )  # fmt: skip


def _ranks(found: Standings) -> Chart:
    """Votes of an item by its place, in stretches of places that grow."""
    votes = found.table.votes[found.listed]
    cuts = np.unique(np.geomspace(1, max(votes.size, 1), _POINTS).astype(np.int64)) - 1
    ends = np.append(cuts[1:], votes.size)
    rows: list[Row] = [
        (
            int(begin) + 1,
            round(float(votes[begin:end].mean()), 2),
            int(end),
            int(votes[begin:end].min()),
            int(votes[begin:end].max()),
        )
        for begin, end in zip(cuts, ends, strict=True)
        if end > begin
    ]
    return Chart(
        "ranks", LINE, Axis(is_log=True), Axis(low=0.0),
        ("place", "votes an item", "to place", "fewest", "most"), rows,
    )  # fmt: skip


def _means(found: Standings) -> Chart:
    voted = (found.table.votes > 0) & (found.standing != WITHDRAWN)
    counts, edges = np.histogram(found.table.means[voted], bins=_STEPS, range=(0.0, 1.0))
    rows: list[Row] = [
        (round(float(low), 4), round(float(high), 4), int(count))
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    return Chart(
        "means", HISTOGRAM, Axis(low=0.0, high=1.0), Axis(low=0.0, is_whole=True),
        ("from", "to", "items"), rows,
    )  # fmt: skip
