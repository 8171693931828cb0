"""Where the votes a second of one contest end, however many workers there are, on PostgreSQL.

Appends to one contest take turns: a group holds the lock of the contest's row from its look-up to
its commit. So a contest cannot have more votes a second than the size of a group over that time.
It is measured by one process that does nothing but append, and then by several, to one contest and
to one each.

Past the ceiling, the raters of a contest are divided over contests with the same items, on a
database each. What they came to is exported from each, and added by `plaudit rank`: one verdict.
"""

import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.load import CONTEST, make_contest
from benchmarks.report import Report
from plaudit.service.live.writer import LARGEST_GROUP
from plaudit.store import open_store
from plaudit.store.log import Answer, Kind

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

ITEMS = 5_000
SIZES = (1, 16, 128, LARGEST_GROUP)
# Appends of several processes have groups of this size: about what 128 connections bring.
TOGETHER = 64
PROCESSES = (1, 2, 4)


def run(quick: bool = False) -> Report:
    """The time of a turn by the size of a group, then several processes at once."""
    from support.postgres_server import PostgresServer

    seconds = 0.5 if quick else 3.0
    report = Report("ceiling", "appends to one contest on PostgreSQL, without HTTP or folds")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        (server_folder := Path(folder) / "postgres").mkdir()
        server = PostgresServer(server_folder)
        server.start()
        try:
            for size in SIZES:
                turn = _turn(_databases(server, 1)[0], size, seconds)
                report.add(f"a turn with a group of {size}", 1000.0 * turn, "ms")
                report.add(f"so at most, with groups of {size}", size / turn, "votes a second")
            for count in PROCESSES:
                one = _together(_databases(server, 1) * count, seconds)
                report.add(f"{count} processes, one contest", one, "votes a second")
                divided = _databases(server, count)
                each = _together(divided, seconds)
                report.add(f"{count} processes, a contest each", each, "votes a second")
                _add_up(report, Path(folder), divided)
        finally:
            server.stop()
    report.note("PostgreSQL without fsync: where a flush takes a millisecond, add it to each turn.")
    return report


def _add_up(report: Report, folder: Path, databases: list[str]) -> None:
    """Exports each part of a divided contest, and has them ranked as one."""
    files, given = [], 0
    for place, url in enumerate(databases):
        store = open_store(url)
        given += sum(entry.kind == Kind.VOTE for entry in store.entries(CONTEST, limit=10**9))
        store.close()
        files.append(str(folder / f"part-{place}.csv"))
        _plaudit("contest", "export", CONTEST, "--what", "summary", "--out", files[-1],
                 "--database", url)  # fmt: skip
    began = time.perf_counter()
    answer = json.loads(_plaudit("rank", *files, "--json"))
    taken = time.perf_counter() - began
    count = len(databases)
    report.at_least(f"{count} parts added, votes over those written", answer["votes"] / given, 1.0)
    report.add(f"{count} parts added and ranked", taken, "s")


def _plaudit(*command: str) -> str:
    """What a command of Plaudit prints."""
    run = [sys.executable, "-m", "plaudit", *command]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout


def _databases(server: Any, count: int) -> list[str]:
    """New databases with a contest each."""
    made = [server.new_database() for _ in range(count)]
    for url in made:
        make_contest(url, ITEMS)
    return made


def _turn(url: str, size: int, seconds: float) -> float:
    """The median time of an append of groups of this size."""
    store, taken, given = open_store(url), list[float](), _groups(0, size)
    give_up = time.perf_counter() + seconds
    while time.perf_counter() < give_up:
        group = next(given)
        began = time.perf_counter()
        store.append_answers(CONTEST, group)
        taken.append(time.perf_counter() - began)
    store.close()
    return statistics.median(taken)


def _groups(place: int, size: int) -> Any:
    """Groups of votes without end, by a thousand raters of this process, each item once."""
    number = 0
    while True:
        group = []
        for _ in range(size):
            rater, item = number % 1_000, number // 1_000 % ITEMS
            key = place.to_bytes(8, "big") + rater.to_bytes(8, "big")
            group.append(Answer(Kind.VOTE, key, item, number % 3, 0, 1_700_000_000_000, 900))
            number += 1
        yield group


def _together(urls: list[str], seconds: float) -> float:
    """Votes a second of processes that append at the same time, each to its database."""
    context = multiprocessing.get_context("spawn")
    ready, counts = context.Barrier(len(urls)), context.Queue()
    processes = [
        context.Process(target=_append, args=(url, place, seconds, ready, counts))
        for place, url in enumerate(urls)
    ]
    for process in processes:
        process.start()
    total = sum(counts.get() for _ in processes)
    for process in processes:
        process.join()
    return float(total) / seconds


def _append(url: str, place: int, seconds: float, ready: Any, counts: Any) -> None:
    store, given, count = open_store(url), _groups(place, TOGETHER), 0
    store.append_answers(CONTEST, next(given))
    ready.wait()
    give_up = time.perf_counter() + seconds
    while time.perf_counter() < give_up:
        count += len(store.append_answers(CONTEST, next(given)).entries)
    store.close()
    counts.put(count)
