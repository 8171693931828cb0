"""Turning SQLite's errors into those of the store."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from plaudit.errors import StoreFull, StoreUnavailable
from plaudit.store.sql.database import AlreadyThere

# The file system refused a write: the disk is full, or a quota or file size limit is reached.
_NO_ROOM = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
)
UNIQUE = frozenset({sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE})


@contextmanager
def unique() -> Iterator[None]:
    """Raises `AlreadyThere` if the block inserts a row that exists."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode in UNIQUE:
            raise AlreadyThere(str(error)) from error
        raise


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raises SQLite's errors in a block as `StoreFull` or `StoreUnavailable`."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code in _NO_ROOM:
            raise StoreFull(
                f"There is no room left to write {path} ({error}). Nothing was written, and "
                "reading still works. Make room on its disk, then try again."
            ) from error
        if isinstance(error, sqlite3.OperationalError) or type(error) is sqlite3.DatabaseError:
            raise StoreUnavailable(
                f"{path} cannot be used now: {error}. Nothing was written; try again."
            ) from error
        raise
