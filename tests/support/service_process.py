"""`plaudit serve` as a real process, raters who vote over HTTP, and what must hold afterwards."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest

from plaudit.service.accounts.secret import Secret
from plaudit.service.desk.desk import Desk
from plaudit.service.live.loading import load_contest
from plaudit.service.live.tickets import Signer
from plaudit.service.watch.results import make_results
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.store.log import ANSWERS, Entry
from plaudit.store.suite.samples import check_log
from support.live_worker import NAME, settings

SECRET = "a secret for the tests of whole services"
# Long enough for anything but a service that hangs.
PATIENCE_SECONDS = 60.0
# The first start on a machine compiles.
START_SECONDS = 300.0
NO_CONNECTION = (0, "no_connection")


def until(
    happened: Callable[[], Any],
    what: str,
    *,
    pause: float = 0.02,
    seconds: float = PATIENCE_SECONDS,
) -> Any:
    """Waits until `happened` returns something true, and returns it; fails if it never does."""
    give_up = time.monotonic() + seconds
    while not (found := happened()):
        if time.monotonic() > give_up:
            pytest.fail(f"it did not happen in {seconds:g} seconds: {what}")
        time.sleep(pause)
    return found


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def create_contest(database: str, items: int = 400, *, name: str = NAME, **given: Any) -> None:
    """An open contest that some thousand random votes do not decide."""
    texts = [Item(number, f"caption {number}") for number in range(items)]
    store = open_store(database)
    try:
        wanted = settings(**({"epsilon": 0.01} | given))
        Desk(store).create(name, wanted, texts, opened=True)
    finally:
        store.close()


class Service:
    """`plaudit serve` on its own port; it can be killed and started again."""

    def __init__(self, database: str, folder: Path, *options: str) -> None:
        self.database = database
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = folder / f"log-{self.port}.txt"
        self._options = options
        self._mark = f"PLAUDIT_TEST={uuid.uuid4().hex}"
        self._connections = ExitStack()
        self.process: Any = None

    def connect(self) -> Any:
        """A new connection, open for as long as the service is used."""
        # Several raters may share it, so it must not keep cookies.
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
        http = httpx2.Client(base_url=self.url, timeout=30.0, cookies=no_cookies, verify=False)
        return self._connections.enter_context(http)

    def start(self, *more: str) -> None:
        """Starts the process, and returns when it is ready."""
        self.launch(*more)
        self.until_ready()

    def until_ready(self) -> None:
        """Returns when the service is ready."""
        until(self._is_ready, "the service is ready", pause=0.05, seconds=START_SECONDS)

    def launch(self, *more: str) -> None:
        """Starts the process, and returns at once."""
        command = [sys.executable, "-m", "plaudit", "serve", "--database", self.database]
        limits = ["--port", str(self.port), "--rater-rate", "", "--address-rate", ""]
        with self._log.open("a") as log:
            self.process = subprocess.Popen(
                [*command, *limits, *self._options, *more],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | {"PLAUDIT_SECRET": SECRET} | dict([self._mark.split("=")]),
                start_new_session=True,
            )

    def _is_ready(self) -> bool:
        if self.process.poll() is not None:
            pytest.fail(f"the service did not start:\n{self.log}")
        with suppress(httpx2.TransportError):
            # Without `verify` no certificates are read, which takes longer than the answer.
            answer = httpx2.get(f"{self.url}/readyz", timeout=30, verify=False)
            return bool(answer.status_code == 200)
        return False

    @property
    def log(self) -> str:
        """What the processes printed so far."""
        return self._log.read_text()

    def kill(self) -> None:
        """Kills the process, but none of the processes that it started."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Asks the process to stop; returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return int(self.process.wait(timeout=PATIENCE_SECONDS))

    @property
    def processes(self) -> list[int]:
        """The processes that are left of the service and all that it started, in any session."""
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        return [pid for pid in pids if self._mark.encode() in _environment(pid)]

    def end(self) -> None:
        """Ends whatever is left."""
        self._connections.close()
        if self.process is not None:
            for pid in self.processes:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.wait()


def _environment(pid: int) -> list[bytes]:
    """The environment of a process; empty if it is gone or belongs to another user."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


@contextmanager
def serving(database: str, folder: Path, *options: str) -> Iterator[Service]:
    """A service that runs until the block ends."""
    service = Service(database, folder, *options)
    try:
        service.start()
        yield service
    finally:
        service.end()


class Rater:
    """One rater over HTTP: what they asked for, and what was acknowledged, by item."""

    def __init__(self, service: Service, *, contest: str = NAME, http: Any = None) -> None:
        self.acknowledged: dict[int, int] = {}
        self.open: list[dict[str, Any]] = []
        self.contest = contest
        self._http = http or service.connect()
        self._token = ""

    def post(self, path: str, body: dict[str, Any], *, http: Any = None) -> Any:
        """The response, whatever it is."""
        headers = {"x-plaudit-rater": self.token}
        path = f"/api/v1/contests/{self.contest}{path}"
        return (http or self._http).post(path, json=body, headers=headers)

    @property
    def token(self) -> str:
        """Who the rater is; made at first use."""
        if not self._token:
            made = self._http.post(f"/api/v1/contests/{self.contest}/raters", json={})
            self._token = str(made.json()["rater"])
        return self._token

    @property
    def key(self) -> bytes:
        """The rater's key in the log."""
        rater = Signer(Secret(SECRET.encode()), self.contest).rater(self.token)
        assert rater is not None
        return rater.key

    def ask(self, count: int = 3, *, http: Any = None, **more: Any) -> Any:
        """Asks for items, and notes them as open."""
        response = self.post("/ask", {"count": count, **more}, http=http)
        if response.status_code == 200:
            self.open = response.json()["items"]
        return response

    def vote(self, shown: dict[str, Any], level: int, *, http: Any = None) -> Any:
        """Votes, and notes what was acknowledged."""
        response = self.post("/votes", {"ticket": shown["ticket"], "level": level}, http=http)
        if response.status_code == 200:
            self.note(response.json())
        return response

    def note(self, answer: dict[str, Any]) -> None:
        """Notes an acknowledgement; an earlier one for the same item must say the same."""
        item, level = answer["item"], answer["level"]
        assert self.acknowledged.setdefault(item, level) == level
        self.open = [shown for shown in self.open if shown["item"] != item]


