"""Emptying SQLite's write-ahead log beside the writing.

SQLite would copy the log into the file whenever it has grown by a thousand pages, in the middle of
a commit: all votes of that group would wait for two more turns of the disk. Here a thread copies
what was committed, several times a second while there is any, and nobody waits for it.
"""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing, suppress

from plaudit.errors import PlauditError

EVERY_SECONDS = 0.25
# Commits go on meanwhile: what they add is copied in the next round, or the round after.
ROUNDS = 3
# If the thread cannot keep up, the writer copies in a commit once the log has so many pages.
MOST_PAGES = 16_000


class WalEmptier:
    """Empties the log soon after each call of `wrote`; its thread begins with the first one."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._written = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def wrote(self) -> None:
        """Notes that something was committed. Only one call at a time."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="plaudit-wal", daemon=True)
            self._thread.start()
        if not self._written.is_set():
            self._written.set()

    def close(self) -> None:
        """Ends the thread; SQLite empties the log when the last connection is closed."""
        self._closing.set()
        self._written.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            # What goes wrong here goes wrong for the writer too, who says so.
            with suppress(sqlite3.Error, PlauditError), closing(self._connect()) as connection:
                self._serve(connection)
            self._closing.wait(EVERY_SECONDS)

    def _serve(self, connection: sqlite3.Connection) -> None:
        # Whether it is over is asked last: `close` may come at any moment, and sets both.
        while not self._closing.is_set():
            self._written.wait()
            self._closing.wait(EVERY_SECONDS)
            self._written.clear()
            for _ in range(ROUNDS):
                if is_empty_after(connection):
                    break


def is_empty_after(connection: sqlite3.Connection) -> bool:
    """Copies what the log has now into the file; whether nothing came to it meanwhile."""
    statement = "PRAGMA wal_checkpoint(PASSIVE)"
    busy, pages, copied = connection.execute(statement).fetchone()
    return not busy and pages == copied
