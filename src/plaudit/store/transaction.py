"""A transaction that writes, and the steps that every engine takes in one."""

import time
from collections.abc import Sequence
from typing import Protocol

from plaudit.errors import ContestExists, InvalidInput, UnknownContest
from plaudit.store import statements
from plaudit.store.checks import can_hold
from plaudit.store.contract import Archive, Asset, Certificate, ContestRecord, Item
from plaudit.store.grouping import Standing
from plaudit.store.reading import Row
from plaudit.store.restoring import Inspection


class AlreadyThere(Exception):
    """A row that may be there only once is there already; an engine raises it."""


class Transaction(Protocol):
    """A transaction that writes: all of it is kept, or nothing."""

    def standing(self, name: str) -> Row | None:
        """Where a contest stands, held still until the transaction ends."""

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        """The rows of a statement."""

    def run(self, sql: str, **parameters: object) -> int:
        """How many rows a statement changed."""

    def insert(self, table: str, contest: int, columns: str, rows: Sequence[Row]) -> None:
        """Adds rows of a contest to a table; `AlreadyThere` if one is there."""


def standing_of(transaction: Transaction, name: str) -> Standing:
    """Where a contest stands, held still; `UnknownContest` where there is none."""
    row = transaction.standing(name) if can_hold(name) else None
    if row is None:
        raise UnknownContest(name)
    return Standing(*row)


def add_contest(transaction: Transaction, record: ContestRecord) -> int:
    """Adds a contest's row; its number, or `ContestExists`."""
    if not transaction.run(statements.ADD_CONTEST, **vars(record)):
        raise ContestExists(record.name)
    number: int = transaction.rows(statements.CONTEST_ID, name=record.name)[0][0]
    return number


def add_items(transaction: Transaction, name: str, contest: int, items: Sequence[Item]) -> None:
    """Adds items; `InvalidInput` if a number is taken."""
    try:
        transaction.insert("items", contest, statements.ITEM, items)
    except AlreadyThere:
        numbers = sorted(item.number for item in items)
        raise InvalidInput(
            f"The contest {name!r} has an item of one of the numbers {numbers[0]} to "
            f"{numbers[-1]} already. Give new items new numbers."
        ) from None


def add_certificate(
    transaction: Transaction, contest: int, number: int, certificate: Certificate
) -> None:
    """Adds a certificate at its place among those of the contest."""
    transaction.run(
        statements.ADD_CERTIFICATE, contest=contest, number=number, **certificate._asdict()
    )


def erase_rater(transaction: Transaction, name: str, contest: int, number: int) -> None:
    """Forgets a rater's key; `InvalidInput` if there is no such rater."""
    if not transaction.run(statements.ERASE_RATER, contest=contest, number=number):
        raise InvalidInput(
            f"The contest {name!r} has no rater {number!r}. Raters have numbers from 0 on, in "
            "the order of their first answers."
        )


def add_asset(transaction: Transaction, asset: Asset, *, at: int | None = None) -> None:
    """Adds a picture unless it is there; it is wanted at this time, now if none is given.

    The row in `held` comes first: it is what others look at before they drop the picture.
    """
    transaction.run(statements.HOLD, hash=asset.hash, at=moment(at))
    transaction.run(statements.ADD_ASSET, **asset._asdict())


def moment(at: int | None) -> int:
    """A time in milliseconds, now if none is given."""
    return round(1000 * time.time()) if at is None else at


def load(transaction: Transaction, contest: int, archive: Archive) -> None:
    """Adds all parts of an archive, and checks at the end that they add up."""
    inspection = Inspection(archive)
    for items in inspection.items(archive.items):
        transaction.insert("items", contest, statements.ITEM, items)
    for raters in inspection.raters(archive.raters):
        transaction.insert("raters", contest, statements.RATER_FIELDS, raters)
    for entries in inspection.entries(archive.entries):
        transaction.insert("log", contest, statements.ENTRY, entries)
    for asset in archive.assets:
        add_asset(transaction, inspection.asset(asset))
    for number, certificate in inspection.certificates(archive.certificates):
        add_certificate(transaction, contest, number, certificate)
    inspection.end()
