"""Votes and asks per second: the service, over a bare route that checks the same body."""

import statistics
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2

from benchmarks.load import (
    CONTEST,
    Load,
    Served,
    bare_serving,
    make_contest,
    plaudit_serving,
    vote_lines,
    write_lines,
    wrk,
    wrk_with_processor,
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
        rate = statistics.median(ours.per_second for _, ours in votes) / 2.0
        halves = [_at_rate(Path(folder), rate, turn) for turn in range(2 if quick else 5)]
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
        report.add(f"processor time of these {what}", _median_us(o for _, o in pairs), "µs")
        report.add("of a request on the bare route", _median_us(bare for bare, _ in pairs), "µs")
        # An error may be cheaper or dearer than an answer: with one the shares say nothing.
        report.at_most("errors", sum(load.errors for pair in pairs for load in pair), 0)
    bare_half, half = (list(side) for side in zip(*halves, strict=True))
    p99 = statistics.median(load.p99_ms for load in half)
    report.at_most("p99 at half that load", p99, P99_BAR_MS, "ms")
    report.add("votes a second meanwhile", statistics.median(o.per_second for o in half))
    # The client has the same two cores: what is late here on both sides is not the service's.
    bare_p99 = statistics.median(load.p99_ms for load in bare_half)
    report.add("p99 of the bare route at the same load", bare_p99, "ms")
    bare_rate = statistics.median(load.per_second for load in bare_half)
    report.add("its requests a second meanwhile", bare_rate)
    rounds_said = ", ".join(f"{o.p99_ms:.1f} ({bare.p99_ms:.1f})" for bare, o in halves)
    report.notes.append(f"p99 in ms, and of the bare route: {rounds_said}")
    return report


def _median_us(loads: Iterable[Load]) -> float:
    return statistics.median(load.processor_us for load in loads)


def _votes(folder: Path, seconds: int, turn: int) -> tuple[Load, Load]:
    database = str(folder / f"votes-{turn}.db")
    make_contest(database, ITEMS)
    # Twice as many as can be sent, so that no vote is sent twice.
    lines = write_lines(folder, "votes", vote_lines(1_000, 25 * seconds, ITEMS))
    load = {"seconds": seconds, "connections": CONNECTIONS}
    with bare_serving() as url:
        bare = wrk_with_processor(url, API + "/votes", lines, **load)
    with plaudit_serving(database) as url:
        ours = wrk_with_processor(url, API + "/votes", lines, **load)
    return bare, ours


def _asks(folder: Path, seconds: int, turn: int) -> tuple[Load, Load]:
    """Asks of new raters, for one item, then two, …: each ask draws a new item."""
    database = str(folder / f"asks-{turn}.db")
    make_contest(database, ITEMS)
    load = {"seconds": seconds, "connections": CONNECTIONS}
    with plaudit_serving(database) as url:
        tokens = register(url, 8_000)
        bodies = ((token, count) for count in range(1, 6) for token in tokens)
        lines = write_lines(
            folder, "asks", (f'{token} {{"count":{count}}}' for token, count in bodies)
        )
        ours = wrk_with_processor(url, API + "/ask", lines, **load)
    with bare_serving() as url:
        bare = wrk_with_processor(url, API + "/ask", lines, **load)
    return bare, ours


def register(url: str, count: int) -> list[str]:
    """Tokens of new raters, made by the service itself."""
    with httpx2.Client(base_url=url) as client, ThreadPoolExecutor(8) as threads:

        def one(_: int) -> str:
            answer = client.post(API + "/raters", json={}, headers={"cookie": ""})
            client.cookies.clear()
            return str(answer.json()["rater"])

        return list(threads.map(one, range(count)))


def _at_rate(folder: Path, rate: float, turn: int) -> tuple[Load, Load]:
    """The bare route and the service at so many votes a second, sent as people would."""
    database = str(folder / f"half-{turn}.db")
    make_contest(database, ITEMS)
    # Votes of the same raters: those sent before make them known, and none is sent twice.
    votes = list(vote_lines(1_000, 120, ITEMS))
    before = write_lines(folder, "before", votes[:40_000])
    lines = write_lines(folder, "half", votes[40_000:])
    with bare_serving() as url:
        bare = _paced(url, before, lines, rate)
    with plaudit_serving(database) as url:
        return bare, _paced(url, before, lines, rate)


def _paced(url: Served, before: Path, lines: Path, rate: float) -> Load:
    """Connections pause, for a time found by a short run before."""
    connections, address = 64, url + API + "/votes"
    cycle_ms = 1000.0 * connections / rate
    first = max(1, round(cycle_ms / 2))
    trial = wrk(address, before, seconds=3, connections=connections, pause_ms=first)
    taken_ms = 1000.0 * connections / trial.per_second - first
    pause = max(1, round(cycle_ms - taken_ms))
    return wrk(address, lines, seconds=8, connections=connections, pause_ms=pause)
