"""What only PostgreSQL can do to a store: stop, freeze, hold a row, and plan badly."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from plaudit.errors import StoreUnavailable
from plaudit.store import Store, open_store
from plaudit.store.postgres import connection as pg
from plaudit.store.postgres.statements import ANSWERS_OF_ALL, LOOK_UP, native
from plaudit.store.sql import statements
from plaudit.store.suite.samples import NAME, START, check_log, key_of, opened, vote
from support.postgres_server import PostgresServer, postgres, postgres_url

__all__ = ["postgres", "postgres_url"]


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    store = open_store(postgres_url)
    opened(store)
    yield store
    store.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client gives up after a second."""
    monkeypatch.setattr(pg, "ANSWER_SECONDS", 1)
    monkeypatch.setitem(pg._NETWORK, "connect_timeout", 2)


@pytest.mark.usefixtures("impatient")
def test_a_server_that_goes_away_and_comes_back(store: Store, postgres: PostgresServer) -> None:
    store.append_answers(NAME, [vote(1, 0)])
    with ThreadPoolExecutor(4) as threads:  # Several connections, all of them to be lost.
        list(threads.map(lambda _: store.items(NAME), range(20)))
    postgres.stop()
    try:
        for call in (store.contests, store.check, lambda: list(store.raters(NAME))):
            with pytest.raises(StoreUnavailable):
                call()
        with pytest.raises(StoreUnavailable):
            store.append_answers(NAME, [vote(2, 0)])
    finally:
        postgres.start()
    assert store.append_answers(NAME, [vote(1, 0), vote(2, 0)]).receipts[1].fresh
    assert len(check_log(store)) == 3


def test_a_restart_in_between_costs_one_call(store: Store, postgres: PostgresServer) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: store.items(NAME), range(20)))
    postgres.stop()
    postgres.start()
    with pytest.raises(StoreUnavailable):
        store.append_answers(NAME, [vote(1, 0)])
    assert store.append_answers(NAME, [vote(1, 0)]).receipts[0].fresh
    check_log(store)


def test_a_connection_lost_while_writing(store: Store, postgres_url: str) -> None:
    """The server ends the connection that holds the row; the call can be repeated."""
    group = [vote(1, item) for item in range(5)]
    with psycopg.connect(postgres_url) as holder:
        holder.execute("SELECT id FROM contests FOR UPDATE")
        with ThreadPoolExecutor(1) as threads:
            writing = threads.submit(store.append_answers, NAME, group)
            _kill_waiting(postgres_url)
            with pytest.raises(StoreUnavailable):
                writing.result()
    assert all(receipt.fresh for receipt in store.append_answers(NAME, group).receipts)
    assert len(check_log(store)) == 6


def _kill_waiting(url: str) -> None:
    """Ends the connections that wait for a row, once there are some."""
    kill = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(kill).fetchone() == (0,):
            time.sleep(0.01)


@pytest.mark.usefixtures("impatient")
def test_a_frozen_server_is_not_waited_for(postgres_url: str) -> None:
    """A server that neither answers nor hangs up: the client gives up by itself."""
    store = open_store(postgres_url)
    opened(store)
    backend = _backend(postgres_url)
    os.kill(backend, signal.SIGSTOP)
    try:
        with pytest.raises(StoreUnavailable, match="no answer"):
            store.append_answers(NAME, [vote(1, 0)])
    finally:
        os.kill(backend, signal.SIGCONT)
    assert store.append_answers(NAME, [vote(1, 0)]).receipts[0].rater == 0
    check_log(store)
    store.close()


