"""Start-up with ten million votes in the log."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.load import CONTEST, make_contest
from benchmarks.long_log import write_long_log
from benchmarks.report import Report
from benchmarks.service_items import seconds_to_start
from benchmarks.stopwatch import wall_seconds
from plaudit.service.contest.replay import load_state
from plaudit.store import open_store
from plaudit.store.log import Entry, Kind

VOTES = 10_000_000
ITEMS = 5_000
PER_RATER = 200
BAR_SECONDS = 20.0


def run(quick: bool = False) -> Report:
    """Writes a log, then starts a service on it, without and with a snapshot."""
    votes = VOTES // 20 if quick else VOTES
    report = Report("service_start", f"seconds until the service answers, {votes:,} votes")
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "long.db")
        write_log(database, Path(folder) / "small.db", votes)
        store = open_store(database)
        assert store.snapshot(CONTEST) is None
        whole = wall_seconds(lambda: load_state(store, CONTEST))
        report.add("once after a restore: reading all of the log", whole, "s")
        assert store.snapshot(CONTEST) is not None
        report.at_most("the service, with the snapshot kept then", _start(database), BAR_SECONDS)
        assert load_state(store, CONTEST).counts.sum() == votes
        store.close()
    report.add("an empty log, for comparison", _empty(), "s")
    return report


_start = seconds_to_start


def _empty() -> float:
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "empty.db")
        make_contest(database, ITEMS)
        return _start(database)


def write_log(database: str, small: Path, votes: int, items: int = ITEMS) -> None:
    """Writes a contest with this many votes."""
    write_long_log(
        database, small, lambda before: _votes(before, votes, items),
        items=items, votes=votes, raters=votes // PER_RATER,
    )  # fmt: skip


def _votes(before: int, votes: int, items: int) -> Iterator[Entry]:
    for number in range(votes):
        rater, turn = divmod(number, PER_RATER)
        item = (rater * 7919 + turn * 23) % items
        level = (item + turn) % 3
        yield Entry(
            before + 1 + number, Kind.VOTE, 1_700_000_000_000, rater, item, level, 0, 900, ""
        )
