"""Throughput from 500 to 500,000 items, and start-up with a long log."""

import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.load import CONTEST, Load, make_contest, plaudit_serving, vote_lines, write_lines
from benchmarks.load import wrk as load
from benchmarks.report import Report

FEW, MANY = 500, 500_000
BAR = 0.75
API = f"/api/v1/contests/{CONTEST}"


def run(quick: bool = False) -> Report:
    """Measures contests of both sizes in turn."""
    rounds, seconds = (1, 3) if quick else (4, 5)
    report = Report("service_items", f"durable votes a second, {FEW:,} and {MANY:,} items")
    with tempfile.TemporaryDirectory() as folder:
        pairs = [_pair(Path(folder), seconds, turn) for turn in range(rounds)]
    ratios = [many.per_second / few.per_second for few, many in pairs]
    report.add(f"{FEW:,} items", statistics.median(few.per_second for few, _ in pairs), "a second")
    report.add(
        f"{MANY:,} items", statistics.median(many.per_second for _, many in pairs), "a second"
    )
    report.at_least("many over few", statistics.median(ratios), BAR)
    report.notes.append(f"ratios {', '.join(f'{ratio:.2f}' for ratio in ratios)}")
    return report


def _pair(folder: Path, seconds: int, turn: int) -> tuple[Load, Load]:
    return _one(folder, FEW, seconds, turn), _one(folder, MANY, seconds, turn)


def _one(folder: Path, items: int, seconds: int, turn: int) -> Load:
    database = str(folder / f"{items}-{turn}.db")
    make_contest(database, items)
    lines = write_lines(folder, "votes", vote_lines(1_000, 15 * seconds, items))
    with plaudit_serving(database) as url:
        return load(url + API + "/votes", lines, seconds=seconds, connections=128)


def seconds_to_start(database: str) -> float:
    """From the start of the process until it answers."""
    start = time.perf_counter()
    with plaudit_serving(database):
        return time.perf_counter() - start
