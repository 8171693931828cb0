"""Reads what a round left: logs, certificates, and the results of every worker beside a replay."""

import time
from functools import partial
from http.client import HTTPException
from typing import Any

import msgspec

from benchmarks.faults.databases import until
from benchmarks.faults.raters import Line
from benchmarks.faults.records import Compared, Head, History, Log, Trouble
from benchmarks.faults.service import Service, worker_of
from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.verify import verify
from plaudit.service.contest.replay import load_state
from plaudit.service.live.contest import LiveContest
from plaudit.service.watch.results import make_results
from plaudit.store.contract import Store
from plaudit.store.log import Kind
from plaudit.web.rendering import shown as in_words

PAGE = 5_000
# How long a worker may take to follow the log, once nobody votes.
FOLLOW_SECONDS = 30.0
LINES = 6


def note_heads(store: Store, history: History) -> None:
    """Notes how far each log is, and its digest."""
    for record in store.contests():
        at, digest = time.monotonic(), record.digest.hex()
        history.add(Head(record.name, at, record.position, digest))


def note_logs(store: Store, history: History) -> None:
    """Notes every log, and checks every certificate against its export."""
    for name in [record.name for record in store.contests()]:
        entries: list[Any] = []
        while page := store.entries(name, after=len(entries), limit=PAGE):
            entries += map(tuple, page)
        keys = [(rater.key or b"").hex() for rater in store.raters(name)]
        record, wrong = store.contest(name), _refuted(store, name)
        end = (record.position, record.epoch, record.digest.hex())
        history.add(Log(name, record.settings, *end, entries, keys, wrong))


def _refuted(store: Store, name: str) -> list[str]:
    """What the certificates of a contest say that its log does not."""
    bodies = [msgspec.json.decode(each.body) for each in store.certificates(name)]
    verdicts = [entry for entry in store.events(name) if entry.kind == Kind.VERDICT]
    wrong = [
        f"{check.what}: {check.detail}"
        for body in bodies
        for check in verify(body, contest_lines(store, name))
        if not check.agrees
    ]
    if len(bodies) != len(verdicts):
        wrong.append(f"{len(bodies)} certificates for {len(verdicts)} verdicts")
    return wrong


def compare(store: Store, service: Service, contests: list[str], history: History) -> None:
    """Compares what each worker shows with a replay of the whole log; nobody may vote meanwhile."""
    for name in contests:
        expected = replayed(store, name)
        missing = set(service.workers())
        look = partial(_look_at_all, service, name, expected, missing, history)
        if not until(look, FOLLOW_SECONDS, pause=0.05):
            text = f"{name}: workers {missing} did not show position {expected['position']}"
            history.add(Trouble("state", text, time.monotonic()))


def _look_at_all(
    service: Service, name: str, expected: Any, missing: set[int], history: History
) -> bool:
    """Asks over new connections, which several workers share; whether none is missing any more."""
    lines = [Line(service.port) for _ in range(LINES if service.workers_wanted > 1 else 1)]
    try:
        # All are open before the first is asked, or one worker may take them all.
        for line in lines:
            line.open()
        for line in lines:
            pid, shown = _look(service, line, name)
            if pid in missing and shown["position"] == expected["position"]:
                missing.discard(pid)
                history.add(Compared(name, time.monotonic(), pid, shown, expected))
        return not missing
    except OSError:
        return False
    finally:
        for line in lines:
            line.hang_up()


def replayed(store: Store, name: str) -> Any:
    """The results of a contest from its first entry on, as the service would show them."""
    record, state = store.contest(name), load_state(store, name, from_snapshot=False)
    live = LiveContest(record, state, store.items(name)[: state.items])
    return _plain(make_results(live.snapshot()))


def _plain(results: dict[str, Any]) -> Any:
    for lane in results["lanes"]:
        lane["sentence"] = in_words(lane["sentence"])
    return msgspec.json.decode(msgspec.json.encode(results))


def _look(service: Service, line: Line, name: str) -> tuple[int, Any]:
    """The worker at the other end of a connection, and its results; (0, {}) if it is gone."""
    try:
        where = f"/api/v1/contests/{name}/results?limit=100"
        status, shown = line.request("GET", where)
        if status == 200:
            return worker_of(service, line.local), shown
    except (OSError, HTTPException, ValueError):
        pass
    return 0, {"position": -1}
