"""Skipping to fish for an item is bounded: a few items, and one more for every vote."""

import random
from typing import Any

import pytest

from plaudit.errors import SkipsUsedUp
from plaudit.service.live.rater_memory import PASSES, Memory
from plaudit.store import open_store
from plaudit.store.log import NONE, Kind
from support.live_worker import Clock, create, working

FEW = 5


@pytest.fixture
def database(tmp_path: Any) -> str:
    path = str(tmp_path / "skipped.db")
    store = open_store(path)
    create(store, 60)
    store.close()
    return path


def passes_over(worker: Any, rater: Any, kind: Kind = Kind.SKIP) -> None:
    """The rater asks for an item, and skips or flags it."""
    _, ticket = worker.ask(rater).items[0]
    worker.answer(rater, ticket, 0 if kind == Kind.FLAG else NONE, kind)


def test_a_few_items_may_be_passed_over_then_one_for_each_vote(database: str) -> None:
    with working(database) as worker:
        rater = worker.new_rater()
        assert worker.ask(rater).passes == PASSES == FEW
        for kind in (Kind.SKIP, Kind.FLAG, Kind.SKIP, Kind.FLAG, Kind.SKIP):
            passes_over(worker, rater, kind)
        assert worker.ask(rater).passes == 0
        for kind in (Kind.SKIP, Kind.FLAG):
            with pytest.raises(SkipsUsedUp, match="Vote on some"):
                passes_over(worker, rater, kind)
        for _ in range(3):
            worker.vote_once(rater, lambda item: 1)
        for _ in range(3):
            passes_over(worker, rater)
        with pytest.raises(SkipsUsedUp):
            passes_over(worker, rater)
        assert worker.settled().contest.raters == 1


def test_a_refused_skip_leaves_the_item_and_may_become_a_vote(database: str) -> None:
    with working(database) as worker:
        rater = worker.new_rater()
        for _ in range(FEW):
            passes_over(worker, rater)
        item, ticket = worker.ask(rater).items[0]
        with pytest.raises(SkipsUsedUp):
            worker.answer(rater, ticket, NONE, Kind.SKIP)
        assert worker.ask(rater).items[0][0] == item
        assert worker.answer(rater, ticket, 2).fresh
        # A skip that is in the log is answered again, however many there were.
        passes_over(worker, rater)
        assert worker.ask(rater).passes == 0


def test_a_skip_sent_again_is_answered_like_the_first(database: str) -> None:
    with working(database) as worker:
        rater = worker.new_rater()
        tickets = [ticket for _, ticket in worker.ask(rater, FEW).items]
        for ticket in tickets * 2:
            assert worker.answer(rater, ticket, NONE, Kind.SKIP).kind == Kind.SKIP
        assert worker.ask(rater).passes == 0


def test_many_skips_at_once_count_as_many(database: str) -> None:
    with working(database) as worker:
        rater = worker.new_rater()
        tickets = [ticket for _, ticket in worker.ask(rater, 10).items]
        memory = worker._memory(rater)
        sent = []
        with worker._lock:  # nothing is folded meanwhile
            for ticket in tickets:
                try:
                    worker.worker.answer(
                        worker.live, rater, memory, kind=Kind.SKIP, ticket=ticket,
                        done=lambda outcome: None,
                    )  # fmt: skip
                    sent.append(ticket)
                except SkipsUsedUp:
                    pass
        assert sent == tickets[:FEW]


def test_the_bound_holds_after_a_restart_and_at_another_worker(database: str) -> None:
    clock = Clock()
    with working(database, clock) as first:
        rater = first.new_rater()
        for _ in range(FEW):
            passes_over(first, rater)
        with working(database, clock) as second:
            with pytest.raises(SkipsUsedUp):
                passes_over(second, rater)
            second.vote_once(rater, lambda item: 1)
            passes_over(second, rater)
            first.settled()
            with pytest.raises(SkipsUsedUp):
                passes_over(first, rater)
    with working(database, clock) as restarted, pytest.raises(SkipsUsedUp):
        passes_over(restarted, rater)


@pytest.mark.statistical
@pytest.mark.parametrize(("share", "noticed"), [(0.1, 1e-5), (0.2, 2.5e-4), (1 / 3, 1 / 64)])
def test_who_skips_now_and_then_does_not_notice(share: float, noticed: float) -> None:
    """Skips are a random walk: the chance to go beyond is (s/(1-s))**6 for a share s of skips.

    20,000 raters of 200 items each; the limit is five standard errors above the claim.
    """
    chance = random.Random(1)
    stuck = 0
    for _ in range(20_000):
        memory = Memory()
        for item in range(200):
            if chance.random() >= share:
                memory.answer(item, Kind.VOTE, 1)
            elif memory.passes:
                memory.answer(item, Kind.SKIP, NONE)
            else:
                stuck += 1
                break
    assert (share / (1 - share)) ** (FEW + 1) <= noticed
    assert stuck / 20_000 <= noticed + 5 * (noticed / 20_000) ** 0.5
