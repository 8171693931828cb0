"""The notary of a worker: one thread that grows trees, makes checkpoints and signs certificates."""

from collections.abc import Callable
from functools import partial
from typing import Any

from plaudit.service.accounts.secret import Secret
from plaudit.service.chores import Chore, ChoreThread
from plaudit.service.clock import now_ms
from plaudit.service.notary.certificates import signed_certificate
from plaudit.service.notary.checkpoints import Checkpoints
from plaudit.service.notary.keys import ServiceKeys, known_keys, open_keys
from plaudit.service.notary.leaves import Leaves
from plaudit.service.notary.receipts import give_receipts
from plaudit.service.rare_log import log
from plaudit.store.contract import Appended, Receipt, Store
from plaudit.store.log import Entry

POLL_SECONDS = 1.0


class Notary:
    """Looks at the logs once a second, or at once when poked.

    `keys` are those of the service; `checkpoints` makes and finds checkpoints and proofs.
    """

    def __init__(self, store: Store, secret: Secret, *, clock: Callable[[], int] = now_ms) -> None:
        self._store = store
        self._secret = secret
        self._clock = clock
        self._keys: ServiceKeys | None = None
        self.checkpoints = Checkpoints(store, lambda: self.keys, clock=clock)
        self._leaves: dict[str, Leaves] = {}
        # The last look makes the checkpoints that are due when the service stops.
        self._thread = ChoreThread(
            "notary", POLL_SECONDS, self._look, last=(self._look, self.checkpoints.lease.give_back)
        )

    @property
    def keys(self) -> ServiceKeys:
        """The keys of the service. The first look makes a key if there is none."""
        if self._keys is None:
            self._keys = open_keys(self._store, self._secret, clock=self._clock)
        return self._keys

    def start(self) -> None:
        """Finds the keys, and begins."""
        _ = self.keys
        self._thread.start()

    def close(self) -> None:
        """Does the remaining chores and makes the checkpoints that are due, then stops."""
        self._thread.close()

    def poke(self) -> None:
        """Looks at the logs soon."""
        self._thread.poke()

    def do(self, chore: Chore) -> None:
        """Does a chore on this thread soon; again while the store is unavailable."""
        self._thread.do(chore)

    def know(self, contest: str, blinding: bytes) -> None:
        """Takes note of a contest, whose answers get receipts from now on."""
        self._leaves[contest] = self.checkpoints.leaves(contest, blinding)

    def receipts(self, contest: str, appended: Appended) -> Appended:
        """A group that was committed, with receipts; without them rather than not at all."""
        try:
            give_receipts(self.keys.signing, contest, self._leaves[contest], appended)
        except Exception:
            # The answers are in the log, and their senders must be told.
            log.exception("No receipts could be made.")
        return appended

    def receipt(self, contest: str, entry: Entry) -> str:
        """A receipt of one answer that is in the log already."""
        given = Receipt(entry.position, entry.kind, entry.level, entry.rater, False)
        self.receipts(contest, Appended([given], [entry]))
        return given.text

    def certified(self, body: dict[str, Any]) -> dict[str, Any]:
        """A certificate, signed and with its checkpoint."""
        name = body["contest"]
        kept = self.checkpoints.at(name, body["judged_at"] + 1)
        keys = self.keys
        return signed_certificate(body, keys.signing, kept.body, origin=keys.origin(name))

    def _look(self) -> None:
        """Takes over keys that were rotated, and makes the checkpoints that are due."""
        self._keys = known_keys(self._store, self._secret) or self._keys
        for name, head in self._store.heads().items():
            # Verdicts do not wait until a large contest of before has its tree.
            self._thread.do_waiting()
            self._thread.guarded(partial(self.checkpoints.catch_up, name, head))
