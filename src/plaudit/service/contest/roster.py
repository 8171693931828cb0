"""Which items a contest has, how they came about, and which stand for others.

It is what the error budget of a race has to know (docs/theory/error-budget.md), and follows
from the events alone, and from when the first answer came.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

from plaudit.service.contest.pools import Pools
from plaudit.store.contract import Item
from plaudit.store.log import Kind

OF_ITEMS = frozenset({Kind.ADD, Kind.WITHDRAW, Kind.REPLACE, Kind.RESTORE})


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

    def move(self, kind: Kind, payload: dict[str, Any], shape: tuple[int, int]) -> list[int]:
        """What an event does to the items there are; which have a new pool, without votes yet.

        `shape` is how many lanes and levels a pool counts.
        """
        if kind == Kind.RESTORE:
            self._restore(payload["items"], payload["without"])
            return []
        if kind == Kind.WITHDRAW:
            self.withdrawn.update(payload["items"])
            return []
        self._add(payload["count"])
        if kind == Kind.ADD:
            return []
        self.withdrawn.update(payload["items"])
        if not (payload["votes"] and self.begun):
            # While nobody has voted there is nothing to keep.
            return []
        return self.pools.make(self.joined.pop(), payload["items"], shape)

    def _add(self, count: int) -> None:
        first = self.items
        self.items += count
        if self.begun:
            self.joined.extend(range(first, self.items))
        else:
            # Nobody has voted yet, so these are there from the beginning.
            self.initial = self.items

    def _restore(self, items: Sequence[int], without: Sequence[int]) -> None:
        self.withdrawn.difference_update(items)
        self.withdrawn.update(without)
        if self.begun:
            # One that was out when the first vote came joins only now.
            self.joined += [i for i in items if i in self.absent and i not in self.joined]
