"""A PostgreSQL database as the database of a store."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from psycopg.errors import UniqueViolation

from plaudit.store.contract import Appended, Rater
from plaudit.store.log import Answer, Entry
from plaudit.store.postgres.appending import append_group
from plaudit.store.postgres.connection import (
    ANSWER_SECONDS,
    LONG_SECONDS,
    Connection,
    connector,
    parsed,
    place,
    transaction,
    translated,
)
from plaudit.store.postgres.schema import prepare
from plaudit.store.postgres.statements import (
    ANSWERS_OF_ALL,
    LOCKED_STANDING,
    RECALL_ALL,
    array,
    key_array,
    native,
)
from plaudit.store.sql import statements
from plaudit.store.sql.connection_pool import ConnectionPool
from plaudit.store.sql.database import AlreadyThere, Many, Row, Transaction

_CONNECTIONS = 8


class PostgresDatabase:
    """The PostgreSQL database at a URL. Its tables are made if need be and `create` is true."""

    def __init__(self, url: str, *, create: bool = True) -> None:
        parts = parsed(url)
        self._place = place(parts)
        connect = connector(parts)
        self._pool = ConnectionPool(connect, size=_CONNECTIONS, wait_seconds=ANSWER_SECONDS)
        try:
            with self._connection() as connection:
                prepare(connection, self._place, create=create)
        except BaseException:
            self._pool.close()
            raise

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        """The rows of a query, read outside any transaction."""
        with self._connection() as connection:
            return connection.execute(native(sql), parameters).fetchall()

    def many(self, kind: type[Many], sql: str, **parameters: object) -> list[Many]:
        """The same: psycopg reads long results fast enough."""
        return [kind._make(row) for row in self.rows(sql, **parameters)]

    def recall(self, name: str, keys: Sequence[bytes]) -> list[Row]:
        """The answers of these raters, in one statement."""
        return self.rows(RECALL_ALL, name=name, keys=key_array(keys))

    def answers_of(self, contest: int, raters: Sequence[int], *, upto: int) -> list[Entry]:
        """The answers of these raters up to a position, in order."""
        given = {"contest": contest, "raters": array(raters), "upto": upto}
        return self.many(Entry, ANSWERS_OF_ALL, **given)

    def rater_page(self, contest: int, *, after: int, limit: int) -> list[Rater]:
        """The raters after a number, in order."""
        page = self.rows(statements.RATERS, contest=contest, after=after, limit=limit)
        return [Rater._make(row) for row in page]

    @contextmanager
    def writing(self, *, long: bool = False) -> Iterator[Transaction]:
        """A transaction that is durable when the block ends. A long one may take minutes."""
        with self._connection() as connection, transaction(connection):
            if long:
                connection.execute(
                    "SELECT set_config('idle_in_transaction_session_timeout', %s, true)",
                    [f"{LONG_SECONDS}s"],
                )
            yield _PostgresTransaction(connection)

    def append(self, name: str, answers: Sequence[Answer]) -> Appended:
        """Appends answers that passed `check_answers`."""
        with self._connection() as connection:
            return append_group(connection, name, answers)

    def close(self) -> None:
        """Closes all connections."""
        self._pool.close()

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        with self._pool.connection() as connection, translated(self._place):
            yield connection


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
