"""The charts of one race: its leaders, how sure they are, votes by place, and scores."""

import numpy as np
from numpy.typing import NDArray

from plaudit.phrase import shown_number
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
    suffix, of = chart_names(found, len(snapshot.settings.lanes))
    return [
        _leaders(snapshot, found, suffix, of),
        *([_epsilons(found.shortlists, suffix, of)] if found.shortlists is not None else []),
        _ranks(found, suffix, of),
        _means(found, suffix, of),
    ]


def chart_names(found: Standings, lanes: int) -> tuple[str, str]:
    """What the ids of a race's charts end with, and what their titles begin with."""
    return f"-{found.lane + 1}" if found.lane else "", f"{found.algorithm}: " if lanes > 1 else ""


def _leaders(snapshot: ContestSnapshot, found: Standings, suffix: str, of: str) -> Chart:
    table = found.table
    rows: list[Row] = [
        (
            label_of(snapshot.items[item]),
            round(float(table.means[item]), 5) if table.votes[item] else None,
            round(float(table.lower[item]), 5),
            round(float(table.upper[item]), 5),
            str(found.standing[item]),
            int(table.votes[item]),
            shown_number(item),
        )
        for item in shown_leaders(found).tolist()
    ]
    return Chart(
        f"leaders{suffix}", INTERVALS, f"{of}Leaders",
        "The items of largest mean, best first. A dot is the mean of the votes; the line is the "
        "item's interval, the very one that the verdict uses.",
        Axis("score", low=0.0, high=1.0), Axis("item"),
        ("item", "mean", "lower", "upper", "standing", "votes", "number"), rows,
    )  # fmt: skip


def label_of(item: Item) -> str:
    """An item in words: its text, or its number where it is a picture alone."""
    return item.text.strip() or f"Picture {shown_number(item.number)}"


def _epsilons(shortlists: Shortlists, suffix: str, of: str) -> Chart:
    rows: list[Row] = [
        (int(k), round(float(epsilon), 5), shown_number(int(item)))
        for k, epsilon, item in zip(shortlists.k, shortlists.epsilon, shortlists.items, strict=True)
    ]
    sure = f"{100 * (1 - shortlists.delta):.6g} %"
    return Chart(
        f"epsilons{suffix}", LINE, f"{of}How sure the first k are",
        "A proof of its own, whose figures may differ from the verdict's. For each k: every one "
        "of the first k items is at most this slack (epsilon) below the "
        f"k-th best of all. With {sure} confidence all of this is true at once.",
        Axis("k, the first items", low=1.0, is_whole=True), Axis("slack (epsilon)", low=0.0),
        ("k", "epsilon", "number of the k-th item"), rows, has_dots=True,
    )  # fmt: skip


def _ranks(found: Standings, suffix: str, of: str) -> Chart:
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
        f"ranks{suffix}", LINE, f"{of}Votes by place",
        "Votes on an item against its place, best first. Votes go where they decide something: "
        "many near the top, few far below it.",
        Axis("place", is_log=True), Axis("votes an item", low=0.0),
        ("place", "votes an item", "to place", "fewest", "most"), rows,
    )  # fmt: skip


def _means(found: Standings, suffix: str, of: str) -> Chart:
    voted = (found.table.votes > 0) & (found.standing != WITHDRAWN)
    counts, edges = np.histogram(found.table.means[voted], bins=_STEPS, range=(0.0, 1.0))
    rows: list[Row] = [
        (round(float(low), 4), round(float(high), 4), int(count))
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    return Chart(
        f"means{suffix}", HISTOGRAM, f"{of}Scores of the items",
        "How many items have a mean of so much; items without votes are left out.",
        Axis("mean score", low=0.0, high=1.0), Axis("items", low=0.0, is_whole=True),
        ("from", "to", "items"), rows,
    )  # fmt: skip
