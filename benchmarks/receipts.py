"""What receipts cost a vote: the same votes with and without them, in one run, in turn.

Each round sends the same number of new votes to each side; the order changes from round to round.
What counts is the processor time of the service: on a busy service it decides how many votes a
second there are. `signed` has receipts, as `plaudit serve` has; `plain` and `again` leave them out,
and their ratio shows the noise; `nothing` also makes no trees and no checkpoints.

The ratio drowns in the noise of a busy machine, so a worker without HTTP is timed too.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from benchmarks.before_after.serving import Server
from benchmarks.before_after.worker_tasks import Owner
from benchmarks.load import SECRET, make_contest, new_raters
from benchmarks.report import Report
from plaudit.proof.note import SigningKey
from plaudit.service.accounts.secret import Secret
from plaudit.service.clock import now_ms
from plaudit.service.live.recall import Recall
from plaudit.service.live.tickets import Ticket
from plaudit.service.live.worker import Worker
from plaudit.service.notary.leaves import Leaves
from plaudit.service.notary.notary import Notary
from plaudit.service.notary.receipts import give_receipts
from plaudit.store.contract import Appended, Receipt
from plaudit.store.log import Entry, packed

ITEMS = 1_000
EACH = 10
BAR = 1.05
# How many votes come at once: a quiet contest, a busy one, a full house.
GROUPS = (8, 64, 256)
CONNECTIONS = 64
HTTP_SIDES = ("signed", "plain", "again", "nothing")


def run(quick: bool = False) -> Report:
    """Measures the making alone, a worker alone, and the service over HTTP."""
    rounds, votes = (8, 640) if quick else (60, 1_280)
    report = Report("receipts", f"costs of {votes:,} votes a round, SQLite, {rounds} rounds")
    making = {at_once: _making(at_once) for at_once in GROUPS}
    for at_once, seconds in making.items():
        report.add(f"making a receipt, {at_once} at once", 1e6 * seconds, "µs")
    worker = _in_turn(_WorkerSide, ("signed", "plain"), rounds, votes, CONNECTIONS)
    added = _quick(worker["signed"]) - _quick(worker["plain"])
    report.add(f"what receipts add to a worker without HTTP, {CONNECTIONS} at once",
               1e6 * added, "µs")  # fmt: skip
    times = _in_turn(_HttpSide, HTTP_SIDES, rounds, votes, CONNECTIONS)
    plain = _quick(times["plain"] + times["again"])
    report.add(f"a vote over HTTP without receipt, {CONNECTIONS} at once", 1e6 * plain, "µs")
    report.at_most("what receipts add to a worker, over that vote", added / plain, BAR - 1.0)
    report.at_most("over HTTP: with receipts over without", _quick(times["signed"]) / plain, BAR)
    report.add("noise: without over without", _quick(times["again"]) / _quick(times["plain"]))
    report.add("over HTTP: with all proof over none",
               _quick(times["signed"]) / _quick(times["nothing"]))  # fmt: skip
    report.note(
        "Processor time of a vote, the mean of the quickest quarter of the rounds: noise only adds."
    )
    return report


def _quick(times: list[float]) -> float:
    return statistics.fmean(sorted(times)[: max(1, len(times) // 4)])


def _making(at_once: int) -> float:
    """The seconds of a receipt on its thread: the least of many attempts, as noise only adds."""
    key = SigningKey("plaudit-0123456789abcdef", b"k" * 32)
    entries = [Entry(1 + n, 1, now_ms(), n, n, 2, 0, 900, "") for n in range(at_once)]
    receipts = [Receipt(1 + n, 1, 2, n, True) for n in range(at_once)]
    appended, leaves = Appended(receipts, entries, b"", packed(entries)), Leaves(b"b" * 32)
    found = []
    for _ in range(200):
        began = time.thread_time()
        give_receipts(key, "bench", leaves, appended)
        found.append(time.thread_time() - began)
    return min(found) / at_once


def _in_turn(
    side: "type[_WorkerSide | _HttpSide]",
    names: tuple[str, ...],
    rounds: int,
    votes: int,
    at_once: int,
) -> dict[str, list[float]]:
    """The seconds of a vote, by side and round."""
    times: dict[str, list[float]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        sides = {name: opened.enter_context(closing(side(Path(folder), name))) for name in names}
        for turn in range(-1, rounds):
            start = turn % len(names)
            for name in names[start:] + names[:start]:
                taken = sides[name].seconds(votes, at_once, turn)
                if turn >= 0:
                    times[name].append(taken / votes)
    return times


class _Sides:
    """The secret and the time, as the tasks of `before_after` want them."""

    Worker = Worker
    now_ms = staticmethod(now_ms)

    @staticmethod
    def secret() -> Secret:
        return Secret(SECRET.encode())


class _WorkerSide:
    """A worker in this process. Its notary makes no trees, or it would work in another's turn."""

    def __init__(self, folder: Path, name: str) -> None:
        database = str(folder / f"{name}.db")
        make_contest(database, ITEMS)
        self._owner = Owner(_Sides, database)
        self._owner.worker.notary._look = lambda: None
        if name == "plain":
            self._owner.worker.writer._finish = lambda contest, appended: appended

    def seconds(self, votes: int, at_once: int, turn: int) -> float:
        owner = self._owner
        signed = _votes(votes, turn)
        for rater, _, _ in signed[: votes // EACH]:
            owner.worker.welcome(owner.live, rater)
        began = time.process_time()
        for first in range(0, votes, at_once):
            given: list[object] = []
            batch = signed[first : first + at_once]
            for rater, ticket, level in batch:
                memory = owner.worker.recall(owner.live, rater)
                assert not isinstance(memory, Recall)
                owner.worker.answer(
                    owner.live, rater, memory, kind=1, ticket=ticket, level=level,  # type: ignore[arg-type]
                    response_ms=900, done=given.append,
                )  # fmt: skip
            owner.run_until(lambda: len(given) == len(batch))  # noqa: B023
        return time.process_time() - began

    def close(self) -> None:
        self._owner.close()


class _HttpSide:
    """`plaudit serve` in a process of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        database = str(folder / f"{name}.db")
        make_contest(database, ITEMS)
        self._server = Server(
            database, plaudit=("-m", "benchmarks.receipts", name), connections=CONNECTIONS
        )

    def seconds(self, votes: int, at_once: int, turn: int) -> float:
        signer, _ = new_raters(0)
        requests = [
            self._server.post(
                "votes", signer.token(rater),
                f'{{"ticket":"{ticket}","level":{level},"response_ms":900}}',
            )
            for rater, ticket, level in _votes(votes, turn)
        ]  # fmt: skip
        self._server.reconnect()
        began = self._server.cpu()
        self._server.send_all(requests)
        return self._server.cpu() - began

    def close(self) -> None:
        self._server.close()


def _votes(count: int, turn: int) -> Sequence[tuple[object, str, int]]:
    """Raters, tickets and levels: ten votes by each new rater, who take turns as people do."""
    signer, raters = new_raters(count // EACH)
    now = now_ms()
    found = []
    for number in range(count):
        each, who = divmod(number, len(raters))
        rater = raters[who]
        item = (who * 7919 + each * 97 + turn) % ITEMS
        ticket = signer.ticket(rater.key, Ticket(item, 0, now))
        found.append((rater, ticket, (item + number) % 3))
    return found


def _leave_out(name: str) -> None:
    """Leaves out, in this process, what a side does not have."""
    if name != "signed":
        Notary.receipts = lambda self, contest, appended: appended  # type: ignore[method-assign]
    if name == "nothing":
        Notary._look = lambda self: None  # type: ignore[method-assign]


if __name__ == "__main__":
    # The service of one side: the name of the side, then the words of `plaudit`.
    from plaudit.cli import main

    _leave_out(sys.argv.pop(1))
    main()
