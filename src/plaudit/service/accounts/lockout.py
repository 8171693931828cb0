"""Lock-out on guessing: after a few wrong passwords, each further guess must wait longer.

Guesses are counted by name and by address, before the password is checked, so that guesses sent
at the same time all count. A browser that has signed in to the account before has a count of its
own: strangers who guess at a name, or who share the address, cannot lock its owner out. No wait
is longer than a quarter of an hour, and a link from the command line needs no password.
"""

from collections.abc import Callable
from typing import NamedTuple

from plaudit.errors import TooManyGuesses
from plaudit.service.accounts.tokens import mark
from plaudit.store.people import Guesses, PeopleStore

FIRST_WAIT_MS, LONGEST_WAIT_MS = 5_000, 15 * 60_000
FORGET_MS = 24 * 3_600_000
# Wrong passwords without a wait. A whole office may share one address.
FREE = {"name": 5, "device": 10, "address": 20}
_TRIES = 8


class Counted(NamedTuple):
    """A guess that was counted, so that it can be taken back."""

    kind: str
    who: bytes
    before: Guesses
    now: Guesses


def wait_ms(failures: int, *, free: int) -> int:
    """How long the next guess must wait after this number of failures.

    >>> [wait_ms(n, free=5) // 1000 for n in (0, 4, 5, 6, 7, 13, 500)]
    [0, 0, 5, 10, 20, 900, 900]
    """
    if failures < free:
        return 0
    return min(FIRST_WAIT_MS << min(failures - free, 30), LONGEST_WAIT_MS)


class Guard:
    """Counts guesses in the store, so that they are known to all workers and after a restart."""

    def __init__(self, store: PeopleStore, key: bytes, *, clock: Callable[[], int]) -> None:
        self._store = store
        self._key = key
        self._clock = clock

    def count(self, name: str, *, address: str, device: str = "") -> list[Counted]:
        """Counts a guess at a name; `TooManyGuesses` if it must wait, which counts nothing.

        `device` is a browser that has signed in to this account before, or "".
        """
        if device:
            return [self._count("device", name, device)]
        # The name first: a guess that must wait because of the name does not count for the address.
        counted = [self._count("name", name)]
        try:
            counted.append(self._count("address", address))
        except TooManyGuesses:
            self.take_back(counted)
            raise
        return counted

    def succeeded(self, counted: list[Counted]) -> None:
        """Forgets the failures of a name or device; an address keeps those of other names."""
        for one in counted:
            if one.kind == "address":
                self.take_back([one])
            else:
                self._store.forget_guesses(one.who)

    def take_back(self, counted: list[Counted]) -> None:
        """Uncounts guesses; they stay counted if others were counted since."""
        for one in counted:
            if one.before.failures:
                self._store.count_guess(one.who, seen=one.now, now=one.before)
            elif self._store.guesses(one.who) == one.now:
                self._store.forget_guesses(one.who)

    def _count(self, kind: str, *what: str) -> Counted:
        who = bytes.fromhex(mark(self._key, kind, *what))
        for _ in range(_TRIES):
            now = self._clock()
            seen = self._store.guesses(who)
            failures = seen.failures if now - seen.at < FORGET_MS else 0
            left = seen.at + wait_ms(failures, free=FREE[kind]) - now
            if left > 0:
                raise TooManyGuesses(-(-left // 1000))
            after = Guesses(failures + 1, now)
            if self._store.count_guess(who, seen=seen, now=after):
                return Counted(kind, who, seen, after)
        raise TooManyGuesses(FIRST_WAIT_MS // 1000)
