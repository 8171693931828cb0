"""A SQLite file as the database of a store.

Python's sqlite3 lets other threads run at every step of a statement, and under load it may wait
milliseconds before it goes on. So long results come as one row of JSON, and `appending` writes a
group of answers with two statements at most.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from plaudit.store.contract import Appended, Rater
from plaudit.store.log import Answer, Entry
from plaudit.store.sql import statements
from plaudit.store.sql.connection_pool import ConnectionPool
from plaudit.store.sql.database import Many, Row, Transaction
from plaudit.store.sqlite.appending import Appender, immediate
from plaudit.store.sqlite.errors import translated, unique
from plaudit.store.sqlite.identity import OpenedFile
from plaudit.store.sqlite.schema import connect, prepare
from plaudit.store.sqlite.statements import (
    ANSWERS_OF_ALL,
    APPENDING,
    INSERT_RATERS,
    insertion,
    key_places,
)
from plaudit.store.sqlite.wal import MOST_PAGES, WalEmptier

_decode = msgspec.json.Decoder().decode
_READERS = 8
_RECALLED = "number, item, kind, level"
_bytes = bytes.fromhex
# How long a call waits for the calls before it. With `BUSY_SECONDS` for other processes, whoever
# calls has an answer within four seconds.
WAIT_SECONDS = 1.5


class SqliteDatabase:
    """The SQLite file at `path`, created if there is none and `create` says so."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self._path = path
        with translated(str(path)):
            prepare(path, create=create)
            self._opened = OpenedFile(path.absolute())
        self._writer = ConnectionPool(self._connect_writer, size=1, wait_seconds=WAIT_SECONDS)
        self._appender = Appender()
        self._readers = ConnectionPool(self._connect, size=_READERS, wait_seconds=WAIT_SECONDS)
        self._emptier = WalEmptier(self._connect)

    def rows(self, sql: str, **parameters: object) -> list[Row]:
        """The rows of a query, read outside any transaction."""
        self._opened.check()
        with self._readers.connection() as connection, translated(str(self._path)):
            return connection.execute(sql, parameters).fetchall()

    def many(self, kind: type[Many], sql: str, **parameters: object) -> list[Many]:
        """The same for many rows of one kind: no row is made before it is of this kind."""
        found = self._listed(sql, ", ".join(kind._fields), **parameters)
        return msgspec.json.decode(found, type=list[kind])  # type: ignore[valid-type]

    def _listed(self, sql: str, columns: str, **parameters: object) -> str:
        """A long result of numbers and texts as one JSON text.

        msgspec is twice as fast as `json`: other threads wait for Python's lock meanwhile.
        """
        wrapped = f"SELECT json_group_array(json_array({columns})) FROM ({sql})"
        found: str = self.rows(wrapped, **parameters)[0][0]
        return found

    def recall(self, name: str, keys: Sequence[bytes]) -> list[Row]:
        """The answers of these raters, one rater after the other."""
        return [
            (place, *row)
            for place, key in enumerate(keys)
            for row in _decode(self._listed(statements.RECALL, _RECALLED, name=name, key=key))
        ]

    def answers_of(self, contest: int, raters: Sequence[int], *, upto: int) -> list[Entry]:
        """The answers of these raters up to a position, in order."""
        numbers = json.dumps([*raters])
        return self.many(Entry, ANSWERS_OF_ALL, contest=contest, raters=numbers, upto=upto)

    def rater_page(self, contest: int, *, after: int, limit: int) -> list[Rater]:
        """The raters after a number, in order."""
        page = self._listed(
            statements.RATERS,
            "number, hex(key), hex(origin), hex(salt)",
            contest=contest,
            after=after,
            limit=limit,
        )
        return [
            Rater(n, _bytes(key) or None, _bytes(origin) or None, _bytes(salt))
            for n, key, origin, salt in _decode(page)
        ]

    @contextmanager
    def writing(self, *, long: bool = False) -> Iterator[Transaction]:
        """A transaction that is durable when the block ends. Others wait for it to end."""
        with self._writer.connection() as connection, translated(str(self._path)):
            self._opened.check()
            with immediate(connection):
                yield _SqliteTransaction(connection)
            self._emptier.wrote()
            # What went into a file that is no longer there must not be acknowledged.
            self._opened.check()

    def append(self, name: str, answers: Sequence[Answer]) -> Appended:
        """Appends answers that passed `check_answers`."""
        with self._writer.connection() as connection, translated(str(self._path)):
            self._opened.check()
            appended = self._appender.append(connection, name, answers)
            self._emptier.wrote()
            # What went into a file that is no longer there must not be acknowledged.
            self._opened.check()
            return appended

    def close(self) -> None:
        """Closes all connections."""
        self._emptier.close()
        self._readers.close()
        self._writer.close()
        self._opened.close()

    def _connect(self) -> sqlite3.Connection:
        self._opened.check()
        with translated(str(self._path)):
            return connect(self._path)

    def _connect_writer(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            with translated(str(self._path)):
                connection.execute(f"PRAGMA wal_autocheckpoint = {MOST_PAGES}")
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
