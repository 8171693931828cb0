"""A lease in the store: of several workers one does a chore, whoever holds it."""

import secrets
from collections.abc import Callable

from plaudit.store.contract import Store


class Lease:
    """The lease of one worker on a chore.

    It lasts for `lasts_ms` and is renewed when less than `renew_ms` of it is left: a worker that
    dies is followed by another after that long.
    """

    def __init__(
        self, store: Store, chore: str, *, lasts_ms: int, renew_ms: int, clock: Callable[[], int]
    ) -> None:
        self.holder = secrets.token_hex(16)
        self._store = store
        self._chore = chore
        self._lasts_ms, self._renew_ms = lasts_ms, renew_ms
        self._clock = clock
        self._held_until = 0

    def is_mine(self) -> bool:
        """Whether this worker holds it; takes or renews it where that is due."""
        now = self._clock()
        if self._held_until - now < self._renew_ms:
            until = now + self._lasts_ms
            held = self._store.take_lease(self._chore, self.holder, now=now, until=until)
            self._held_until = until if held else 0
        return self._held_until > now

    def give_back(self) -> None:
        """Lets another worker take it at once."""
        if self._held_until:
            self._held_until = 0
            self._store.give_lease(self._chore, self.holder)
