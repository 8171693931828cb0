"""Accounts of those who run contests: who may do what, and the links that let people in.

Every step says who takes it, is refused where the role does not allow it, and leaves a deed in
the store.
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

HOUR_MS = 3_600_000
# How long a link works: one for the first account or a password is used soon or never.
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
    """A name as it is looked up: capital letters are as good as small ones."""
    return unicodedata.normalize("NFKC", tidy_name(name).casefold())


def check_name(name: str) -> str:
    """The name of a new account, tidy."""
    tidy = tidy_name(name)
    if not tidy:
        raise WrongField("name", "There is no name yet. Type the one that you will sign in with.")
    if len(tidy) > LONGEST_NAME or not _NAME.fullmatch(tidy):
        raise WrongField(
            "name",
            f"A name has at most {LONGEST_NAME} letters, digits, spaces and . @ + - _ ' and "
            "begins with a letter or digit.",
        )
    return tidy


class Accounts:
    """What can be done with accounts and links."""

    def __init__(
        self, store: PeopleStore, passwords: Passwords, *, clock: Callable[[], int] = now_ms
    ) -> None:
        self._store = store
        self._passwords = passwords
        self._clock = clock

    def link(self, token: str) -> Invitation:
        """What a link is for; `LinkGone` where it does not work any more."""
        found = self._store.invitation(token_hash(token))
        if found is None or found.expires_at <= self._clock():
            raise LinkGone
        if found.kind == FIRST and self._store.accounts():
            raise LinkGone
        return found

    def name_of(self, number: int) -> str:
        """The name of an account; "" where there is none."""
        return next((a.name for a in self._store.accounts() if a.number == number), "")

    def welcome(self, token: str, *, name: str, password: str) -> Account:
        """A new account by a link, which works once."""
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
        """An account with a new password by a link, which works once."""
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
            raise SignInRefused("This is not your current password.")
        check_password(new, name=account.name)
        hashed = self._passwords.hash(new)
        deed = Deed(self._clock(), account.name, did("new-password"))
        if not self._store.change_password(account.number, hashed, deed=deed):
            raise NotAllowed("This account was removed.")
        return Account(**vars(account) | {"password": hashed})

    def set_role(self, by: Actor, number: int, role: str) -> None:
        """Gives an account another role."""
        require_owner(by)
        name = self._named(number)
        what = did("gave-role", name=name, role=check_role(role))
        deed = Deed(self._clock(), by.name, what)
        if not self._store.change_role(number, role, deed=deed):
            raise _not_there()

    def remove(self, by: Actor, number: int) -> None:
        """Takes an account away, with its sessions and the invitations that it made."""
        require_owner(by)
        deed = Deed(self._clock(), by.name, did("removed", name=self._named(number)))
        if not self._store.drop_account(number, deed=deed):
            raise _not_there()

    def numbered(self, name: str) -> int:
        """The number of the account of this name; `UnknownName` where there is none."""
        found = self._store.account(folded_name(name))
        if found is None:
            known = [account.name for account in self._store.accounts()]
            none = InvalidInput("There is no account yet: `plaudit account link` lets one in.")
            raise UnknownName("account", name, known) if known else none
        return found.number

    def first_link(self) -> str | None:
        """The token of a new first link, in the place of others; None if there is an account."""
        if self._store.accounts():
            return None
        return self._linked(COMMAND_LINE, FIRST, OWNER, NOBODY, did("first-link"))

    def invite(self, by: Actor, role: str) -> str:
        """The token of a link to a new account."""
        require_owner(by)
        what = did("invited", role=check_role(role))
        return self._linked(by, INVITE, role, NOBODY, what)

    def reset(self, by: Actor, number: int) -> str:
        """The token of a link to a new password; the old one goes on until it is used."""
        require_owner(by)
        what = did("password-link", name=self._named(number))
        return self._linked(by, RESET, "", number, what)

    def cancel(self, by: Actor, hash: bytes) -> None:
        """Takes a link back."""
        require_owner(by)
        found = self._store.invitation(hash)
        if found is None:
            raise NotAllowed("This link is not there any more: it was used, or taken back.")
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
            raise _not_there()
        return name


def _not_there() -> NotAllowed:
    return NotAllowed("This account is not there any more: it was removed.")
