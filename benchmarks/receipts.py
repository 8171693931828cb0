"""What receipts cost a vote: the same votes with and without them, in one run, in turn.

Each round sends the same number of new votes to each side, in an order that changes from round to
round; the services are launched several times, since a process is a little faster or slower than
another for as long as it lives. What counts is the processor time of the service: on a busy service
it decides how many votes a second there are. `signed` has receipts, as `plaudit serve` has; `plain`
and `again` leave them out, and their ratio shows the noise; `nothing` also makes no trees and no
checkpoints.

A leaf is hashed once: for its receipt, or without receipts when the tree grows, up to a minute
later. So on each side a round lasts until the tree has grown, and the notary looks often.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.before_after.ratios import Ratio, ratio_of
from benchmarks.before_after.serving import Server
from benchmarks.before_after.worker_tasks import Owner
from benchmarks.load import SECRET, make_contest, new_raters
from benchmarks.report import Report, Row
from plaudit.proof.note import SigningKey
from plaudit.service.accounts.secret import Secret
from plaudit.service.clock import now_ms
from plaudit.service.live.recall import Recall
from plaudit.service.live.tickets import Ticket
from plaudit.service.live.worker import Worker
from plaudit.service.notary import notary
from plaudit.service.notary.leaves import Leaves
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
# The notary of a measured service looks so often, and a round waits so long for it.
LOOK_SECONDS, SETTLE_SECONDS = 0.05, 0.15
# Seconds of processor and wall: launch, round, side, clock.
Times = NDArray[np.float64]


def run(quick: bool = False) -> Report:
    """Measures the making alone, a worker alone, and the service over HTTP."""
    launches, rounds, votes = (1, 8, 640) if quick else (5, 24, 1_280)
    told = f"{votes:,} votes a round, SQLite, {launches} times {rounds} rounds"
    report = Report("receipts", f"costs of {told}")
    making = {at_once: _making(at_once) for at_once in GROUPS}
    for at_once, seconds in making.items():
        report.add(f"making a receipt, {at_once} at once", 1e6 * seconds, "µs")
    worker = _launched(_WorkerSide, ("signed", "plain"), launches, rounds, votes)[..., 0]
    added = float(np.median(worker[..., 0] - worker[..., 1]))
    report.add(f"what receipts add to a worker without HTTP, {CONNECTIONS} at once",
               1e6 * added, "µs")  # fmt: skip
    times = _launched(_HttpSide, HTTP_SIDES, launches, rounds, votes)
    signed, plain, again, nothing = (times[..., side, 0] for side in range(4))
    vote = float(np.median(plain))
    report.add(f"a vote over HTTP without receipt, {CONNECTIONS} at once", 1e6 * vote, "µs")
    report.at_most("what receipts add to a worker, over that vote", added / vote, BAR - 1.0)
    noise = ratio_of(again, plain)
    _add(report, "over HTTP: with receipts over without", ratio_of(signed, plain), noise)
    _add(report, "over HTTP: the same in the quickest quarter", _quick_ratio(signed, plain))
    wall = ratio_of(times[..., 0, 1], times[..., 1, 1])
    _add(report, "over HTTP: the same, by the clock on the wall", wall)
    _add(report, "noise: without over without", noise)
    _add(report, "over HTTP: with all proof over none", ratio_of(signed, nothing))
    report.note(
        "Processor time of a vote, medians of all rounds; in brackets 95 % of resampled rounds."
    )
    return report


def _add(report: Report, what: str, ratio: Ratio, noise: Ratio | None = None) -> None:
    """A ratio with its interval; with the noise given, it must stay below the bar."""
    asked, holds = "", None
    if noise is not None:
        asked, surely = f"at most {BAR}", ratio.low > BAR and ratio.value > noise.high
        holds = True if ratio.high <= BAR else False if surely else None
    remark = f"({ratio.low:.3f} to {ratio.high:.3f})"
    report.rows.append(Row(what, ratio.value, asked=asked, holds=holds, remark=remark))


def _quick_ratio(above: Times, below: Times) -> Ratio:
    """The ratio of what the quickest quarter of the rounds took: noise only adds."""
    quick = [np.sort(times, axis=1)[:, : max(1, times.shape[1] // 4)] for times in (above, below)]
    return ratio_of(*quick)


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


def _launched(
    side: "type[_WorkerSide | _HttpSide]",
    names: tuple[str, ...],
    launches: int,
    rounds: int,
    votes: int,
) -> Times:
    """The seconds of a vote: launch, round, side, clock."""
    return np.array([_in_turn(side, names, rounds, votes) for _ in range(launches)]) / votes


def _in_turn(
    side: "type[_WorkerSide | _HttpSide]", names: tuple[str, ...], rounds: int, votes: int
) -> Times:
    """The seconds of all rounds; the first warms up and does not count."""
    times = np.empty((rounds + 1, len(names), 2))
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        sides = [opened.enter_context(closing(side(Path(folder), name))) for name in names]
        for turn in range(rounds + 1):
            for step in range(len(names)):
                place = (turn + step if turn % 2 else turn - step) % len(names)
                times[turn, place] = sides[place].seconds(votes, turn)
    return times[1:]


class _Sides:
    """The secret and the time, as the tasks of `before_after` want them."""

    Worker = Worker
    now_ms = staticmethod(now_ms)

    @staticmethod
    def secret() -> Secret:
        return Secret(SECRET.encode())


class _WorkerSide:
    """A worker in this process. Its tree grows at the end of a round."""

    def __init__(self, folder: Path, name: str) -> None:
        # Its own thread would work in another's turn.
        notary.POLL_SECONDS = 3600.0
        database = str(folder / f"{name}.db")
        make_contest(database, ITEMS)
        self._owner = Owner(_Sides, database)
        if name == "plain":
            self._owner.worker.writer._finish = lambda contest, appended: appended

    def seconds(self, votes: int, turn: int) -> tuple[float, float]:
        owner = self._owner
        signed = _votes(votes, turn)
        for rater, _, _ in signed[: votes // EACH]:
            owner.worker.welcome(owner.live, rater)
        began, since = time.process_time(), time.perf_counter()
        for first in range(0, votes, CONNECTIONS):
            given: list[object] = []
            batch = signed[first : first + CONNECTIONS]
            for rater, ticket, level in batch:
                memory = owner.worker.recall(owner.live, rater)
                assert not isinstance(memory, Recall)
                owner.worker.answer(
                    owner.live, rater, memory, kind=1, ticket=ticket, level=level,  # type: ignore[arg-type]
                    response_ms=900, done=given.append,
                )  # fmt: skip
            owner.run_until(lambda: len(given) == len(batch))  # noqa: B023
        owner.worker.notary._look()
        return time.process_time() - began, time.perf_counter() - since

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

    def seconds(self, votes: int, turn: int) -> tuple[float, float]:
        signer, _ = new_raters(0)
        requests = [
            self._server.post(
                "votes", signer.token(rater),
                f'{{"ticket":"{ticket}","level":{level},"response_ms":900}}',
            )
            for rater, ticket, level in _votes(votes, turn)
        ]  # fmt: skip
        self._server.reconnect()
        began, since = self._server.cpu(), time.perf_counter()
        self._server.send_all(requests)
        wall = time.perf_counter() - since
        time.sleep(SETTLE_SECONDS)
        return self._server.cpu() - began, wall

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
    notary.POLL_SECONDS = LOOK_SECONDS
    if name != "signed":
        notary.Notary.receipts = lambda self, contest, appended: appended  # type: ignore[method-assign]
    if name == "nothing":
        notary.Notary._look = lambda self: None  # type: ignore[method-assign]


if __name__ == "__main__":
    # The service of one side: the name of the side, then the words of `plaudit`.
    from plaudit.cli import main

    _leave_out(sys.argv.pop(1))
    main()
