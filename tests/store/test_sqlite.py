"""What only SQLite needs: its settings, its plans, few statements, and locked files."""

import functools
import os
import shutil
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from plaudit.errors import InvalidInput, StoreUnavailable
from plaudit.store import Store, open_store
from plaudit.store.sql import statements
from plaudit.store.sql.store import SqlStore
from plaudit.store.sqlite import database as engine
from plaudit.store.sqlite import schema
from plaudit.store.sqlite.database import SqliteDatabase
from plaudit.store.sqlite.statements import ANSWERS_OF_ALL, LOOK_UP
from plaudit.store.suite.samples import NAME, START, check_log, opened, vote


def test_commits_are_durable_on_every_connection(database: SqliteDatabase) -> None:
    for pool in (database._writer, database._readers):
        with pool.connection() as connection:
            found = {
                name: connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("synchronous", "journal_mode", "foreign_keys", "busy_timeout")
            }
        # 2 is FULL: each commit is on disk before it returns.
        assert found == {
            "synchronous": 2,
            "journal_mode": "wal",
            "foreign_keys": 1,
            "busy_timeout": 2_000,
        }


class Counting(sqlite3.Connection):
    """Counts statements and the rows that they give; each of both lets other threads run."""

    counts: ClassVar[Counter[str]] = Counter()

    def execute(self, *given: Any) -> sqlite3.Cursor:
        # The log is emptied by a thread of its own, at any time: nobody waits for its statements.
        if threading.current_thread() is threading.main_thread():
            Counting.counts["statements"] += 1
        return self.cursor(CountingCursor).execute(*given)


class CountingCursor(sqlite3.Cursor):
    def fetchall(self) -> list[Any]:
        rows = super().fetchall()
        Counting.counts["rows"] += len(rows)
        return rows


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    connect = functools.partial(sqlite3.connect, factory=Counting)
    monkeypatch.setattr(schema.sqlite3, "connect", connect)
    store = open_store(str(tmp_path / "votes.db"))
    opened(store)
    store.append_answers(NAME, [vote(n, 0) for n in range(2_000)])
    store.entries(NAME)
    Counting.counts.clear()
    yield store
    store.close()


@pytest.mark.parametrize("size", [1, 300])
def test_a_group_takes_two_statements_whatever_its_size(counted: Store, size: int) -> None:
    counted.append_answers(NAME, [vote(2_000 + n % 50, n + 1) for n in range(size)])
    assert Counting.counts == {"statements": 2}


@pytest.mark.parametrize("size", [1, 300])
def test_a_group_of_raters_who_wrote_before_takes_one(counted: Store, size: int) -> None:
    appended = counted.append_answers(NAME, [vote(n % 50, n + 1) for n in range(size)])
    assert Counting.counts == {"statements": 1}
    assert all(receipt.fresh for receipt in appended.receipts)
    assert [receipt.rater for receipt in appended.receipts] == [n % 50 for n in range(size)]


def test_what_is_remembered_of_a_log_is_never_trusted(counted: Store, tmp_path: Path) -> None:
    """A second answer, somebody else's write and an erased rater all lead to a look at the log."""
    again = counted.append_answers(NAME, [vote(7, 1), vote(8, 0)._replace(level=2), vote(7, 1)])
    assert [receipt.fresh for receipt in again.receipts] == [True, False, False]
    assert again.receipts[1].level == vote(8, 0).level
    assert len(again.entries) == 1
    other = open_store(str(tmp_path / "votes.db"))
    theirs = other.append_answers(NAME, [vote(7, 2), vote(5_000, 0)])
    ours = counted.append_answers(NAME, [vote(7, 2), vote(7, 3), vote(5_000, 0), vote(5_001, 0)])
    assert [receipt.fresh for receipt in ours.receipts] == [False, True, False, True]
    assert ours.receipts[2].rater == theirs.receipts[1].rater
    assert ours.receipts[3].rater == theirs.receipts[1].rater + 1
    other.append_event(NAME, START, epoch=counted.contest(NAME).epoch, erase=7)
    other.close()
    back = counted.append_answers(NAME, [vote(7, 9)])
    assert back.receipts[0].rater == theirs.receipts[1].rater + 2, "as somebody new"
    check_log(counted)


def test_long_results_come_as_one_row(counted: Store) -> None:
    for read in (counted.entries, counted.items, lambda name: list(counted.raters(name))):
        Counting.counts.clear()
        assert read(NAME)
        # The contest's number first; raters come in pages, and the last one is empty.
        assert Counting.counts["rows"] <= 3


def plan_of(database: SqliteDatabase, sql: str, **parameters: object) -> str:
    with database._writer.connection() as connection:
        rows = connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()
    return "\n".join(row[3] for row in rows)


def test_every_search_has_its_index(database: SqliteDatabase) -> None:
    look_up = plan_of(database, LOOK_UP, name=NAME, keys=b"", items="[]")
    assert "raters_by_key (contest=? AND key=?)" in look_up
    assert "log_by_rater (contest=? AND rater=? AND item=?)" in look_up
    plans = {
        "entries": plan_of(database, statements.ENTRIES, contest=1, after=0, limit=1),
        "events": plan_of(database, statements.EVENTS, contest=1),
        "answers": plan_of(database, statements.ANSWERS_OF, contest=1, rater=0),
        "raters": plan_of(database, statements.RATERS, contest=1, after=0, limit=1),
        "rater": plan_of(database, statements.RATER, name=NAME, key=b""),
    }
    assert not [name for name, plan in plans.items() if "SCAN" in plan]
    several = plan_of(database, ANSWERS_OF_ALL, contest=1, raters="[1, 2]", upto=9)
    assert "SCAN l" not in several
    assert "log_by_rater (contest=? AND rater=?)" in several
    assert "log_events" in plans["events"]
    assert "log_by_rater (contest=? AND rater=?)" in plans["answers"]
    assert "raters_by_key (contest=? AND key=?)" in plans["rater"]
    assert "TEMP B-TREE" not in plans["entries"] + plans["events"] + plans["raters"]


