"""Several workers and several machines on one log: same votes, same state, nothing twice."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest

from plaudit.service.live.loading import load_contest
from plaudit.service.live.worker import now_ms
from plaudit.service.watch.results import make_results
from plaudit.store import open_store
from plaudit.store.contract import Receipt
from plaudit.store.log import Answer, Kind
from plaudit.store.postgres import appending
from support.live_worker import NAME, working
from support.postgres_server import PostgresServer, postgres, postgres_url
from support.service_process import (
    Rater,
    Service,
    Voter,
    acknowledged,
    check_acknowledged,
    check_results,
    create_contest,
    finish,
    results_at,
    serving,
    until,
    voting,
)

__all__ = ["postgres", "postgres_url"]

pytestmark = pytest.mark.slow


class Pair:
    """Two workers that share a log; `connect` gives a connection to either."""

    def __init__(self, services: list[Service], connect: Callable[[int], Any]) -> None:
        self.services = services
        self.database = services[0].database
        self.connect = connect
        self._numbers = itertools.count(1)

    def create(self, items: int = 400, **given: Any) -> str:
        """A new contest, once both workers have it and know that it is open."""
        name = f"contest-{next(self._numbers)}"
        create_contest(self.database, items, name=name, **given)
        for place in (0, 1):
            http = self.connect(place)
            path = f"/api/v1/contests/{name}"
            until(lambda h=http, p=path: h.get(p).json().get("taking_answers"), f"{name} is open")
        return name

    def rater(self, place: int, contest: str) -> Rater:
        """A new rater, connected to one of the two."""
        return Rater(self.services[0], contest=contest, http=self.connect(place))

    def check_same(self, contest: str) -> dict[str, Any]:
        """The results of both once they have folded the log; checks that a fresh start agrees."""
        first, second = (
            check_results(self.services[0], contest=contest, http=self.connect(place))
            for place in (0, 1)
        )
        assert first == second
        return first


def worker_of(service: Service, http: Any) -> int:
    """The process that holds the other end of a connection."""
    stream = http.get("/healthz").extensions["network_stream"]
    port = stream.get_extra_info("client_addr")[1]
    inode = _inode(service.port, port)
    (holder,) = [pid for pid in service.processes if f"socket:[{inode}]" in _files(pid)]
    return holder


def _inode(local: int, remote: int) -> str:
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if [int(end.rpartition(":")[2], 16) for end in fields[1:3]] == [local, remote]:
            return fields[9]
    raise AssertionError(f"no connection from port {remote} to port {local}")


def _files(pid: int) -> set[str]:
    folder = f"/proc/{pid}/fd"
    found = set()
    for name in os.listdir(folder):
        try:
            found.add(os.readlink(f"{folder}/{name}"))
        except OSError:
            continue
    return found


def workers(service: Service) -> list[int]:
    """The two processes that answer, once both do."""
    seen: set[int] = set()

    def both() -> list[int]:
        seen.add(worker_of(service, service.connect()))
        return sorted(seen) if len(seen) == 2 else []

    found: list[int] = until(both, "both workers answer")
    return found


def of_one_service(service: Service) -> Pair:
    """The two workers of `plaudit serve --workers 2`."""
    pids = workers(service)

    def connect(place: int) -> Any:
        def right_one() -> Any:
            http = service.connect()
            return http if worker_of(service, http) == pids[place] else None

        return until(right_one, "a connection to that worker")

    return Pair([service], connect)


def of_two_services(services: list[Service]) -> Pair:
    """Two services, each on its own port."""
    return Pair(services, lambda place: services[place].connect())


@pytest.fixture(scope="module", params=["workers", "machines"])
def pair(
    request: pytest.FixtureRequest, postgres: PostgresServer, tmp_path_factory: Any
) -> Iterator[Pair]:
    url = postgres.new_database()
    folder = tmp_path_factory.mktemp("services")
    with ExitStack() as running:
        if request.param == "workers":
            service = running.enter_context(serving(url, folder, "--workers", "2"))
            yield of_one_service(service)
        else:
            open_store(url).close()
            two = [running.enter_context(serving(url, folder)) for _ in range(2)]
            yield of_two_services(two)
    postgres.drop_database(url)


def test_raters_vote_through_both(pair: Pair) -> None:
    name = pair.create()
    voters = [
        Voter(pair.services[0], contest=name, http=pair.connect(seed % 2), seed=seed, votes=60)
        for seed in range(6)
    ]
    for voter in voters:
        voter.start()
    finish(voters)
    check_acknowledged(pair.database, voters)
    assert pair.check_same(name)["votes"] == 6 * 60
    assert [voter.refused for voter in voters] == [{}] * 6


def at_once(*steps: Callable[[], Any]) -> list[Any]:
    """The results of steps that are all taken at the same moment."""
    together = threading.Barrier(len(steps))
    given: dict[int, Any] = {}

    def run(place: int, step: Callable[[], Any]) -> None:
        together.wait()
        given[place] = step()

    threads = [threading.Thread(target=run, args=(place, step)) for place, step in enumerate(steps)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [given[place] for place in range(len(steps))]


def test_a_vote_sent_to_both_at_once_counts_once(pair: Pair) -> None:
    name = pair.create()
    here, there = pair.connect(0), pair.connect(1)
    rater = Rater(pair.services[0], contest=name, http=here)
    for _ in range(4):
        rater.ask(10)
        assert len(rater.open) == 10
        for shown in list(rater.open):
            # The first vote stands, and both receipts have it: `vote` checks that.
            answers = at_once(
                lambda s=shown: rater.vote(s, 0, http=here),
                lambda s=shown: rater.vote(s, 2, http=there),
            )
            assert [answer.status_code for answer in answers] == [200, 200]
            assert answers[0].json()["level"] == answers[1].json()["level"]
    check_acknowledged(pair.database, [rater])
    assert pair.check_same(name)["votes"] == 40


def test_a_rater_who_moves_keeps_the_items_on_the_screen(pair: Pair) -> None:
    name = pair.create()
    rater = pair.rater(0, name)
    rater.ask(3)
    shown = rater.open
    holding = [each["ticket"] for each in shown]
    rater.ask(5, http=pair.connect(1), holding=holding)
    assert rater.open[:3] == shown
    assert len({each["item"] for each in rater.open}) == 5


def test_a_rater_who_moves_back_and_forth_sees_no_item_twice(pair: Pair) -> None:
    """Asks one worker and answers to the other, which alone learns the rater's number."""
    name = pair.create(items=12)
    rater = pair.rater(0, name)
    here, there = pair.connect(0), pair.connect(1)
    for _ in range(4):
        assert rater.ask(3, http=here).status_code == 200
        assert not {shown["item"] for shown in rater.open} & rater.acknowledged.keys()
        for shown in list(rater.open):
            rater.vote(shown, 1, http=there)
        pair.check_same(name)
    assert sorted(rater.acknowledged) == list(range(12))
    for http in (here, there):
        ended = rater.ask(3, http=http).json()
        assert (ended["answered"], ended["end"]["reason"]) == (12, "all_seen")


