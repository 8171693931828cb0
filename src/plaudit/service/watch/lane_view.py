"""One race as its watchers see it: leaders, standings, shortlists and the charts of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import NotAllowed
from plaudit.phrase import shown_number
from plaudit.race import Race, Shortlists
from plaudit.race.standing import IN, OPEN, OUT, WITHDRAWN
from plaudit.race.verdict import Intervals
from plaudit.service.live.contest import LiveContest
from plaudit.service.watch.chart import HISTOGRAM, INTERVALS, LINE, Axis, Chart, Row
from plaudit.service.watch.results import certainty, sentence_of, spoken_of
from plaudit.store.contract import Item

# How many leaders a chart shows, and steps of a histogram of means.
SHOWN = 20
_STEPS = 20
_POINTS = 40


@dataclass(frozen=True)
class LaneView:
    """A race at one moment. `order` are the items, best first, those withdrawn last.

    `table` has the intervals that the verdict uses, `standing` what they say of each item.
    """

    lane: int
    algorithm: str
    votes: int
    decided: bool
    winners: tuple[int, ...]
    delta: float | None
    gap: float
    sentence: str
    table: Intervals
    standing: NDArray[np.str_]
    order: NDArray[np.int64]
    counts: dict[str, int]
    shortlists: Shortlists | None
    charts: tuple[Chart, ...]

    @property
    def shown(self) -> NDArray[np.int64]:
        """The items that a chart of the leaders shows."""
        return self.order[: min(SHOWN, sum(self.counts.values()) - self.counts[WITHDRAWN])]


def lane_view(still: LiveContest, lane: int) -> LaneView:
    """A race of a contest that stands still; see `board.stilled`."""
    race, named = still.races[lane], still.contest.verdicts.get(lane)
    winners = tuple(named.winners) if named else ()
    delta, gap = certainty(race, named)
    table = race.intervals()
    standing = race.standings() if len(race) else np.full(0, OPEN)
    # Named is certainly in, whatever votes came later.
    standing[list(winners)] = IN
    order = _order(table, standing, spoken_of(race, named))
    shortlists = _shortlists(race)
    algorithm = still.settings.lanes[lane].algorithm
    view = LaneView(
        lane=lane,
        algorithm=algorithm,
        votes=race.votes,
        decided=named is not None,
        winners=winners,
        delta=delta,
        gap=gap,
        sentence=sentence_of(still, lane, gap, delta),
        table=table,
        standing=standing,
        order=order,
        counts={word: int((standing == word).sum()) for word in (IN, OPEN, OUT, WITHDRAWN)},
        shortlists=shortlists,
        charts=(),
    )
    suffix = f"-{lane + 1}" if lane else ""
    of = f"{algorithm}: " if len(still.races) > 1 else ""
    charts = (
        _leaders(still, view, suffix, of),
        *([_epsilons(shortlists, suffix, of)] if shortlists is not None else []),
        _ranks(view, suffix, of),
        _means(view, suffix, of),
    )
    return LaneView(**(vars(view) | {"charts": charts}))


def _order(table: Intervals, standing: NDArray[np.str_], first: list[int]) -> NDArray[np.int64]:
    """By mean, those that the sentence is about before all others, and the withdrawn last."""
    keys = np.where(table.votes > 0, np.nan_to_num(table.means), -1.0)
    keys[standing == WITHDRAWN] -= 4.0
    keys[first] += 2.0
    return np.argsort(-keys, kind="stable")


def _shortlists(race: Race) -> Shortlists | None:
    try:
        return race.shortlists() if race.votes and len(race) - len(race.withdrawn) > 1 else None
    except NotAllowed:
        # An algorithm that stops without intervals proves no shortlists.
        return None


def _leaders(still: LiveContest, view: LaneView, suffix: str, of: str) -> Chart:
    table = view.table
    rows: list[Row] = [
        (
            label_of(still.items[item]),
            round(float(table.means[item]), 5) if table.votes[item] else None,
            round(float(table.lower[item]), 5),
            round(float(table.upper[item]), 5),
            str(view.standing[item]),
            int(table.votes[item]),
            shown_number(item),
        )
        for item in view.shown.tolist()
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


def _ranks(view: LaneView, suffix: str, of: str) -> Chart:
    """Votes of an item by its place, in stretches of places that grow."""
    there = view.order[: view.order.size - view.counts[WITHDRAWN]]
    votes = view.table.votes[there]
    cuts = np.unique(np.geomspace(1, max(there.size, 1), _POINTS).astype(np.int64)) - 1
    ends = np.append(cuts[1:], there.size)
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


def _means(view: LaneView, suffix: str, of: str) -> Chart:
    voted = (view.table.votes > 0) & (view.standing != WITHDRAWN)
    counts, edges = np.histogram(view.table.means[voted], bins=_STEPS, range=(0.0, 1.0))
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
