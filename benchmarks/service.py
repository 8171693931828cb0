"""Votes and asks per second: the service, over a bare route that checks the same body."""

import statistics
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2

from benchmarks.load import (
    CONTEST,
    Load,
    bare_serving,
    make_contest,
    plaudit_serving,
    vote_lines,
    write_lines,
    wrk,
)
from benchmarks.report import Report

ITEMS = 5_000
CONNECTIONS = 128
SHARE_BARS = {"durable votes": 0.70, "asks": 0.65}
P99_BAR_MS, SLOWEST_BAR_MS = 10.0, 250.0
API = f"/api/v1/contests/{CONTEST}"


def run(quick: bool = False) -> Report:
    """Runs both servers in turn for several rounds; takes the medians of the rounds' ratios."""
    rounds, seconds = (2, 3) if quick else (5, 5)
    report = Report("service", f"one worker, SQLite, {ITEMS:,} items, {CONNECTIONS} connections")
    with tempfile.TemporaryDirectory() as folder:
        votes = [_votes(Path(folder), seconds, turn) for turn in range(rounds)]
        asks = [_asks(Path(folder), seconds, turn) for turn in range(rounds)]
        half = _half_load(Path(folder), statistics.median(ours.per_second for _, ours in votes))
    for what, pairs in (("durable votes", votes), ("asks", asks)):
        ratios = [ours.per_second / bare.per_second for bare, ours in pairs]
        report.add(f"{what} a second", statistics.median(o.per_second for _, o in pairs))
        report.add("the bare route", statistics.median(bare.per_second for bare, _ in pairs))
        bar = SHARE_BARS[what]
        report.at_least(f"{what}, share of the bare route", statistics.median(ratios), bar)
        slowest = max(ours.slowest_ms for _, ours in pairs)
        report.at_most(f"the slowest of these {what}", slowest, SLOWEST_BAR_MS, "ms")
        bare_slowest = max(bare.slowest_ms for bare, _ in pairs)
        report.add("the slowest on the bare route", bare_slowest, "ms")
        report.notes.append(f"{what}: shares {', '.join(f'{ratio:.2f}' for ratio in ratios)}")
        # An error may be cheaper or dearer than an answer: with one the shares say nothing.
        report.at_most("errors", sum(load.errors for pair in pairs for load in pair), 0)
    report.at_most("p99 at half that load", half.p99_ms, P99_BAR_MS, "ms")
    report.add("votes a second meanwhile", half.per_second)
    return report


def _votes(folder: Path, seconds: int, turn: int) -> tuple[Load, Load]:
    database = str(folder / f"votes-{turn}.db")
    make_contest(database, ITEMS)
    # Twice as many as can be sent, so that no vote is sent twice.
    lines = write_lines(folder, "votes", vote_lines(1_000, 20 * seconds, ITEMS))
    with bare_serving() as url:
        bare = wrk(url + API + "/votes", lines, seconds=seconds, connections=CONNECTIONS)
    with plaudit_serving(database) as url:
        ours = wrk(url + API + "/votes", lines, seconds=seconds, connections=CONNECTIONS)
    return bare, ours


def _asks(folder: Path, seconds: int, turn: int) -> tuple[Load, Load]:
    """Asks of new raters, for one item, then two, …: each ask draws a new item."""
    database = str(folder / f"asks-{turn}.db")
    make_contest(database, ITEMS)
    with plaudit_serving(database) as url:
        tokens = register(url, 8_000)
        bodies = ((token, count) for count in range(1, 6) for token in tokens)
        lines = write_lines(
            folder, "asks", (f'{token} {{"count":{count}}}' for token, count in bodies)
        )
        ours = wrk(url + API + "/ask", lines, seconds=seconds, connections=CONNECTIONS)
    with bare_serving() as url:
        bare = wrk(url + API + "/ask", lines, seconds=seconds, connections=CONNECTIONS)
    return bare, ours


def register(url: str, count: int) -> list[str]:
    """Tokens of new raters, made by the service itself."""
    with httpx2.Client(base_url=url) as client, ThreadPoolExecutor(8) as threads:

        def one(_: int) -> str:
            answer = client.post(API + "/raters", json={}, headers={"cookie": ""})
            client.cookies.clear()
            return str(answer.json()["rater"])

        return list(threads.map(one, range(count)))


def _half_load(folder: Path, rate: float) -> Load:
    """Sends votes at half the rate: connections pause, for a time found by a short run before."""
    database = str(folder / "half.db")
    make_contest(database, ITEMS)
    lines = write_lines(folder, "half", vote_lines(1_000, 60, ITEMS))
    connections = 64
    cycle_ms = 1000.0 * connections / (rate / 2.0)
    with plaudit_serving(database) as url:
        address = url + API + "/votes"
        trial = wrk(
            address, lines, seconds=3, connections=connections, pause_ms=max(1, round(cycle_ms / 2))
        )
        taken_ms = 1000.0 * connections / trial.per_second - max(1, round(cycle_ms / 2))
        pause = max(1, round(cycle_ms - taken_ms))
        return wrk(address, lines, seconds=8, connections=connections, pause_ms=pause)
