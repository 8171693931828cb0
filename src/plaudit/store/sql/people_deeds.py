"""Deeds, and transactions that change accounts together with the deed that says who did it."""

from collections.abc import Iterator
from contextlib import contextmanager

from plaudit.store.checks import can_hold, check_text
from plaudit.store.people import Account, Deed
from plaudit.store.sql import people_statements as statements
from plaudit.store.sql.database import Database, Transaction


class Deeds:
    """The part of a store that keeps deeds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(self, deed: Deed) -> None:
        """Writes a deed alone."""
        with changing_accounts(self._database, deed):
            pass

    def deeds(self, *, limit: int = 100, contest: str | None = None) -> list[Deed]:
        """The last deeds, latest first; only those of a contest if one is given."""
        if contest is None:
            rows = self._database.rows(statements.DEEDS, limit=limit)
        elif can_hold(contest):
            rows = self._database.rows(statements.DEEDS_OF, contest=contest, limit=limit)
        else:
            rows = []
        return [Deed(*row) for row in rows]


@contextmanager
def locked_accounts(database: Database) -> Iterator[Transaction]:
    """A transaction in which nobody else changes accounts, links or sessions."""
    with database.writing() as transaction:
        transaction.run(statements.LOCK_ACCOUNTS)
        yield transaction


@contextmanager
def changing_accounts(database: Database, deed: Deed) -> Iterator[Transaction]:
    """The same transaction, with the deed already written in it."""
    with locked_accounts(database) as transaction:
        add_deed(transaction, deed)
        yield transaction


def add_deed(transaction: Transaction, deed: Deed) -> None:
    """Writes a deed, together with whatever else the transaction writes."""
    check_text("A deed", deed.who, deed.what, deed.contest)
    transaction.run(statements.ADD_DEED, **deed._asdict())


def accounts_in(transaction: Transaction) -> list[Account]:
    """All accounts as a transaction sees them, oldest first."""
    return [Account(*row) for row in transaction.rows(statements.ACCOUNTS)]
