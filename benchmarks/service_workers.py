"""Two workers on PostgreSQL over one, and one worker on PostgreSQL over one on SQLite."""

import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.load import CONTEST, Load, make_contest, plaudit_serving, vote_lines, write_lines
from benchmarks.load import wrk as load
from benchmarks.report import Report

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

API = f"/api/v1/contests/{CONTEST}"


def run(quick: bool = False) -> Report:
    """One and two workers in turn, several rounds."""
    from support.postgres_server import PostgresServer

    rounds, seconds = (1, 3) if quick else (4, 5)
    report = Report("service_workers", "durable votes a second on PostgreSQL, 5,000 items")
    with tempfile.TemporaryDirectory() as folder:
        server_folder = Path(folder) / "postgres"
        server_folder.mkdir()
        Path(folder).chmod(0o755)
        server = PostgresServer(server_folder)
        server.start()
        try:
            pairs = [
                tuple(_one(Path(folder), server.new_database(), seconds, n) for n in (1, 2))
                for _ in range(rounds)
            ]
        finally:
            server.stop()
    one = statistics.median(pair[0].per_second for pair in pairs)
    two = statistics.median(pair[1].per_second for pair in pairs)
    report.add("one worker", one, "a second")
    report.add("two workers", two, "a second")
    report.add("two over one", statistics.median(b.per_second / a.per_second for a, b in pairs))
    report.notes.append(
        "Two cores carry the workers, PostgreSQL and the generator together: more cores are needed "
        "for the second worker to show what it can do."
    )
    return report


def _one(folder: Path, database: str, seconds: int, workers: int) -> Load:
    make_contest(database, 5_000)
    lines = write_lines(folder, "votes", vote_lines(1_000, 15 * seconds, 5_000))
    with plaudit_serving(database, workers=workers) as url:
        return load(url + API + "/votes", lines, seconds=seconds, connections=128)