def test_a_rater_who_votes_at_both_at_once_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other worker's vote is folded while this one's is written: only the number links them."""
    database = str(tmp_path / "votes.db")
    create_contest(database, 12)
    with working(database, clock=now_ms) as here, working(database, clock=now_ms) as there:
        rater = here.new_rater()
        (first, early), (second, late) = here.ask(rater, 2).items
        append = here.store.append_answers

        def after_the_other(*given: Any) -> Any:
            there.answer(rater, early, 2)
            here.settled()
            return append(*given)

        monkeypatch.setattr(here.store, "append_answers", after_the_other)
        here.answer(rater, late, 0)
        asked = here.ask(rater, 10)
        assert asked.answered == 2
        assert not {item.number for item, _ in asked.items} & {first.number, second.number}


def test_a_step_of_the_editor_reaches_both(pair: Pair) -> None:
    name = pair.create()
    raters = [pair.rater(place, name) for place in (0, 1)]
    for step, status, code in (("pause", 409, "not_open"), ("open", 200, None)):
        command = ["contest", step, name, "--database", pair.database]
        subprocess.run([sys.executable, "-m", "plaudit", *command], check=True, capture_output=True)
        for rater in raters:
            until(lambda r=rater, s=status: r.ask().status_code == s, f"{step} is followed")
            assert rater.ask().json().get("error", {}).get("code") == code
    for rater in raters:
        assert rater.vote(rater.open[0], 1).status_code == 200
    check_acknowledged(pair.database, raters)
    assert pair.check_same(name)["state"] == "open"


def test_one_verdict_for_both(pair: Pair) -> None:
    name = pair.create(items=6, epsilon=0.2, delta=0.05)
    here = [pair.connect(place) for place in (0, 1)]
    raters: list[Rater] = []

    def vote_all(http: Any) -> str:
        rater = Rater(pair.services[0], contest=name, http=http)
        raters.append(rater)
        while True:
            asked = rater.ask(3).json()
            if asked["end"]:
                return str(asked["end"]["reason"])
            for shown in asked["items"]:
                rater.vote(shown, 2 if shown["item"] == 3 else 0)

    def until_decided(http: Any) -> None:
        while vote_all(http) != "decided":
            assert len(raters) < 400

    at_once(*(lambda h=http: until_decided(h) for http in here))
    entries = until(lambda: verdicts(pair.database, name), "the verdict is in the log")
    shown = pair.check_same(name)
    assert shown["lanes"][0]["decided"]
    assert shown["lanes"][0]["winners"] == [3]
    check_acknowledged(pair.database, raters)
    store = open_store(pair.database)
    assert len(store.certificates(name)) == len(entries) == 1
    store.close()


def test_two_who_reach_a_verdict_at_once_record_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = str(tmp_path / "votes.db")
    create_contest(database, 6, epsilon=0.2)
    both = threading.Barrier(2)
    with working(database, clock=now_ms) as here, working(database, clock=now_ms) as there:
        for worker in (here, there):
            append = worker.store.append_event

            def together(*given: Any, _append: Any = append, **named: Any) -> Any:
                both.wait(30)
                return _append(*given, **named)

            monkeypatch.setattr(worker.store, "append_event", together)
        while here.vote_once(here.new_rater(), lambda item: 2 if item == 3 else 0) is not None:
            pass
        for worker in (here, there):
            worker.until_decided()
    assert both.n_waiting == 0
    assert len(verdicts(database, NAME)) == 1


def verdicts(database: str, name: str) -> list[Any]:
    """The verdicts in a log."""
    store = open_store(database)
    try:
        return [entry for entry in store.events(name) if entry.kind == Kind.VERDICT]
    finally:
        store.close()


def vote_in_the_end(rater: Rater) -> None:
    """Votes; on a busy machine the service may say that it takes too long, and to try again."""
    while rater.vote(rater.open[0], 0).status_code == 503:
        time.sleep(0.05)


def test_a_transaction_held_open_hides_no_vote(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third writer keeps its group open while two go on; its votes come first for all."""
    name = pair.create()
    known = [pair.rater(place, name) for place in (0, 1)]
    for rater in known:
        rater.ask(3)
        assert rater.vote(rater.open[0], 2).status_code == 200
    position = pair.check_same(name)["position"]
    watching = [pair.connect(place) for place in (0, 1)]
    holding, go_on = threading.Event(), threading.Event()

    def hold(*_: Any) -> None:
        holding.set()
        assert go_on.wait(30)

    monkeypatch.setattr(appending, "check_open", hold)
    receipts: list[Receipt] = []
    held = threading.Thread(target=lambda: receipts.extend(write_group(pair.database, name)))
    held.start()
    assert holding.wait(30)
    voting_on = [
        threading.Thread(target=vote_in_the_end, args=(rater,), daemon=True) for rater in known
    ]
    for thread in voting_on:
        thread.start()
    for http in watching:
        # None of the votes is visible while the first group is open.
        for _ in range(20):
            assert results_at(http, position, contest=name)
            time.sleep(0.02)
    go_on.set()
    for thread in (held, *voting_on):
        thread.join()
    assert [receipt.position for receipt in receipts] == [position + 1, position + 2]
    assert [len(rater.acknowledged) for rater in known] == [2, 2]
    check_acknowledged(pair.database, known, more=2)
    assert pair.check_same(name)["votes"] == 6


