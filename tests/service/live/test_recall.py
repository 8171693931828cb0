"""Raters whom a worker does not know: looked up together, once each, and told if that fails."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from plaudit.errors import StoreUnavailable
from plaudit.service.live.rater_memory import Memory
from plaudit.service.live.recall import LATE_SECONDS, Recalls
from plaudit.service.live.writer import PATIENCE_SECONDS
from plaudit.store import open_store
from support.live_worker import create, working


class Within:
    """Runs work after a pause, and notes how long it might have taken."""

    def __init__(self, error: Exception | None = None, *, pauses: Sequence[float] = ()) -> None:
        self.seconds: list[float] = []
        self._error = error
        self._pauses = list(pauses)

    async def __call__(self, seconds: float, work: Callable[[], None]) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(self._pauses.pop(0) if self._pauses else 0)
        work()
        if self._error is not None:
            raise self._error


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = str(tmp_path / "votes.db")
    store = open_store(path)
    create(store)
    store.close()
    return path


async def told(within: Within, *turns: list[tuple[Any, float]]) -> list[Any]:
    """What each who waits is told; those of a turn of the event loop come together."""
    recalls, found = Recalls(within), []
    for turn in turns:
        for recall, since in turn:
            recalls.soon(recall, since, found.append)
        await asyncio.sleep(0)
    while len(found) < sum(map(len, turns)):
        await asyncio.sleep(0)
    return found


def test_those_who_come_together_are_looked_up_together(database: str) -> None:
    with working(database) as first:
        raters = [first.new_rater() for _ in range(3)]
        answered = [first.vote_once(rater, lambda item: 2) for rater in raters]
    with working(database) as second:
        now = time.monotonic()
        new = second.worker.signer(second.live.name).new_rater()
        recalls = [second.worker.recall(second.live, rater) for rater in (*raters, new)]
        within = Within()
        found = asyncio.run(told(within, [(recall, now) for recall in recalls]))
        assert len(within.seconds) == 1
        assert [list(memory.answers) for memory in found] == [[item] for item in answered] + [[]]
        assert [second.worker.recall(second.live, rater) for rater in (*raters, new)] == found


def test_those_who_come_meanwhile_are_the_next_group(database: str) -> None:
    with working(database) as worker:
        signer, now = worker.worker.signer(worker.live.name), time.monotonic()
        recalls = [worker.worker.recall(worker.live, signer.new_rater()) for _ in range(4)]
        within = Within(pauses=[LATE_SECONDS / 5])
        found = asyncio.run(told(within, *([(recall, now)] for recall in recalls)))
    assert len(within.seconds) == 2
    assert len({id(memory) for memory in found}) == 4


def test_a_group_that_takes_long_holds_up_nobody(database: str) -> None:
    with working(database) as worker:
        signer, now = worker.worker.signer(worker.live.name), time.monotonic()
        recalls = [worker.worker.recall(worker.live, signer.new_rater()) for _ in range(3)]
        within = Within(pauses=[10 * LATE_SECONDS])
        turns = [[(recall, now)] for recall in recalls]
        memories = asyncio.run(told(within, *turns))
    assert len(within.seconds) == 2
    # The first is told last.
    assert memories[-1] is worker.live.memories.get(recalls[0].who[1])


def test_somebody_who_sends_several_at_once_is_read_once(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[Any] = []
    with working(database) as worker:
        read = worker.store.recall

        def noted(name: str, keys: Sequence[bytes]) -> Any:
            reads.extend((name, key) for key in keys)
            return read(name, keys)

        monkeypatch.setattr(worker.store, "recall", noted)
        signer, now = worker.worker.signer(worker.live.name), time.monotonic()
        one, other = signer.new_rater(), signer.new_rater()
        recalls = [worker.worker.recall(worker.live, rater) for rater in (one, other, one, one)]
        found = asyncio.run(told(Within(), [(recall, now) for recall in recalls]))
    assert sorted(reads) == sorted({recall.who for recall in recalls})
    assert found[0] is found[2] is found[3] is not found[1]


def test_whoever_waits_longest_decides_how_long_it_may_take(database: str) -> None:
    with working(database) as worker:
        signer, now = worker.worker.signer(worker.live.name), time.monotonic()
        recalls = [worker.worker.recall(worker.live, signer.new_rater()) for _ in range(3)]
        within = Within()
        turns = [[(recalls[0], now), (recalls[1], now - 1.0)], [(recalls[2], now)]]
        asyncio.run(told(within, *turns))
    assert PATIENCE_SECONDS - 1.0 - within.seconds[0] == pytest.approx(0.0, abs=0.5)
    assert PATIENCE_SECONDS - within.seconds[1] == pytest.approx(0.0, abs=0.5)


def test_all_who_wait_hear_that_the_store_is_away(database: str) -> None:
    with working(database) as worker:
        signer, now = worker.worker.signer(worker.live.name), time.monotonic()
        recalls = [worker.worker.recall(worker.live, signer.new_rater()) for _ in range(2)]
        away = StoreUnavailable("It went for a walk.")
        turn = [(recall, now) for recall in recalls]
        assert asyncio.run(told(Within(away), turn)) == [away, away]
        assert len(worker.live.memories) == 0
        again = asyncio.run(told(Within(), turn))
    assert all(isinstance(memory, Memory) for memory in again)
