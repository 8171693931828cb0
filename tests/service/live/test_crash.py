"""Nothing acknowledged is lost, over HTTP: killed services, databases that go away, full disks."""

import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from plaudit.errors import StoreUnavailable
from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.verify import verify
from plaudit.service.desk.desk import Desk
from plaudit.service.live.worker import now_ms
from plaudit.store import open_store
from support.live_worker import NAME, working
from support.postgres_server import PostgresServer, postgres, postgres_url
from support.service_process import (
    NO_CONNECTION,
    Rater,
    Service,
    acknowledged,
    check_acknowledged,
    check_results,
    create_contest,
    finish,
    serving,
    until,
    voting,
)

__all__ = ["postgres", "postgres_url"]

pytestmark = pytest.mark.slow

VOTES = f"/api/v1/contests/{NAME}/votes"
AWAY = {NO_CONNECTION, (503, "try_again")}


class Burst:
    """Many votes sent at the same moment, each on its own connection."""

    def __init__(self, service: Service, raters: int) -> None:
        http = service.connect()
        self.raters = [Rater(service, http=http) for _ in range(raters)]
        for rater in self.raters:
            rater.ask(10)
        self._port = service.port
        self._sent: list[tuple[Rater, socket.socket]] = []

    def send(self) -> None:
        """Sends all without waiting for answers."""
        requests = [
            (rater, _request(rater, shown, level=number % 3))
            for rater in self.raters
            for number, shown in enumerate(rater.open)
        ]
        for rater, request in requests:
            connection = socket.create_connection(("127.0.0.1", self._port), timeout=30)
            connection.sendall(request)
            self._sent.append((rater, connection))

    def read(self) -> int:
        """Notes the votes acknowledged before the service died; returns how many were not."""
        lost = 0
        for rater, connection in self._sent:
            with connection:
                answer = _read_all(connection)
            head, _, body = answer.partition(b"\r\n\r\n")
            if head.startswith(b"HTTP/1.1 200") and body:
                rater.note(json.loads(body))
            else:
                lost += 1
        self._sent.clear()
        return lost

    def repeat(self) -> None:
        """Sends the other votes again, at another level."""
        for rater in self.raters:
            for number, shown in enumerate(list(rater.open)):
                assert rater.vote(shown, (number + 1) % 3).status_code == 200


def _request(rater: Rater, shown: dict[str, Any], *, level: int) -> bytes:
    body = json.dumps({"ticket": shown["ticket"], "level": level})
    head = f"POST {VOTES} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n"
    head += f"x-plaudit-rater: {rater.token}\r\ncontent-length: {len(body)}\r\n\r\n"
    return (head + body).encode()


def _read_all(connection: socket.socket) -> bytes:
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


def kill_and_restart(service: Service, *, rounds: int, seed: int) -> list[Rater]:
    """Lets raters vote while the service is killed now and then; returns the voters.

    The kill comes at a random moment of a burst, so that answers wait, are being written, or
    are written and not yet acknowledged. A quick service may have answered the whole burst by
    then: it is killed again until some answers were lost.
    """
    random = np.random.default_rng(seed)
    bursts: list[Burst] = []
    lost = 0
    with voting(service, 4) as voters:
        for number in range(rounds + 20):
            if number >= rounds and lost:
                break
            enough = acknowledged(voters) + 80
            until(lambda n=enough: acknowledged(voters) >= n, f"{enough} votes", pause=0.001)
            bursts.append(Burst(service, 10))
            # All requests are there when the service reads, however slow the senders are.
            service.process.send_signal(signal.SIGSTOP)
            bursts[-1].send()
            service.process.send_signal(signal.SIGCONT)
            time.sleep(random.uniform(0.0, 0.02))
            service.kill()
            lost += bursts[-1].read()
            before = [rater for burst in bursts for rater in burst.raters]
            check_acknowledged(service.database, [*voters, *before], more=len(voters) + lost)
            service.start()
        for voter in voters:
            voter.votes = len(voter.acknowledged) + 20
        finish(voters)
    assert lost > 0, "every burst was answered before its kill: make bursts larger"
    assert sum(voter.refused[NO_CONNECTION] for voter in voters) > 0
    for burst in bursts:
        burst.repeat()
    return [*voters, *(rater for burst in bursts for rater in burst.raters)]


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return str(tmp_path / "votes.db")


def test_a_service_killed_at_any_moment_loses_nothing(sqlite_url: str, tmp_path: Path) -> None:
    create_contest(sqlite_url)
    with serving(sqlite_url, tmp_path) as service:
        raters = kill_and_restart(service, rounds=3, seed=1)
        check_acknowledged(sqlite_url, raters)
        assert check_results(service)["votes"] == acknowledged(raters)


