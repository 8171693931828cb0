"""Accounts of those who run contests: their roles, and the links that let people in.

Every step names who takes it, is refused if the role does not allow it, and leaves a deed in the
store.
"""

import re
import unicodedata
from collections.abc import Callable

from plaudit.errors import (
    InvalidInput,
    LinkGone,
    NotAllowed,
    SignInRefused,
    UnknownName,
    WrongField,
)
from plaudit.phrase import Phrase
from plaudit.service.accounts.passwords import Passwords, check_password
from plaudit.service.accounts.roles import COMMAND_LINE, Actor, check_role, require_owner
from plaudit.service.accounts.tokens import new_token, token_hash
from plaudit.service.clock import now_ms
from plaudit.service.deeds import did
from plaudit.store.people import (
    FIRST,
    INVITE,
    NOBODY,
    OWNER,
    RESET,
    Account,
    Deed,
    Invitation,
    PeopleStore,
)
from plaudit.words import N_

HOUR_MS = 3_600_000
# How long a link works. A link to the first account or to a new password is used soon or never.
LASTS_MS = {FIRST: 24 * HOUR_MS, INVITE: 7 * 24 * HOUR_MS, RESET: 24 * HOUR_MS}
LONGEST_NAME = 64
_NAME = re.compile(r"[\w][\w .@+'-]*")


def tidy_name(name: str) -> str:
    """A name as it is shown: one space between words, none around them.

    >>> tidy_name("  Ana   Bell ")
    'Ana Bell'
    """
    return " ".join(unicodedata.normalize("NFKC", name[: 4 * LONGEST_NAME]).split())


def folded_name(name: str) -> str:
    """A name as it is looked up: upper and lower case are the same."""
    return unicodedata.normalize("NFKC", tidy_name(name).casefold())


def check_name(name: str) -> str:
    """The name of a new account, tidied; `WrongField` if it is not allowed."""
    tidy = tidy_name(name)
    if not tidy:
        raise WrongField("name", Phrase(N_("Type the name that you will sign in with.")))
    if len(tidy) > LONGEST_NAME or not _NAME.fullmatch(tidy):
        told = N_(
            "A name has at most {most} letters, digits, spaces and . @ + - _ ' and begins with a "
            "letter or digit."
        )
        raise WrongField("name", Phrase(told, most=LONGEST_NAME))
    return tidy


