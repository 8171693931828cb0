"""Which items a contest has, how they came about, and which stand for others.

It is what the error budget of a race has to know (docs/theory/error-budget.md), and follows
from the events alone, and from when the first answer came.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence

from plaudit.service.contest.pools import Pools
from plaudit.store.contract import Item


def items_digest(items: Iterable[Item]) -> str:
    """The digest by which the log knows items that joined together."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps(item, ensure_ascii=False).encode())
    return digest.hexdigest()


class Roster:
    """The items of a contest, numbered from 0.

    `initial` of them were there when the first answer came, but for `absent`, which were out
    then; `joined` are those that joined later, in order. `withdrawn` are out now.
    """

    def __init__(self) -> None:
        self.items = 0
        self.initial = 0
        self.begun = False
        self.absent: set[int] = set()
        self.joined: list[int] = []
        self.withdrawn: set[int] = set()
        self.pools = Pools()

    def begin(self) -> None:
        """Notes that answers come: what changes from now on is paid for by the reserve."""
        if not self.begun:
            self.begun = True
            self.absent = set(self.withdrawn)

    def add_items(self, count: int) -> None:
        """Lets items join."""
        first = self.items
        self.items += count
        if self.begun:
            self.joined.extend(range(first, self.items))
        else:
            # Nobody has voted yet, so these are there from the beginning.
            self.initial = self.items

    def withdraw_items(self, items: Iterable[int]) -> None:
        """Takes items out."""
        self.withdrawn.update(items)

    def restore_items(self, items: Sequence[int], without: Sequence[int]) -> None:
        """Lets items come back, and takes others out."""
        self.withdrawn.difference_update(items)
        self.withdrawn.update(without)
        if self.begun:
            # One that was out when the first vote came joins only now.
            self.joined += [i for i in items if i in self.absent and i not in self.joined]

    def take_place(
        self, items: Sequence[int], shape: tuple[int, int], *, keep_votes: bool
    ) -> list[int]:
        """Lets the item that joined last take the place of others; which items get a new pool.

        `shape` is how many lanes and levels a pool counts.
        """
        self.withdrawn.update(items)
        if not (keep_votes and self.begun):
            # While nobody has voted there is nothing to keep.
            return []
        return self.pools.make(self.joined.pop(), items, shape)
