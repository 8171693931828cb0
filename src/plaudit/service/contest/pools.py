"""Items that stand for others, and which votes count for them: the first vote of each rater.

The content of an item is itself, or the items that were merged into it. The votes that count for
an item are all votes on items whose content is part of its own, whenever they were cast. So a set
of items has one sequence of votes, however often the items are merged and separated again, and
the proof pays for it once (docs/theory/error-budget.md).

Two votes of one rater on the same joke are one opinion: counted twice, they would make a bound
surer than it may be.
"""

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from plaudit.service.contest.grounds import COUNTED, OUT
from plaudit.store.log import Entry, Kind

AnswersOn = Mapping[int, Sequence[Entry]]
# What becomes of the votes of a rater: `COUNTED`, `ASIDE` or `OUT`.
PlaceOf = Callable[[int], int]


class Pool:
    """The votes that count for one item.

    `members` is its content; `sources` are the items whose votes count for it. `votes` has each
    rater's first vote on any of them (position, lane, level), including excluded raters;
    `counts` has the number of votes that count, by lane and level, and `aside` those of raters who
    were excluded by their votes.
    """

    def __init__(
        self, members: Iterable[int], sources: Iterable[int], shape: tuple[int, int]
    ) -> None:
        self.members = tuple(sorted(members))
        self.sources = set(sources)
        self.votes: dict[int, tuple[int, int, int]] = {}
        self.counts = np.zeros(shape, dtype=np.int64)
        self.aside = np.zeros(shape, dtype=np.int64)

    def copy(self) -> "Pool":
        """The same votes, to count on their own."""
        copied = copy.copy(self)
        copied.sources, copied.votes = self.sources.copy(), self.votes.copy()
        copied.counts, copied.aside = self.counts.copy(), self.aside.copy()
        return copied

    def count_all(self, votes: Iterable[tuple[int, int, int, int]], place_of: PlaceOf) -> None:
        """Counts earlier votes: position, rater, lane and level of each."""
        for position, rater, lane, level in sorted(votes):
            self._count(position, rater, lane, level, place_of(rater))

    def count(self, vote: Entry, place: int) -> bool:
        """Notes a vote on one of the sources; returns whether it counts here."""
        return self._count(vote.position, vote.rater, vote.lane, vote.level, place)

    def _count(self, position: int, rater: int, lane: int, level: int, place: int) -> bool:
        if rater in self.votes:
            return False
        self.votes[rater] = (position, lane, level)
        self.add_vote_of(rater, 1, place)
        return place == COUNTED

    def add_vote_of(self, rater: int, times: int, place: int) -> None:
        """Adds a rater's vote to the counts of a place (`times` 1) or removes it (-1)."""
        if rater in self.votes and place != OUT:
            _, lane, level = self.votes[rater]
            (self.counts if place == COUNTED else self.aside)[lane, level] += times


class Pools:
    """All pools of a contest, by item.

    An item that was corrected has a pool too: it may be restored. `sources` lists, for each item,
    the pools that its votes count for.
    """

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
        """The items that stand for others, and for which."""
        return {n: pool.members for n, pool in self.items() if pool.members != (n,)}

    def make(self, new: int, items: Sequence[int], shape: tuple[int, int]) -> list[int]:
        """Makes a new item stand for others; returns the items that get their first pool."""
        members = {one for item in items for one in self._content(item)}
        parts = [n for n, pool in self.items() if members.issuperset(pool.members)]
        wholes = [n for n, pool in self.items() if members.issubset(pool.members)]
        made = [new]
        self._put(new, Pool(members, {*members, *parts, new}, shape))
        first = min(members)
        if len(members) == 1 and first not in self._pools:
            # A corrected item may be restored, with the votes on its correction.
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

    def earlier_votes(
        self, made: Sequence[int], items: Sequence[int], answers_on: AnswersOn, *, before: int
    ) -> Iterator[tuple[Pool, list[tuple[int, int, int, int]]]]:
        """New pools, each with the votes before a position, for `Pool.count_all`."""
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

    def count(self, vote: Entry, place: int) -> list[int]:
        """Counts a vote in the pools that its item is a source of.

        Returns the items of those for which it counts.
        """
        items = self.sources.get(vote.item, ())
        return [item for item in items if self._pools[item].count(vote, place)]

    def add_votes_of(self, rater: int, times: int, place: int) -> None:
        """Adds a rater's votes to the counts of a place (`times` 1) or removes them (-1)."""
        for pool in self._pools.values():
            pool.add_vote_of(rater, times, place)

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
        cls, record: Iterable[Any], shape: tuple[int, int], place_of: PlaceOf
    ) -> "Pools":
        """The pools that `to_record` described."""
        pools = cls()
        for item, members, sources, votes in record:
            pools._put(item, Pool(members, sources, shape))
            rows = np.frombuffer(votes, dtype=np.int64).reshape(-1, 4)[:, [1, 0, 2, 3]]
            pools[item].count_all(map(tuple, rows.tolist()), place_of)
        return pools
