"""A SQLite file with one contest, for the tests of what only SQLite needs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from plaudit.store.sql.store import SqlStore
from plaudit.store.sqlite.database import SqliteDatabase
from plaudit.store.suite.samples import opened


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    database = SqliteDatabase(tmp_path / "votes.db")
    opened(SqlStore(database))
    yield database
    database.close()