def test_a_file_that_someone_else_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "BUSY_SECONDS", 0.1)
    store = open_store(str(tmp_path / "votes.db"))
    opened(store)
    holder = sqlite3.connect(tmp_path / "votes.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    for call in (
        store.check,
        lambda: store.append_answers(NAME, [vote(1, 0)]),
        lambda: store.append_event(NAME, START, epoch=1),
    ):
        with pytest.raises(StoreUnavailable, match="locked"):
            call()
    # Those who only read do not wait.
    assert len(check_log(store)) == 1
    holder.execute("ROLLBACK")
    holder.close()
    assert store.append_answers(NAME, [vote(1, 0)]).receipts[0].fresh
    store.close()


def test_a_writer_that_takes_long_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within the process too, as while an archive is restored."""
    monkeypatch.setattr(engine, "WAIT_SECONDS", 0.1)
    database = SqliteDatabase(tmp_path / "votes.db")
    store = SqlStore(database)
    opened(store)
    writing, done = threading.Event(), threading.Event()

    def write() -> None:
        with database.writing():
            writing.set()
            done.wait()

    thread = threading.Thread(target=write)
    thread.start()
    writing.wait()
    with pytest.raises(StoreUnavailable, match="busy with other calls"):
        store.append_answers(NAME, [vote(1, 0)])
    assert len(store.entries(NAME)) == 1
    done.set()
    thread.join()
    assert store.append_answers(NAME, [vote(1, 0)]).receipts[0].fresh
    store.close()


def test_a_file_that_is_taken_away(database: SqliteDatabase, tmp_path: Path) -> None:
    """A store does not make an empty file in the place of one that was lost."""
    database.close()
    again = open_store(str(tmp_path / "votes.db"))
    for path in tmp_path.iterdir():
        path.unlink()
    with pytest.raises(StoreUnavailable, match=r"votes\.db was deleted"):
        again.contests()
    assert list(tmp_path.iterdir()) == []
    again.close()


def test_a_file_that_comes_back_is_used_again(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "votes.db"))
    opened(store)
    (tmp_path / "votes.db").rename(tmp_path / "away")
    for call in (store.check, store.heads, lambda: store.append_answers(NAME, [vote(1, 0)])):
        with pytest.raises(StoreUnavailable, match=r"votes\.db was deleted"):
            call()
    (tmp_path / "away").rename(tmp_path / "votes.db")
    assert store.append_answers(NAME, [vote(1, 0)]).receipts[0].fresh
    check_log(store)
    store.close()


@pytest.mark.parametrize("name", ["votes.db", "votes.db-wal"])
def test_a_file_that_is_replaced(tmp_path: Path, name: str) -> None:
    store = open_store(str(tmp_path / "votes.db"))
    opened(store)
    shutil.copy(tmp_path / name, tmp_path / "copy")
    (tmp_path / "copy").rename(tmp_path / name)
    for call in (store.check, store.heads, lambda: store.append_answers(NAME, [vote(1, 0)])):
        with pytest.raises(StoreUnavailable, match=f"{name} was replaced by another file"):
            call()
    store.close()


@pytest.mark.parametrize("when", ["look-up", "write"])
def test_nothing_is_acknowledged_that_went_into_a_lost_file(
    tmp_path: Path, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is deleted after the check, while the group is written."""
    store = open_store(str(tmp_path / "votes.db"))
    opened(store)
    append = engine.Appender.append

    def lost(*given: Any) -> Any:
        if when == "look-up":
            (tmp_path / "votes.db").unlink()
            return append(*given)
        done = append(*given)
        (tmp_path / "votes.db").unlink()
        return done

    monkeypatch.setattr(engine.Appender, "append", lost)
    with pytest.raises(StoreUnavailable, match="was deleted"):
        store.append_answers(NAME, [vote(1, 0)])
    store.close()


def test_a_step_into_a_lost_file_is_not_acknowledged(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "votes.db")
    opened(SqlStore(database))

    def step() -> None:
        with database.writing() as transaction:
            transaction.run(statements.BEAT)
            (tmp_path / "votes.db").unlink()

    with pytest.raises(StoreUnavailable, match="was deleted"):
        step()
    database.close()


def test_all_files_are_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        store = open_store(str(tmp_path / "votes.db"))
        opened(store)
        store.append_answers(NAME, [vote(1, 0)])
        modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
        store.close()
    finally:
        os.umask(before)
    assert modes == {"votes.db": 0o600, "votes.db-wal": 0o600, "votes.db-shm": 0o600}


def test_a_failed_start_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise StoreUnavailable("no room")

    monkeypatch.setattr(schema, "_migrate", fail)
    with pytest.raises(StoreUnavailable, match="no room"):
        open_store(str(tmp_path / "votes.db"))
    assert list(tmp_path.iterdir()) == []


def test_only_who_may_create_does(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    with pytest.raises(InvalidInput, match=r"There is no database .*votes\.db"):
        open_store(str(path), create=False)
    path.touch()
    with pytest.raises(InvalidInput, match=r"votes\.db is empty"):
        open_store(str(path), create=False)
    assert [found.name for found in tmp_path.iterdir()] == ["votes.db"]
    assert path.stat().st_size == 0
    open_store(str(path)).close()
    open_store(str(path), create=False).close()