class Voter(Rater, threading.Thread):
    """A rater in a thread, who votes until enough votes are acknowledged, or until `leave`.

    A vote that fails is sent again, each time with another level: only the log can tell which
    of them stands.
    """

    def __init__(self, service: Service, *, seed: int, votes: int = 10**6, **given: Any) -> None:
        Rater.__init__(self, service, **given)
        threading.Thread.__init__(self, name=f"voter-{seed}", daemon=True)
        self.votes = votes
        self.refused: Counter[tuple[int, str]] = Counter()
        self.error: BaseException | None = None
        self._random = np.random.default_rng(seed)
        self._leave = threading.Event()

    def leave(self) -> None:
        """Stops after the current request."""
        self._leave.set()

    def run(self) -> None:
        """Asks and votes."""
        try:
            while len(self.acknowledged) < self.votes and not self._leave.is_set():
                try:
                    self._go_on()
                except httpx2.TransportError:
                    self.refused[NO_CONNECTION] += 1
                    self._leave.wait(0.05)
        except BaseException as error:  # for `finish`, which raises it in the test's thread
            self.error = error

    def _go_on(self) -> None:
        if self.open:
            response = self.vote(self.open[0], int(self._random.integers(3)))
        else:
            response = self.ask()
        if response.status_code != 200:
            self.refused[response.status_code, response.json()["error"]["code"]] += 1
            self._leave.wait(0.05)


@contextmanager
def voting(service: Service, raters: int, **given: Any) -> Iterator[list[Voter]]:
    """Raters who vote at the same time; they leave when the block ends."""
    voters = [Voter(service, seed=seed, **given) for seed in range(raters)]
    for voter in voters:
        voter.start()
    try:
        yield voters
    finally:
        for voter in voters:
            voter.leave()
        for voter in voters:
            voter.join(PATIENCE_SECONDS)


def finish(voters: Iterable[Voter]) -> None:
    """Waits until all votes of all voters are acknowledged, including repeated ones."""
    for voter in voters:
        voter.join(PATIENCE_SECONDS)
        if voter.error is not None:
            raise voter.error
        assert not voter.is_alive(), f"{voter.name} is stuck at {len(voter.acknowledged)} votes"


def acknowledged(raters: Iterable[Rater]) -> int:
    """How many votes were acknowledged so far; raises the error of a voter who stopped on one."""
    raters = list(raters)
    for rater in raters:
        if isinstance(rater, Voter) and rater.error is not None:
            raise rater.error
    return sum(len(rater.acknowledged) for rater in raters)


def check_acknowledged(database: str, raters: Iterable[Rater], *, more: int = 0) -> list[Entry]:
    """The log, after checking that it is sound and has every acknowledged vote once.

    It may have at most `more` other votes, which were written but not acknowledged.
    """
    raters = list(raters)
    contest = raters[0].contest
    store = open_store(database)
    try:
        entries = check_log(store, contest)
        numbers = {rater.key: rater.number for rater in store.raters(contest)}
    finally:
        store.close()
    votes = {(each.rater, each.item): each.level for each in entries if each.kind in ANSWERS}
    for rater in raters:
        for item, level in list(rater.acknowledged.items()):
            assert votes.pop((numbers[rater.key], item)) == level
    assert len(votes) <= more, f"these votes were not acknowledged: {votes}"
    return entries


def check_results(service: Service, *, contest: str = NAME, http: Any = None) -> dict[str, Any]:
    """The results of the service once it has folded the log; checks that a fresh start agrees."""
    store = open_store(service.database)
    try:
        position = store.contest(contest).position
        expected = json.loads(
            json.dumps(make_results(load_contest(store, contest).snapshot()), default=str)
        )
    finally:
        store.close()
    http = http or service.connect()
    shown = until(lambda: results_at(http, position, contest=contest), f"position {position}")
    differing = {key for key in expected if shown[key] != expected[key]}
    assert shown == expected, [(shown[key], expected[key]) for key in differing]
    return expected


def results_at(http: Any, position: int, *, contest: str = NAME) -> dict[str, Any] | None:
    """The results if they are of this position; None if they are older."""
    response = http.get(f"/api/v1/contests/{contest}/results", params={"limit": 100})
    shown: dict[str, Any] = response.json()
    assert shown["position"] <= position
    assert response.headers["etag"].startswith(f'"{shown["position"]}-')
    return shown if shown["position"] == position else None
