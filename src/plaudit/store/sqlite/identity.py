"""Whether the files at a path are still those that were opened.

A file that is deleted or replaced stays open: SQLite goes on writing into what nobody will ever
read again. So the store compares the files at its path with those that it opened, before each
call and before it acknowledges a write. That takes some ten microseconds.
"""

import os
import sqlite3
from pathlib import Path
from typing import NamedTuple

from plaudit.errors import StoreUnavailable
from plaudit.store.sqlite.schema import connect


class _Inode(NamedTuple):
    device: int
    number: int


class OpenedFile:
    """The database at a path and its write-ahead log, as they were when this was made."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._log = self._path + "-wal"
        # SQLite deletes the log with the last connection. This one stays, so that a log that is
        # gone was taken away by someone else.
        self._anchor: sqlite3.Connection = connect(path)
        try:
            self._anchor.execute("PRAGMA schema_version").fetchone()
            self._known = _inode(self._path), _inode(self._log)
        except BaseException:
            self._anchor.close()
            raise

    def check(self) -> None:
        """Returns if the files are still the same; `StoreUnavailable` otherwise."""
        now = _inode(self._path), _inode(self._log)
        if now == self._known:
            return
        is_log = now[0] == self._known[0]
        name, found = (self._log, now[1]) if is_log else (self._path, now[0])
        what = "was deleted" if found is None else "was replaced by another file"
        raise StoreUnavailable(
            f"{name} {what} under the service, which takes no votes now. Put back the file that "
            "was there, or stop the service, see to the file, and start again."
        )

    def close(self) -> None:
        """Lets the files go."""
        self._anchor.close()


def _inode(path: str) -> _Inode | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return _Inode(found.st_dev, found.st_ino)
