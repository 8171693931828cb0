"""Steps inside a transaction that writes to a contest."""

from collections.abc import Sequence

from plaudit.errors import ContestExists, InvalidInput, UnknownContest
from plaudit.proof.digests import rater_mark
from plaudit.store.checks import can_hold
from plaudit.store.contract import Certificate, ContestRecord, Item
from plaudit.store.sql import statements
from plaudit.store.sql.database import AlreadyThere, Transaction
from plaudit.store.sql.grouping import Standing


def standing_of(transaction: Transaction, name: str) -> Standing:
    """The contest's standing. It cannot change until the transaction ends.

    `UnknownContest` if there is no such contest.
    """
    row = transaction.standing(name) if can_hold(name) else None
    if row is None:
        raise UnknownContest(name)
    return Standing(*row)


def add_contest(transaction: Transaction, record: ContestRecord) -> int:
    """Adds a contest and returns the number of its row; `ContestExists` if the name is taken."""
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
            f"The contest {name!r} already has an item with a number from {numbers[0]} to "
            f"{numbers[-1]}. Give new items new numbers."
        ) from None


def add_certificate(
    transaction: Transaction, contest: int, number: int, certificate: Certificate
) -> None:
    """Adds a certificate. `number` orders it among those of the contest."""
    transaction.run(
        statements.ADD_CERTIFICATE, contest=contest, number=number, **certificate._asdict()
    )


def erase_rater(transaction: Transaction, name: str, contest: int, number: int) -> None:
    """Deletes a rater's key, salt and origin; `InvalidInput` if there is no such rater.

    The mark stays in place of the salt: checkpoints bind it, and it says nothing of the rater.
    """
    found = transaction.rows(statements.MARKED, contest=contest, number=number)
    if not found:
        raise InvalidInput(
            f"The contest {name!r} has no rater {number!r}. Raters are numbered from 0, in the "
            "order of their first answers."
        )
    key, salt = found[0]
    mark = rater_mark(bytes(salt), None if key is None else bytes(key))
    transaction.run(statements.ERASE_RATER, contest=contest, number=number, mark=mark)
