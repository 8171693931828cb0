"""One item of a contest: what it says, how it stands, and what became of it."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from plaudit.service.contest.events import ItemEvent, ItemsReplaced
from plaudit.service.contest.history import History
from plaudit.service.desk.trail import Step, steps_of
from plaudit.service.live.contest import LiveContest
from plaudit.store.people import Deed


class Numbers(NamedTuple):
    """How an item stands in one race: the interval is the one that the verdict uses."""

    algorithm: str
    votes: int
    mean: float | None
    lower: float
    upper: float
    standing: str


class Story(NamedTuple):
    """What became of an item: `by` stands in its place, it stands for `members`."""

    members: tuple[int, ...]
    by: int | None
    steps: list[Step]


def numbers_of(live: LiveContest, item: int) -> list[Numbers]:
    """How an item stands in every race."""
    found = []
    for lane, race in zip(live.settings.lanes, live.races, strict=True):
        table = race.intervals([item])
        votes, mean = int(table.votes[0]), float(table.means[0])
        bounds = float(table.lower[0]), float(table.upper[0])
        standing = str(race.standings()[item])
        known = None if np.isnan(mean) else mean
        found.append(Numbers(lane.algorithm, votes, known, *bounds, standing))
    return found


def levels_of(live: LiveContest, item: int) -> list[dict[str, Any]]:
    """The votes that count for an item, by level; over all races and uniform traffic."""
    pools = live.contest.pools
    by_lane = pools[item].counts if item in pools else live.contest.counts[:, item]
    counts = by_lane.sum(axis=0).tolist()
    return [
        {"label": level.label, "votes": votes}
        for level, votes in zip(live.settings.scale, counts, strict=True)
    ]


def story_of(history: History, deeds: Iterable[Deed], item: int) -> Story:
    """What became of an item, the latest step first."""
    steps = {step.position: step for step in steps_of(history, deeds)}
    told, by = [], None
    members: tuple[int, ...] = ()
    for happened in history.events:
        event = happened.event
        if not isinstance(event, ItemEvent) or item not in event.numbers:
            continue
        told.append(steps[happened.position])
        if isinstance(event, ItemsReplaced):
            if item in event.items:
                by = event.first
            else:
                members = event.items
    there = item not in history.contest.withdrawn
    return Story(members, None if there else by, told[::-1])
