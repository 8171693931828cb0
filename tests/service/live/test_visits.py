"""The list of a visit: drawn once, when the visit begins, and shown in its order."""

import itertools

import numpy as np
import pytest

from plaudit.service.contest.settings import UNIFORM, Lane
from plaudit.service.desk.desk import Desk
from plaudit.service.live.rater_memory import Lease, Memory
from plaudit.service.live.visit_lists import (
    MOST_LISTED,
    PENDING_MS,
    USUAL,
    VOTES_PER_PENDING,
    Lanes,
)
from plaudit.store import open_store
from plaudit.store.log import Kind
from support.live_worker import NAME, Clock, create, settings, working

VISIT = 10
ITEMS = 60


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def start(tmp_path, clock):
    """Starts a worker on a new contest; several workers of one test have the same contest."""
    running = []

    def make(name="contest", *, items=ITEMS, **given):
        database = str(tmp_path / f"{name}.db")
        if not (tmp_path / f"{name}.db").exists():
            store = open_store(database)
            plain = {"lanes": (Lane("plaudit"),), "votes_per_visit": VISIT}
            create(store, items, clock=clock, **(plain | given))
            store.close()
        context = working(database, clock)
        running.append(context)
        return context.__enter__()

    yield make
    for context in reversed(running):
        context.__exit__(None, None, None)


def memory_of(worker, rater):
    found = worker.worker.recall(worker.live, rater)
    assert isinstance(found, Memory)
    return found


def list_of(worker, rater):
    """The rater's whole list, in order: what was asked, then what is still to come."""
    memory = memory_of(worker, rater)
    return [*memory.leases, *memory.listed]


def shown(asked):
    return [item.number for item, _ in asked.items]


def go_through(worker, rater, level_of, *, count=3):
    """Answers everything that the rater is shown, by `count` at a time; the items in order."""
    seen = []
    while items := worker.ask(rater, count).items:
        for item, ticket in items:
            worker.answer(rater, ticket, level_of(item.number))
            seen.append(item.number)
    return seen


def pending(worker):
    return worker.live.races[0].pending


def let_others_vote(worker, best, *, raters=6):
    """Whole visits of others, who like nothing but one item."""
    for _ in range(raters):
        go_through(worker, worker.new_rater(), lambda item: 2 if item == best else 0, count=5)


def test_the_list_is_fixed_when_the_visit_begins(start):
    worker = start()
    rater = worker.new_rater()
    worker.ask(rater, 2)
    first = list_of(worker, rater)
    assert len(first) == VISIT
    let_others_vote(worker, best=first[-1])
    assert go_through(worker, rater, lambda item: 2 if item == first[0] else 0) == first
    later = worker.new_rater()
    worker.ask(later)
    assert list_of(worker, later) != first


@pytest.mark.parametrize("limit", [VISIT, 0])
def test_what_a_rater_votes_does_not_choose_what_comes_next(start, limit):
    """Two contests that differ only in what one rater votes."""
    seen = []
    for name, level in (("kind", 2), ("stern", 0)):
        worker = start(name, votes_per_visit=limit)
        let_others_vote(worker, best=7)
        rater = worker.new_rater()
        length = len(list_of(worker, rater)) if worker.ask(rater) else 0
        seen.append(
            [worker.vote_once(rater, lambda item, level=level: level) for _ in range(length)]
        )
    assert len(seen[0]) == (limit or USUAL)
    assert seen[0] == seen[1]


