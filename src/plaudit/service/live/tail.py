"""The latest entries of one contest in the memory of the scribe.

Promises: what it hands out is in the log, whole groups without a gap, with the digest of the chain
after them. Any thread may call it.
"""

import threading
from collections import deque
from typing import NamedTuple

from plaudit.service.live.handover import MOST_ENTRIES, REFUSED
from plaudit.store.contract import Appended

# So many are kept at least: workers ask for them ten times a second.
KEPT_ENTRIES = 20_000


class _Group(NamedTuple):
    """Entries that were written together, packed, and the digest of the chain after them."""

    first: int
    last: int
    digest: bytes
    packed: bytes


class Tail:
    """The latest entries of one contest that this scribe wrote, without a gap."""

    def __init__(self) -> None:
        self._groups: deque[_Group] = deque()
        self._lock = threading.Lock()

    def add(self, appended: Appended, packed: bytes) -> None:
        """Adds a group that is in the log; `packed` are its entries as the chain has them."""
        entries, digest = appended.entries, appended.digest
        if not entries or digest is None:
            return
        first, last = entries[0].position, entries[-1].position
        with self._lock:
            if self._groups and self._groups[-1].last + 1 != first:
                # Somebody else wrote in between: what is before is found in the store.
                self._groups.clear()
            self._groups.append(_Group(first, last, digest, packed))
            while last - self._groups[0].last >= KEPT_ENTRIES:
                self._groups.popleft()

    def after(self, position: int) -> bytes:
        """The groups with entries after a position; `REFUSED` if the next one is not here."""
        found: list[_Group] = []
        with self._lock:
            for group in reversed(self._groups):
                if group.last <= position:
                    break
                found.append(group)
        if not found or found[-1].first > position + 1:
            return REFUSED
        taken, count = list[_Group](), 0
        while found and count < MOST_ENTRIES:
            taken.append(found.pop())
            count += taken[-1].last + 1 - taken[-1].first
        return taken[-1].digest + b"".join(group.packed for group in taken)
