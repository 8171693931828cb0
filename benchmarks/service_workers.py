"""PostgreSQL with 1, 2 and 4 workers: votes a second, and votes for each second of processor time.

More workers than cores show no more votes a second. But if a vote costs as much processor time with
four workers as with one, then cores add up where there are more of them. All processes count: the
workers, the scribe that writes for them, their parent, and PostgreSQL with its own; not `wrk`.

Counting begins once all of them are idle after their start, and every rater has voted for a while:
`wrk` sends the votes of a rater over all connections, so that each worker has to get to know each
rater, which is once in a visit where people keep their connection. The votes in flight are as many
for one worker as for four.
"""

import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.load import CONTEST, make_contest, plaudit_serving, vote_lines, write_lines
from benchmarks.load import wrk as load
from benchmarks.processor_time import family_seconds, until_idle
from benchmarks.report import Report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

API = f"/api/v1/contests/{CONTEST}"
WORKERS = (1, 2, 4)
RATERS, ITEMS = 1_000, 5_000
# Seconds of load before counting begins, and the most votes a second that there are lines for.
EARLY_SECONDS, MOST = 2, 15
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
    make_contest(database, ITEMS)
    lines = list(vote_lines(RATERS, MOST * (EARLY_SECONDS + seconds), ITEMS))
    split = RATERS * MOST * EARLY_SECONDS
    early = write_lines(folder, "early", lines[:split])
    late = write_lines(folder, "late", lines[split:])
    with plaudit_serving(database, workers=workers) as url:
        pids = (url.pid, server.pid)
        until_idle(*pids)
        load(f"{url}{API}/votes", early, seconds=EARLY_SECONDS, connections=128)
        before = family_seconds(*pids)
        found = load(f"{url}{API}/votes", late, seconds=seconds, connections=128)
        used = family_seconds(*pids) - before
    return Cost(found.per_second, found.per_second * seconds / used, found.errors)
