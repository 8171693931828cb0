"""Checkpoints of contests: when they are due, and how they are made and kept.

Several workers may make the same one; the first that is kept counts, and the others take it over.
So that they need not, one of them makes those that are due at intervals.
"""

from collections.abc import Callable

from plaudit.proof.checkpoint import Checkpoint, unchecked
from plaudit.service.lease import Lease
from plaudit.service.notary.keys import ServiceKeys
from plaudit.service.notary.leaves import Leaves
from plaudit.service.notary.tree import NOTHING, ContestTree, Counted, counted_in
from plaudit.store.contract import Head, Store
from plaudit.store.proofs import KeptCheckpoint

# A checkpoint is due after so many entries, or so long after the last if there is anything new.
EVERY_ENTRIES = 1_000
EVERY_MS = 60_000
# Of several workers one makes those, whoever holds the lease; it is renewed in good time.
LEASE, LEASE_MS, RENEW_MS = "checkpoints", 5_000, 2_500


class Checkpoints:
    """Makes the checkpoints of one service. Slow, so not for the event loop's thread."""

    def __init__(
        self, store: Store, keys: Callable[[], ServiceKeys], *, clock: Callable[[], int]
    ) -> None:
        self._store = store
        self._keys = keys
        self._clock = clock
        self._trees: dict[str, ContestTree] = {}
        self._leaves: dict[tuple[str, bytes], Leaves] = {}
        # The size and time of the latest checkpoint, and the epoch up to which all have one.
        self._latest: dict[str, tuple[int, int]] = {}
        self._epochs: dict[str, int] = {}
        self.lease = Lease(store, LEASE, lasts_ms=LEASE_MS, renew_ms=RENEW_MS, clock=clock)

    def tree(self, name: str) -> ContestTree:
        """The tree of a contest; `UnknownContest` if there is none."""
        if name not in self._trees:
            record = self._store.contest(name)
            leaves = self.leaves(name, record.blinding)
            self._trees[name] = ContestTree(self._store, record, leaves)
        return self._trees[name]

    def leaves(self, name: str, blinding: bytes) -> Leaves:
        """The leaves of a contest, which its tree shares with its receipts."""
        return self._leaves.setdefault((name, blinding), Leaves(blinding))

    def latest(self, name: str) -> KeptCheckpoint | None:
        """The latest checkpoint that this service has signed, or None."""
        return self._store.checkpoint(name, origin=self._keys().origin(name))

    def at(self, name: str, size: int) -> KeptCheckpoint:
        """The checkpoint for a size, made if there is none yet."""
        origin = self._keys().origin(name)
        kept = self._store.checkpoint(name, size, origin=origin)
        return kept or self._make(name, size, origin)

    def catch_up(self, name: str, head: Head) -> None:
        """Makes the checkpoints that are due at this end of the log."""
        size = head.position + 1
        if self._epochs.get(name) == head.epoch and not self._is_due(name, size):
            return
        latest = self.latest(name)
        if latest is None:
            self.at(name, size)
        else:
            self._note(name, latest)
            self._after_events(name, latest.size, size)
            if self._is_due(name, size) and self.lease.is_mine():
                self.tree(name).grow(size, leisurely=True)
                self.at(name, size)
        self._epochs[name] = head.epoch

    def _after_events(self, name: str, since: int, size: int) -> None:
        for event in self._store.events(name):
            if since <= event.position < size:
                self.at(name, event.position + 1)

    def _is_due(self, name: str, size: int) -> bool:
        known, at = self._latest.get(name, (0, 0))
        return size >= known + EVERY_ENTRIES or (size > known and self._clock() >= at + EVERY_MS)

    def _make(self, name: str, size: int, origin: str) -> KeptCheckpoint:
        tree = self.tree(name)
        root = tree.root(size)
        counted = tree.counted(size, self._before(name, size, origin))
        made = Checkpoint(origin, size, root, self._clock(), *counted[1:])
        body = self._keys().signing.note(made.text)
        kept = self._store.put_checkpoint(name, KeptCheckpoint(size, body, origin))
        self._note(name, kept)
        return kept

    def _before(self, name: str, size: int, origin: str) -> Counted:
        found = self._store.checkpoints(name, origin=origin, before=size, limit=1)
        return counted_in(unchecked(found[0].body)) if found else NOTHING

    def _note(self, name: str, kept: KeptCheckpoint) -> None:
        if kept.size >= self._latest.get(name, (0, 0))[0]:
            self._latest[name] = (kept.size, unchecked(kept.body).at)
