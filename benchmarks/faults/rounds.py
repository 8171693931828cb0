"""One round: a new database, a service under load, some dozens of faults, and the final check."""

import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import psycopg

from benchmarks.faults import armed, final
from benchmarks.faults.checker import BACK_SECONDS
from benchmarks.faults.contests import Contests
from benchmarks.faults.databases import Database, until
from benchmarks.faults.kinds import Faults, Missed
from benchmarks.faults.plan import Planned, plan
from benchmarks.faults.raters import Board, Onlooker, Rater
from benchmarks.faults.records import Began, Closed, Fault, History, Trouble
from benchmarks.faults.service import Service, free_port
from benchmarks.faults.zygote import Zygote
from plaudit.errors import StoreUnavailable
from plaudit.store import open_store

RATERS = 12
START_SECONDS = 120.0
# After so many faults all is compared with a replay while the raters wait.
COMPARE_EVERY = 10
FRESH_SHARE = 0.03
FAULTS_A_ROUND = 40
AT_VERDICT = "kill at a verdict"
# The last fault of a round. No restart follows, and every rater must get on with what they hold.
LAST = Planned("clock jump", 1.0, "", 0.999, hasty=False, pause=0.0)


class Options(NamedTuple):
    """What to run."""

    engine: str
    workers: int
    seed: int


