"""Which items came, went, or stand for others: what the error budget has to know of them.

An item that joined before the first vote is an original. Later ones are charged in the order in
which they joined. A pool is an item that stands for others that are the same, and has their
votes: it takes the place of the first of them. docs/theory/error-budget.md has the proof.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.error_budget import Budget
from plaudit.errors import InvalidInput, NotAllowed


class Counted(NamedTuple):
    """What upper bounds pay for: items that joined, items missing now, the largest pool now."""

    joined: int = 0
    missing: int = 0
    pooled: int = 1

    @property
    def changes(self) -> int:
        """Items that joined, and items that are missing now."""
        return self.joined + self.missing


@dataclass(frozen=True)
class Membership:
    """Which items a race has and had; those `absent` were out before the first vote.

    `joined` lists the items that joined later, in order. `pools` lists, for each item that stands
    for others, those others; none of them is a pool itself.
    """

    initial: int
    joined: tuple[int, ...] = ()
    absent: frozenset[int] = frozenset()
    pools: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def with_joined(self, items: Iterable[int]) -> "Membership":
        """The same, once these have joined."""
        return replace(self, joined=(*self.joined, *items))

    def to_record(self) -> dict[str, Any]:
        """Plain values, for JSON; `from_record` reads them."""
        pools = [[item, *members] for item, members in self.pools.items()]
        return {"joined": list(self.joined), "absent": sorted(self.absent), "pools": pools}

    @classmethod
    def from_record(cls, initial: int, record: dict[str, Any]) -> "Membership":
        """What `to_record` gave."""
        pools = {item: tuple(members) for item, *members in record["pools"]}
        return cls(initial, tuple(record["joined"]), frozenset(record["absent"]), pools)

    def is_original(self, item: int) -> bool:
        """Whether an item was there when the first vote came."""
        return item < self.initial and item not in self.absent

    def root(self, pool: int) -> int:
        """The member whose place a pool takes: the first original, or the first that joined."""
        members = self.pools[pool]
        originals = [item for item in members if self.is_original(item)]
        return min(originals) if originals else min(members, key=self.joined.index)

    def count(self, present: int, pools: Iterable[int] = ()) -> Counted:
        """What upper bounds pay for while this many items are present, these pools among them.

        A pool takes one place: the items that it stands for are not present beside it.
        """
        everyone = self.initial - len(self.absent) + len(self.joined)
        largest = max((len(self.pools[pool]) for pool in pools), default=1)
        return Counted(len(self.joined), max(0, everyone - present), largest)

    def lower_levels(self, budget: Budget) -> Iterator[tuple[int, float]]:
        """The level of the lower bound of every item that joined or is a pool."""
        places = {item: place for place, item in enumerate(self.joined, start=1)}
        for item, place in places.items():
            yield item, budget.lower_of_added(place)
        for item, members in self.pools.items():
            root, size = self.root(item), len(members)
            if self.is_original(root):
                yield item, budget.lower_after(len(self.joined), pooled=size)
            else:
                yield item, budget.lower_of_added(places[root], pooled=size)


def check_places(membership: Membership, gone: NDArray[np.bool_]) -> None:
    """Returns if every item in the race has a place that the error budget pays for."""
    placed = np.arange(gone.size) < membership.initial
    placed[list(membership.absent)] = False
    joined = list(membership.joined)
    if (
        len(set(joined)) < len(joined)
        or placed[joined].any()
        or membership.pools.keys() & set(joined)
    ):
        raise InvalidInput(
            "Only an item that was added, or was out before the first vote, can join, and once: "
            f"got {joined} as those that joined."
        )
    placed[joined] = True
    for pool, members in membership.pools.items():
        if placed[pool] or not placed[list(members)].all():
            raise InvalidInput(
                f"Item {pool} must be new, and stand for items that were there or joined."
            )
    placed[list(membership.pools)] = True
    if not (placed | gone).all():
        stray = int(np.flatnonzero(~placed & ~gone)[0])
        raise InvalidInput(
            f"Item {stray} is in the race and not among those that were there from the start, "
            "that joined, or that stand for others: name it in `joined`."
        )


def check_left(left: int, top: int) -> None:
    """Returns if this many items are enough for a race for the best `top`."""
    if left <= top:
        raise NotAllowed(
            f"This leaves {left} items, and the race is for the best {top}: keep at least "
            f"{top + 1}, or end the race."
        )


def check_pools(pools: Mapping[int, Sequence[int]], gone: NDArray[np.bool_]) -> None:
    """Returns if no item is in the race beside one that stands for it."""
    seen: set[int] = set()
    for pool, members in pools.items():
        if not members or pools.keys() & set(members):
            raise InvalidInput(f"Item {pool} must stand for items that do not stand for others.")
        if not gone[pool]:
            if seen & set(members) or not gone[list(members)].all():
                raise InvalidInput(f"Item {pool} stands for an item that is in the race too.")
            seen |= set(members)
