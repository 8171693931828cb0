"""Accounts whose owners sign in through a provider.

A subject is whom the provider means. The store has a keyed hash of issuer and subject: without the
secret of the service nobody can tell whom an account belongs to. Nobody gets an account because
the provider knows them: a link lets them in, or an owner names them.
"""

from collections.abc import Callable

from plaudit.errors import LinkGone, NotAllowed, WrongField
from plaudit.phrase import Phrase
from plaudit.service.accounts.accounts import Accounts, check_name, folded_name
from plaudit.service.accounts.roles import Actor, require_owner
from plaudit.service.accounts.secret import Secret
from plaudit.service.accounts.tokens import mark
from plaudit.service.clock import now_ms
from plaudit.service.deeds import did
from plaudit.store.people import FIRST, NOBODY, RESET, Account, Deed, PeopleStore
from plaudit.words import N_

LONGEST = 255


class Subjects:
    """Finds, links and unlinks the accounts of subjects."""

    def __init__(
        self,
        store: PeopleStore,
        accounts: Accounts,
        secret: Secret,
        *,
        clock: Callable[[], int] = now_ms,
    ) -> None:
        self._store = store
        self._accounts = accounts
        self._key = secret.key("subjects of accounts")
        self._clock = clock

    def hash(self, issuer: str, subject: str) -> bytes:
        """What the store keeps of a subject."""
        return bytes.fromhex(mark(self._key, issuer, subject))

    def account(self, subject: bytes) -> Account | None:
        """The account that a subject leads to, or None."""
        return self._store.account_of(subject)

    def check_link(self, link: bytes, *, name: str) -> str:
        """The name that a link's account will have; an error if it cannot be used in this way."""
        found = self._accounts.link_of(link)
        if found.kind == RESET:
            return self._accounts.name_of(found.account)
        tidy = check_name(name)
        if self._store.account(folded_name(tidy)) is not None:
            told = N_("There is an account named {name!r} already. Choose another name.")
            raise WrongField("name", Phrase(told, name=tidy))
        return tidy

    def use_link(self, link: bytes, subject: bytes, *, name: str) -> Account:
        """The account that a link is for, which its subject leads to; the link is used up.

        A link to a new password puts the subject in the place of the password.
        """
        found, now = self._accounts.link_of(link), self._clock()
        if found.kind == RESET:
            whose = self._accounts.name_of(found.account)
            if not whose:
                raise LinkGone
            deed = Deed(now, whose, did("provider-for-password"))
            return self._store.reset_password("", link=link, deed=deed, subject=subject)
        tidy = check_name(name)
        account = Account(NOBODY, tidy, folded_name(tidy), found.role, "", now)
        joined = "joined-first" if found.kind == FIRST else "joined"
        deed = Deed(now, tidy, did(joined, role=found.role))
        return self._store.add_account(account, link=link, deed=deed, subject=subject)

    def link(self, account: Account, subject: bytes) -> None:
        """Lets a subject lead to one's own account."""
        deed = Deed(self._clock(), account.name, did("linked"))
        if not self._store.put_subject(account.number, subject, deed=deed):
            raise NotAllowed(Phrase(N_("This account was removed.")))

    def name(self, by: Actor, number: int, issuer: str, subject: str) -> None:
        """Lets an owner say who somebody is at the provider."""
        require_owner(by)
        tidy = subject.strip()
        if not 0 < len(tidy) <= LONGEST or not tidy.isprintable():
            told = N_("Type the subject as the provider shows it: at most {most} characters.")
            raise WrongField("subject", Phrase(told, most=LONGEST))
        whose = self._accounts.name_of(number)
        deed = Deed(self._clock(), by.name, did("linked-other", name=whose))
        if not self._store.put_subject(number, self.hash(issuer, tidy), deed=deed):
            raise NotAllowed(Phrase(N_("This account no longer exists: it was removed.")))