def write_group(database: str, name: str) -> list[Receipt]:
    """Votes of a rater whom no service knows."""
    store = open_store(database)
    try:
        group = [Answer(Kind.VOTE, b"k" * 16, item, 1, 0, 1_000, 500) for item in (0, 1)]
        return store.append_answers(name, group).receipts
    finally:
        store.close()


def test_late_votes_leave_what_a_verdict_said(tmp_path: Path) -> None:
    """A worker that saw the verdict and one that starts later show the same."""
    database = str(tmp_path / "votes.db")
    create_contest(database, 6, epsilon=0.2)
    with working(database, clock=now_ms) as worker:
        late = [worker.new_rater() for _ in range(8)]
        tickets = [(rater, ticket) for rater in late for _, ticket in worker.ask(rater, 3).items]
        while worker.vote_once(worker.new_rater(), lambda item: 2 if item == 3 else 0) is not None:
            pass
        worker.until_decided()
        for rater, ticket in tickets:
            worker.answer(rater, ticket, 1)
        live = worker.settled()
        assert make_results(live.snapshot()) == make_results(
            load_contest(worker.store, NAME).snapshot()
        )


def test_a_locked_contest_makes_votes_wait(pair: Pair) -> None:
    """Another session holds the contest's row for some seconds."""
    name = pair.create()
    with (
        psycopg.connect(pair.database) as other,
        voting(pair.services[0], 3, contest=name, votes=40) as voters,
    ):
        until(lambda: acknowledged(voters) >= 30, "30 votes")
        other.execute("SELECT id FROM contests WHERE name = %s FOR UPDATE", [name])
        before = acknowledged(voters)
        time.sleep(2.0)
        assert acknowledged(voters) <= before + len(voters)
        other.rollback()
        finish(voters)
    check_acknowledged(pair.database, voters)
    assert pair.check_same(name)["votes"] == 3 * 40


