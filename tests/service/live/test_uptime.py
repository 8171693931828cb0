"""The service stays up: databases and workers that come and go, files that vanish, bad contests."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from plaudit.store import open_store
from support.live_worker import NAME
from support.postgres_server import PostgresServer, postgres, postgres_url
from support.service_process import (
    SECRET,
    START_SECONDS,
    Rater,
    Service,
    acknowledged,
    check_acknowledged,
    check_results,
    create_contest,
    finish,
    free_port,
    serving,
    until,
    voting,
)

__all__ = ["postgres", "postgres_url"]

pytestmark = pytest.mark.slow

# What is promised, and what a busy machine may add.
PROMISED_SECONDS, SLACK_SECONDS = 2.0, 3.0


def status(service: Service, path: str) -> tuple[int, Any]:
    """The status of an address and its answer; 0 while nobody listens."""
    with suppress(httpx2.TransportError):
        answer = httpx2.get(service.url + path, timeout=30, verify=False)
        return answer.status_code, answer
    return 0, None


def children(pid: int) -> list[int]:
    """The processes that a process started and that run."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(each) for each in found]


def processes_of(service: Service) -> list[int]:
    """The workers of a service, and the scribe that writes for them."""
    return [pid for pid in children(service.process.pid) if b"spawn_main" in _command(pid)]


def _command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


@contextmanager
def stopped(postgres: PostgresServer) -> Any:
    """PostgreSQL is away in the block."""
    postgres.stop()
    try:
        yield
    finally:
        postgres.start()


# PostgreSQL


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_start_without_its_database_waits(
    postgres: PostgresServer, postgres_url: str, tmp_path: Path, workers: str
) -> None:
    create_contest(postgres_url)
    service = Service(postgres_url, tmp_path, "--workers", workers, "--demo")
    try:
        with stopped(postgres):
            service.launch()
            refused = until(
                lambda: (found := status(service, "/readyz"))[0] and found,
                "an answer", pause=0.1, seconds=START_SECONDS,
            )  # fmt: skip
            assert refused[0] == 503
            assert int(refused[1].headers["retry-after"]) > 0
            assert "PostgreSQL database" in refused[1].json()["error"]["message"]
            assert status(service, "/healthz")[0] == 200
            for path in ("/", f"/c/{NAME}", f"/api/v1/contests/{NAME}", "/desk", "/metrics"):
                code, answer = status(service, path)
                assert (code, answer.headers["retry-after"]) == (503, "2"), path
                # Strangers need not know where the database is.
                assert "host" not in answer.text.split("<body")[-1]
            assert "Try again soon" in status(service, "/")[1].text
            assert service.process.poll() is None
        # A connection stays with one worker; the other one may find the database sooner.
        http = service.connect()
        until(lambda: http.get("/readyz").status_code == 200, "this worker is ready")
        rater = Rater(service, http=http)
        assert rater.ask(3).status_code == 200
        assert rater.vote(rater.open[0], 1).status_code == 200
        until(lambda: "/desk/welcome/" in service.log, "the first link")
        until(lambda: status(service, "/c/snowman")[0] == 200, "the demo")
        assert service.stop() == 0
        assert "Traceback" not in service.log
    finally:
        service.end()


def test_workers_and_their_database_may_die_at_any_time(
    postgres: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    create_contest(postgres_url)
    with serving(postgres_url, tmp_path, "--workers", "2") as service:
        parent = service.process.pid
        with voting(service, 4, votes=120) as voters:
            until(lambda: acknowledged(voters) >= 60, "60 votes")
            with stopped(postgres):
                for _ in range(2):
                    # Also those that have just begun, and find no database.
                    for pid in until(lambda: processes_of(service), "workers"):
                        with suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL)
                    time.sleep(0.5)
                until(lambda: len(processes_of(service)) == 3, "two workers and a scribe")
                until(lambda: status(service, "/readyz")[0] == 503, "503", seconds=START_SECONDS)
            os.kill(processes_of(service)[0], signal.SIGKILL)
            until(lambda: len(processes_of(service)) == 3, "two workers and a scribe")
            service.until_ready()
            finish(voters)
        assert service.process.pid == parent
        check_acknowledged(postgres_url, voters)
        assert check_results(service)["votes"] == 4 * 120
        assert service.stop() == 0
        until(lambda: service.processes == [], "all are gone")


