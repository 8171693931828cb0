"""Sessions: browsers that are signed in."""

from collections.abc import Callable
from typing import NamedTuple

from plaudit.service.accounts.accounts import HOUR_MS
from plaudit.service.accounts.lockout import FORGET_MS
from plaudit.service.accounts.tokens import new_token, token_hash
from plaudit.service.clock import now_ms
from plaudit.store.people import Account, PeopleStore, Session

# A session ends after a week without use, and after a month in any case.
IDLE_MS, LONGEST_MS = 7 * 24 * HOUR_MS, 30 * 24 * HOUR_MS
# Uses are noted this rarely: otherwise every page would write to the store.
NOTED_MS = 5 * 60_000


class SignedIn(NamedTuple):
    """An account that is signed in, and its session in this browser."""

    session: Session
    account: Account


class Sessions:
    """Starts, finds and ends sessions."""

    def __init__(self, store: PeopleStore, *, clock: Callable[[], int] = now_ms) -> None:
        self._store = store
        self._clock = clock

    def begin(self, account: Account, *, agent: str, subject: bytes = b"") -> str | None:
        """The token of a new session; None if the password has changed in the meantime.

        `subject` is by which subject they signed in, b"" for a password or a link.
        """
        token, now = new_token(), self._clock()
        session = Session(token_hash(token), account.number, browser_of(agent), now, now)
        self._sweep(now)
        begun = self._store.put_session(session, password=account.password, subject=subject)
        return token if begun else None

    def find(self, token: str, *, noting: bool = True) -> SignedIn | None:
        """Who is signed in with this token; None if the session is unknown or has ended.

        This counts as a use of the session if `noting`.
        """
        found = self._store.session(token_hash(token)) if token else None
        if found is None:
            return None
        session, account = found
        now = self._clock()
        if now >= min(session.seen_at + IDLE_MS, session.created_at + LONGEST_MS):
            self._store.drop_session(session.hash)
            return None
        if noting and now - session.seen_at >= NOTED_MS:
            self._store.touch_session(session.hash, now)
        return SignedIn(session, account)

    def of(self, account: Account) -> list[Session]:
        """The sessions of an account, latest use first."""
        return sorted(self._store.sessions(account.number), key=lambda one: -one.seen_at)

    def end(self, token: str) -> None:
        """Ends the session with this token."""
        self._store.drop_session(token_hash(token))

    def end_one(self, account: Account, hash: bytes) -> bool:
        """Ends a session if it belongs to this account; returns whether it did."""
        known = any(one.hash == hash for one in self._store.sessions(account.number))
        return known and self._store.drop_session(hash)

    def end_others(self, signed: SignedIn) -> int:
        """Ends all sessions of an account except this one; returns how many."""
        others = self._store.sessions(signed.account.number)
        hashes = [one.hash for one in others if one.hash != signed.session.hash]
        return sum(self._store.drop_session(hash) for hash in hashes)

    def _sweep(self, now: int) -> None:
        self._store.forget_stale(
            begun_before=now - LONGEST_MS,
            seen_before=now - IDLE_MS,
            expired_before=now,
            guessed_before=now - FORGET_MS,
        )


_BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrom": "Chrome",
             "Safari": "Safari", "curl": "curl"}  # fmt: skip
_SYSTEMS = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows",
            "Mac OS": "a Mac", "CrOS": "ChromeOS", "Linux": "Linux"}  # fmt: skip


def browser_of(agent: str) -> str:
    """The browser and system that a User-Agent header names; the rest is not kept.

    >>> browser_of("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    'Firefox on Linux'
    >>> browser_of("")
    'A browser'
    """
    browser = next((name for mark, name in _BROWSERS.items() if mark in agent), "A browser")
    system = next((name for mark, name in _SYSTEMS.items() if mark in agent), "")
    return f"{browser} on {system}" if system else browser
