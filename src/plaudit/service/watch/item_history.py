"""One item of a contest: how it stands, its votes, and what was done with it."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from plaudit.service.contest.events import ItemEvent, ItemsReplaced
from plaudit.service.contest.history import History
from plaudit.service.desk.trail import Step, steps_of
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.store.people import Deed


class Numbers(NamedTuple):
    """How an item stands in one race: the interval is the one that the verdict uses."""

    algorithm: str
    votes: int
    mean: float | None
    lower: float
    upper: float
    standing: str


class ItemHistory(NamedTuple):
    """What was done with an item: item `by` stands in its place, and it stands for `members`."""

    members: tuple[int, ...]
    by: int | None
    steps: list[Step]


def numbers_of(snapshot: ContestSnapshot, item: int) -> list[Numbers]:
    """How an item stands in every race."""
    return [
        Numbers(
            algorithm=found.algorithm,
            votes=int(found.table.votes[item]),
            mean=found.mean_of(item),
            lower=float(found.table.lower[item]),
            upper=float(found.table.upper[item]),
            standing=str(found.standing[item]),
        )
        for found in snapshot.standings()
    ]


def levels_of(live: LiveContest, item: int) -> list[dict[str, Any]]:
    """The votes that count for an item, by level; over all races and uniform traffic."""
    pools = live.contest.pools
    by_lane = pools[item].counts if item in pools else live.contest.counts[:, item]
    counts = by_lane.sum(axis=0).tolist()
    return [
        {"label": level.label, "votes": votes}
        for level, votes in zip(live.settings.scale, counts, strict=True)
    ]


def item_history(history: History, deeds: Iterable[Deed], item: int) -> ItemHistory:
    """What was done with an item, the latest step first."""
    steps = {step.position: step for step in steps_of(history, deeds)}
    taken, by = [], None
    members: tuple[int, ...] = ()
    for happened in history.events:
        event = happened.event
        if not isinstance(event, ItemEvent) or item not in event.numbers:
            continue
        taken.append(steps[happened.position])
        if isinstance(event, ItemsReplaced):
            if item in event.items:
                by = event.first
            else:
                members = event.items
    there = item not in history.contest.withdrawn
    return ItemHistory(members, None if there else by, taken[::-1])