def test_a_held_contest_holds_up_no_other(postgres_url: str, tmp_path: Path) -> None:
    """One worker; somebody holds a contest's row for many seconds."""
    create_contest(postgres_url)
    create_contest(postgres_url, name="other")
    with serving(postgres_url, tmp_path) as service:
        held, free = Rater(service), Rater(service, contest="other")
        for rater in (held, free):
            rater.ask(10)
            assert rater.vote(rater.open[0], 2).status_code == 200
        with psycopg.connect(postgres_url) as other:
            other.execute("SELECT id FROM contests WHERE name = %s FOR UPDATE", [NAME])
            with voting(service, 1, votes=1) as voters:
                # Someone waits all the time.
                for shown in list(free.open):
                    began = time.monotonic()
                    assert free.vote(shown, 1).status_code == 200
                    assert time.monotonic() - began < PROMISED_SECONDS
                began = time.monotonic()
                refused = held.vote(held.open[0], 1)
                assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
                assert time.monotonic() - began < PROMISED_SECONDS + SLACK_SECONDS
                other.rollback()
                finish(voters)
        assert held.vote(held.open[0], 1).status_code == 200
        check_acknowledged(postgres_url, [held, *voters])
        check_acknowledged(postgres_url, [free])


def test_a_frozen_database_is_not_waited_for(
    postgres: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    """The server and all its processes stand still: nothing is refused, nothing is answered."""
    create_contest(postgres_url)
    with serving(postgres_url, tmp_path) as service:
        rater = Rater(service)
        rater.ask(5)
        assert rater.vote(rater.open[0], 2).status_code == 200
        known = [postgres.pid, *children(postgres.pid)]
        for pid in known:
            os.kill(pid, signal.SIGSTOP)
        try:
            for path in ("vote", "/readyz"):
                began = time.monotonic()
                if path == "vote":
                    assert rater.vote(rater.open[0], 1).status_code == 503
                else:
                    assert status(service, path)[0] == 503
                assert time.monotonic() - began < PROMISED_SECONDS + SLACK_SECONDS, path
            assert rater.ask(5).status_code == 200
        finally:
            for pid in known:
                os.kill(pid, signal.SIGCONT)
        until(lambda: rater.vote(rater.open[0], 1).status_code == 200, "a vote")
        check_acknowledged(postgres_url, [rater])


# The supervisor

SUPERVISED = """
import sys
from plaudit.web.processes import supervisor
from plaudit.web.server import listen
from plaudit.web.serving import Serving

if __name__ == "__main__":
    supervisor.SILENT_SECONDS = 3.0
    serving = Serving(sys.argv[1], sys.argv[3], rater_rate="", address_rate="")
    with listen("127.0.0.1", int(sys.argv[2])) as listening:
        sys.exit(supervisor.Supervisor(serving, listening, 2).run())
"""


def supervised(service: Service, folder: Path) -> None:
    """Starts two workers with little patience in the place of `plaudit serve`."""
    script = folder / "supervised.py"
    script.write_text(SUPERVISED)
    command = [sys.executable, str(script), service.database, str(service.port), SECRET]
    with service._log.open("a") as log:
        service.process = subprocess.Popen(
            command, stdout=log, stderr=log, start_new_session=True,
            env=os.environ | dict([service._mark.split("=")]),
        )  # fmt: skip


def test_a_worker_that_hangs_is_replaced(tmp_path: Path) -> None:
    database = str(tmp_path / "votes.db")
    create_contest(database)
    service = Service(database, tmp_path)
    supervised(service, tmp_path)
    try:
        service.until_ready()
        first, second, third = until(lambda: (p := processes_of(service))[2:] and p, "all three")
        until(lambda: status(service, "/readyz")[0] == 200, "it serves")
        time.sleep(2)
        # The scribe is started first.
        for hung in (first, third):
            os.kill(hung, signal.SIGSTOP)
        found = until(
            lambda: (p := processes_of(service))[2:] and not {first, third} & {*p} and p, "others"
        )
        assert second in found
        assert "silent" in service.log
        service.until_ready()
        assert service.stop() == 0
    finally:
        service.end()


def test_a_service_that_can_never_start_ends_with_a_failure(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    foreign.write_bytes(b"this is not a database at all" * 50)
    service = Service(str(foreign), tmp_path)
    supervised(service, tmp_path)
    try:
        assert service.process.wait(START_SECONDS) == 1
        assert "not a SQLite database" in service.log
        until(lambda: service.processes == [], "all are gone")
    finally:
        service.end()


# SQLite


def test_a_locked_file_is_answered_for_in_time(tmp_path: Path) -> None:
    database = str(tmp_path / "votes.db")
    create_contest(database)
    with serving(database, tmp_path) as service:
        rater = Rater(service)
        rater.ask(3)
        other = sqlite3.connect(database, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        try:
            with voting(service, 3, votes=1) as voters:
                time.sleep(0.2)
                for path, most in (("vote", PROMISED_SECONDS), ("/readyz", PROMISED_SECONDS)):
                    began = time.monotonic()
                    if path == "vote":
                        assert rater.vote(rater.open[0], 1).status_code == 503
                    else:
                        assert status(service, path)[0] == 503
                    assert time.monotonic() - began < most + SLACK_SECONDS, path
                other.execute("ROLLBACK")
                finish(voters)
        finally:
            other.close()
        assert "Traceback" not in service.log
        # However many votes were refused.
        assert service.log.count("was refused") <= 4


@pytest.mark.parametrize("how", ["moved", "replaced"])
def test_a_file_that_goes_away_takes_no_acknowledged_vote_along(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "served"
    folder.mkdir()
    database = folder / "votes.db"
    create_contest(str(database))
    with serving(str(database), tmp_path) as service:
        with voting(service, 4) as voters:
            until(lambda: acknowledged(voters) >= 100, "100 votes")
            away = tmp_path / "away"
            folder.rename(away)
            if how == "replaced":
                folder.mkdir()
                create_contest(str(database))
            _, answer = until(
                lambda: (found := status(service, "/readyz"))[0] == 503 and found, "503"
            )
            word = "deleted" if how == "moved" else "replaced"
            assert word in answer.json()["error"]["message"]
            time.sleep(0.3)
            before = acknowledged(voters)
            time.sleep(1.0)
            assert acknowledged(voters) == before, "votes are acknowledged into nowhere"
        assert "Traceback" not in service.log
        # A copy, because the service still holds the files.
        kept = tmp_path / "kept"
        shutil.copytree(away, kept)
        check_acknowledged(str(kept / "votes.db"), voters, more=10**6)
        if how == "moved":
            away.rename(folder)
            service.until_ready()
            rater = Rater(service)
            rater.ask(1)
            assert rater.vote(rater.open[0], 1).status_code == 200
            check_acknowledged(str(database), [*voters, rater], more=10**6)


def test_a_log_that_becomes_shorter_is_not_gone_on_with(tmp_path: Path) -> None:
    """The content of the file is exchanged, and the file is the same."""
    database = str(tmp_path / "votes.db")
    create_contest(database)
    with serving(database, tmp_path) as service:
        rater = Rater(service)
        rater.ask(5)
        for shown in list(rater.open[:3]):
            assert rater.vote(shown, 1).status_code == 200
        other = sqlite3.connect(database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM log WHERE position > 3")
        other.execute("UPDATE contests SET position = 3")
        other.execute("COMMIT")
        other.close()
        _, answer = until(lambda: (found := status(service, "/readyz"))[0] == 503 and found, "503")
        assert "had 5 entries, and has 3 now" in answer.json()["error"]["message"]
        assert rater.vote(rater.open[0], 1).status_code == 503


# Contests


def test_one_bad_contest_keeps_no_other_away(tmp_path: Path) -> None:
    database = str(tmp_path / "votes.db")
    for name in ("bad", NAME, "late"):
        create_contest(database, name=name)
    other = sqlite3.connect(database, isolation_level=None)
    bad = other.execute("SELECT id FROM contests WHERE name = 'bad'").fetchone()[0]
    late = other.execute("SELECT id FROM contests WHERE name = 'late'").fetchone()[0]
    other.execute("UPDATE log SET payload = '{' WHERE contest = ? AND position = 1", [bad])
    with serving(database, tmp_path) as service:
        assert status(service, "/api/v1/contests/bad")[0] == 503
        assert status(service, "/api/v1/contests/none")[0] == 404
        rater = Rater(service)
        rater.ask(3)
        assert rater.vote(rater.open[0], 1).status_code == 200
        # One that goes bad while it is live.
        other.execute("BEGIN IMMEDIATE")
        row = other.execute(
            "SELECT * FROM log WHERE contest = ? ORDER BY position DESC LIMIT 1", [late]
        )
        names = [each[0] for each in row.description]
        entry = dict(zip(names, row.fetchone(), strict=True))
        entry |= {"position": entry["position"] + 1, "payload": "{"}
        marks = ", ".join(f":{name}" for name in names)
        other.execute(f"INSERT INTO log ({', '.join(names)}) VALUES ({marks})", entry)
        other.execute("UPDATE contests SET position = position + 1 WHERE id = ?", [late])
        other.execute("COMMIT")
        until(lambda: status(service, "/api/v1/contests/late")[0] == 503, "it is put away")
        assert rater.vote(rater.open[0], 1).status_code == 200
        assert status(service, "/readyz")[0] == 200
        time.sleep(1.0)
        assert service.log.count("cannot be loaded") <= 3
    other.close()
    check_acknowledged(database, [rater])


def test_a_port_in_use_is_a_failure(tmp_path: Path) -> None:
    """A port in use is a failure with an exit code of its own."""
    database = str(tmp_path / "votes.db")
    service = Service(database, tmp_path)
    other = Service(database, tmp_path)
    other.port = service.port = free_port()
    other.url = service.url = f"http://127.0.0.1:{service.port}"
    try:
        service.start()
        other.launch()
        assert other.process.wait(START_SECONDS) == 2
        assert "Cannot listen" in other.log
        assert service.stop() == 0
        store = open_store(database, create=False)
        store.close()
    finally:
        service.end()
        other.end()
