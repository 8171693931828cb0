"""Reads what a round left: logs, certificates, and the results of every worker beside a replay."""

import time
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
from plaudit.web.rendering import shown as in_words

PAGE = 5_000
# How long a worker may take to follow the log, once nobody votes.
FOLLOW_SECONDS = 30.0


def note_heads(store: Store, history: History) -> None:
    """Notes how far each log is, and its digest."""
    for record in store.contests():
        at, digest = time.monotonic(), record.digest.hex()
        history.add(Head(record.name, at, record.position, digest))


def note_logs(store: Store, history: History) -> None:
    """Notes every log, and checks every certificate against its export."""
    for record in store.contests():
        entries: list[Any] = []
        while page := store.entries(record.name, after=len(entries), limit=PAGE):
            entries += page
        keys = [(rater.key or b"").hex() for rater in store.raters(record.name)]
        record = store.contest(record.name)
        history.add(
            Log(
                record.name,
                record.settings,
                record.position,
                record.epoch,
                record.digest.hex(),
                [tuple(entry) for entry in entries],
                keys,
                _refuted(store, record.name),
            )  # fmt: skip
        )


def _refuted(store: Store, name: str) -> list[str]:
    """What the certificates of a contest say that its log does not."""
    bodies = [msgspec.json.decode(each.body) for each in store.certificates(name)]
    verdicts = [entry for entry in store.events(name) if entry.kind == 16]
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
        lines = [Line(service.port) for _ in range(8)]

        def look(name: str = name, expected: Any = expected, missing: Any = missing) -> bool:
            for line in lines:
                pid, shown = _look(service, line, name)
                if pid in missing and shown["position"] == expected["position"]:
                    missing.discard(pid)
                    at = time.monotonic()
                    history.add(Compared(name, at, pid, shown, expected))
            return not missing

        if not until(look, FOLLOW_SECONDS, pause=0.1):
            text = f"{name}: workers {missing} did not show position {expected['position']}"
            history.add(Trouble("state", text, time.monotonic()))
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
    line.hang_up()
    return 0, {"position": -1}
