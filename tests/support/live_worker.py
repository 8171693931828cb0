"""A worker of the service without HTTP, for tests: contests in a store, and raters who vote."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from plaudit.service.accounts.secret import Secret
from plaudit.service.contest.settings import ContestSettings, Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.live.asking import Asked
from plaudit.service.live.recall import Recall
from plaudit.service.live.worker import Worker
from plaudit.store import open_store
from plaudit.store.contract import Item, Receipt, Store
from plaudit.store.log import NONE, Kind

NAME = "captions"
SECRET = Secret(b"a secret that only tests know.....")
FUNNY = (Level("Unfunny", 0.0), Level("Somewhat funny", 0.5), Level("Funny", 1.0))
START = 1_700_000_000_000


class Clock:
    """A clock that stands still until a test sets it."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now


def settings(**given: Any) -> ContestSettings:
    """Settings of a small contest."""
    plain: dict[str, Any] = {"title": "Captions", "scale": FUNNY, "lanes": (Lane("lil-klucb"),)}
    return ContestSettings(**(plain | {"epsilon": 0.1, "delta": 0.05} | given))


def create(store: Store, items: int = 12, *, clock: Clock | None = None, **given: Any) -> None:
    """An open contest with this many items."""
    texts = [Item(number, f"caption {number}") for number in range(items)]
    Desk(store, clock=clock or Clock()).create(NAME, settings(**given), texts, opened=True)


class WorkerUnderTest:
    """A worker whose owner's thread is whichever thread holds the lock."""

    def __init__(self, store: Store, clock: Callable[[], int], scribe: str = "") -> None:
        self._lock = threading.RLock()
        self.store = store
        self.worker = Worker(store, SECRET, post=self._post, clock=clock, scribe=scribe)
        self.worker.start()
        self.live = self.worker.get(NAME)

    def _post(self, work: Callable[..., Any], *given: Any) -> None:
        with self._lock:
            work(*given)

    def new_rater(self) -> RaterId:
        with self._lock:
            rater = self.worker.signer(NAME).new_rater()
            self.worker.welcome(self.live, rater)
            return rater

    def _memory(self, rater: RaterId) -> Any:
        found = self.worker.recall(self.live, rater)
        if isinstance(found, Recall):
            found.read()
            return found.remember()
        return found

    def ask(self, rater: RaterId, count: int = 1, **given: Any) -> Asked:
        with self._lock:
            memory = self._memory(rater)
            return self.worker.ask(self.live, rater, memory, count=count, **given)

    def answer(
        self, rater: RaterId, ticket: str, level: int = NONE, kind: Kind = Kind.VOTE
    ) -> Receipt:
        heard = threading.Event()
        outcome: list[Receipt | Exception] = []

        def done(result: Receipt | Exception) -> None:
            outcome.append(result)
            heard.set()

        with self._lock:
            self.worker.answer(
                self.live, rater, self._memory(rater),
                kind=kind, ticket=ticket, level=level, done=done,
            )  # fmt: skip
        assert heard.wait(20)
        if isinstance(outcome[0], Exception):
            raise outcome[0]
        return outcome[0]

    def vote_once(self, rater: RaterId, level_of: Callable[[int], int]) -> int | None:
        """Asks for an item and votes on it; None if there is none."""
        asked = self.ask(rater)
        if not asked.items:
            return None
        item, ticket = asked.items[0]
        self.answer(rater, ticket, level_of(item.number))
        return item.number

    def settled(self, position: int | None = None) -> Any:
        """The live contest once it has folded the whole log."""
        pause = threading.Event()
        for _ in range(400):
            wanted = self.store.contest(NAME).position if position is None else position
            with self._lock:
                if self.live.contest.position >= wanted:
                    return self.live
            self.worker.catch_up()
            pause.wait(0.02)
        raise AssertionError(f"stuck at {self.live.contest.position}, wanted {wanted}")

    def until_decided(self) -> None:
        """Waits until the verdict is in the log."""
        pause = threading.Event()
        for _ in range(400):
            with self._lock:
                if self.live.all_decided:
                    return
            pause.wait(0.02)
        raise AssertionError("no verdict")

    def close(self) -> None:
        self.worker.close()


@contextmanager
def working(
    database: str, clock: Callable[[], int] | None = None, scribe: str = ""
) -> Iterator[WorkerUnderTest]:
    """A worker on a database that has the contest."""
    store = open_store(database)
    worker = WorkerUnderTest(store, clock or Clock(), scribe)
    try:
        yield worker
    finally:
        worker.close()
        store.close()


def sent(worker: WorkerUnderTest, since: float, heard: Any) -> None:
    """A new rater's vote; `heard` is called with what becomes of it."""
    rater = worker.new_rater()
    _, ticket = worker.ask(rater).items[0]
    memory = worker.live.memories.get(rater.key)
    worker.worker.answer(
        worker.live, rater, memory, kind=Kind.VOTE, ticket=ticket, level=1, since=since, done=heard
    )
