"""Keeping those who run contests, the same over every SQL engine."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from plaudit.errors import AccountExists, LastOwner, LinkGone
from plaudit.store import people_statements as statements
from plaudit.store.checks import check_text
from plaudit.store.people import (
    FIRST,
    OWNER,
    RESET,
    Account,
    Deed,
    Guesses,
    Invitation,
    Session,
)
from plaudit.store.people_reading import PeopleReading
from plaudit.store.transaction import Transaction


class PeopleWriting(PeopleReading):
    """The part of a store that writes about people; an engine says what a transaction is."""

    @abstractmethod
    def _writing(self, *, long: bool = False) -> AbstractContextManager[Transaction]:
        """A transaction that is durable when the block ends; a long one may take minutes."""

    def add_account(self, account: Account, *, link: bytes, deed: Deed) -> Account:
        """Writes a new account by the link of this hash, at the deed's time; with its number."""
        check_text("An account", account.name, account.folded, account.password)
        with self._changing(deed) as transaction:
            used = _use(transaction, link, deed.at)
            if used.kind == RESET or (used.kind == FIRST and _accounts(transaction)):
                raise LinkGone
            given = vars(account) | {"role": used.role}
            del given["number"]
            if not transaction.run(statements.ADD_ACCOUNT, **given):
                raise AccountExists(account.name)
            transaction.run(statements.DROP_FIRST)
            rows = transaction.rows(statements.ACCOUNT_NAMED, folded=account.folded)
            return Account(*rows[0])

    def reset_password(self, password: str, *, link: bytes, deed: Deed) -> Account:
        """Sets the password of the account that a link is for; the link goes."""
        check_text("A password's hash", password)
        with self._changing(deed) as transaction:
            used = _use(transaction, link, deed.at)
            found = [a for a in _accounts(transaction) if a.number == used.account]
            if used.kind != RESET or not found:
                raise LinkGone
            _set_password(transaction, used.account, password)
            return Account(**vars(found[0]) | {"password": password})

    def change_password(self, number: int, password: str, *, deed: Deed) -> bool:
        """Sets a password and ends the sessions; whether there is such an account."""
        check_text("A password's hash", password)

        def work(transaction: Transaction) -> None:
            _set_password(transaction, number, password)

        return self._change_one(number, deed, work)

    def change_role(self, number: int, role: str, *, deed: Deed) -> bool:
        """Sets a role; whether there is such an account."""
        check_text("A role", role)

        def work(transaction: Transaction) -> None:
            transaction.run(statements.SET_ROLE, number=number, role=role)
            _check_owned(transaction)
            if role != OWNER:
                transaction.run(statements.DROP_MADE, account=number)

        return self._change_one(number, deed, work)

    def drop_account(self, number: int, *, deed: Deed) -> bool:
        """Takes an account away; whether it was there."""

        def work(transaction: Transaction) -> None:
            transaction.run(statements.DROP_MADE, account=number)
            transaction.run(statements.DROP_RESETS, account=number)
            transaction.run(statements.DROP_ACCOUNT, number=number)
            _check_owned(transaction)

        return self._change_one(number, deed, work)

    def put_invitation(self, invitation: Invitation, *, deed: Deed) -> None:
        """Keeps a link; a first link or one to a password takes the place of earlier ones."""
        check_text("A link", invitation.kind, invitation.role)
        with self._changing(deed) as transaction:
            if invitation.kind == FIRST:
                transaction.run(statements.DROP_FIRST)
            if invitation.kind == RESET:
                transaction.run(statements.DROP_RESETS, account=invitation.account)
            transaction.run(statements.ADD_INVITATION, **invitation._asdict())

    def drop_invitation(self, hash: bytes, *, deed: Deed) -> bool:
        """Takes a link away; whether it was there."""
        with self._held() as transaction:
            if not transaction.run(statements.DROP_INVITATION, hash=hash):
                return False
            add_deed(transaction, deed)
        return True

    def put_session(self, session: Session, *, password: str) -> bool:
        """Begins a session if its account still has this password; whether it does."""
        check_text("A browser's name", session.agent)
        with self._held() as transaction:
            accounts = {a.number: a.password for a in _accounts(transaction)}
            if accounts.get(session.account) != password:
                return False
            transaction.run(statements.ADD_SESSION, **session._asdict())
        return True

    def touch_session(self, hash: bytes, at: int) -> None:
        """Notes that a session is in use."""
        self._run(statements.TOUCH_SESSION, hash=hash, at=at)

    def drop_session(self, hash: bytes) -> bool:
        """Ends a session; whether it was there."""
        return self._run(statements.DROP_SESSION, hash=hash) > 0

    def count_guess(self, who: bytes, *, seen: Guesses, now: Guesses) -> bool:
        """Notes a failure if what was seen still holds; whether it does."""
        given = {"failures": now.failures, "at": now.at}
        given |= {"seen_failures": seen.failures, "seen_at": seen.at}
        return self._run(statements.COUNT_GUESS, who=who, **given) > 0

    def forget_guesses(self, who: bytes) -> None:
        """Forgets the failures of this one."""
        self._run(statements.FORGET_GUESSES, who=who)

    def note(self, deed: Deed) -> None:
        """Writes a deed that changes nothing else here."""
        with self._changing(deed):
            pass

    def forget_stale(
        self, *, begun_before: int, seen_before: int, expired_before: int, guessed_before: int
    ) -> None:
        """Deletes sessions, links and failures whose time is over."""
        with self._held() as transaction:
            transaction.run(
                statements.STALE_SESSIONS, begun_before=begun_before, seen_before=seen_before
            )
            transaction.run(statements.STALE_INVITATIONS, expired_before=expired_before)
            transaction.run(statements.STALE_GUESSES, guessed_before=guessed_before)

    def _run(self, sql: str, **parameters: object) -> int:
        with self._writing() as transaction:
            return transaction.run(sql, **parameters)

    @contextmanager
    def _held(self) -> Iterator[Transaction]:
        """A transaction in which accounts stay as they are seen."""
        with self._writing() as transaction:
            transaction.run(statements.HOLD)
            yield transaction

    @contextmanager
    def _changing(self, deed: Deed) -> Iterator[Transaction]:
        """A transaction that changes accounts, with the deed."""
        with self._held() as transaction:
            add_deed(transaction, deed)
            yield transaction

    def _change_one(self, number: int, deed: Deed, work: Callable[[Transaction], None]) -> bool:
        """Changes an account, with the deed; whether it is there."""
        with self._held() as transaction:
            if all(account.number != number for account in _accounts(transaction)):
                return False
            work(transaction)
            add_deed(transaction, deed)
        return True


def add_deed(transaction: Transaction, deed: Deed) -> None:
    """Writes what somebody did, with whatever else the transaction writes."""
    check_text("A deed", deed.who, deed.what, deed.contest)
    transaction.run(statements.ADD_DEED, **deed._asdict())


def _accounts(transaction: Transaction) -> list[Account]:
    return [Account(*row) for row in transaction.rows(statements.ACCOUNTS)]


def _use(transaction: Transaction, hash: bytes, at: int) -> Invitation:
    """A link that is in date, used up with this."""
    rows = transaction.rows(statements.INVITATION_OF, hash=hash)
    if not rows or Invitation(*rows[0]).expires_at <= at:
        raise LinkGone
    transaction.run(statements.DROP_INVITATION, hash=hash)
    return Invitation(*rows[0])


def _set_password(transaction: Transaction, number: int, password: str) -> None:
    transaction.run(statements.SET_PASSWORD, number=number, password=password)
    transaction.run(statements.DROP_SESSIONS, account=number)
    transaction.run(statements.DROP_RESETS, account=number)


def _check_owned(transaction: Transaction) -> None:
    if not any(account.role == OWNER for account in _accounts(transaction)):
        raise LastOwner
