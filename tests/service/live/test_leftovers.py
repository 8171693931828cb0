"""What a vote leaves behind: as little as can be for the garbage collector to look at."""

import gc
import threading
import time
import weakref
from contextlib import closing
from pathlib import Path

from plaudit.service.live import writer
from plaudit.service.live.rater_memory import Memory
from plaudit.service.live.recent import Recent
from plaudit.store import open_store
from plaudit.store.log import Entry, Kind
from support.live_worker import create, sent, working


class Heard:
    """What is called with the outcome of a vote, and can be watched."""

    def __init__(self, told: threading.Event) -> None:
        self._told = told

    def __call__(self, outcome: object) -> None:
        self._told.set()


def test_nothing_holds_a_request_once_it_is_answered(tmp_path: Path, monkeypatch) -> None:
    """The writer looks through those who waited ten times a second; here it never does."""
    monkeypatch.setattr(writer, "LOOK_SECONDS", 60.0)
    database = str(tmp_path / "votes.db")
    with closing(open_store(database)) as store:
        create(store)
    with working(database) as worker:
        told = threading.Event()
        heard = Heard(told)
        watched = weakref.ref(heard)
        sent(worker, time.monotonic(), heard)
        del heard
        assert told.wait(20)
        until = time.monotonic() + 20
        while watched() is not None and time.monotonic() < until:
            time.sleep(0.01)
        assert watched() is None
        assert len(worker.worker.writer._waiting) == 1, "nobody has looked"


def entry(position: int, rater: int, item: int) -> Entry:
    return Entry(position, Kind.VOTE, 0, rater, item, position % 3, 0, 500, "")


def entries_alive() -> int:
    return sum(isinstance(one, Entry) for one in gc.get_objects())


def test_answers_of_all_raters_share_their_pairs() -> None:
    memories = [Memory(number) for number in range(3)]
    for memory in memories:
        memory.answer(4, Kind.VOTE, 2)
        memory.follow(5, (int(Kind.VOTE), 2))
    memories.append(Memory(3, [Entry(9, Kind.VOTE, 0, 3, 6, 2, 0, 500, "")]))
    pairs = {id(pair) for memory in memories for pair in memory.answers.values()}
    assert len(pairs) == 1
    assert memories[0].answers == {4: (1, 2), 5: (1, 2)}


def test_recent_answers_are_no_objects_of_their_own() -> None:
    recent, before = Recent(most=6), entries_alive()
    for first in (1, 5):
        recent.add([entry(n, n % 4, n) for n in range(first, first + 4)])
    assert entries_alive() == before
    assert recent.of(1) == [entry(5, 1, 5), entry(1, 1, 1)]
    assert recent.of(1, after=4) == [entry(5, 1, 5)]
    assert recent.of(7) == []
    recent.add([entry(9, 1, 9), entry(10, 2, 10)])
    assert [found.position for found in recent.of(1)] == [9, 5]
