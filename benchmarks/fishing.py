"""How many votes made raters cast on one item: by skipping freely, with the bound, and honestly.

A contest of 300 items is voted on by an honest crowd first. Then raters are made, and each of them
does one visit. What counts is how many of them get to vote on the target: the service decides what
they are shown. Before the bound, a rater could skip until the target came.

The bar: made raters meet the target no more often than honest ones who come in turn with them. It
is an honest bar only where it can be broken, so it is held against free skipping too, which must
break it. Where nearly every honest rater is shown the target, there is nothing to fish for, and no
bar.
"""

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.load import CONTEST, SECRET, make_contest
from benchmarks.report import Report
from plaudit.errors import SkipsUsedUp
from plaudit.service.accounts.secret import Secret
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.live import rater_memory
from plaudit.service.live.worker import Worker
from plaudit.store import open_store
from plaudit.store.log import NONE, Kind

ITEMS = 300
AT_ONCE = 10
VISIT = 20


class Contest:
    """A live contest without HTTP, and a crowd that has voted already."""

    def __init__(self, database: str, *, votes: int, seed: int) -> None:
        self._lock = threading.RLock()
        self._random = np.random.default_rng(seed)
        self.store = open_store(database)
        self.worker = Worker(self.store, Secret(SECRET.encode()), post=self._post)
        self.worker.start()
        self.live = self.worker.get(CONTEST)
        self.means = np.random.default_rng(1).beta(2.0, 4.0, size=ITEMS)
        while int(self.live.contest.counts.sum()) < votes:
            self.visit(lambda item: "vote")

    def _post(self, work: Callable[..., Any], *given: Any) -> None:
        with self._lock:
            work(*given)

    def visit(self, choose: Callable[[int], str], *, most: int = VISIT) -> dict[int, str]:
        """A new rater answers items as `choose` says, until it says "leave" or nothing is left.

        Items that are open at the same time are answered in the order that `choose` prefers:
        those it would vote on first.
        """
        with self._lock:
            rater = self.worker.signer(CONTEST).new_rater()
            memory = self.worker.welcome(self.live, rater)
        did: dict[int, str] = {}
        while len(did) < most:
            with self._lock:
                asked = self.worker.ask(self.live, rater, memory, count=AT_ONCE).items
            if not asked:
                break
            wanted = [(item.number, ticket, choose(item.number)) for item, ticket in asked]
            wanted.sort(key=lambda one: one[2] != "vote")
            number, ticket, deed = wanted[0]
            if deed == "leave" or not self._answer(rater, memory, number, ticket, deed):
                break
            did[number] = deed
        return did

    def _answer(self, rater: RaterId, memory: Any, item: int, ticket: str, deed: str) -> bool:
        """Sends one answer; false if the service refuses the skip."""
        heard = threading.Event()
        level = int(self._random.binomial(2, self.means[item])) if deed == "vote" else NONE
        try:
            with self._lock:
                self.worker.answer(
                    self.live, rater, memory, kind=Kind.VOTE if deed == "vote" else Kind.SKIP,
                    ticket=ticket, level=level, done=lambda outcome: heard.set(),
                )  # fmt: skip
        except SkipsUsedUp:
            return False
        return heard.wait(20)

    def close(self) -> None:
        """Stops the worker."""
        self.worker.close()
        self.store.close()


@contextmanager
def bound(passes: int) -> Iterator[None]:
    """So many items may be passed over beyond the votes."""
    before = rater_memory.PASSES
    rater_memory.PASSES = passes
    try:
        yield
    finally:
        rater_memory.PASSES = before


class Fisher:
    """Votes on the target when it comes, and passes over or votes on the others."""

    def __init__(self, target: int, *, pays: bool) -> None:
        self._target = target
        self._pays = pays

    def __call__(self, item: int) -> str:
        """What to do with an item."""
        return "vote" if item == self._target or self._pays else "skip"


class Catch(NamedTuple):
    """Votes on the target and on other items, for a hundred raters each."""

    honest: float
    made: float
    made_elsewhere: float


def catch_of(
    database: Path, target: int, raters: int, *, passes: int, pays: bool, most: int
) -> Catch:
    """What made raters and honest ones catch who come in turn: both meet the same contest."""
    copy = database.with_name(f"{database.stem}-{passes}-{pays}-{most}-{target}.db")
    shutil.copy(database, copy)
    made, honest = [], []
    with bound(passes):
        contest = Contest(str(copy), votes=0, seed=2)
        for _ in range(raters):
            made.append(contest.visit(Fisher(target, pays=pays), most=most))
            honest.append(contest.visit(lambda item: "vote"))
        contest.close()
    copy.unlink()
    votes = sum(deed == "vote" for one in made for deed in one.values())
    hits = [sum(one.get(target) == "vote" for one in did) for did in (honest, made)]
    return Catch(*(100.0 * count / raters for count in (*hits, votes - hits[1])))


def run(quick: bool = False) -> Report:
    """Fishes for items of the field and the leader, early: later there is less to fish for."""
    raters, votes = (20, 1_000) if quick else (60, 1_000)
    report = Report("fishing", f"votes on one of {ITEMS} items by a hundred made raters")
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "fished.db"
        make_contest(str(database), ITEMS, epsilon=0.05)
        contest = Contest(str(database), votes=votes, seed=1)
        ranked = np.argsort(-contest.means).tolist()
        contest.close()
        for rank in (150, 60, 25, 1):
            _add(report, database, f"rank {rank}", ranked[rank - 1], raters)
    return report


def _bar(honest: float, raters: int) -> float:
    """What a hundred made raters may catch: as much as honest ones, and what chance may add.

    Three standard errors of the difference of two shares: chance alone breaks it once in 700.
    """
    share = min(max(honest / 100.0, 1.0 / raters), 1.0)
    return round(honest + 300.0 * (2.0 * share * (1.0 - share) / raters) ** 0.5, 1)


def _add(report: Report, database: Path, name: str, target: int, raters: int) -> None:
    def caught(passes: int, *, pays: bool, most: int) -> Catch:
        return catch_of(database, target, raters, passes=passes, pays=pays, most=most)

    freely = caught(ITEMS, pays=False, most=ITEMS)
    fished = caught(rater_memory.PASSES, pays=False, most=ITEMS)
    report.add(f"{name}: skipping freely, as before", freely.made)
    report.add(f"{name}: honest visits of {VISIT} votes meanwhile", freely.honest)
    bar, what = _bar(fished.honest, raters), f"{name}: skipping within the bound"
    if bar < 100.0:
        report.at_most(what, fished.made, bar)
        # A bar that free skipping does not break would show nothing.
        report.at_least(
            f"{name}: by how much free skipping breaks that bar", freely.made - bar, 0.1
        )
    else:
        report.add(what, fished.made)
        report.note(f"{name}: {fished.honest:.0f} of 100 honest raters are shown it: no bar.")
    report.add(f"{name}: honest visits of {VISIT} votes meanwhile", fished.honest)
    paid = caught(rater_memory.PASSES, pays=True, most=100)
    report.add(f"{name}: voting on everything, 100 votes each", paid.made)
    report.note(
        f"{name}: the last cast {paid.made_elsewhere:,.0f} votes elsewhere for {paid.made:.0f} here"
    )
