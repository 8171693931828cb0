"""A store in PostgreSQL: several servers, on one machine or many, share it.

Appends to a contest are serialised by a lock on its row, inside the transaction that writes:
positions are handed out in the order of commits, and no reader can see a later one first.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from psycopg.errors import UniqueViolation

from plaudit.errors import UnknownContest
from plaudit.store import statements
from plaudit.store.checks import can_hold, check_answers
from plaudit.store.contract import Appended, Rater
from plaudit.store.grouping import Known, Plan, Standing, check_open, planned
from plaudit.store.log import Answer, Entry
from plaudit.store.pool import Pool
from plaudit.store.postgres_connection import (
    ANSWER_SECONDS,
    LONG_SECONDS,
    Connection,
    connector,
    parsed,
    place,
    transaction,
    translated,
)
from plaudit.store.postgres_schema import prepare
from plaudit.store.postgres_statements import (
    APPEND,
    LOCKED_STANDING,
    LOOK_UP,
    NEXT_RATER,
    array,
    key_array,
    native,
)
from plaudit.store.reading import Row
from plaudit.store.transaction import AlreadyThere, Transaction
from plaudit.store.writing import SqlStore

_CONNECTIONS = 8


class PostgresStore(SqlStore):
    """A store in the PostgreSQL database at a URL; its tables are made if there are none."""

    def __init__(self, url: str) -> None:
        parts = parsed(url)
        self._place = place(parts)
        connect = connector(parts)
        self._pool = Pool(connect, size=_CONNECTIONS, wait_seconds=ANSWER_SECONDS)
        try:
            with self._connection() as connection:
                prepare(connection, self._place)
        except BaseException:
            self._pool.close()
            raise

    def append_answers(self, name: str, answers: Sequence[Answer]) -> Appended:
        """Writes a group of answers in one transaction, in the order given."""
        check_answers(answers)
        if not can_hold(name):
            raise UnknownContest(name)
        with self._connection() as connection, connection.pipeline(), transaction(connection):
            standing, known, next_rater = _looked_up(connection, name, answers)
            check_open(name, standing.state)
            plan = planned(standing, answers, known=known, next_rater=next_rater)
            if plan.entries:
                _append(connection, standing, plan, next_rater)
        return Appended(plan.receipts, plan.entries)

    def close(self) -> None:
        """Gives all connections back."""
        self._pool.close()

    def _rows(self, sql: str, **parameters: object) -> list[Row]:
        with self._connection() as connection:
            return connection.execute(native(sql), parameters).fetchall()

    def _many(self, sql: str, columns: str, **parameters: object) -> list[Row]:
        return self._rows(sql, **parameters)

    def _rater_page(self, contest: int, *, after: int, limit: int) -> list[Rater]:
        page = self._rows(statements.RATERS, contest=contest, after=after, limit=limit)
        return [Rater._make(row) for row in page]

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        with self._pool.connection() as connection, translated(self._place):
            yield connection

    @contextmanager
    def _writing(self, *, long: bool = False) -> Iterator[Transaction]:
        with self._connection() as connection, transaction(connection):
            if long:
                connection.execute(
                    "SELECT set_config('idle_in_transaction_session_timeout', %s, true)",
                    [f"{LONG_SECONDS}s"],
                )
            yield _PostgresTransaction(connection)


class _PostgresTransaction:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def standing(self, name: str) -> Row | None:
        return next(iter(self.rows(LOCKED_STANDING, name=name)), None)

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        return self._connection.execute(native(sql), parameters).fetchall()

    def run(self, sql: str, **parameters: object) -> int:
        return self._connection.execute(native(sql), parameters).rowcount

    def insert(self, table: str, contest: int, columns: str, rows: Sequence[Row]) -> None:
        if not rows:
            return
        copying = f"COPY {table} (contest, {columns}) FROM STDIN"
        try:
            with self._connection.cursor() as cursor, cursor.copy(copying) as copy:
                for row in rows:
                    copy.write_row((contest, *row))
        except UniqueViolation as error:
            raise AlreadyThere(str(error)) from error


def _looked_up(
    connection: Connection, name: str, answers: Sequence[Answer]
) -> tuple[Standing, list[Known], int]:
    """Where the contest stands and what its log knows of the answers, in one round trip."""
    standing = connection.execute(native(LOCKED_STANDING), {"name": name})
    next_rater = connection.execute(native(NEXT_RATER), {"name": name})
    keys = key_array(answer.rater for answer in answers)
    items = array(answer.item for answer in answers)
    known = connection.execute(native(LOOK_UP), {"name": name, "keys": keys, "items": items})
    row, next_row = standing.fetchone(), next_rater.fetchone()
    if row is None or next_row is None:
        raise UnknownContest(name)
    return Standing(*row), [Known._make(row) for row in known.fetchall()], next_row[0]


def _append(connection: Connection, standing: Standing, plan: Plan, next_rater: int) -> None:
    rows = [entry[1:-1] for entry in plan.entries]
    columns = zip(Entry._fields[1:-1], zip(*rows, strict=True), strict=True)
    group: dict[str, Any] = {name: array(column) for name, column in columns}
    group |= {
        "contest": standing.contest,
        "seen": standing.position,
        "position": plan.entries[-1].position,
        "digest": plan.digest,
        "keys": key_array(key for key, _ in plan.new_raters),
        "origins": key_array(origin for _, origin in plan.new_raters),
        "next_rater": next_rater,
    }
    connection.execute(native(APPEND), group)
