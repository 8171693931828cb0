"""Opening a SQLite file: its settings, and updating its schema."""

import errno
import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from plaudit.errors import InvalidInput
from plaudit.store.sql.schema import outstanding

# How long a call waits for another process that writes.
BUSY_SECONDS = 2.0
# Marks a file as Plaudit's ("Plau"), in the field that SQLite reserves for this.
_APPLICATION = 0x506C6175
# Only the owner reads and writes the file; SQLite gives its other files the same mode.
PRIVATE = 0o600
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


def prepare(path: Path, *, create: bool = True) -> None:
    """Updates the schema of the file; makes the file if there is none and `create` says so."""
    made = _make(path, create=create)
    try:
        connection = _connect_first(path)
        try:
            _refuse_foreign(connection, path, create=create)
            _write_ahead(connection)
            _migrate(connection, path)
        finally:
            connection.close()
    except BaseException:
        if made:
            _take_away(path)
        raise


def _make(path: Path, *, create: bool) -> bool:
    """Makes an empty file that only its owner can read, unless there is one; true if it did."""
    if not create and not path.exists():
        raise InvalidInput(
            f"There is no database {path}. Name the one that your service uses; `plaudit serve` "
            "and `plaudit contest create` make a new one."
        )
    try:
        if path.exists():
            if not os.access(path, os.R_OK | os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return False
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, PRIVATE))
        return True
    except FileExistsError:
        return False  # another process was faster
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read and written: {error.strerror}. Name a file that can."
        ) from None


def _take_away(path: Path) -> None:
    """Deletes a file that was made just now, unless someone has begun to use it."""
    with suppress(OSError, sqlite3.Error):
        if path.stat().st_size:
            connection = connect(path)
            try:
                used = _pragma(connection, "user_version")
            finally:
                connection.close()
            if used:
                return
        for end in ("", "-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)


def _connect_first(path: Path) -> sqlite3.Connection:
    try:
        return connect(path)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        raise InvalidInput(
            f"{path} is not a SQLite database. Name one that Plaudit made, or a new file."
        ) from None


def _refuse_foreign(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
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
    if not create and not mark:
        raise InvalidInput(
            f"{path} is empty: it is no database of Plaudit yet. Name the one that your service "
            "uses."
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
