"""Which cores threads run on."""

import os
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from plaudit.service import cores
from plaudit.service.live.writer import Waiting, Writer
from plaudit.service.watch.shared_result import Limits, SharedResult
from plaudit.store.log import Answer, Kind

ALL = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
pytestmark = pytest.mark.skipif(not ALL, reason="this system has no such calls")


def on_a_thread(work: Callable[[], Any]) -> Any:
    """What work returns on a thread of its own, so that this one stays as it is."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def test_workers_that_fill_the_machine_take_turns_on_its_cores() -> None:
    there = sorted(ALL)
    assert cores.cores_of(len(there)) == there
    assert cores.cores_of(2 * len(there) + 1) == [*there, *there, there[0]]


def test_fewer_workers_than_cores_keep_to_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "_ALLOWED", {0, 2, 5})
    assert cores.cores_of(2) == [None, None]
    assert cores.cores_of(3) == [0, 2, 5]
    monkeypatch.setattr(cores, "_CAN_KEEP", False)
    assert cores.cores_of(3) == [None, None, None]


def test_what_a_kept_thread_starts_keeps_to_its_core_and_heavy_work_roams() -> None:
    core = min(ALL)

    def started() -> tuple[set[int], set[int], set[int]]:
        cores.keep_to(core)
        shared: SharedResult[set[int]] = SharedResult("test", Limits())
        heavy = shared.ask("key", 1, lambda: lambda: os.sched_getaffinity(0)).result()
        shared.close()
        return os.sched_getaffinity(0), on_a_thread(lambda: os.sched_getaffinity(0)), heavy

    assert on_a_thread(started) == ({core}, {core}, ALL)
    assert os.sched_getaffinity(0) == ALL


def test_the_thread_that_writes_keeps_with_the_one_that_hands_over() -> None:
    """It is started by the first vote, on the event loop's thread."""
    core, seen = min(ALL), list[set[int]]()

    class Store:
        def append_answers(self, name: str, answers: Any) -> Any:
            seen.append(os.sched_getaffinity(0))
            raise ValueError("no matter")

    def vote() -> None:
        cores.keep_to(core)
        writer = Writer(Store(), lambda _: None)
        answer = Answer(Kind.VOTE, b"rater", 0, 0, 0, 0, 0)
        writer.submit(Waiting("contest", answer, lambda _: None, time.monotonic()))
        writer.close()

    on_a_thread(vote)
    assert seen == [{core}]
