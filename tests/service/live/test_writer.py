"""Answers that wait for their store: each has its own patience, from when its sender came."""

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from plaudit.errors import StoreUnavailable
from plaudit.store import open_store
from plaudit.store.log import Kind
from support.live_worker import NAME, create, sent, working


def test_whoever_waited_longer_is_told_to_try_again_first(tmp_path: Path) -> None:
    """Looking up a rater takes of the time that their vote may wait."""
    database = str(tmp_path / "votes.db")
    with closing(open_store(database)) as store:
        create(store)
    outcomes: list[tuple[str, object]] = []
    all_heard = threading.Semaphore(0)

    def heard_by(name: str) -> Any:
        def heard(outcome: object) -> None:
            outcomes.append((name, outcome))
            all_heard.release()

        return heard

    with working(database) as worker, closing(sqlite3.connect(database)) as other:
        other.execute("BEGIN EXCLUSIVE")
        now = time.monotonic()
        sent(worker, now, heard_by("just came"))
        sent(worker, now - 1.5, heard_by("was looked up"))
        for _ in range(2):
            assert all_heard.acquire(timeout=20)
        other.rollback()
        first = dict(reversed(outcomes))
        assert [name for name, _ in outcomes[:2]] == ["was looked up", "just came"]
        assert all(isinstance(outcome, StoreUnavailable) for outcome in first.values())
    with closing(open_store(database)) as store:
        # What was not confirmed may be in the log or not, and never more than once.
        entries = store.entries(NAME)
        raters = [entry.rater for entry in entries if entry.kind == Kind.VOTE]
        assert len(raters) == len(set(raters)) <= 2
