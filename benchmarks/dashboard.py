"""The dashboard with 10,000 items and a million votes: the first view, and many viewers."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2

from benchmarks.load import CONTEST, plaudit_serving
from benchmarks.long_log import write_long_log
from benchmarks.report import Report
from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.passwords import Passwords
from plaudit.service.accounts.roles import COMMAND_LINE
from plaudit.service.accounts.sessions import Sessions
from plaudit.service.contest.replay import load_state
from plaudit.service.watch.dashboard_updates import LEAST_SECONDS
from plaudit.store import open_store
from plaudit.store.log import Answer, Entry, Kind

ITEMS = 10_000
VOTES = 1_000_000
PER_RATER = 100
BAR_MS = 1000.0
EVERY_SECONDS = 2.5
WATCHERS = (1, 10, 100)
PAGE = f"/desk/contests/{CONTEST}"


def run(quick: bool = False) -> Report:
    """Starts a service on a long log, and opens dashboards while votes come in."""
    votes = VOTES // 20 if quick else VOTES
    seconds = 10.0 if quick else 25.0
    report = Report("dashboard", f"{ITEMS:,} items, {votes:,} votes")
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "watched.db")
        _write(database, Path(folder) / "small.db", votes)
        cookie = signed_in(database)
        with (
            plaudit_serving(database) as url,
            httpx2.Client(base_url=url, cookies=cookie, timeout=60.0) as client,
        ):
            report.at_most("first page after the start", _time(client, PAGE), BAR_MS, "ms")
            report.add("until the whole log was read", _until_read(client), "s")
            _pages(report, client)
            counts = [_watch(report, database, url, cookie, many, seconds) for many in WATCHERS]
    most = seconds / LEAST_SECONDS + 1
    report.at_most(f"updates computed for {WATCHERS[-1]} watchers", counts[-1], round(most, 1))
    report.add("over those for one", counts[-1] / max(1, counts[0]))
    return report


def _pages(report: Report, client: httpx2.Client) -> None:
    """Times the pages once everything is in memory."""
    paths = {
        "page": PAGE,
        "update": f"{PAGE}/board",
        "table of items": f"{PAGE}/items",
        "table, found by text, by upper bound": f"{PAGE}/items?text=77&sort=upper&part=table",
        "a figure": f"{PAGE}/charts/drift.svg",
    }
    for name, path in paths.items():
        times = [_time(client, path) for _ in range(10)]
        report.at_most(name, statistics.median(times), BAR_MS, "ms")


def _time(client: httpx2.Client, path: str) -> float:
    begun = time.perf_counter()
    answer = client.get(path)
    if answer.status_code != 200:
        raise SystemExit(f"{path} answered {answer.status_code}.")
    return 1e3 * (time.perf_counter() - begun)


def _until_read(client: httpx2.Client) -> float:
    begun = time.perf_counter()
    while "Reading the votes" in client.get(f"{PAGE}/board").text:
        time.sleep(0.2)
    return time.perf_counter() - begun


def _watch(
    report: Report, database: str, url: str, cookie: dict[str, str], many: int, seconds: float
) -> int:
    """How many updates were computed while so many watched and votes came in."""
    tags, times = asyncio.run(_watch_all(database, url, cookie, many, seconds))
    name = f"{many} watching for {seconds:g} s"
    report.add(f"{name}: updates computed", len(tags))
    report.add(f"{name}: median of {len(times)} updates", statistics.median(times), "ms")
    return len(tags)


async def _watch_all(
    database: str, url: str, cookie: dict[str, str], many: int, seconds: float
) -> tuple[set[str], list[float]]:
    tags: set[str] = set()
    times: list[float] = []
    until = time.perf_counter() + seconds
    limits = httpx2.Limits(max_connections=many)
    async with httpx2.AsyncClient(
        base_url=url, cookies=cookie, timeout=60.0, limits=limits
    ) as client:

        async def look(place: int) -> None:
            await asyncio.sleep(EVERY_SECONDS * place / many)
            tag = ""
            while time.perf_counter() < until:
                begun = time.perf_counter()
                answer = await client.get(f"{PAGE}/board", headers={"if-none-match": tag})
                times.append(1e3 * (time.perf_counter() - begun))
                tag = answer.headers["etag"]
                tags.add(tag)
                await asyncio.sleep(EVERY_SECONDS)

        voting = asyncio.to_thread(_vote, database, many, until)
        await asyncio.gather(voting, *(look(place) for place in range(many)))
    return tags, times


def _vote(database: str, turn: int, until: float) -> None:
    """Sends twenty votes of new raters every fifth of a second."""
    store = open_store(database)
    number = 0
    while time.perf_counter() < until:
        now = time.time_ns() // 1_000_000
        answers = [
            Answer(
                Kind.VOTE, f"{turn:6}{number + n:10}".encode(), (number + n) % ITEMS, 1, 0, now, 900
            )
            for n in range(20)
        ]
        store.append_answers(CONTEST, answers)
        number += 20
        time.sleep(0.2)
    store.close()


def signed_in(database: str) -> dict[str, str]:
    """The cookie of an editor who is signed in."""
    store = open_store(database)
    accounts = Accounts(store, Passwords(time_cost=1, memory_kib=8))
    link = accounts.invite(COMMAND_LINE, "viewer")
    account = accounts.welcome(link, name="Watcher", password="four words put together")
    token = Sessions(store).begin(account, agent="")
    store.close()
    return {"plaudit_desk": token or ""}


def _write(database: str, small: Path, votes: int) -> None:
    """Writes a contest with votes over a week, and its snapshot."""
    end = time.time_ns() // 1_000_000
    write_long_log(
        database, small, lambda before: _votes(before, votes, end),
        items=ITEMS, votes=votes, raters=votes // PER_RATER,
    )  # fmt: skip
    store = open_store(database)
    load_state(store, CONTEST)
    store.close()


def _votes(before: int, votes: int, end: int) -> Iterator[Entry]:
    """Better items get more votes, as in a race."""
    week = 7 * 86_400_000
    for number in range(votes):
        rater, turn = divmod(number, PER_RATER)
        place = (rater * 7919 + turn * 97) % ITEMS
        item = place * place // ITEMS if turn % 2 else place
        # No rater sees an item twice.
        item += turn - item % PER_RATER
        level = 2 - min(2, (item * 3 + rater * 7 % ITEMS) // ITEMS)
        at = end - week + week * number // votes
        yield Entry(before + 1 + number, Kind.VOTE, at, rater, item, level, 0, 300 + 91 * turn, "")
