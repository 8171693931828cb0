"""Results of a contest are shared, computed on another thread, and agree with the dashboard."""

import threading

import pytest

from plaudit.service.contest.standings import standings_of
from plaudit.service.desk.desk import Desk
from plaudit.service.live.loading import load_contest
from plaudit.service.watch import results
from plaudit.service.watch.results import SharedResults, make_results
from plaudit.store import open_store
from support.live_worker import NAME, Clock, create, working


class Timer:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def worker(tmp_path):
    database = str(tmp_path / "results.db")
    store = open_store(database)
    create(store)
    store.close()
    with working(database, Clock()) as worker:
        yield worker


def vote(worker):
    worker.vote_once(worker.new_rater(), lambda item: 2)
    return worker.settled()


def test_results_are_computed_once_and_away_from_the_owner_of_the_contest(worker, monkeypatch):
    threads = []

    def noted(snapshot):
        threads.append(threading.current_thread().name)
        return make_results(snapshot)

    monkeypatch.setattr(results, "make_results", noted)
    timer = Timer()
    shared = SharedResults(timer)
    live = vote(worker)
    first = [shared.ask(live).result(30) for _ in range(20)]
    assert all(one is first[0] for one in first)
    live = vote(worker)
    assert shared.ask(live).result(30)["votes"] == 1, "a moment old is good enough"
    timer.now += results.LIMITS.least_seconds
    assert shared.ask(live).result(30)["votes"] == 2
    assert len(threads) == 2
    assert threading.current_thread().name not in threads
    shared.close()


def test_a_snapshot_stands_still_while_the_contest_goes_on(worker):
    live = vote(worker)
    taken, wanted = live.snapshot(), make_results(live.snapshot())
    for _ in range(5):
        vote(worker)
    assert make_results(taken) == wanted
    assert taken.contest.position < worker.live.contest.position
    assert make_results(worker.live.snapshot())["votes"] == 6


def test_races_made_from_the_counts_stand_as_the_live_ones_do(worker):
    for _ in range(6):
        vote(worker)
    live = worker.live
    wanted = make_results(live.snapshot())
    assert make_results(live.snapshot(races=False)) == wanted
    assert make_results(load_contest(worker.store, NAME).snapshot()) == wanted


def test_a_snapshot_of_merged_items_is_its_own(worker):
    for _ in range(4):
        vote(worker)
    Desk(worker.store, clock=Clock()).replace(NAME, [0, 1], "both", keep_votes=True)
    live = load_contest(worker.store, NAME)
    copied = live.snapshot().contest
    assert copied.pools == live.contest.pools
    (item, pool), *_ = copied.pools.items()
    votes, counts = dict(pool.votes), pool.counts.tolist()
    pool.votes[99] = (1, 0, 0)
    pool.counts += 1
    original = live.contest.pools[item]
    assert (original.votes, original.counts.tolist()) == (votes, counts)


def test_standings_may_be_given_the_intervals(worker):
    live = vote(worker)
    race = live.races[0]
    table = race.intervals()
    before = table.lower.tolist()
    assert race.standings(table).tolist() == race.standings().tolist()
    assert table.lower.tolist() == before, "what was given stays as it is"
    found = standings_of(live.settings, live.contest, race, 0)
    assert found.counts["open"] == len(found.listed)