def end_backends(url: str) -> None:
    """Ends every other connection to a database, whatever it is doing."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_killed_services_and_servers_of_postgres_lose_nothing(
    postgres: PostgresServer, postgres_url: str, tmp_path: Path
) -> None:
    create_contest(postgres_url)
    with serving(postgres_url, tmp_path) as service:
        raters = kill_and_restart(service, rounds=1, seed=2)
        with voting(service, 4, votes=150) as voters:
            for enough in (60, 200, 400):
                until(lambda n=enough: acknowledged(voters) >= n, f"{enough} votes", pause=0.001)
                if enough == 200:
                    # A crash of the whole server, in the middle of whatever it was doing.
                    postgres.stop()
                    postgres.start()
                else:
                    end_backends(postgres_url)
            finish(voters)
        # The service waits for its database, so no rater saw more than a delay.
        assert set().union(*(voter.refused for voter in voters)) <= {(503, "try_again")}
        raters += voters
        check_acknowledged(postgres_url, raters)
        assert check_results(service)["votes"] == acknowledged(raters)


class Outage:
    """A service whose store has just gone away, and what it must still do."""

    def __init__(self, service: Service, known: Rater) -> None:
        self._service = service
        self._http = service.connect()
        self._known = known

    def check_alive(self) -> None:
        """The service runs, shows its pages and results, and goes on asking from memory."""
        for path in (
            "/healthz",
            "/",
            f"/c/{NAME}",
            f"/c/{NAME}/results",
            "/static/public/rater.js",
        ):
            assert self._http.get(path, timeout=10).status_code == 200, path
        results = self._http.get(f"/api/v1/contests/{NAME}/results")
        assert results.json()["votes"] > 0
        before = [shown["item"] for shown in self._known.open]
        more = self._known.ask(10)
        assert more.status_code == 200
        assert len(self._known.open) == 10
        assert [shown["item"] for shown in self._known.open][: len(before)] == before
        new = Rater(self._service)
        assert new.ask(3).status_code == 200
        assert len(new.open) == 3

    def check_refused(self, code: str) -> None:
        """A vote and the readiness check are refused, and say when to try again."""
        answers: dict[str, Any] = {}
        ready = threading.Thread(
            target=lambda: answers.update(ready=self._service.connect().get("/readyz"))
        )
        ready.start()
        answers["vote"] = self._known.vote(self._known.open[0], 1)
        ready.join()
        for response in answers.values():
            assert response.status_code == 503
            assert response.json()["error"]["code"] == code
            assert int(response.headers["retry-after"]) > 0


def known_rater(service: Service) -> Rater:
    """A rater who has voted, and has items on the screen."""
    rater = Rater(service)
    rater.ask(3)
    assert rater.vote(rater.open[0], 2).status_code == 200
    return rater


def test_postgres_may_be_away(postgres: PostgresServer, postgres_url: str, tmp_path: Path) -> None:
    create_contest(postgres_url)
    with serving(postgres_url, tmp_path) as service, voting(service, 3, votes=100) as voters:
        known = known_rater(service)
        outage = Outage(service, known)
        until(lambda: acknowledged(voters) >= 60, "60 votes")
        postgres.stop()
        try:
            outage.check_alive()
            outage.check_refused("try_again")
            outage.check_alive()
        finally:
            postgres.start()
        finish(voters)
        assert known.vote(known.open[0], 0).status_code == 200
        assert service.connect().get("/readyz").status_code == 200
        refused = set().union(*(voter.refused for voter in voters))
        assert refused == {(503, "try_again")}
        check_acknowledged(postgres_url, [*voters, known])
        assert check_results(service)["votes"] == 3 * 100 + 2


def test_a_locked_file_makes_votes_wait(sqlite_url: str, tmp_path: Path) -> None:
    create_contest(sqlite_url)
    with serving(sqlite_url, tmp_path) as service, voting(service, 3, votes=100) as voters:
        known = known_rater(service)
        outage = Outage(service, known)
        until(lambda: acknowledged(voters) >= 60, "60 votes")
        other = sqlite3.connect(sqlite_url, timeout=30, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        try:
            written = acknowledged(voters)
            outage.check_alive()
            outage.check_refused("try_again")
            outage.check_alive()
            # At most one vote of each was written before the lock and acknowledged after it.
            assert acknowledged(voters) <= written + len(voters)
        finally:
            other.close()
        finish(voters)
        assert known.vote(known.open[0], 0).status_code == 200
        assert service.connect().get("/readyz").status_code == 200
        check_acknowledged(sqlite_url, [*voters, known])
        assert check_results(service)["votes"] == 3 * 100 + 2
        assert set().union(*(voter.refused for voter in voters)) == {(503, "try_again")}


class SmallDisk:
    """A small disk, in memory, that a file can fill up."""

    # SQLite writes over what it has copied elsewhere: now and then a vote finds room.
    refuses_all = False

    def __init__(self, folder: Path) -> None:
        self.database = str(folder / "votes.db")
        self._ballast = folder / "ballast"

    def fill(self, service: Service) -> None:
        """Fills the disk."""
        with self._ballast.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass

    def make_room(self, service: Service) -> None:
        """Frees the space again."""
        self._ballast.unlink()


class SmallFile:
    """A limit on the size of the files that the service writes to."""

    refuses_all = True

    def __init__(self, folder: Path) -> None:
        self.database = str(folder / "votes.db")

    def fill(self, service: Service) -> None:
        """Lets nothing be written: SQLite writes over old pages of a file as soon as it may."""
        self._limit(service, 1)

    def make_room(self, service: Service) -> None:
        """Lets files grow again."""
        self._limit(service, resource.RLIM_INFINITY)

    def _limit(self, service: Service, size: int) -> None:
        _, hard = resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (size, hard))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    yield SmallDisk(folder)
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def small_file(tmp_path: Path) -> SmallFile:
    return SmallFile(tmp_path)


@pytest.mark.parametrize("kind", ["small_disk", "small_file"])
def test_a_full_disk_refuses_votes_and_nothing_else(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    disk: SmallDisk | SmallFile = request.getfixturevalue(kind)
    create_contest(disk.database)
    with serving(disk.database, tmp_path) as service:
        known = known_rater(service)
        with voting(service, 3, votes=300) as voters:
            until(lambda: acknowledged(voters) >= 30, "30 votes")
            disk.fill(service)
            full = (503, "store_full")
            until(lambda: all(voter.refused[full] for voter in voters), "the disk is full")
            outage = Outage(service, known)
            outage.check_alive()
            if disk.refuses_all:
                outage.check_refused("store_full")
                check_acknowledged(disk.database, [*voters, known])
                check_results(service)
            disk.make_room(service)
            finish(voters)
        assert set().union(*(voter.refused for voter in voters)) == {full}
        assert known.vote(known.open[0], 0).status_code == 200
        check_acknowledged(disk.database, [*voters, known])
        assert check_results(service)["votes"] == 3 * 300 + len(known.acknowledged)


def crowd_votes(service: Service, raters: list[Any]) -> bool:
    """Whether anyone besides these raters has voted."""
    shown = service.connect().get(f"/api/v1/contests/{NAME}/results").json()
    return int(shown["raters"]) > len(raters)


def test_a_stop_answers_all_who_wait_and_leaves_nobody_behind(
    sqlite_url: str, tmp_path: Path
) -> None:
    create_contest(sqlite_url)
    with serving(sqlite_url, tmp_path, "--crowd", "5") as service, voting(service, 4) as voters:
        until(lambda: crowd_votes(service, voters), "the crowd votes", pause=0.1)
        until(lambda: acknowledged(voters) >= 100, "100 votes")
        burst = Burst(service, 10)
        burst.send()
        assert service.stop() in (0, -signal.SIGTERM)
        assert service.processes == []
        # Connections that were not accepted yet are closed; every accepted one is answered.
        assert burst.read() < 100
        assert "Traceback" not in service.log
        check_acknowledged(sqlite_url, [*voters, *burst.raters], more=10**6)


def test_the_crowd_of_a_killed_service_goes_home(sqlite_url: str, tmp_path: Path) -> None:
    create_contest(sqlite_url)
    with serving(sqlite_url, tmp_path, "--crowd", "5") as service:
        until(lambda: crowd_votes(service, []), "the crowd votes", pause=0.1)
        service.kill()
        until(lambda: service.processes == [], "the crowd goes home")


def test_a_verdict_waits_for_a_store_that_is_away(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No vote follows a verdict, so the worker must try by itself; late votes change nothing."""
    create_contest(sqlite_url, 6, epsilon=0.2)
    with working(sqlite_url, clock=now_ms) as worker:
        store, append = worker.store, worker.store.append_event
        away = threading.Event()
        tried: list[int] = []

        def fail(*given: Any, **named: Any) -> Any:
            tried.append(1)
            if not away.is_set():
                return append(*given, **named)
            raise StoreUnavailable("away")

        monkeypatch.setattr(store, "append_event", fail)
        away.set()
        late = [worker.new_rater() for _ in range(8)]
        tickets = [(rater, ticket) for rater in late for _, ticket in worker.ask(rater, 3).items]
        while worker.vote_once(worker.new_rater(), lambda item: 2 if item == 3 else 0) is not None:
            pass
        until(lambda: len(tried) >= 3, "several attempts")
        judged = store.contest(NAME).position
        for rater, ticket in tickets:
            worker.answer(rater, ticket, 1)
        # An editor's step comes in between: the proof is the same, at another place in the log.
        editor = open_store(sqlite_url)
        Desk(editor).step(NAME, "pause")
        editor.close()
        worker.settled()
        away.clear()
        worker.until_decided()
        (certificate,) = store.certificates(NAME)
        export = list(contest_lines(store, NAME))
    assert certificate.position == judged
    assert all(check.agrees for check in verify(json.loads(certificate.body), export))
