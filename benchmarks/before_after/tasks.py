"""What is measured: each task prepares a round, and then acts once in it.

A task has `prepare` (not measured), `act` (measured), `cpu` (the processor's seconds so far) and
`close`. Tasks know Plaudit by the names of a side, `before` or `after`, alone.
"""

import queue
import resource
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.before_after.content import CONTEST, ITEMS, make_database, new_answers
from benchmarks.before_after.serving import Server
from plaudit import Race
from plaudit.store import open_store

VOTES_A_ROUND = 500
# So many votes are on their way at once: one group of the writer's.
AT_ONCE = 20
ASKS_A_RATER = 5
RATERS_A_ROUND = 100


class Task:
    """A task in this process; `folder` has the side's database and takes its copies."""

    def __init__(self, side: Any, folder: Path, url: str) -> None:
        self.side, self.folder, self.url = side, folder, url
        self.turn = 0
        self.begin()

    def begin(self) -> None:
        """Makes what all rounds need."""

    def prepare(self) -> None:
        """Makes what the next round needs."""

    def act(self) -> None:
        """Does what is measured."""

    def cpu(self) -> float:
        """Seconds of the processor so far."""
        return time.process_time()

    def close(self) -> None:
        """Lets go of everything."""

    def copied(self) -> str:
        """A copy of the side's database, as it was made."""
        copy = self.folder / f"copy-{type(self).__name__}.db"
        for old in self.folder.glob(copy.name + "*"):
            old.unlink()
        shutil.copy(self.folder / "base.db", copy)
        return str(copy)


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
        self.side.make_results(self.owner.live)


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


class SqliteAppend(Task):
    """Groups of answers are appended to a log."""

    def begin(self) -> None:
        self.store = open_store(self.copied())

    def prepare(self) -> None:
        self.answers = new_answers(self.turn, VOTES_A_ROUND, self.side.now_ms())

    def act(self) -> None:
        for first in range(0, VOTES_A_ROUND, AT_ONCE):
            self.store.append_answers(CONTEST, self.answers[first : first + AT_ONCE])

    def close(self) -> None:
        self.store.close()


class SqliteRead(SqliteAppend):
    """Two pages of entries are read from a log."""

    def prepare(self) -> None:
        """Nothing: a round reads what is there."""

    def act(self) -> None:
        for after in (0, 5_000):
            assert len(self.store.entries(CONTEST, after=after)) == 10_000


class OnPostgres(Task):
    """A task whose store is on PostgreSQL."""

    def begin(self) -> None:
        make_database(self.side, self.url, 20_000)
        self.store = open_store(self.url)


class PostgresAppend(OnPostgres, SqliteAppend):
    """The same on PostgreSQL."""


class PostgresRead(OnPostgres, SqliteRead):
    """The same on PostgreSQL."""


class RaceTell(Task):
    """A race is told votes one by one."""

    def begin(self) -> None:
        self.race = Race(ITEMS, seed=0)

    def act(self) -> None:
        tell = self.race.tell
        for number in range(5_000):
            tell(number * 97 % ITEMS, number % 2)


class RaceAsk(RaceTell):
    """A race is asked which items to show, and told about some of them."""

    def begin(self) -> None:
        super().begin()
        for number in range(5_000):
            self.race.tell(number * 97 % ITEMS, number % 2)

    def act(self) -> None:
        for number in range(500):
            for item in self.race.ask(2):
                self.race.tell(item, number % 2)


class OverHttp(Task):
    """Requests to `plaudit serve`, which runs as a process of its own."""

    requests: Sequence[bytes] = ()

    def begin(self) -> None:
        self.server = Server(self.copied())
        self.signer = self.side.signer()

    def cpu(self) -> float:
        return self.server.cpu()

    def act(self) -> None:
        self.server.send_all(self.requests)

    def close(self) -> None:
        self.server.close()


class HttpVote(OverHttp):
    """Durable votes over HTTP, by raters whom the store is asked about first."""

    def prepare(self) -> None:
        requests, now = [], self.side.now_ms()
        for number in range(VOTES_A_ROUND // 2 // 10):
            rater = self.signer.new_rater()
            for turn in range(10):
                item = (number * 7919 + turn * 97 + self.turn) % ITEMS
                ticket = self.signer.ticket(rater.key, self.side.Ticket(item, 0, now))
                body = f'{{"ticket":"{ticket}","level":{number % 3},"response_ms":900}}'
                requests.append(self.server.post("votes", self.signer.token(rater), body))
        self.requests = requests


class HttpAsk(OverHttp):
    """Asks over HTTP, each for one item more than before."""

    def prepare(self) -> None:
        raters = [self.signer.token(self.signer.new_rater()) for _ in range(RATERS_A_ROUND // 2)]
        self.requests = [
            self.server.post("ask", token, f'{{"count":{count}}}')
            for count in range(1, ASKS_A_RATER + 1)
            for token in raters
        ]


class HttpResults(OverHttp):
    """Results over HTTP; most come from those made a moment before."""

    def prepare(self) -> None:
        self.requests = [self.server.get("results")] * (VOTES_A_ROUND // 2)
