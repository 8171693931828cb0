"""A store in one SQLite file: one process serves, others may look and write beside it.

Python's sqlite3 lets other threads run at every step of a statement, and under load it waits
milliseconds to go on. So a group of answers takes two statements, whatever its size, and long
results come as one row of JSON.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from plaudit.errors import UnknownContest
from plaudit.store import statements
from plaudit.store.checks import can_hold, check_answers
from plaudit.store.contract import Appended, Rater
from plaudit.store.grouping import Known, Standing, check_open, planned
from plaudit.store.log import Answer
from plaudit.store.pool import Pool
from plaudit.store.reading import Row
from plaudit.store.sqlite_errors import translated, unique
from plaudit.store.sqlite_schema import BUSY_SECONDS, connect, prepare
from plaudit.store.sqlite_statements import (
    APPEND,
    APPENDING,
    INSERT_RATERS,
    LOOK_UP,
    MOVED,
    insertion,
    key_places,
)
from plaudit.store.transaction import Transaction
from plaudit.store.writing import SqlStore

_READERS = 8


class SqliteStore(SqlStore):
    """A store in the SQLite file at `path`, which is made if there is none."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with translated(str(path)):
            prepare(path)
        self._writer = Pool(self._connect_writer, size=1, wait_seconds=BUSY_SECONDS)
        self._readers = Pool(self._connect, size=_READERS, wait_seconds=BUSY_SECONDS)

    def append_answers(self, name: str, answers: Sequence[Answer]) -> Appended:
        """Writes a group of answers in one transaction, in the order given."""
        check_answers(answers)
        if not can_hold(name):
            raise UnknownContest(name)
        with self._writer.connection() as connection, translated(str(self._path)):
            try:
                # The second statement is a transaction of its own. It writes only if the log
                # still ends where the first saw it end.
                return _append(connection, name, answers)
            except _Moved:
                with _immediate(connection):
                    return _append(connection, name, answers)

    def close(self) -> None:
        """Gives all connections back."""
        self._readers.close()
        self._writer.close()

    def _rows(self, sql: str, **parameters: object) -> list[Row]:
        with self._readers.connection() as connection, translated(str(self._path)):
            return connection.execute(sql, parameters).fetchall()

    def _many(self, sql: str, columns: str, **parameters: object) -> list[Row]:
        wrapped = f"SELECT json_group_array(json_array({columns})) FROM ({sql})"
        rows: list[Row] = json.loads(self._rows(wrapped, **parameters)[0][0])
        return rows

    def _rater_page(self, contest: int, *, after: int, limit: int) -> list[Rater]:
        page = self._many(
            statements.RATERS,
            "number, hex(key), hex(origin)",
            contest=contest,
            after=after,
            limit=limit,
        )
        return [
            Rater(number, bytes.fromhex(key) or None, bytes.fromhex(origin) or None)
            for number, key, origin in page
        ]

    @contextmanager
    def _writing(self, *, long: bool = False) -> Iterator[Transaction]:
        with (
            self._writer.connection() as connection,
            translated(str(self._path)),
            _immediate(connection),
        ):
            yield _SqliteTransaction(connection)

    def _connect(self) -> sqlite3.Connection:
        with translated(str(self._path)):
            return connect(self._path)

    def _connect_writer(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            with translated(str(self._path)):
                for statement in APPENDING:
                    connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection


class _SqliteTransaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def standing(self, name: str) -> Row | None:
        return next(iter(self.rows(statements.STANDING, name=name)), None)

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        return self._connection.execute(sql, parameters).fetchall()

    def run(self, sql: str, **parameters: object) -> int:
        return self._connection.execute(sql, parameters).rowcount

    def insert(self, table: str, contest: int, columns: str, rows: Sequence[Row]) -> None:
        with unique():
            if table == "raters":
                places, keys = key_places(rows)
                self.run(INSERT_RATERS, contest=contest, places=places, keys=keys)
            else:
                self.run(insertion(table, columns), contest=contest, rows=json.dumps(rows))


class _Moved(Exception):
    """Someone else wrote between the look and the write."""


@contextmanager
def _immediate(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has rolled back by itself after some errors, such as a full disk.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _append(connection: sqlite3.Connection, name: str, answers: Sequence[Answer]) -> Appended:
    keys = b"".join(answer.rater for answer in answers)
    items = json.dumps([answer.item for answer in answers])
    look = connection.execute(LOOK_UP, {"name": name, "keys": keys, "items": items})
    row = look.fetchone()
    if row is None:
        raise UnknownContest(name)
    standing = Standing(*row[:5])
    check_open(name, standing.state)
    next_rater = row[5]
    known = map(Known._make, json.loads(row[6]))
    plan = planned(standing, answers, known=known, next_rater=next_rater)
    if plan.entries:
        places, new_keys = key_places(
            [(next_rater + place, *new) for place, new in enumerate(plan.new_raters)]
        )
        _write(
            connection,
            contest=standing.contest,
            seen=standing.position,
            position=plan.entries[-1].position,
            digest=plan.digest,
            places=places,
            keys=new_keys,
            answers=json.dumps([entry[1:-1] for entry in plan.entries]),
        )
    return Appended(plan.receipts, plan.entries)


def _write(connection: sqlite3.Connection, **group: object) -> None:
    try:
        connection.execute(APPEND, group)
    except sqlite3.IntegrityError as error:
        if str(error) == MOVED:
            raise _Moved from None
        raise
