"""The charts of all votes: what they cost from all answers, and from a sample of the raters.

A log of five million votes is read in fresh processes: once with all answers kept, once with at
most as many as the service keeps. Raters come five hundred at a time, so that the votes of one are
spread over the log. docs/scaling.md calculates from this what charts of a billion votes take.
"""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.fresh_process import measure
from benchmarks.load import CONTEST
from benchmarks.long_log import write_long_log
from benchmarks.report import Report
from plaudit.service.watch.answer_columns import MOST
from plaudit.store.log import Entry, Kind

ITEMS = 10_000
VOTES = 5_000_000
PER_RATER = 100
TOGETHER = 500
WEEK = 7 * 86_400_000
# More than any log has.
ALL = 2**62
SHARE_BAR = 0.6

READ = """
import json, statistics, threading, time
from pathlib import Path
from plaudit.service.watch.answer_columns import AnswerColumns
from plaudit.service.watch.answer_figures import answer_figures
from plaudit.service.watch.rater_sample import Extent
from plaudit.store import open_store

def memory(what):
    status = Path("/proc/self/status").read_text()
    return int(status.split(what + ":")[1].split()[0]) / 1024

longest, is_over = 0.0, False
def tick():
    global longest
    last = time.perf_counter()
    while not is_over:
        time.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now

store = open_store({database!r})
columns = AnswerColumns({most})
def figures():
    answer_figures(columns.sample, excluded=(), values=(0.0, 0.5, 1.0), now={now})
figures()
before = memory("VmRSS")
ticking = threading.Thread(target=tick)
ticking.start()
begun = time.perf_counter()
columns.read_on(store, {name!r}, Extent(store.contest({name!r}).position, {raters}))
read = time.perf_counter() - begun
is_over = True
ticking.join()
kept = memory("VmRSS") - before
times = []
for _ in range(5):
    begun = time.perf_counter()
    figures()
    times.append(time.perf_counter() - begun)
print(json.dumps(dict(
    answers=len(columns), step=columns.step, read=read, longest=1e3 * longest, kept=kept,
    update=statistics.median(times), peak=memory("VmHWM") - before,
)))
"""
_UNITS = {
    "answers": ("answers kept", ""),
    "read": ("reading at a start", "s"),
    "longest": ("longest wait of another thread meanwhile", "ms"),
    "update": ("the figures of an update", "s"),
    "kept": ("memory after reading", "MB"),
    "peak": ("memory at most, with an update", "MB"),
}


def run(quick: bool = False) -> Report:
    """Reads a long log as the dashboard does, with and without a bound."""
    votes, most = (VOTES // 20, MOST // 20) if quick else (VOTES, MOST)
    report = Report("charts", f"{ITEMS:,} items, {votes:,} votes")
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "charts.db")
        _write(database, Path(folder) / "small.db", votes)
        whole = _read(report, database, votes, ALL, "of all raters")
        some = _read(report, database, votes, most, f"at most {most:,} answers")
    report.note(f"The sample has one rater in {some['step']}.")
    for what in ("update", "peak"):
        name = f"{_UNITS[what][0]}: with the bound over without"
        report.at_most(name, some[what] / whole[what], SHARE_BAR)
    return report


def _read(report: Report, database: str, votes: int, most: int, named: str) -> dict[str, Any]:
    now, raters = time.time_ns() // 1_000_000, votes // PER_RATER
    code = READ.format(database=database, most=most, now=now, name=CONTEST, raters=raters)
    found: dict[str, Any] = measure(code)
    for what, (words, unit) in _UNITS.items():
        report.add(f"{named}: {words}", found[what], unit)
    return found


def _write(database: str, small: Path, votes: int) -> None:
    """Writes a contest with votes over a week."""
    end = time.time_ns() // 1_000_000
    write_long_log(
        database, small, lambda before: _votes(before, votes, end),
        items=ITEMS, votes=votes, raters=votes // PER_RATER,
    )  # fmt: skip


def _votes(before: int, votes: int, end: int) -> Iterator[Entry]:
    """Five hundred raters at a time take turns."""
    for number in range(votes):
        crowd, rest = divmod(number, TOGETHER * PER_RATER)
        turn, place = divmod(rest, TOGETHER)
        rater = crowd * TOGETHER + place
        item = (rater * 7919 + turn * 97) % ITEMS
        # No rater sees an item twice.
        item += turn - item % PER_RATER
        level = 2 - min(2, (item * 3 + rater * 7 % ITEMS) // ITEMS)
        at = end - WEEK + WEEK * number // votes
        took = 300 + 91 * turn + rater % 97
        yield Entry(before + 1 + number, Kind.VOTE, at, rater, item, level, 0, took, "")
