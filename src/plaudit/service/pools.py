"""Items that stand for others: what was voted on those counts for them, a rater's first vote alone.

Two votes of one rater on the same joke are one opinion: counted twice, they would make a bound
surer than it may be.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from plaudit.store.log import Entry, Kind


class Pool:
    """An item that stands for `members`, which are no pools themselves.

    `sources` are all items whose votes are its own: the members, itself, and pools that went into
    it. `votes` has each rater's first vote on any of them (position, lane, level), also of raters
    who are excluded; `counts` has those that count, by lane and level.
    """

    def __init__(self, members: Iterable[int], sources: Iterable[int], shape: tuple[int, int]):
        self.members = tuple(sorted(members))
        self.sources = frozenset(sources)
        self.votes: dict[int, tuple[int, int, int]] = {}
        self.counts = np.zeros(shape, dtype=np.int64)

    def begin(self, entries: Iterable[Entry], pools: Iterable["Pool"], excluded: set[int]) -> None:
        """Takes what was voted before, on plain items and on pools that go into this one."""
        found = [(e.position, e.rater, e.lane, e.level) for e in entries if e.kind == Kind.VOTE]
        for pool in pools:
            found += [(at, who, lane, level) for who, (at, lane, level) in pool.votes.items()]
        for position, rater, lane, level in sorted(found):
            self._take(position, rater, lane, level, counted=rater not in excluded)

    def take(self, vote: Entry, *, counted: bool) -> bool:
        """Whether a vote on one of the sources counts here; it is noted."""
        return self._take(vote.position, vote.rater, vote.lane, vote.level, counted=counted)

    def _take(self, position: int, rater: int, lane: int, level: int, *, counted: bool) -> bool:
        if rater in self.votes:
            return False
        self.votes[rater] = (position, lane, level)
        if counted:
            self.counts[lane, level] += 1
        return counted

    def weigh(self, rater: int, step: int) -> None:
        """Adds or takes away what a rater voted."""
        if rater in self.votes:
            _, lane, level = self.votes[rater]
            self.counts[lane, level] += step

    def to_record(self) -> dict[str, Any]:
        """Plain values, for a snapshot."""
        votes = np.array([(rater, *vote) for rater, vote in self.votes.items()], dtype=np.int64)
        return {
            "members": self.members,
            "sources": sorted(self.sources),
            "votes": votes.tobytes(),
        }

    @classmethod
    def from_record(
        cls, record: dict[str, Any], shape: tuple[int, int], excluded: set[int]
    ) -> "Pool":
        """What `to_record` gave."""
        pool = cls(record["members"], record["sources"], shape)
        rows = np.frombuffer(record["votes"], dtype=np.int64).reshape(-1, 4)
        for rater, position, lane, level in rows.tolist():
            pool._take(position, rater, lane, level, counted=rater not in excluded)
        return pool