def _backend(url: str) -> int:
    find = (
        "SELECT pid FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    with psycopg.connect(url) as connection:
        ((pid,),) = connection.execute(find).fetchall()
    found: int = pid
    return found


def test_a_row_that_is_held_too_long(monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> None:
    quick = pg._SETTINGS.replace("'lock_timeout', '5s'", "'lock_timeout', '1s'")
    assert quick != pg._SETTINGS
    monkeypatch.setattr(pg, "_SETTINGS", quick)
    store = open_store(postgres_url)
    opened(store)
    with psycopg.connect(postgres_url) as holder:
        holder.execute("SELECT id FROM contests FOR UPDATE")
        with pytest.raises(StoreUnavailable, match="lock timeout"):
            store.append_answers(NAME, [vote(1, 0)])
        # Those who only read do not wait.
        assert len(store.entries(NAME)) == 1
    assert store.append_answers(NAME, [vote(1, 0)]).receipts[0].fresh
    store.close()


def test_positions_follow_commits_when_a_transaction_stays_open(
    store: Store, postgres_url: str
) -> None:
    """A group that has its positions but has not committed holds back the next one.

    If positions came from a sequence, the second group would commit position 4 while 2 and 3
    are unseen, and a follower that read 4 would never see them.
    """
    committing, hold = threading.Event(), threading.Event()
    slow = open_store(postgres_url)
    original = pg.Connection.execute

    def held(self: pg.Connection, query: object, *rest: object) -> object:
        if query == "COMMIT" and threading.current_thread().name.startswith("slow"):
            committing.set()
            hold.wait()
        return original(self, query, *rest)  # type: ignore[arg-type]

    seen: list[int] = []
    with (
        pytest.MonkeyPatch.context() as patch,
        ThreadPoolExecutor(1, thread_name_prefix="slow") as first,
        ThreadPoolExecutor(1) as second,
    ):
        patch.setattr(pg.Connection, "execute", held)
        one = first.submit(slow.append_answers, NAME, [vote(1, 0), vote(2, 0)])
        committing.wait()
        two = second.submit(store.append_answers, NAME, [vote(3, 0), vote(1, 0)])
        for _ in range(20):
            seen += [entry.position for entry in store.entries(NAME, after=len(seen))]
            time.sleep(0.01)
        waited = not two.done()
        hold.set()
    assert waited
    assert seen == [1]
    assert [receipt.position for receipt in one.result().receipts] == [2, 3]
    # The second group waited, and then saw what the first had written.
    assert [receipt.position for receipt in two.result().receipts] == [4, 2]
    check_log(store)
    slow.close()


def test_events_wait_for_answers_and_see_them(store: Store, postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as holder:
        holder.execute("SELECT id FROM contests FOR UPDATE")
        with ThreadPoolExecutor(2) as threads:
            answers = threads.submit(store.append_answers, NAME, [vote(1, 0)])
            event = threads.submit(store.append_event, NAME, START, epoch=1)
            time.sleep(0.05)
            assert not answers.done()
            assert not event.done()
            holder.commit()
    assert {answers.result().receipts[0].position, event.result().position} == {2, 3}
    check_log(store)


def test_a_picture_is_held_or_dropped_and_never_half(store: Store, postgres_url: str) -> None:
    kept, gone = (store.put_asset("image/png", body, at=5) for body in (b"kept", b"gone"))
    with psycopg.connect(postgres_url) as holder, ThreadPoolExecutor(1) as threads:
        # Somebody names the one and has not committed yet.
        holder.execute("UPDATE held SET at = 50 WHERE hash = %s", [kept])
        dropping = threads.submit(store.drop_assets, before=20)
        time.sleep(0.05)
        assert not dropping.done()
        holder.commit()
    assert dropping.result() == 1
    assert store.hold_assets([kept, gone]) == {kept}
    with psycopg.connect(postgres_url) as dropper, ThreadPoolExecutor(1) as threads:
        # Somebody drops it and has not committed yet: who names it waits, and is told.
        dropper.execute("DELETE FROM held WHERE hash = %s", [kept])
        dropper.execute("DELETE FROM assets WHERE hash = %s", [kept])
        holding = threads.submit(store.hold_assets, [kept])
        time.sleep(0.05)
        assert not holding.done()
        dropper.commit()
    assert holding.result() == set()


def plan_of(url: str, sql: str, **parameters: object) -> str:
    connection = pg.connector(pg.parsed(url))()
    rows = connection.execute("EXPLAIN " + native(sql), parameters).fetchall()
    connection.close()
    return "\n".join(row[0] for row in rows)


def test_every_search_has_its_index(store: Store, postgres_url: str) -> None:
    """However little the planner knows: a full log must not be read for a group of answers."""
    for first in range(0, 3_000, 1_000):
        store.append_answers(NAME, [vote(first + n, n % 7) for n in range(1_000)])
    keys = [key_of(n) for n in range(50)]
    look_up = plan_of(postgres_url, LOOK_UP, name=NAME, keys=keys, items=list(range(50)))
    assert "raters_by_key" in look_up
    assert "log_by_rater" in look_up
    assert "AND (item = a.item)" in look_up
    entries = plan_of(postgres_url, statements.ENTRIES, contest=1, after=5, limit=10)
    events = plan_of(postgres_url, statements.EVENTS, contest=1)
    answers = plan_of(postgres_url, statements.ANSWERS_OF, contest=1, rater=3)
    raters = plan_of(postgres_url, statements.RATERS, contest=1, after=2, limit=5)
    assert "log_by_rater" in answers
    several = plan_of(postgres_url, ANSWERS_OF_ALL, contest=1, raters=list(range(30)), upto=2_000)
    assert "log_by_rater" in several
    assert "(rater = a.number)" in several
    assert "log_events" in events
    # These are read in the order of the index, without sorting what comes after the limit.
    assert "Sort" not in entries + events + raters
    assert "Seq Scan" not in look_up + entries + events + answers + raters


def test_commits_are_durable_whatever_the_default(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        name = admin.info.dbname
        admin.execute(f"ALTER DATABASE {name} SET synchronous_commit = off".encode())
    connection = pg.connector(pg.parsed(postgres_url))()
    assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
    connection.close()


def test_a_server_that_only_reads_is_unavailable(postgres_url: str) -> None:
    """Such as a standby: it must not pass for a store that can keep votes."""
    open_store(postgres_url).close()
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        name = admin.info.dbname
        admin.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
    with pytest.raises(StoreUnavailable, match="read-only"):
        open_store(postgres_url)
