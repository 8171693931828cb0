"""The people who run contests, and the programs that act for them: what a store promises of them.

1. **Changes take turns**, across all processes and machines. Each is written together with the
   deed that says who did it, or not at all.
2. **A link works once.** Using it and what it brings about are one transaction. A link that is
   unknown, used or expired raises `LinkGone` and changes nothing.
3. **The first link is for the first account.** It is gone as soon as there is an account.
4. **There is always an owner.** Removing the last one raises `LastOwner`.
5. **A new password ends all sessions** of its account, and a session starts only if the password
   that it was started with is still the current one.
   Taking a subject away, or putting another in its place, ends them too.
6. **An account leaves nothing behind.** When it goes, its sessions, its password links and the
   invitations that it made go too. The invitations also go when it stops being an owner.
7. **A subject leads to one account, and an account has one subject at most.** A subject is a keyed
   hash of what a provider calls someone. One that leads to another account raises `SubjectTaken`.
8. **An account has a way in.** Taking the subject away from one without a password raises
   `LastWayIn`.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

OWNER = "owner"
# What a link is for: the first account, another one, or a new password.
FIRST, INVITE, RESET = "first", "invite", "reset"
# The account number in a link that the command line made (`made_by`), or that is for a new
# account (`account`).
NOBODY = 0


@dataclass(frozen=True)
class Account:
    """Someone who may sign in. `folded` is the name for look-ups.

    `password` is a hash, "" for someone who signs in by their subject only.
    """

    number: int
    name: str
    folded: str
    role: str
    password: str
    created_at: int


class Session(NamedTuple):
    """A signed-in browser. The store has only the hash of its token."""

    hash: bytes
    account: int
    agent: str
    created_at: int
    seen_at: int


class Invitation(NamedTuple):
    """A link that works once. The store has only the hash of its token."""

    hash: bytes
    kind: str
    role: str
    account: int
    made_by: int
    created_at: int
    expires_at: int


class Deed(NamedTuple):
    """What somebody did: to accounts, links or keys, or to a contest.

    For a contest, `position` is that of the event in its log.
    """

    at: int
    who: str
    what: str
    contest: str = ""
    position: int = 0


class Guesses(NamedTuple):
    """How often someone failed to sign in, and when they last did."""

    failures: int
    at: int


@dataclass(frozen=True)
class ApiKey:
    """An API key. The store has only its hash."""

    name: str
    hash: bytes
    scopes: tuple[str, ...]
    created_at: int


class PeopleStore(Protocol):
    """People and API keys. The promises are at the top of this module."""

    def accounts(self) -> list[Account]:
        """All accounts, oldest first."""

    def account(self, folded: str) -> Account | None:
        """The account with this folded name, or None."""

    def add_account(
        self, account: Account, *, link: bytes, deed: Deed, subject: bytes = b""
    ) -> Account:
        """Writes a new account and returns it with its number. `link` is the hash of a link.

        The account gets the link's role. The link must be valid at the deed's time. If the name
        is taken, `AccountExists` is raised and the link still works. With a `subject`, it leads
        to the account from now on.
        """

    def reset_password(
        self, password: str, *, link: bytes, deed: Deed, subject: bytes = b""
    ) -> Account:
        """Sets the password of the account that a link is for, and uses the link up.

        With a `subject`, it leads to the account from now on, and the password may be "".
        """

    def change_password(self, number: int, password: str, *, deed: Deed) -> bool:
        """Sets a password and ends the sessions. Returns whether the account exists."""

    def change_role(self, number: int, role: str, *, deed: Deed) -> bool:
        """Sets a role. Returns whether the account exists."""

    def drop_account(self, number: int, *, deed: Deed) -> bool:
        """Deletes an account. Returns whether it existed."""

    def subjects(self) -> dict[int, int]:
        """The accounts that have a subject, each with the time since when."""

    def account_of(self, subject: bytes) -> Account | None:
        """The account that a subject leads to, or None."""

    def put_subject(self, number: int, subject: bytes, *, deed: Deed) -> bool:
        """Lets a subject lead to an account. Returns whether the account exists."""

    def drop_subject(self, number: int, *, deed: Deed) -> bool:
        """Takes the subject of an account away. Returns whether it had one."""

    def put_invitation(self, invitation: Invitation, *, deed: Deed) -> None:
        """Keeps a link. A first link or a password link replaces earlier ones."""

    def invitation(self, hash: bytes) -> Invitation | None:
        """The link with this hash, expired or not, or None."""

    def invitations(self) -> list[Invitation]:
        """All links, oldest first."""

    def drop_invitation(self, hash: bytes, *, deed: Deed) -> bool:
        """Deletes a link. Returns whether it existed."""

    def put_session(self, session: Session, *, password: str, subject: bytes = b"") -> bool:
        """Starts a session if its account still has this password. Returns whether it does.

        With a `subject`, it must still lead to the account too.
        """

    def session(self, hash: bytes) -> tuple[Session, Account] | None:
        """The session with this hash and its account, or None."""

    def sessions(self, account: int) -> list[Session]:
        """The sessions of an account, oldest first."""

    def touch_session(self, hash: bytes, at: int) -> None:
        """Records that a session was in use at this time."""

    def drop_session(self, hash: bytes) -> bool:
        """Ends a session. Returns whether it existed."""

    def guesses(self, who: bytes) -> Guesses:
        """The failures of `who` to sign in; `Guesses(0, 0)` if there are none."""

    def count_guess(self, who: bytes, *, seen: Guesses, now: Guesses) -> bool:
        """Replaces the count `seen` by `now` if it is still the same. Returns whether it was."""

    def forget_guesses(self, who: bytes) -> None:
        """Deletes the failures of `who`."""

    def note(self, deed: Deed) -> None:
        """Writes a deed alone."""

    def deeds(self, *, limit: int = 100, contest: str | None = None) -> list[Deed]:
        """The last deeds, latest first; only those of a contest if one is given."""

    def forget_stale(
        self, *, begun_before: int, seen_before: int, expired_before: int, guessed_before: int
    ) -> None:
        """Deletes sessions, links and failures that are older than the given times."""

    def put_key(self, key: ApiKey) -> None:
        """Keeps an API key. It replaces one with the same name."""

    def keys(self) -> list[ApiKey]:
        """All API keys, oldest first."""

    def drop_key(self, name: str) -> bool:
        """Deletes an API key. Returns whether it existed."""
