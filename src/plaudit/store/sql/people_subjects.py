"""Subjects: accounts whose owners sign in through a provider, the same over every SQL engine."""

from plaudit.errors import LastWayIn, SubjectTaken
from plaudit.store.people import Account, Deed
from plaudit.store.sql import people_statements as statements
from plaudit.store.sql.database import Database, Transaction
from plaudit.store.sql.people_deeds import accounts_in, add_deed, locked_accounts


class Subjects:
    """The part of a store that keeps which account a subject leads to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def subjects(self) -> dict[int, int]:
        """The accounts that have a subject, each with the time since when."""
        return dict(self._database.rows(statements.SUBJECTS))

    def account_of(self, subject: bytes) -> Account | None:
        """The account that a subject leads to, or None."""
        rows = self._database.rows(statements.SUBJECT_ACCOUNT, hash=subject)
        return Account(*rows[0]) if rows else None

    def put_subject(self, number: int, subject: bytes, *, deed: Deed) -> bool:
        """Lets a subject lead to an account. Returns whether the account exists."""
        with locked_accounts(self._database) as transaction:
            if all(account.number != number for account in accounts_in(transaction)):
                return False
            link_subject(transaction, number, subject, deed.at)
            add_deed(transaction, deed)
        return True

    def drop_subject(self, number: int, *, deed: Deed) -> bool:
        """Takes the subject of an account away. Returns whether it had one."""
        with locked_accounts(self._database) as transaction:
            if not transaction.run(statements.DROP_SUBJECT, account=number):
                return False
            if any(a.number == number and not a.password for a in accounts_in(transaction)):
                raise LastWayIn
            transaction.run(statements.DROP_SESSIONS, account=number)
            add_deed(transaction, deed)
        return True


def link_subject(transaction: Transaction, number: int, subject: bytes, at: int) -> None:
    """Gives an account a subject; one that replaces another ends the sessions of the account."""
    if not subject:
        raise ValueError("an empty subject is nobody's")
    rows = transaction.rows(statements.SUBJECT_ACCOUNT, hash=subject)
    if rows and Account(*rows[0]).number != number:
        raise SubjectTaken
    if not rows and transaction.run(statements.DROP_SUBJECT, account=number):
        transaction.run(statements.DROP_SESSIONS, account=number)
    if not rows:
        transaction.run(statements.ADD_SUBJECT, account=number, hash=subject, linked_at=at)