def core_of(pid: int) -> set[int]:
    """The cores that the event loop of a worker may use, once it serves."""
    found = os.sched_getaffinity(pid)
    return found if len(found) == 1 else set()


@pytest.mark.skipif(len(os.sched_getaffinity(0)) != 2, reason="two workers fill two cores")
def test_each_of_as_many_workers_as_cores_keeps_to_one(postgres_url: str, tmp_path: Path) -> None:
    """Also one that takes the place of another."""
    create_contest(postgres_url)
    with serving(postgres_url, tmp_path, "--workers", "2") as service:
        killed, other = workers(service)
        kept = until(lambda: core_of(killed), "one core"), until(lambda: core_of(other), "another")
        assert kept[0] | kept[1] == os.sched_getaffinity(0)
        assert len(os.sched_getaffinity(scribe_of(service, [killed, other]))) == 2
        os.kill(killed, 9)
        (new,) = set(until(lambda: replaced(service, killed), "a new worker")) - {other}
        assert until(lambda: core_of(new), "the same core") == kept[0]


def test_workers_are_replaced_and_never_orphans(postgres_url: str, tmp_path: Path) -> None:
    create_contest(postgres_url)
    with serving(postgres_url, tmp_path, "--workers", "2") as service:
        killed, other = workers(service)
        with voting(service, 4, votes=100) as voters:
            until(lambda: acknowledged(voters) >= 60, "60 votes", pause=0.001)
            os.kill(killed, 9)
            finish(voters)
        check_acknowledged(postgres_url, voters)
        assert check_results(service)["votes"] == 4 * 100
        assert set(until(lambda: replaced(service, killed), "a new worker")) > {other}
        service.kill()
        until(lambda: service.processes == [], "the workers stop")


def scribe_of(service: Service, besides: list[int]) -> int:
    """The one process of a service that is neither its parent nor one of two workers."""

    def others() -> list[int]:
        found = [pid for pid in service.processes if pid not in (service.process.pid, *besides)]
        return [pid for pid in found if "resource_tracker" not in command_of(pid)]

    (found,) = until(lambda: others() if len(others()) == 1 else [], "there is one scribe")
    return int(found)


def command_of(pid: int) -> str:
    """The command line of a process."""
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")


def test_votes_go_on_without_the_scribe(postgres_url: str, tmp_path: Path) -> None:
    """It is killed, and its successor is stopped for some time, while votes are in flight."""
    create_contest(postgres_url)
    with serving(postgres_url, tmp_path, "--workers", "2") as service:
        serving_now = workers(service)
        first = scribe_of(service, serving_now)
        with voting(service, 4, votes=120) as voters:
            until(lambda: acknowledged(voters) >= 60, "60 votes", pause=0.001)
            os.kill(first, signal.SIGKILL)
            until(lambda: acknowledged(voters) >= 160, "votes without it", pause=0.001)
            second = until(lambda: other_than(first, service, serving_now), "another scribe")
            os.kill(second, signal.SIGSTOP)
            until(lambda: acknowledged(voters) >= 300, "votes past it", pause=0.001)
            os.kill(second, signal.SIGCONT)
            finish(voters)
        check_acknowledged(postgres_url, voters)
        assert check_results(service)["votes"] == 4 * 120
        assert workers(service) == serving_now


def other_than(killed: int, service: Service, besides: list[int]) -> int:
    """The scribe, if it is not the one that was killed."""
    found = scribe_of(service, besides)
    return 0 if found == killed else found


def replaced(service: Service, killed: int) -> list[int]:
    """The two workers that answer, if the one that was killed is not among them."""
    found = workers(service)
    return found if killed not in found else []
