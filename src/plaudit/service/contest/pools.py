"""Items that stand for others: whose votes count for them, each rater's first alone.

A vote on an item is a vote on what it stands for, its content: itself, or the items that went into
it. What counts for an item are all votes on items whose content is part of its own, whichever
were there when. So a set of items has one sequence of votes, however often they are merged and
taken apart again, and the proof pays for it once (docs/theory/error-budget.md).

Two votes of one rater on the same joke are one opinion: counted twice, they would make a bound
surer than it may be.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from plaudit.store.log import Entry, Kind

AnswersOn = Mapping[int, Sequence[Entry]]


class Pool:
    """What counts for one item.

    `members` is its content; `sources` are the items whose votes count for it. `votes` has each
    rater's first vote on any of them (position, lane, level), also of raters who are excluded;
    `counts` has those that count, by lane and level.
    """

    def __init__(
        self, members: Iterable[int], sources: Iterable[int], shape: tuple[int, int]
    ) -> None:
        self.members = tuple(sorted(members))
        self.sources = set(sources)
        self.votes: dict[int, tuple[int, int, int]] = {}
        self.counts = np.zeros(shape, dtype=np.int64)

    def copy(self) -> "Pool":
        """The same votes, to count on their own."""
        copied = copy.copy(self)
        copied.sources, copied.votes = self.sources.copy(), self.votes.copy()
        copied.counts = self.counts.copy()
        return copied

    def begin(self, found: Iterable[tuple[int, int, int, int]], excluded: set[int]) -> None:
        """Takes what was voted before: position, rater, lane and level of each vote."""
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


class Pools:
    """All pools of a contest, by item; also of items for which another stands alone."""

    def __init__(self) -> None:
        self._pools: dict[int, Pool] = {}
        self.sources: dict[int, list[int]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pools) and self._plain() == other._plain()

    def _plain(self) -> dict[int, Any]:
        return {n: (pool.members, pool.sources, pool.votes) for n, pool in self.items()}

    def copy(self) -> "Pools":
        """The same pools, to count on their own."""
        copied = Pools()
        copied._pools = {item: pool.copy() for item, pool in self.items()}
        copied.sources = {item: [*pools] for item, pools in self.sources.items()}
        return copied

    def __contains__(self, item: int) -> bool:
        return item in self._pools

    def __getitem__(self, item: int) -> Pool:
        return self._pools[item]

    def items(self) -> Iterator[tuple[int, Pool]]:
        """Every item that has a pool."""
        return iter(self._pools.items())

    @property
    def stand_ins(self) -> dict[int, tuple[int, ...]]:
        """The items that stand for others, with those."""
        return {n: pool.members for n, pool in self.items() if pool.members != (n,)}

    def make(self, new: int, items: Sequence[int], shape: tuple[int, int]) -> list[int]:
        """Lets a new item stand for others; which items have a pool now that had none."""
        members = {one for item in items for one in self._content(item)}
        parts = [n for n, pool in self.items() if members.issuperset(pool.members)]
        wholes = [n for n, pool in self.items() if members.issubset(pool.members)]
        made = [new]
        self._put(new, Pool(members, {*members, *parts, new}, shape))
        first = min(members)
        if len(members) == 1 and first not in self._pools:
            # A corrected item may come back, with the votes on its correction.
            made.append(first)
            self._put(first, Pool(members, {first, new}, shape))
        for whole in wholes:
            self._pools[whole].sources.add(new)
            self.sources.setdefault(new, []).append(whole)
        return made

    def _content(self, item: int) -> tuple[int, ...]:
        return self._pools[item].members if item in self._pools else (item,)

    def _put(self, item: int, pool: Pool) -> None:
        self._pools[item] = pool
        for source in sorted(pool.sources):
            self.sources.setdefault(source, []).append(item)

    def fill(
        self, made: Sequence[int], items: Sequence[int], answers_on: AnswersOn, *, before: int
    ) -> Iterator[tuple[Pool, list[tuple[int, int, int, int]]]]:
        """New pools with the votes that came before a position, for `Pool.begin`."""
        for number in made:
            pool = self._pools[number]
            known = pool.sources & self._pools.keys() - {*made}
            found = [
                (at, rater, lane, level)
                for source in known
                for rater, (at, lane, level) in self._pools[source].votes.items()
            ]
            for item in {*items} - known:
                found += [
                    (e.position, e.rater, e.lane, e.level)
                    for e in answers_on.get(item, ())
                    if e.kind == Kind.VOTE and e.position < before
                ]
            yield pool, found

    def feed(self, vote: Entry, *, counted: bool) -> list[int]:
        """The items that a vote counts for, of those that have a pool."""
        fed = self.sources.get(vote.item, ())
        return [item for item in fed if self._pools[item].take(vote, counted=counted)]

    def weigh(self, rater: int, step: int) -> None:
        """Adds or takes away what a rater voted."""
        for pool in self._pools.values():
            pool.weigh(rater, step)

    def to_record(self) -> list[Any]:
        """Plain values, for a snapshot."""
        return [
            [
                item,
                pool.members,
                sorted(pool.sources),
                np.array([(r, *v) for r, v in pool.votes.items()], dtype=np.int64).tobytes(),
            ]
            for item, pool in self.items()
        ]

    @classmethod
    def from_record(
        cls, record: Iterable[Any], shape: tuple[int, int], excluded: set[int]
    ) -> "Pools":
        """What `to_record` gave."""
        pools = cls()
        for item, members, sources, votes in record:
            pools._put(item, Pool(members, sources, shape))
            rows = np.frombuffer(votes, dtype=np.int64).reshape(-1, 4)[:, [1, 0, 2, 3]]
            pools[item].begin(map(tuple, rows.tolist()), excluded)
        return pools