def test_lists_of_raters_who_come_together_are_spread(start):
    worker = start()
    raters = [worker.new_rater() for _ in range(ITEMS // VISIT)]
    for rater in raters:
        worker.ask(rater)
    lists = [list_of(worker, rater) for rater in raters]
    assert sorted(itertools.chain(*lists)) == list(range(ITEMS))
    assert pending(worker) == ITEMS


def test_old_clients_see_no_difference(start):
    """An ask gives what was asked for, the same until it is answered, in the same order."""
    worker = start()
    rater = worker.new_rater()
    first = worker.ask(rater, 4)
    assert (len(first.items), first.answered, first.of, first.end) == (4, 0, VISIT, None)
    assert worker.ask(rater, 4) == first
    assert worker.ask(rater, 10).items[:4] == first.items
    assert len(worker.ask(rater, 10).items) == VISIT
    worker.answer(rater, first.items[1][1], 2)
    worker.answer(rater, first.items[0][1], kind=Kind.SKIP)
    again = worker.ask(rater, 10)
    assert again.items[:2] == first.items[2:]
    # A skip is no vote: another item takes its place.
    assert (len(again.items), again.answered, again.of) == (VISIT - 1, 1, VISIT)


def wants_only(worker, monkeypatch, wanted):
    """Lets the race want these items alone, as late in a contest."""
    draw = worker.live._from_lane

    def few(lane, count, barred):
        if lane == UNIFORM:
            return draw(lane, count, barred)
        return [item for item in wanted if item not in barred][:count]

    monkeypatch.setattr(worker.live, "_from_lane", few)


def test_a_visit_has_as_many_items_as_it_promises(start, monkeypatch):
    worker = start()
    wants_only(worker, monkeypatch, (4, 5, 6))
    rater = worker.new_rater()
    assert worker.ask(rater).of == VISIT
    seen = go_through(worker, rater, lambda item: 1)
    assert seen[:3] == [4, 5, 6]
    assert len({*seen}) == VISIT
    assert pending(worker) == 0
    end = worker.ask(rater).end
    assert (end.reason, end.more) == ("visit", True)


def test_the_promise_is_what_there_is(start):
    worker = start(items=VISIT + 3, epsilon=0.0)
    rater = worker.new_rater()
    assert worker.ask(rater).of == VISIT
    go_through(worker, rater, lambda item: item % 3)
    assert worker.ask(rater).end.more
    assert worker.ask(rater, visit=2).of == VISIT + 3
    while items := worker.ask(rater, 5, visit=2).items:
        for item, ticket in items:
            worker.answer(rater, ticket, item.number % 3)
    last = worker.ask(rater, visit=2)
    assert (last.answered, last.of, last.end.reason, last.end.more) == (
        VISIT + 3, VISIT + 3, "all_seen", False,
    )  # fmt: skip


def test_whoever_wants_more_gets_what_the_race_does_not_need(start, monkeypatch):
    worker = start(items=25, votes_per_visit=0)
    wants_only(worker, monkeypatch, (4, 5, 6))
    rater = worker.new_rater()
    assert go_through(worker, rater, lambda item: 1) == [4, 5, 6]
    end = worker.ask(rater).end
    assert (end.reason, end.more) == ("enough", True)
    while items := worker.ask(rater, 5, visit=2).items:
        for _, ticket in items:
            worker.answer(rater, ticket, 0)
    last = worker.ask(rater, visit=2)
    assert (last.answered, last.end.reason, last.end.more) == (25, "all_seen", False)


def test_what_replaces_a_skip_is_drawn_by_chance(start):
    """What the race wants by then may depend on the votes of the visit."""
    worker = start()
    rater = worker.new_rater()
    worker.ask(rater)
    (_, ticket), *_ = worker.ask(rater).items
    worker.answer(rater, ticket, kind=Kind.SKIP)
    go_through(worker, rater, lambda item: 1)
    entries = worker.store.entries(NAME)
    lanes = [entry.lane for entry in entries if entry.kind == Kind.VOTE]
    assert lanes == [0] * (VISIT - 1) + [UNIFORM]


def test_another_visit_has_another_list(start):
    worker = start()
    rater = worker.new_rater()
    first = go_through(worker, rater, lambda item: 1)
    assert len(first) == VISIT
    end = worker.ask(rater).end
    assert (end.reason, end.more) == ("visit", True)
    worker.ask(rater, 2, visit=2)
    second = list_of(worker, rater)
    assert len(set(second) - set(first)) == VISIT
    assert pending(worker) == VISIT


def test_no_list_is_endless(start):
    worker = start(items=MOST_LISTED + 50)
    rater = worker.new_rater()
    worker.ask(rater, visit=1_000_000)
    assert len(list_of(worker, rater)) == MOST_LISTED


def test_lists_of_endless_visits_are_short_until_enough_is_known(start):
    worker = start(votes_per_visit=0)
    early = worker.new_rater()
    worker.ask(early, 3)
    assert len(list_of(worker, early)) == 3
    for _ in range(VOTES_PER_PENDING * (USUAL + 3)):
        assert worker.vote_once(worker.new_rater(), lambda item: item % 3) is not None
    late = worker.new_rater()
    worker.ask(late, 3)
    first = list_of(worker, late)
    assert len(first) == USUAL
    seen = [worker.vote_once(late, lambda item: 0) for _ in range(USUAL + 1)]
    assert seen[:USUAL] == first
    assert len(set(seen)) == USUAL + 1


def test_an_item_that_was_withdrawn_drops_out_until_it_returns(start, clock):
    worker = start()
    rater = worker.new_rater()
    worker.ask(rater, 2)
    first = list_of(worker, rater)
    desk = Desk(worker.store, clock=clock)
    desk.withdraw(NAME, [first[1], first[5]])
    worker.settled()
    left = [item for item in first if item not in (first[1], first[5])]
    assert shown(worker.ask(rater, 8)) == left
    desk.restore(NAME, [first[5]])
    worker.settled()
    for item in left:
        assert worker.vote_once(rater, lambda item: 1) == item
    assert worker.vote_once(rater, lambda item: 1) == first[5]
    # Nothing of the list is left, and the visit has room for one more.
    extra = worker.vote_once(rater, lambda item: 1)
    assert extra not in first
    assert worker.ask(rater).end.reason == "visit"


def test_an_item_merged_with_one_that_was_answered_drops_out(start, clock):
    worker = start()
    rater = worker.new_rater()
    worker.ask(rater)
    first = list_of(worker, rater)
    worker.vote_once(rater, lambda item: 1)
    Desk(worker.store, clock=clock).replace(NAME, [first[0], first[4]], "both", keep_votes=True)
    worker.settled()
    seen = go_through(worker, rater, lambda item: 1)
    assert seen[:-1] == [item for item in first[1:] if item != first[4]]
    assert ITEMS not in seen  # the merged item


def test_a_lane_that_is_decided_leaves_the_list(start, monkeypatch):
    worker = start(lanes=(Lane("plaudit"), Lane("lil-klucb")))
    rater = worker.new_rater()
    worker.live._random = np.random.default_rng(2)
    worker.ask(rater)
    memory = memory_of(worker, rater)
    lanes = [*(lease.lane for lease in memory.leases.values()), *memory.listed.values()]
    expected = [item for item, lane in zip(list_of(worker, rater), lanes, strict=True) if lane]
    assert 0 < len(expected) < VISIT
    monkeypatch.setattr(worker.live, "is_decided", lambda lane: lane == 0)
    assert shown(worker.ask(rater, len(expected))) == expected


def test_a_list_is_pending_while_its_rater_answers(start, clock):
    worker = start()
    rater = worker.new_rater()
    worker.vote_once(rater, lambda item: 1)
    for answered in range(2, 5):
        clock.now += PENDING_MS - 1
        worker.vote_once(rater, lambda item: 1)
        worker.settled()
        assert pending(worker) == VISIT - answered
    clock.now += PENDING_MS
    worker.ask(worker.new_rater())
    assert pending(worker) == VISIT


def test_a_clock_that_is_put_back_holds_no_list(start, clock):
    worker = start()
    worker.vote_once(worker.new_rater(), lambda item: 1)
    clock.now -= 100 * PENDING_MS
    worker.ask(worker.new_rater())
    assert pending(worker) == VISIT


def test_asking_again_does_not_hold_a_list(start, clock):
    worker = start()
    rater = worker.new_rater()
    for _ in range(3):
        worker.ask(rater, 3)
        clock.now += PENDING_MS // 2
    worker.ask(rater, 3)
    assert pending(worker) == 0


def test_whoever_comes_back_goes_on_with_the_list(start, clock):
    worker = start()
    rater = worker.new_rater()
    tickets = worker.ask(rater, 3).items
    first = list_of(worker, rater)
    clock.now += 40 * PENDING_MS
    let_others_vote(worker, best=first[3])
    worker.settled()
    assert pending(worker) == 0
    for (_, ticket), item in zip(tickets, first, strict=False):
        assert worker.answer(rater, ticket, 2).fresh
        assert worker.settled().contest.counts[0, item, 2] >= 1
    assert go_through(worker, rater, lambda item: 1) == first[3:]
    worker.settled()
    assert pending(worker) == 0


def test_nobody_is_given_up_for_another(start, clock):
    """After the races were built anew, lists of before are no longer pending in them."""
    worker = start()
    worker.ask(worker.new_rater())
    Desk(worker.store, clock=clock).withdraw(NAME, [ITEMS - 1])
    worker.settled()
    assert pending(worker) == 0
    clock.now += PENDING_MS - 1
    worker.ask(worker.new_rater())
    clock.now += 1
    worker.ask(worker.new_rater())
    assert pending(worker) == 2 * VISIT


def test_another_worker_keeps_what_is_on_the_screen_and_draws_the_rest(start):
    here, there = start(), start()
    rater = here.new_rater()
    asked = here.ask(rater, 3)
    tickets = [ticket for _, ticket in asked.items]
    moved = there.ask(rater, 5, holding=tickets)
    assert moved.items[:3] == asked.items
    assert len(set(list_of(there, rater))) == VISIT
    assert pending(there) == VISIT - 3
    # Back again: what the other worker asked is kept here, on the list or not.
    back = here.ask(rater, VISIT, holding=[ticket for _, ticket in moved.items])
    assert set(moved.items) <= set(back.items)
    assert len(set(shown(back))) == VISIT


def test_an_item_is_barred_once_however_it_came():
    memory = Memory()
    for item in range(4):
        memory.put_on_list(item, 0)
    memory.lease(Lease(1, 0, 5))
    memory.answer(1, Kind.VOTE, 2)
    memory.answer(3, Kind.VOTE, 2)
    memory.answer(9, Kind.VOTE, 2)
    memory.bar_pool(2)
    assert sorted(memory.barred.tolist()) == [0, 1, 2, 3, 9]
    assert list(memory.listed) == [0, 2]
    assert not memory.leases


def test_places_are_shared_by_lane_and_uniform_traffic_is_drawn_first():
    """Each list has its places drawn: 2,000 lists of 10, within 4.4 standard deviations.

    A right share is missed once in 10⁵ runs, and the seed is fixed; a share that is off by 0.02
    (6 standard deviations) is seen with probability 0.94.
    """
    lanes = Lanes(settings(lanes=(Lane("plaudit", 0.5), Lane("lucb++", 0.3)), uniform=0.2))
    random = np.random.default_rng(1)
    counts = dict.fromkeys((0, 1, UNIFORM), 0)
    first = dict.fromkeys((0, 1, UNIFORM), 0)
    for _ in range(2000):
        calls = []

        def ask(lane, count, taken, calls=calls):
            calls.append(lane)
            return list(range(len(taken), len(taken) + count))

        places = lanes.fill(10, random=random, ask=ask)
        assert sorted(place.item for place in places) == list(range(10))
        assert UNIFORM not in calls[1:]
        for place in places:
            counts[place.lane] += 1
        first[places[0].lane] += 1
    for lane, share in ((0, 0.5), (1, 0.3), (UNIFORM, 0.2)):
        for found, size in ((counts[lane], 20_000), (first[lane], 2000)):
            assert abs(found - share * size) < 4.4 * (size * share * (1 - share)) ** 0.5


def test_what_a_lane_lacks_comes_from_the_others():
    lanes = Lanes(settings(lanes=(Lane("plaudit", 0.5), Lane("lucb++", 0.5))))
    stock = {0: [1, 2], 1: list(range(10, 30))}

    def ask(lane, count, taken):
        return [item for item in stock[lane] if item not in taken][:count]

    places = lanes.fill(12, random=np.random.default_rng(0), ask=ask)
    assert [place.item for place in places if place.lane == 0] == [1, 2]
    assert [place.item for place in places if place.lane == 1] == list(range(10, 20))
    assert lanes.fill(50, random=np.random.default_rng(0), ask=lambda *_: []) == []


def test_uniform_traffic_reaches_every_item_alike(start, clock):
    """Also those that the race wants: 400 lists with about 5 uniform places of 10, and 20 items.

    Each item is drawn about 100 times, the same for all: the largest distance from the mean is
    less than 5 standard deviations (missed by chance in less than one run of 10⁴). Drawn after the
    race, its favourites would get next to none.
    """
    worker = start(items=20, uniform=0.5)
    worker.live._random = np.random.default_rng(3)
    for _ in range(3):
        go_through(worker, worker.new_rater(), lambda item: 2 if item < 3 else 1)
    drawn = np.zeros(20)
    for _ in range(400):
        clock.now += PENDING_MS  # the race wants the same items for every rater
        rater = worker.new_rater()
        worker.ask(rater)
        memory = memory_of(worker, rater)
        lanes = {item: lease.lane for item, lease in memory.leases.items()} | memory.listed
        drawn[[item for item, lane in lanes.items() if lane == UNIFORM]] += 1
    mean = drawn.mean()
    assert 80 < mean < 120
    assert np.abs(drawn - mean).max() < 5 * mean**0.5
