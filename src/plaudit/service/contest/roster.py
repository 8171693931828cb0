"""Which items a contest has, when they were added, and which stand for others.

The error budget of a race depends on it (docs/theory/error-budget.md). It follows from the events
and the position of the first answer.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence

from plaudit.service.contest.pools import Pools
from plaudit.store.contract import Item


def items_digest(items: Iterable[Item]) -> str:
    """The digest that the log keeps of items that were added together."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(json.dumps(item, ensure_ascii=False).encode())
    return digest.hexdigest()


class Roster:
    """The items of a contest, numbered from 0.

    The first `initial` items were added before the first answer; `absent` are those of them that
    were withdrawn at that moment. `joined` are the items that joined the race later, in order.
    `withdrawn` are the items withdrawn now.
    """

    def __init__(self) -> None:
        self.items = 0
        self.initial = 0
        self.begun = False
        self.absent: set[int] = set()
        self.joined: list[int] = []
        self.withdrawn: set[int] = set()
        self.pools = Pools()

    def note_answers(self) -> None:
        """Notes that answers have come: the reserve pays for changes of the items from now on."""
        if not self.begun:
            self.begun = True
            self.absent = set(self.withdrawn)

    def add_items(self, count: int) -> None:
        """Adds items."""
        first = self.items
        self.items += count
        if self.begun:
            self.joined.extend(range(first, self.items))
        else:
            # Nobody has voted yet, so these items are initial too.
            self.initial = self.items

    def withdraw_items(self, items: Iterable[int]) -> None:
        """Withdraws items."""
        self.withdrawn.update(items)

    def restore_items(self, items: Sequence[int], without: Sequence[int]) -> None:
        """Restores items, and withdraws others."""
        self.withdrawn.difference_update(items)
        self.withdrawn.update(without)
        if self.begun:
            # An item that was withdrawn at the first vote joins the race only now.
            self.joined += [i for i in items if i in self.absent and i not in self.joined]

    def replace_by_last(
        self, items: Sequence[int], shape: tuple[int, int], *, keep_votes: bool
    ) -> list[int]:
        """Replaces items by the item added last; returns the items that get a new pool.

        `shape` is the number of lanes and levels that a pool counts.
        """
        self.withdrawn.update(items)
        if not (keep_votes and self.begun):
            # Before the first vote there is nothing to keep.
            return []
        return self.pools.make(self.joined.pop(), items, shape)

    def rival_sets(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Pairs of different sets of one size that were merged in one place, the earlier first.

        The proof pays for one set of each size in a place (condition (B) of the error budget).
        Of two such sets somebody may have chosen the one with the luckier votes.
        """
        order = {item: place for place, item in enumerate(self.joined)}
        found: dict[tuple[int, int], tuple[int, ...]] = {}
        rivals = []
        for _, members in sorted(self.pools.stand_ins.items()):
            if len(members) > 1:
                # Originals come before items that joined, each in their order.
                first = min(members, key=lambda item: (item in order, order.get(item, item)))
                known = found.setdefault((first, len(members)), members)
                if known != members:
                    rivals.append((known, members))
        return rivals
