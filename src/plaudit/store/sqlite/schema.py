"""Opening a SQLite file: its settings, and updating its schema."""

import sqlite3
import time
from pathlib import Path

from plaudit.errors import InvalidInput
from plaudit.store.sql.schema import outstanding

BUSY_SECONDS = 5.0
# Marks a file as Plaudit's ("Plau"), in the field that SQLite reserves for this.
_APPLICATION = 0x506C6175
# After a long transaction SQLite shrinks its write-ahead log to this size.
_WAL_BYTES = 64 * 2**20


def connect(path: Path) -> sqlite3.Connection:
    """A connection to an existing database that is durable at each commit."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA temp_store = MEMORY")
        # Overwrites deleted data at once: an erased rater must not remain in the file.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(path: Path) -> None:
    """Creates the file if there is none, and updates its schema."""
    connection = _connect_first(path)
    try:
        _refuse_foreign(connection, path)
        _write_ahead(connection)
        _migrate(connection, path)
    finally:
        connection.close()


def _connect_first(path: Path) -> sqlite3.Connection:
    try:
        path.touch(exist_ok=True)
        return connect(path)
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be written: {error.strerror}. Name a file that can be written."
        ) from None
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise InvalidInput(
            f"{path} is not a SQLite database. Name one that Plaudit made, or a new file."
        ) from None


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    # One transaction: if another process is creating the database, this sees none of it or all.
    connection.execute("BEGIN")
    mark = _pragma(connection, "application_id")
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    connection.execute("COMMIT")
    if mark != _APPLICATION and (mark or tables):
        raise InvalidInput(
            f"{path} is a SQLite database of another program. Name one that Plaudit made, or a "
            "new file."
        )


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turns the write-ahead log on. SQLite does not wait for other processes here, so this does."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _pragma(connection, "user_version")
        for migration in outstanding("sqlite", version=version, where=str(path)):
            for statement in _statements(migration.sql):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {migration.number}")
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _statements(script: str) -> list[str]:
    """The statements of a script one by one: `executescript` would commit before it starts."""
    found, pending = [], ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            found.append(pending)
            pending = ""
    return found


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value
