"""Those who run contests, as a store keeps them, and what it promises of them.

1. **Changes come one after another**, over all processes and machines, each whole with the
   deed that says who did it, or not at all.
2. **A link works once.** Using it and what it brings about are one transaction; one that is
   unknown, used or out of date raises `LinkGone` and changes nothing.
3. **The first link is for the first account.** Once there is an account it is gone.
4. **There is always an owner.** Taking the last one away raises `LastOwner`.
5. **A new password ends all sessions** of its account, and a session begins only while the
   password that it was begun with stands.
6. **Nobody stays through another.** With an account go its sessions, links to its password and
   invitations that it made; the last go, too, when it is no owner any more.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

OWNER = "owner"
# What a link is for: the first account, another one, or a new password.
FIRST, INVITE, RESET = "first", "invite", "reset"
# The number of nobody: a link that the command line made, or one for a new account.
NOBODY = 0


@dataclass(frozen=True)
class Account:
    """Someone who may sign in; `folded` is the name as it is looked up, `password` a hash."""

    number: int
    name: str
    folded: str
    role: str
    password: str
    created_at: int


class Session(NamedTuple):
    """A browser that is signed in; the store has only the hash of its token."""

    hash: bytes
    account: int
    agent: str
    created_at: int
    seen_at: int


class Invitation(NamedTuple):
    """A link that works once; the store has only the hash of its token."""

    hash: bytes
    kind: str
    role: str
    account: int
    made_by: int
    created_at: int
    expires_at: int


class Deed(NamedTuple):
    """What somebody did: to accounts, links or keys, or to a contest by an event in its log."""

    at: int
    who: str
    what: str
    contest: str = ""
    position: int = 0


class Guesses(NamedTuple):
    """How often someone failed to sign in, and when the last time was."""

    failures: int
    at: int


class PeopleStore(Protocol):
    """The part of a store about people; the promises are at the head of this module."""

    def accounts(self) -> list[Account]:
        """All accounts, oldest first."""

    def account(self, folded: str) -> Account | None:
        """The account of a name as it is looked up, or None."""

    def add_account(self, account: Account, *, link: bytes, deed: Deed) -> Account:
        """Writes a new account by the link of this hash, at the deed's time; with its number.

        The role is the link's. `AccountExists` where the name is taken: the link still works.
        """

    def reset_password(self, password: str, *, link: bytes, deed: Deed) -> Account:
        """Sets the password of the account that a link is for; the link goes."""

    def change_password(self, number: int, password: str, *, deed: Deed) -> bool:
        """Sets a password and ends the sessions; whether there is such an account."""

    def change_role(self, number: int, role: str, *, deed: Deed) -> bool:
        """Sets a role; whether there is such an account."""

    def drop_account(self, number: int, *, deed: Deed) -> bool:
        """Takes an account away; whether it was there."""

    def put_invitation(self, invitation: Invitation, *, deed: Deed) -> None:
        """Keeps a link; a first link or one to a password takes the place of earlier ones."""

    def invitation(self, hash: bytes) -> Invitation | None:
        """A link, in date or not, or None."""

    def invitations(self) -> list[Invitation]:
        """All links, oldest first."""

    def drop_invitation(self, hash: bytes, *, deed: Deed) -> bool:
        """Takes a link away; whether it was there."""

    def put_session(self, session: Session, *, password: str) -> bool:
        """Begins a session if its account still has this password; whether it does."""

    def session(self, hash: bytes) -> tuple[Session, Account] | None:
        """A session with its account, or None."""

    def sessions(self, account: int) -> list[Session]:
        """The sessions of an account, oldest first."""

    def touch_session(self, hash: bytes, at: int) -> None:
        """Notes that a session is in use."""

    def drop_session(self, hash: bytes) -> bool:
        """Ends a session; whether it was there."""

    def guesses(self, who: bytes) -> Guesses:
        """How often this one failed; none and 0 where nothing is known."""

    def count_guess(self, who: bytes, *, seen: Guesses, now: Guesses) -> bool:
        """Notes a failure if what was seen still holds; whether it does."""

    def forget_guesses(self, who: bytes) -> None:
        """Forgets the failures of this one."""

    def note(self, deed: Deed) -> None:
        """Writes a deed that changes nothing else here."""

    def deeds(self, *, limit: int = 100, contest: str | None = None) -> list[Deed]:
        """The last deeds, latest first; of one contest where it is named."""

    def forget_stale(
        self, *, begun_before: int, seen_before: int, expired_before: int, guessed_before: int
    ) -> None:
        """Deletes sessions, links and failures whose time is over."""
