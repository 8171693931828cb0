"""What an SQL engine does for the parts of a store.

The parts hand over SQL that both engines understand, with parameters written `:name`.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from plaudit.store.contract import Appended, Item, Rater
from plaudit.store.log import Answer, Entry

Row = tuple[Any, ...]
# What there may be millions of.
Many = TypeVar("Many", Item, Entry)


class AlreadyThere(Exception):
    """An engine raises it when an insertion meets a row that may exist only once."""


class Transaction(Protocol):
    """A transaction that writes: everything in it is kept, or nothing."""

    def standing(self, name: str) -> Row | None:
        """The fields of `Standing` for a contest. No one else can write to it meanwhile."""

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        """The rows of a query."""

    def run(self, sql: str, **parameters: object) -> int:
        """Runs a statement. Returns how many rows it changed."""

    def insert(self, table: str, contest: int, columns: str, rows: Sequence[Row]) -> None:
        """Adds rows of a contest to a table; `AlreadyThere` if one of them exists."""


class Database(Protocol):
    """A database of one engine, with its schema up to date. Any thread may use it."""

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        """The rows of a query, read outside any transaction."""

    def many(self, kind: type[Many], sql: str, **parameters: object) -> list[Many]:
        """The same for many rows of one kind, whose fields are the columns of the query."""

    def recall(self, name: str, keys: Sequence[bytes]) -> list[Row]:
        """Place of the key, rater's number, item, kind and level of each answer of these raters.

        One row without the last three for a rater without answers.
        """

    def answers_of(self, contest: int, raters: Sequence[int], *, upto: int) -> list[Entry]:
        """The answers of these raters up to a position, in order, found by index."""

    def rater_page(self, contest: int, *, after: int, limit: int) -> list[Rater]:
        """The raters after a number, in order."""

    def writing(self, *, long: bool = False) -> AbstractContextManager[Transaction]:
        """A transaction that is durable when the block ends. A long one may take minutes."""

    def append(self, name: str, answers: Sequence[Answer]) -> Appended:
        """Appends answers that passed `check_answers`, as `append_answers` promises."""

    def close(self) -> None:
        """Closes all connections."""


def run(database: Database, sql: str, **parameters: object) -> int:
    """Runs one statement in its own transaction. Returns how many rows it changed."""
    with database.writing() as transaction:
        return transaction.run(sql, **parameters)