class Round:
    """The parts of a round, from its start to its end."""

    def __init__(
        self, number: int, options: Options, database: Database, folder: Path, history: History
    ) -> None:
        self.number, self.options = number, options
        self._database, self._history = database, history
        self._folder = folder
        armed.set_clock(folder, 0.0)
        self.url = database.new_database()
        self._contests = Contests(self.url, folder, options.seed + number)
        self._pending: list[tuple[str, float, float, str]] = []
        self._known: set[str] = set()
        self.board = Board()

    def play(self, zygote: Zygote, faults: int, *, until_time: float) -> None:
        """Lets the faults happen, in turn; stops early at a time."""
        o = self.options
        now, small = time.monotonic(), self._database.disk.is_small
        self._history.add(Began(self.number, o.engine, o.workers, o.seed, faults, now, small))
        chance = random.Random(f"fresh {o.seed} {self.number}")
        self.service = Service(
            zygote, self._folder, self.url, self._history, port=free_port(), workers=o.workers,
            away=self._database.away.since, is_fresh=lambda: chance.random() < FRESH_SHARE,
        )  # fmt: skip
        zygote.ended = self.service.ended
        self._begun()
        self._faults = Faults(self.service, self._database)
        try:
            for place, planned in enumerate(islice(plan(o.seed, self.number, o.engine), faults), 1):
                if time.monotonic() > until_time:
                    break
                self._one(planned)
                if place % COMPARE_EVERY == 0:
                    self._compare(self._contests.latest())
            self._contests.disarm()
            self._one(LAST)
            self._finish()
        finally:
            self._close()
        self.service.note_connections()
        self._history.add(self._closed())

    def _closed(self) -> Closed:
        log = self.service.log.read_text(errors="replace") if self.service.log.exists() else ""
        starts = (self.service.starts, self.service.fresh_starts)
        return Closed(time.monotonic(), *starts, self.board.cuts, log.count("Traceback"))

    def _begun(self) -> None:
        self.service.start()
        if not until(self.service.is_ready, START_SECONDS, pause=0.1):
            raise SystemExit(f"The service did not start:\n{self.service.log.read_text()}")
        port, seed = self.service.port, self.options.seed + 1000 * self.number
        self._raters = [
            Rater(place, port, self._contests, self._history, self.board, seed)
            for place in range(RATERS)
        ]
        self._onlooker = Onlooker(port, self._contests, self._history)
        for thread in (self._contests, self._onlooker, *self._raters):
            thread.start()
        until(lambda: len(self.board.acknowledged) > 2 * RATERS, START_SECONDS)

    def _one(self, planned: Planned) -> None:
        """One fault, and what follows it."""
        kind = planned.kind + (" + " + planned.nested if planned.nested else "")
        began = time.monotonic()
        try:
            detail = self._faults.do(planned)
        except (Missed, sqlite3.Error, psycopg.Error):
            return  # nothing passed the point, or the database did not let the fault in
        ended = time.monotonic()
        self._note_points()
        if not planned.hasty:
            self._wait_back(ended)
        self._pending.append((kind, began, ended, detail))
        self._note_back()
        time.sleep(planned.pause)

    def _wait_back(self, ended: float) -> None:
        self._note_ready(until(lambda: self.board.first_after(ended) is not None, BACK_SECONDS))

    def _note_ready(self, back: bool) -> None:
        if back:
            self.service.note_ready()

    def _note_back(self, *, last: bool = False) -> None:
        """Records the faults after which a vote was taken; all of them if this is the end."""
        for given in list(self._pending):
            kind, began, ended, detail = given
            back = self.board.first_after(ended)
            if back is None and not last and time.monotonic() < ended + BACK_SECONDS:
                continue
            gap = -1.0 if back is None else self.board.gap(began, back)
            self._history.add(
                Fault(kind, began, ended, -1.0 if back is None else back, gap, detail)
            )
            self._pending.remove(given)

    def _note_points(self) -> None:
        """Kills at verdicts that happened meanwhile are faults too."""
        for point in armed.VERDICT_POINTS:
            for path in self._folder.glob(f"taken-{point}-*"):
                if path.name not in self._known:
                    self._known.add(path.name)
                    # The age of the file says when.
                    now = time.monotonic() - max(0.0, time.time() - path.stat().st_ctime)
                    self._pending.append((AT_VERDICT, now, now, point))

    def _compare(self, contests: list[str]) -> None:
        """Lets the raters wait, and compares every worker with a replay."""
        for rater in self._raters:
            rater.go_on.clear()
        for rater in self._raters:
            rater.waiting.wait(BACK_SECONDS)
        if not until(self._all_up, BACK_SECONDS, pause=0.1):
            self._trouble("unavailable", f"not all workers are up: {self.service.workers()}")
        else:
            self._reading(lambda store: final.note_heads(store, self._history))
            self._reading(lambda store: final.compare(store, self.service, contests, self._history))
        for rater in self._raters:
            rater.go_on.set()

    def _all_up(self) -> bool:
        return len(self.service.workers()) == self.options.workers and self.service.is_ready()

    def _reading(self, work: Callable[..., None]) -> None:
        store = open_store(self.url)
        try:
            for _ in range(20):
                with suppress(StoreUnavailable):
                    work(store)
                    return
                time.sleep(0.5)
            self._trouble("unavailable", "the database cannot be read")
        finally:
            store.close()

    def _finish(self) -> None:
        """After the last fault every rater gets on; then all is read, restarted and compared."""
        calm = time.monotonic()
        stuck = not until(lambda: all(r.last > calm for r in self._raters), BACK_SECONDS)
        if stuck:
            waiting = [r.name for r in self._raters if r.last <= calm]
            self._trouble("stuck", f"no vote of {waiting} in {BACK_SECONDS:g} seconds")
        self._note_points()
        self._note_back(last=True)
        self._contests.leave()
        for each in (self._onlooker, *self._raters):
            each.leave()
        for rater in self._raters:
            rater.join(BACK_SECONDS)
        names = list(self._contests.names)
        if not until(self._all_up, BACK_SECONDS, pause=0.1):
            self._trouble("unavailable", "not all workers are up at the end")
        self._reading(lambda store: final.compare(store, self.service, names, self._history))
        self._restart()
        self._reading(lambda store: final.compare(store, self.service, names, self._history))
        self._reading(lambda store: final.note_logs(store, self._history))

    def _restart(self) -> None:
        pid = self.service.pid
        self.service.signal(9, group=True)
        until(lambda: self.service.pid != pid, START_SECONDS)
        if not until(self._all_up, START_SECONDS, pause=0.1):
            self._trouble("unavailable", "it did not come back after the last restart")

    def _trouble(self, kind: str, text: str) -> None:
        self._history.add(Trouble(kind, text, time.monotonic()))

    def _close(self) -> None:
        self._contests.leave()
        for each in (self._onlooker, *self._raters):
            each.leave()
        self.service.close()
