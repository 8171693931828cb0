"""The public results of a contest: its leaders with the intervals that the verdict uses."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

import msgspec

from plaudit.phrase import item_id
from plaudit.service.contest.standings import Standings
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.watch.shared_result import Limits, SharedResult

LEADERS = 100
# Computing results takes at most a twentieth of a processor.
LIMITS = Limits(least_seconds=0.5, times_its_cost=20.0)


def make_results(snapshot: ContestSnapshot) -> dict[str, Any]:
    """The results at the snapshot's position, as plain values."""
    contest, settings = snapshot.contest, snapshot.settings
    return {
        "contest": snapshot.name,
        "title": settings.title,
        "state": contest.state,
        "position": contest.position,
        "votes": int(contest.counts.sum()),
        "raters": contest.raters,
        "items": contest.items - len(contest.withdrawn),
        "skips": contest.skips,
        "flags": sum(contest.flags.values()),
        "delta": settings.delta,
        "epsilon": settings.epsilon,
        "top": settings.top,
        "goal": settings.goal,
        "lanes": [_lane(snapshot, found) for found in snapshot.standings()],
    }


def _lane(snapshot: ContestSnapshot, found: Standings) -> dict[str, Any]:
    return {
        "algorithm": found.algorithm,
        "votes": found.votes,
        "decided": found.decided,
        "delta": found.delta,
        "gap": found.gap,
        "winners": list(found.winners),
        "winner_ids": [item_id(item) for item in found.winners],
        "sentence": found.claim,
        "exclusions": _exclusions(found),
        "tolerance": found.tolerance,
        "withstands": found.withstands,
        "leaders": [_leader(snapshot, found, item) for item in found.listed[:LEADERS].tolist()],
        "shortlists": _shortlists(snapshot, found),
    }


def _exclusions(found: Standings) -> dict[str, Any] | None:
    """What a verdict owes to excluded raters; None before it, and where nobody was excluded."""
    if found.exclusions is None or found.owed is None:
        return None
    return msgspec.structs.asdict(found.exclusions) | {"sentence": found.owed}


def _leader(snapshot: ContestSnapshot, found: Standings, item: int) -> dict[str, Any]:
    return {
        "item": item,
        "id": item_id(item),
        "text": snapshot.items[item].text,
        "image": snapshot.items[item].image,
        "votes": int(found.table.votes[item]),
        "mean": found.mean_of(item),
        "lower": float(found.table.lower[item]),
        "upper": float(found.table.upper[item]),
        "standing": str(found.standing[item]),
    }


def _shortlists(snapshot: ContestSnapshot, found: Standings) -> list[dict[str, Any]]:
    """For k = 1, 2, … the item that joins, and the smallest epsilon certified for the first k.

    Only where there is a proof, and where it says something.
    """
    lists = found.shortlists
    if lists is None or not found.certifies:
        return []
    rows = zip(lists.k.tolist(), lists.items.tolist(), lists.epsilon.tolist(), strict=True)
    return [
        {
            "k": k,
            "item": item,
            "id": item_id(item),
            "text": snapshot.items[item].text,
            "epsilon": epsilon,
        }
        for k, item, epsilon in rows
        if epsilon < 1.0
    ]


class SharedResults:
    """The results of all contests of a worker, computed away from the event loop."""

    def __init__(self, timer: Callable[[], float] = time.monotonic) -> None:
        self._shared: SharedResult[dict[str, Any]] = SharedResult("results", LIMITS, timer=timer)

    def ask(self, live: LiveContest) -> Future[dict[str, Any]]:
        """The results, at most a moment old; asked on the thread that owns the contest."""
        position = live.contest.position
        return self._shared.ask(live.name, position, lambda: partial(make_results, live.snapshot()))

    def close(self) -> None:
        """Lets the thread go."""
        self._shared.close()
