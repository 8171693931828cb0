"""Start-up with ten million votes in the log."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.load import CONTEST, make_contest
from benchmarks.report import Report
from benchmarks.service_items import seconds_to_start
from benchmarks.stopwatch import wall_seconds
from plaudit.service.contest.replay import load_state
from plaudit.store import open_store
from plaudit.store.contract import Archive, Rater
from plaudit.store.log import Entry, Kind, chain, first_digest

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
    """Writes a contest with this many votes, as a restored archive."""
    make_contest(str(small), items)
    source = open_store(str(small))
    record, begun = source.contest(CONTEST), source.entries(CONTEST)
    digest = chain(first_digest(CONTEST, record.settings), begun)
    for entry in _votes(len(begun), votes, items):
        digest = chain(digest, (entry,))
    whole = type(record)(**{**vars(record), "position": len(begun) + votes, "digest": digest})
    raters = (Rater(number, number.to_bytes(16, "little")) for number in range(votes // PER_RATER))
    entries = (entry for part in (begun, _votes(len(begun), votes, items)) for entry in part)
    store = open_store(database)
    store.restore(Archive(whole, source.items(CONTEST), raters, entries))
    store.close()
    source.close()


def _votes(before: int, votes: int, items: int) -> Iterator[Entry]:
    for number in range(votes):
        rater, turn = divmod(number, PER_RATER)
        item = (rater * 7919 + turn * 23) % items
        level = (item + turn) % 3
        yield Entry(
            before + 1 + number, Kind.VOTE, 1_700_000_000_000, rater, item, level, 0, 900, ""
        )
