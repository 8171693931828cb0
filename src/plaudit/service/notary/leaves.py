"""The leaves of a contest, hashed once: for the receipts of a group, and then for the tree.

The tree grows from the log in the store, up to a minute later. A hash is taken over from the
receipts only if the log has the very same entry at its place; otherwise it is made anew. So what is
kept here saves time, and decides nothing.
"""

import threading
from collections.abc import Sequence
from typing import NamedTuple

from plaudit.proof.merkle import leaf_hash
from plaudit.store.log import Columns, Entry, columns_of, leaves, packed

# Entries of a contest whose hashes are kept until its tree has them; then the oldest are dropped.
MOST_KEPT = 10_000


class _Group(NamedTuple):
    """Entries at positions from `start` to before `end`, and the hashes of their leaves."""

    start: int
    end: int
    columns: Columns
    hashes: list[bytes]


class Leaves:
    """The leaves of one contest. Any thread may use it."""

    def __init__(self, blinding: bytes) -> None:
        self.blinding = blinding
        self._groups: list[_Group] = []
        self._kept = 0
        self._lock = threading.Lock()

    def of_group(
        self, entries: Sequence[Entry], whole: Sequence[bytes]
    ) -> tuple[list[bytes], list[bytes]]:
        """The data of a group's leaves, and their hashes, which are kept for the tree.

        `whole` are the entries as the chain has them; their positions are consecutive.
        """
        start = entries[0].position
        end = start + len(entries)
        data = leaves(self.blinding, range(start, end), whole)
        hashes = [leaf_hash(each) for each in data]
        with self._lock:
            self._groups.append(_Group(start, end, columns_of(entries), hashes))
            self._kept += len(entries)
            while self._kept > MOST_KEPT:
                self._kept -= len(self._groups.pop(0).hashes)
        return data, hashes

    def hashes(self, page: Sequence[Entry]) -> list[bytes]:
        """The hashes of the leaves of entries that the log has at consecutive positions."""
        first, end = page[0].position, page[-1].position + 1
        found = [b""] * len(page)
        for group in self._taken(end):
            low, high = max(first, group.start), min(end, group.end)
            kept, here = (slice(low - at, high - at) for at in (group.start, first))
            if low < high and _part(group.columns, kept) == columns_of(page[here]):
                found[here] = group.hashes[kept]
        if all(found):
            return found
        unknown = [entry for known, entry in zip(found, page, strict=True) if not known]
        positions = [entry.position for entry in unknown]
        made = map(leaf_hash, leaves(self.blinding, positions, packed(unknown)))
        return [known or next(made) for known in found]

    def _taken(self, end: int) -> list[_Group]:
        """The groups that begin before `end`; those that end there are not kept any longer."""
        with self._lock:
            taken = [group for group in self._groups if group.start < end]
            self._groups = [group for group in self._groups if group.end > end]
            self._kept = sum(len(group.hashes) for group in self._groups)
        return taken


def _part(columns: Columns, kept: slice) -> Columns:
    return tuple(column[kept] for column in columns)
