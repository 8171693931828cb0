"""PostgreSQL with 1, 2 and 4 workers: votes a second, and votes for each second of processor time.

More workers than cores show no more votes a second. But if a vote costs as much processor time with
four workers as with one, then cores add up where there are more of them. All processes count: the
workers, their parent, and PostgreSQL with its own; not `wrk`.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.load import CONTEST, make_contest, plaudit_serving, vote_lines, write_lines
from benchmarks.load import wrk as load
from benchmarks.processor_time import family_seconds
from benchmarks.report import Report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

API = f"/api/v1/contests/{CONTEST}"
WORKERS = (1, 2, 4)
# From one worker to four, votes for each second of processor time may fall by 15 %.
KEPT_BAR = 0.85


class Cost(NamedTuple):
    """What a round came to."""

    per_second: float
    per_processor_second: float
    errors: int


def run(quick: bool = False) -> Report:
    """All numbers of workers in turn, several rounds."""
    from support.postgres_server import PostgresServer

    rounds, seconds = (1, 3) if quick else (4, 5)
    report = Report("service_workers", "durable votes on PostgreSQL, one contest of 5,000 items")
    with tempfile.TemporaryDirectory() as folder:
        server_folder = Path(folder) / "postgres"
        server_folder.mkdir()
        Path(folder).chmod(0o755)
        server = PostgresServer(server_folder)
        server.start()
        try:
            found = [
                {n: _one(Path(folder), server, seconds, n) for n in WORKERS} for _ in range(rounds)
            ]
        finally:
            server.stop()
    for n in WORKERS:
        costs = [costs[n] for costs in found]
        name = f"{n} worker{'s' if n > 1 else ''}"
        report.add(f"{name}: votes", median(c.per_second for c in costs), "a second")
        a_second = median(c.per_processor_second for c in costs)
        report.add(f"{name}: votes", a_second, "a second of processor time")
    two = median(costs[2].per_second / costs[1].per_second for costs in found)
    report.add("two workers over one, votes a second", two)
    kept = [c[4].per_processor_second / c[1].per_processor_second for c in found]
    report.at_least("four over one, votes a second of processor time", median(kept), KEPT_BAR)
    report.note(f"four over one, by round: {', '.join(f'{ratio:.2f}' for ratio in kept)}")
    report.note(f"{sum(cost.errors for costs in found for cost in costs.values())} errors")
    return report


def _one(folder: Path, server: Any, seconds: int, workers: int) -> Cost:
    database = server.new_database()
    make_contest(database, 5_000)
    lines = write_lines(folder, "votes", vote_lines(1_000, 15 * seconds, 5_000))
    with plaudit_serving(database, workers=workers) as url:
        pids = (url.pid, server.pid)
        before = family_seconds(*pids)
        found = load(f"{url}{API}/votes", lines, seconds=seconds, connections=128)
        used = family_seconds(*pids) - before
    return Cost(found.per_second, found.per_second * seconds / used, found.errors)
