"""Tasks on a worker in this process: votes, asks, updates of the dashboard, results, starts."""

import queue
import resource
from collections.abc import Callable
from typing import Any

from benchmarks.before_after.content import CONTEST, ITEMS
from benchmarks.before_after.serving import Server
from benchmarks.before_after.task import (
    ASKS_A_RATER,
    AT_ONCE,
    RATERS_A_ROUND,
    VOTES_A_ROUND,
    Task,
)
from plaudit.store import open_store


class Owner:
    """A worker whose owner is this thread."""

    def __init__(self, side: Any, database: str) -> None:
        self.now = side.now_ms()
        self.posted: queue.SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...]]]
        self.posted = queue.SimpleQueue()
        self.store = open_store(database)
        self.worker = side.Worker(
            self.store, side.secret(), post=lambda do, *given: self.posted.put((do, given)),
            clock=lambda: self.now,
        )  # fmt: skip
        self.worker.start()
        self.live = self.worker.get(CONTEST)

    def run_until(self, is_done: Callable[[], bool]) -> None:
        """Does what the worker's threads post until something is so."""
        while not is_done():
            do, given = self.posted.get()
            do(*given)

    def close(self) -> None:
        """Ends the worker's threads."""
        self.worker.close()
        self.store.close()


class WithWorker(Task):
    """A task on a running worker."""

    def begin(self) -> None:
        self.owner = Owner(self.side, self.copied())
        self.signer = self.side.signer()

    def close(self) -> None:
        self.owner.close()

    def signed_votes(self, count: int) -> list[tuple[Any, str, int]]:
        """Raters, tickets and levels: ten votes by each new rater."""
        votes = []
        raters = [self.signer.new_rater() for _ in range(count // 10)]
        for rater in raters:
            self.owner.worker.welcome(self.owner.live, rater)
        for number in range(count):
            rater = raters[number // 10]
            item = (number // 10 * 7919 + number % 10 * 97 + self.turn) % ITEMS
            ticket = self.side.Ticket(item, 0, self.owner.now)
            votes.append((rater, self.signer.ticket(rater.key, ticket), (item + number) % 3))
        return votes

    def send(self, votes: list[tuple[Any, str, int]]) -> None:
        """Gives the votes and waits until all are in the log and folded."""
        owner, receipts = self.owner, list[Any]()
        for rater, ticket, level in votes:
            memory = self.side.recall(owner.worker, owner.live, rater)
            owner.worker.answer(
                owner.live, rater, memory, kind=1, ticket=ticket, level=level, response_ms=900,
                done=receipts.append,
            )  # fmt: skip
        owner.run_until(lambda: len(receipts) == len(votes))
        wrong = [receipt for receipt in receipts if isinstance(receipt, Exception)]
        if wrong:
            raise wrong[0]


class Vote(WithWorker):
    """Durable votes: ticket, writer, SQLite, fold."""

    def prepare(self) -> None:
        self.owner.now += 1_000
        self.votes = self.signed_votes(VOTES_A_ROUND)

    def act(self) -> None:
        for first in range(0, VOTES_A_ROUND, AT_ONCE):
            self.send(self.votes[first : first + AT_ONCE])


class Ask(WithWorker):
    """Asks of new raters, each for one item more than before."""

    def prepare(self) -> None:
        # Later than asks are pending for, so that rounds are alike.
        self.owner.now += 180_000
        self.raters = [self.signer.new_rater() for _ in range(RATERS_A_ROUND)]
        for rater in self.raters:
            self.owner.worker.welcome(self.owner.live, rater)

    def act(self) -> None:
        owner = self.owner
        for count in range(1, ASKS_A_RATER + 1):
            for rater in self.raters:
                memory = self.side.recall(owner.worker, owner.live, rater)
                asked = owner.worker.ask(owner.live, rater, memory, count=count)
                assert len(asked.items) == count


class Dashboard(WithWorker):
    """An update of the dashboard, computed and rendered, after a few more votes."""

    def begin(self) -> None:
        super().begin()
        self.dashboard = self.side.Dashboard(self.owner.store)
        self.dashboard.update(self.owner.live)

    def prepare(self) -> None:
        self.send(self.signed_votes(AT_ONCE))

    def act(self) -> None:
        self.dashboard.update(self.owner.live)


class Results(WithWorker):
    """The public results, computed after a few more votes."""

    def prepare(self) -> None:
        self.send(self.signed_votes(AT_ONCE))

    def act(self) -> None:
        self.side.results(self.owner.live)


class StartFromLog(Task):
    """A worker starts and reads the whole log."""

    def prepare(self) -> None:
        self.database = self.copied()

    def act(self) -> None:
        Owner(self.side, self.database).close()


class StartFromSnapshot(Task):
    """A worker starts where the log was read before."""

    def begin(self) -> None:
        self.database = self.copied()
        owner = Owner(self.side, self.database)
        self.side.keep_snapshot(owner.store, owner.live)
        owner.close()

    def act(self) -> None:
        Owner(self.side, self.database).close()


class StartProcess(StartFromSnapshot):
    """`plaudit serve` starts, answers and stops, as a process of its own."""

    def act(self) -> None:
        Server(self.database).close()

    def cpu(self) -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
