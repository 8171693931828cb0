"""SQLite's write-ahead log is emptied beside the writing: nobody who votes waits for it."""

import random
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from plaudit.errors import StoreUnavailable
from plaudit.store.sql.store import SqlStore
from plaudit.store.sqlite import database as engine
from plaudit.store.sqlite import wal
from plaudit.store.sqlite.database import SqliteDatabase
from plaudit.store.sqlite.schema import connect
from plaudit.store.sqlite.wal import WalEmptier
from plaudit.store.suite.samples import NAME, check_log, opened, vote

GROUPS, GROUP = 150, 20


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wal, "EVERY_SECONDS", 0.01)


@pytest.fixture
def asleep(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread takes its time."""
    monkeypatch.setattr(wal, "EVERY_SECONDS", 3600.0)


def voted(database: SqliteDatabase, first: int = 0) -> int:
    """The votes of many groups; how many there are in all."""
    for group in range(first, first + GROUPS):
        raters = range(group * GROUP, (group + 1) * GROUP)
        database.append(NAME, [vote(rater, rater % 3) for rater in raters])
    return (first + GROUPS) * GROUP


def in_the_file(folder: Path) -> int:
    """The votes that the file has without its write-ahead log."""
    shutil.copy(folder / "votes.db", folder / "alone.db")
    with closing(sqlite3.connect(folder / "alone.db")) as alone:
        try:
            found: int = alone.execute("SELECT count(*) FROM raters").fetchone()[0]
        except sqlite3.DatabaseError:
            # The copy was made while pages were written.
            return -1
    return found


def until_in_the_file(folder: Path, votes: int) -> None:
    give_up = time.monotonic() + 20
    while in_the_file(folder) != votes:
        assert time.monotonic() < give_up, "the log was not emptied"
        time.sleep(0.02)


@pytest.mark.usefixtures("quick")
def test_what_was_committed_gets_into_the_file(database: SqliteDatabase, tmp_path: Path) -> None:
    until_in_the_file(tmp_path, voted(database))
    until_in_the_file(tmp_path, voted(database, GROUPS))
    check_log(SqlStore(database))


@pytest.mark.usefixtures("asleep")
def test_no_commit_empties_the_log(database: SqliteDatabase, tmp_path: Path) -> None:
    """More than the thousand pages after which SQLite would."""
    voted(database)
    assert (tmp_path / "votes.db-wal").stat().st_size > 1_200 * 4096
    assert in_the_file(tmp_path) <= 0


@pytest.mark.usefixtures("asleep")
def test_a_log_that_grew_too_long_is_emptied_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "MOST_PAGES", 500)
    with closing(SqliteDatabase(tmp_path / "votes.db")) as database:
        opened(SqlStore(database))
        votes = voted(database)
        assert votes / 2 < in_the_file(tmp_path) <= votes
        assert (tmp_path / "votes.db-wal").stat().st_size < 1_000 * 4096


@pytest.mark.usefixtures("quick")
def test_the_log_begins_anew_while_votes_come(database: SqliteDatabase, tmp_path: Path) -> None:
    """It does not grow without end, though there is always somebody who writes."""
    give_up = time.monotonic() + 20
    for first in range(0, 100 * GROUPS, GROUPS):
        voted(database, first)
        log = (tmp_path / "votes.db-wal").stat().st_size
        if (first + GROUPS) * GROUP * 4096 > 4 * log:
            return
        assert time.monotonic() < give_up
    pytest.fail("the log has grown with every group")


@pytest.mark.usefixtures("quick")
def test_a_file_that_cannot_be_opened_is_tried_again(tmp_path: Path) -> None:
    with closing(SqliteDatabase(tmp_path / "votes.db")) as database:
        opened(SqlStore(database))
        tries = []

        def fails_first() -> sqlite3.Connection:
            tries.append(1)
            if len(tries) < 3:
                raise StoreUnavailable("It went for a walk.")
            return connect(tmp_path / "votes.db")

        database._emptier._connect = fails_first
        until_in_the_file(tmp_path, voted(database))


@pytest.mark.usefixtures("asleep")
def test_the_thread_ends_with_the_store(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "votes.db")
    opened(SqlStore(database))
    votes = voted(database)
    thread = database._emptier._thread
    assert thread is not None
    database.close()
    assert not thread.is_alive()
    assert in_the_file(tmp_path) == votes


def test_it_may_be_closed_at_any_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wal, "EVERY_SECONDS", 0.0005)
    SqliteDatabase(tmp_path / "votes.db").close()
    pauses = random.Random(5)
    for _ in range(200):
        emptier = WalEmptier(lambda: connect(tmp_path / "votes.db"))
        emptier.wrote()
        time.sleep(pauses.uniform(0.0, 0.004))
        ending = threading.Thread(target=emptier.close, daemon=True)
        ending.start()
        ending.join(20)
        assert not ending.is_alive(), "it waits for a write that will never come"
