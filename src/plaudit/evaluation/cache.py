"""Answers of a judge in a SQLite file: whatever was paid for once is never asked again."""

import hashlib
import json
import sqlite3
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from plaudit.errors import InvalidInput

FORMAT = 1
WAIT_SECONDS = 30.0
MISSING = object()
_TABLE = """CREATE TABLE IF NOT EXISTS scores (
    key TEXT PRIMARY KEY, candidate TEXT NOT NULL, example TEXT NOT NULL,
    version TEXT NOT NULL, score TEXT NOT NULL
) WITHOUT ROWID"""


class ScoreCache:
    """Scores by candidate, example and version. Each is on disk when `put` returns.

    Without a file it forgets everything. Several processes may share a file.
    """

    def __init__(self, file: str | Path | None) -> None:
        self._connection = None if file is None else _opened(Path(file))

    @property
    def keeps(self) -> bool:
        """Whether there is a file."""
        return self._connection is not None

    def get(self, key: str) -> Any:
        """What the judge said, or `MISSING`."""
        if self._connection is None:
            return MISSING
        found = self._connection.execute("SELECT score FROM scores WHERE key = ?", (key,))
        row = found.fetchone()
        return MISSING if row is None else json.loads(row[0])

    def put(self, key: str, about: tuple[str, str, str], score: Any) -> None:
        """Keeps what the judge said; `about` is candidate, example and version, for people."""
        if self._connection is not None:
            row = (key, *about, json.dumps(score))
            self._connection.execute("INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?)", row)

    def __enter__(self) -> "ScoreCache":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection is not None:
            self._connection.close()


def key_of(*parts: str) -> str:
    """A short key for texts of any length."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _opened(file: Path) -> sqlite3.Connection:
    with ExitStack() as undo:
        try:
            connection = sqlite3.connect(file, isolation_level=None, timeout=WAIT_SECONDS)
            undo.callback(connection.close)
            _set_up(connection)
        except sqlite3.OperationalError as problem:
            raise InvalidInput(f"Cannot use {str(file)!r} as a cache: {problem}.") from None
        except sqlite3.DatabaseError:
            raise InvalidInput(
                f"{str(file)!r} is not a cache of plaudit.evaluate: choose another file."
            ) from None
        undo.pop_all()
        return connection


def _set_up(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    known = connection.execute("PRAGMA user_version").fetchone()[0]
    strange = known == 0 and connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    if strange or known not in (0, FORMAT):
        raise sqlite3.DatabaseError
    connection.execute(_TABLE)
    connection.execute(f"PRAGMA user_version = {FORMAT}")