class Accounts:
    """Makes, changes and removes accounts and links."""

    def __init__(
        self, store: PeopleStore, passwords: Passwords, *, clock: Callable[[], int] = now_ms
    ) -> None:
        self._store = store
        self._passwords = passwords
        self._clock = clock

    def link(self, token: str) -> Invitation:
        """What a link is for; `LinkGone` if it no longer works."""
        return self.link_of(token_hash(token))

    def link_of(self, hash: bytes) -> Invitation:
        """What the link with this hash is for; `LinkGone` if it no longer works."""
        found = self._store.invitation(hash)
        if found is None or found.expires_at <= self._clock():
            raise LinkGone
        if found.kind == FIRST and self._store.accounts():
            raise LinkGone
        return found

    def name_of(self, number: int) -> str:
        """The name of an account; "" if there is none."""
        return next((a.name for a in self._store.accounts() if a.number == number), "")

    def welcome(self, token: str, *, name: str, password: str) -> Account:
        """Makes the account that a link is for; the link is used up."""
        found = self.link(token)
        if found.kind == RESET:
            raise LinkGone
        tidy = check_name(name)
        check_password(password, name=tidy)
        hashed, now = self._passwords.hash(password), self._clock()
        account = Account(NOBODY, tidy, folded_name(tidy), found.role, hashed, now)
        joined = "joined-first" if found.kind == FIRST else "joined"
        deed = Deed(now, tidy, did(joined, role=found.role))
        return self._store.add_account(account, link=found.hash, deed=deed)

    def renew(self, token: str, *, password: str) -> Account:
        """Sets the new password that a link is for; the link is used up."""
        found = self.link(token)
        name = self.name_of(found.account)
        if found.kind != RESET or not name:
            raise LinkGone
        check_password(password, name=name)
        deed = Deed(self._clock(), name, did("reset-password"))
        return self._store.reset_password(
            self._passwords.hash(password), link=found.hash, deed=deed
        )

    def change_password(self, account: Account, *, old: str, new: str) -> Account:
        """The account with a new password; all its sessions end."""
        if not self._passwords.matches(account.password, old):
            raise SignInRefused(Phrase(N_("This is not your current password.")))
        check_password(new, name=account.name)
        hashed = self._passwords.hash(new)
        deed = Deed(self._clock(), account.name, did("new-password"))
        if not self._store.change_password(account.number, hashed, deed=deed):
            raise NotAllowed(Phrase(N_("This account was removed.")))
        return Account(**vars(account) | {"password": hashed})

    def set_role(self, by: Actor, number: int, role: str) -> None:
        """Gives an account another role."""
        require_owner(by)
        name = self._named(number)
        what = did("gave-role", name=name, role=check_role(role))
        deed = Deed(self._clock(), by.name, what)
        if not self._store.change_role(number, role, deed=deed):
            raise _removed()

    def remove(self, by: Actor, number: int) -> None:
        """Removes an account, with its sessions and the invitations that it made."""
        require_owner(by)
        deed = Deed(self._clock(), by.name, did("removed", name=self._named(number)))
        if not self._store.drop_account(number, deed=deed):
            raise _removed()

    def unlink(self, by: Actor, number: int) -> None:
        """Unlinks an account from the provider; its sessions end. Not the last way in."""
        if by.number != number:
            require_owner(by)
        deed = Deed(self._clock(), by.name, did("unlinked", name=self._named(number)))
        if not self._store.drop_subject(number, deed=deed):
            raise NotAllowed(Phrase(N_("This account is not linked to the provider.")))

    def numbered(self, name: str) -> int:
        """The number of the account with this name; `UnknownName` if there is none."""
        found = self._store.account(folded_name(name))
        if found is None:
            known = [account.name for account in self._store.accounts()]
            none = InvalidInput(
                "There is no account yet: `plaudit account link` makes a link to one."
            )
            raise UnknownName("account", name, known) if known else none
        return found.number

    def first_link(self) -> str | None:
        """The token of a new link to the first account; None if there is an account.

        Earlier links to the first account stop working.
        """
        if self._store.accounts():
            return None
        return self._linked(COMMAND_LINE, FIRST, OWNER, NOBODY, did("first-link"))

    def invite(self, by: Actor, role: str) -> str:
        """The token of a link to a new account."""
        require_owner(by)
        what = did("invited", role=check_role(role))
        return self._linked(by, INVITE, role, NOBODY, what)

    def reset(self, by: Actor, number: int) -> str:
        """The token of a link to a new password; until it is used, the old password works."""
        require_owner(by)
        what = did("password-link", name=self._named(number))
        return self._linked(by, RESET, "", number, what)

    def cancel(self, by: Actor, hash: bytes) -> None:
        """Takes a link back."""
        require_owner(by)
        found = self._store.invitation(hash)
        if found is None:
            raise NotAllowed(Phrase(N_("This link no longer exists: it was used, or taken back.")))
        what = did("cancelled-link", name=found.role or self.name_of(found.account))
        self._store.drop_invitation(hash, deed=Deed(self._clock(), by.name, what))

    def _linked(self, by: Actor, kind: str, role: str, account: int, what: str) -> str:
        token, now = new_token(), self._clock()
        made = Invitation(
            token_hash(token), kind, role, account, by.number, now, now + LASTS_MS[kind]
        )
        self._store.put_invitation(made, deed=Deed(now, by.name, what))
        return token

    def _named(self, number: int) -> str:
        name = self.name_of(number)
        if not name:
            raise _removed()
        return name


def _removed() -> NotAllowed:
    return NotAllowed(Phrase(N_("This account no longer exists: it was removed.")))
