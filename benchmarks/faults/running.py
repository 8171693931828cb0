"""Runs rounds one after another, until there were enough faults or the time is over."""

import signal
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

from benchmarks.faults.databases import Postgres, Sqlite
from benchmarks.faults.records import History
from benchmarks.faults.rounds import FAULTS_A_ROUND, Options, Round
from benchmarks.faults.tally import Tally
from benchmarks.faults.zygote import Zygote
from benchmarks.report import Report


def run_rounds(
    quick: bool = False,
    *,
    engine: str = "sqlite",
    kills: int | None = None,
    minutes: float | None = None,
    workers: int | None = None,
    seed: int = 1,
    first: int = 1,
    folder: str = "",
) -> Report:
    """Runs rounds until there were enough faults, or the time is over."""
    if kills is None:
        kills = 10**9 if minutes is not None else 10 if quick else 100
    options = Options(engine, workers or (2 if engine == "postgres" else 1), seed)
    give_up = time.monotonic() + 60 * (minutes or 10**6)
    where = Path(folder or tempfile.mkdtemp(prefix="plaudit-faults-"))
    # Whoever ends the run ends the servers and disks that it made.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    database = Postgres() if engine == "postgres" else Sqlite()
    zygote = Zygote()
    tally = Tally()
    try:
        for number in count(first):
            left = kills - tally.faults
            if left <= 0 or time.monotonic() > give_up:
                break
            place = where / f"{engine}-{seed}-{number}"
            place.mkdir(parents=True)
            history = History(place / "history.jsonl")
            try:
                round = Round(number, options, database, place, history)
                round.play(zygote, min(left, FAULTS_A_ROUND), until_time=give_up)
            finally:
                history.close()
            tally.add(history.records)
            tally.tell()
    finally:
        zygote.close()
        database.close()
    return tally.report(f"Histories: {where}")
