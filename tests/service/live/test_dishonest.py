"""Live contests that withstand dishonest raters: settings, races, verdicts and certificates."""

import json
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from plaudit.service.archive.format import contest_lines
from plaudit.service.archive.verify import verify
from plaudit.service.contest.races import race_of
from plaudit.service.contest.settings import Lane
from plaudit.service.contest.standings import standings_of
from plaudit.service.desk.desk import Desk
from plaudit.store import open_store
from support.live_worker import NAME, Clock, create, working

GOOD = 3


def likes(item: int) -> int:
    return 2 if item == GOOD else 0


def visit(worker, level_of=likes, most=100):
    rater = worker.new_rater()
    for _ in range(most):
        if worker.vote_once(rater, level_of) is None:
            return


@pytest.fixture
def contest(tmp_path: Path):
    """Makes a worker on a contest with these settings."""

    @contextmanager
    def made(**given):
        database = str(tmp_path / "plaudit.db")
        store = open_store(database)
        create(store, lanes=(Lane("plaudit"),), **given)
        store.close()
        with working(database) as worker:
            yield worker

    return made


def test_four_liars_at_the_start_do_not_overturn_the_verdict(contest):
    """They give the best item 0 and all others 2, before anybody else votes."""
    with contest(items=6, tolerance=4.0) as worker:
        for _ in range(4):
            visit(worker, lambda item: 0 if item == GOOD else 2)
        while not worker.live.contest.verdicts:
            visit(worker)
            worker.settled()
        worker.until_decided()
        verdict = worker.live.contest.verdicts[0]
        assert verdict.winners == (GOOD,)
        assert verdict.tolerance == 4
        assert verdict.withstands >= 4
        found = standings_of(worker.live.settings, worker.live.contest, worker.live.races[0], 0)
        assert f"even if any {verdict.withstands} raters were dishonest" in str(found.claim)
        [proof] = worker.store.certificates(NAME)
        body = json.loads(proof.body)
        export = [b"".join(contest_lines(worker.store, NAME))]
        assert all(check.agrees for check in verify(body, export))
        for lie in ({"withstands": body["withstands"] + 1}, {"tolerance": 3}):
            wrong = [check.what for check in verify(body | lie, export) if not check.agrees]
            assert "dishonest raters that it withstands" in wrong


def test_a_share_grows_with_the_crowd_and_any_worker_has_the_same_race(contest):
    with contest(items=30, tolerance=0.25) as worker:
        for raters in range(1, 10):
            visit(worker, most=2)
            worker.settled()
            assert worker.live.races[0].tolerance == raters // 4
        made = race_of(worker.live.settings, worker.live.contest, 0)
        table, other = worker.live.races[0].intervals(), made.intervals()
        assert made.tolerance == 2
        assert np.array_equal(table.upper, other.upper)
        assert np.array_equal(table.lower, other.lower)


def test_the_tolerance_may_change_while_people_vote(contest):
    with contest(items=6) as worker:
        visit(worker, most=3)
        entry = Desk(worker.store, clock=Clock()).change(NAME, {"tolerance": 2.0})
        live = worker.settled(entry.position)
        assert live.races[0].tolerance == 2
        assert live.settings.tolerance == 2.0
