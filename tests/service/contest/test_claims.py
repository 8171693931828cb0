"""Sentences about a verdict say what is proven, and no more."""

import re

import numpy as np
import pytest

from plaudit.service.contest.claims import claim, confidence, despite_overlap
from plaudit.service.contest.settings import Lane
from plaudit.service.desk.desk import Desk
from plaudit.service.watch.results import make_results
from plaudit.store import open_store
from support.live_worker import NAME, Clock, create, working


@pytest.mark.parametrize(
    ("algorithm", "why"),
    [("lil-ucb", "once one item has most of the votes."), ("plaudit", "shows how.")],
)
def test_a_verdict_beside_overlapping_intervals_says_why(algorithm, why):
    said = str(despite_overlap(claim(top=1, epsilon=0.0, delta=0.05), algorithm))
    assert said.startswith("With at least 95 % confidence, no other item is better than this one. ")
    assert "Some intervals overlap" in said
    assert said.endswith(why)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"top": 1, "epsilon": 0.0}, "no other item is better than this one."),
        ({"top": 1, "epsilon": 0.05}, "no other item is more than 0.05 better than this one."),
        ({"top": 3, "epsilon": 0.0}, "these are the 3 best items."),
        (
            {"top": 3, "epsilon": 0.05},
            "no other item is more than 0.05 better than any of these 3.",
        ),
        (
            {"top": 2, "epsilon": 0.1, "leading": True},
            "no other item is more than 0.1 better than any of the 2 leaders.",
        ),
        (
            {"top": 3, "epsilon": 0.05, "of_pairs": False},
            "each of these 3 items is one of the 3 best, or at most 0.05 below the 3rd best.",
        ),
        (
            {"top": 1, "epsilon": 0.1, "leading": True},
            "no other item is more than 0.1 better than the leader.",
        ),
    ],
)
def test_a_claim_in_words(given, said):
    assert str(claim(delta=0.01, **given)) == f"With at least 99 % confidence, {said}"


def test_no_claim_without_proof():
    assert str(claim(top=1, epsilon=0.0, delta=None)) == "Named by a rule that has no proven error."


def test_confidence_is_never_rounded_up():
    for delta in np.geomspace(1e-12, 0.99, 400).tolist():
        assert float(confidence(delta)) <= 100 * (1 - delta) + 1e-13
        assert float(confidence(delta)) > 100 * (1 - delta) - 1 - 2 * delta
        assert confidence(delta) != "100"


@pytest.fixture
def contest(tmp_path):
    """Makes a contest, and gives a worker of it."""
    opened = []

    def make(items=4, **given):
        database = str(tmp_path / f"{len(opened)}.db")
        store = open_store(database)
        create(store, items, clock=Clock(), **given)
        store.close()
        manager = working(database, Clock())
        opened.append(manager)
        return manager.__enter__()

    yield make
    for manager in opened:
        manager.__exit__(None, None, None)


def vote(worker, rounds, level_of=lambda item: 2 if item == 0 else 0):
    for _ in range(rounds):
        rater = worker.new_rater()
        while not worker.live.all_decided and worker.vote_once(rater, level_of) is not None:
            pass


def lane_of(worker):
    lane = make_results(worker.settled().snapshot())["lanes"][0]
    return lane | {"sentence": str(lane["sentence"])}


def test_sentences_on_the_way_to_a_verdict(contest):
    worker = contest(lanes=(Lane("plaudit"),), epsilon=0.3, delta=0.1)
    assert lane_of(worker)["sentence"] == "Not yet: too few votes to say anything for certain."
    assert lane_of(worker)["shortlists"] == []
    # Too few votes for a verdict.
    vote(worker, 3)
    lane = lane_of(worker)
    found = re.fullmatch(
        r"Not yet. With at least 90 % confidence, no other item is more than (0\.\d+) better than "
        r"the leader.", lane["sentence"],
    )  # fmt: skip
    assert found
    assert lane["gap"] <= float(found[1]) < lane["gap"] + 0.01
    vote(worker, 60)
    worker.until_decided()
    lane = lane_of(worker)
    assert lane["sentence"] == (
        "With at least 90 % confidence, no other item is more than 0.3 better than this one."
    )
    assert lane["winners"] == [0]
    rows = lane["shortlists"]
    assert [row["k"] for row in rows] == list(range(1, len(rows) + 1))
    assert (rows[0]["item"], rows[0]["text"]) == (0, "caption 0")
    lists = worker.live.races[0].shortlists()
    assert [row["epsilon"] for row in rows] == lists.epsilon[: len(rows)].tolist()


def test_a_contest_that_closed_before_its_verdict(contest):
    worker = contest()
    Desk(worker.store, clock=Clock()).step(NAME, "close")
    assert lane_of(worker)["sentence"].startswith("No verdict was reached: too few votes")


@pytest.mark.parametrize("algorithm", ["lil-ucb", "lil-ucb-heuristic"])
def test_algorithms_that_prove_nothing_before_their_end_claim_nothing(contest, algorithm):
    worker = contest(lanes=(Lane(algorithm),), epsilon=0.0)
    vote(worker, 3)
    lane = lane_of(worker)
    assert lane["sentence"] == "Not yet: before its verdict this algorithm certifies nothing."
    assert lane["shortlists"] == []


def test_the_first_rows_are_those_that_the_sentence_is_about(contest):
    """Items of equal means: the race's own choice of a leader comes first."""
    worker = contest(items=6, top=2, lanes=(Lane("lil-klucb"),), epsilon=0.1)
    vote(worker, 2, level_of=lambda item: 1)
    race = worker.settled().races[0]
    rows = [leader["item"] for leader in lane_of(worker)["leaders"][:2]]
    assert sorted(rows) == sorted(race.verdict().items)
