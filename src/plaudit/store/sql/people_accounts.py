"""Accounts, the same over every SQL engine."""

from collections.abc import Callable

from plaudit.errors import AccountExists, LastOwner, LinkGone
from plaudit.store.checks import can_hold, check_text
from plaudit.store.people import FIRST, OWNER, RESET, Account, Deed
from plaudit.store.sql import people_statements as statements
from plaudit.store.sql.database import Database, Transaction
from plaudit.store.sql.people_deeds import (
    accounts_in,
    add_deed,
    changing_accounts,
    locked_accounts,
)
from plaudit.store.sql.people_links import use_link
from plaudit.store.sql.people_subjects import link_subject


class Accounts:
    """The part of a store that keeps accounts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def accounts(self) -> list[Account]:
        """All accounts, oldest first."""
        return [Account(*row) for row in self._database.rows(statements.ACCOUNTS)]

    def account(self, folded: str) -> Account | None:
        """The account with this folded name, or None."""
        if not can_hold(folded):
            return None
        rows = self._database.rows(statements.ACCOUNT_NAMED, folded=folded)
        return Account(*rows[0]) if rows else None

    def add_account(
        self, account: Account, *, link: bytes, deed: Deed, subject: bytes = b""
    ) -> Account:
        """Writes a new account and returns it with its number. `link` is the hash of a link."""
        check_text("An account", account.name, account.folded, account.password)
        with changing_accounts(self._database, deed) as transaction:
            used = use_link(transaction, link, deed.at)
            if used.kind == RESET or (used.kind == FIRST and accounts_in(transaction)):
                raise LinkGone
            given = vars(account) | {"role": used.role}
            del given["number"]
            if not transaction.run(statements.ADD_ACCOUNT, **given):
                raise AccountExists(account.name)
            transaction.run(statements.DROP_FIRST)
            made = Account(*transaction.rows(statements.ACCOUNT_NAMED, folded=account.folded)[0])
            if subject:
                link_subject(transaction, made.number, subject, deed.at)
            return made

    def reset_password(
        self, password: str, *, link: bytes, deed: Deed, subject: bytes = b""
    ) -> Account:
        """Sets the password of the account that a link is for, and uses the link up."""
        check_text("A password's hash", password)
        with changing_accounts(self._database, deed) as transaction:
            used = use_link(transaction, link, deed.at)
            found = [a for a in accounts_in(transaction) if a.number == used.account]
            if used.kind != RESET or not found:
                raise LinkGone
            _set_password(transaction, used.account, password)
            if subject:
                link_subject(transaction, used.account, subject, deed.at)
            return Account(**vars(found[0]) | {"password": password})

    def change_password(self, number: int, password: str, *, deed: Deed) -> bool:
        """Sets a password and ends the sessions. Returns whether the account exists."""
        check_text("A password's hash", password)

        def work(transaction: Transaction) -> None:
            _set_password(transaction, number, password)

        return self._change(number, deed, work)

    def change_role(self, number: int, role: str, *, deed: Deed) -> bool:
        """Sets a role. Returns whether the account exists."""
        check_text("A role", role)

        def work(transaction: Transaction) -> None:
            transaction.run(statements.SET_ROLE, number=number, role=role)
            _check_owner_left(transaction)
            if role != OWNER:
                transaction.run(statements.DROP_MADE, account=number)

        return self._change(number, deed, work)

    def drop_account(self, number: int, *, deed: Deed) -> bool:
        """Deletes an account. Returns whether it existed."""

        def work(transaction: Transaction) -> None:
            transaction.run(statements.DROP_MADE, account=number)
            transaction.run(statements.DROP_RESETS, account=number)
            transaction.run(statements.DROP_ACCOUNT, number=number)
            _check_owner_left(transaction)

        return self._change(number, deed, work)

    def _change(self, number: int, deed: Deed, work: Callable[[Transaction], None]) -> bool:
        """Does the work and writes the deed if the account exists. Returns whether it does."""
        with locked_accounts(self._database) as transaction:
            if all(account.number != number for account in accounts_in(transaction)):
                return False
            work(transaction)
            add_deed(transaction, deed)
        return True


def _set_password(transaction: Transaction, number: int, password: str) -> None:
    transaction.run(statements.SET_PASSWORD, number=number, password=password)
    transaction.run(statements.DROP_SESSIONS, account=number)
    transaction.run(statements.DROP_RESETS, account=number)


def _check_owner_left(transaction: Transaction) -> None:
    if not any(account.role == OWNER for account in accounts_in(transaction)):
        raise LastOwner
