"""Races on a finite set of examples: by definition, by all orders, and what is refused."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from plaudit import FiniteRace
from plaudit.errors import InvalidInput, UnknownItem
from plaudit.race.finite.state import new_capitals
from plaudit.scale import FUNNY


def tables(examples=6):
    """Small tables of scores, a line an item: close races, ties, opposed and graded scores."""
    half = examples // 2
    yield np.array([[1.0] * half + [0.0] * (examples - half), [0.0] * half + [1.0] * half])
    yield np.array([[1, 1, 1, 0, 0, 1], [1, 1, 0, 0, 0, 1], [0, 0, 1, 1, 1, 0]], float)
    yield np.array([[0.5] * 6, [1, 0, 1, 0, 1, 0], [0.9, 0.1, 0.4, 0.6, 0.7, 0.3]], float)
    yield np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 0], [0] * 6, [0, 0, 0, 1, 1, 1]], float)


def wrong(table, named, top, epsilon):
    means = table.mean(axis=1)
    return means[list(named)].min() < np.sort(means)[-top] - epsilon - 1e-9


def share_wrong(table, *, delta, top=1, epsilon=0.0, race=FiniteRace):
    """In which share of all orders of the examples the verdict is wrong: exact."""
    orders = list(itertools.permutations(range(table.shape[1])))
    bad = 0
    for order in orders:
        one = race(len(table), examples=table.shape[1], delta=delta, top=top, epsilon=epsilon)
        one.tell_many(table[:, order].T)
        bad += wrong(table, one.leaders, top, epsilon)
    return bad / len(orders)


@pytest.mark.parametrize(("top", "epsilon"), [(1, 0.0), (2, 0.0), (1, 0.1), (2, 0.1)])
def test_the_error_over_all_orders_is_at_most_delta(top, epsilon):
    """All 720 orders of six examples: no sampling."""
    found = [
        share_wrong(table, delta=0.4, top=top, epsilon=epsilon)
        for table in tables()
        if len(table) > top
    ]
    assert max(found) <= 0.4
    if (top, epsilon) == (1, 0.0):
        assert max(found) > 0.01


def test_all_orders_see_bets_that_are_not_fair(monkeypatch):
    """Planted: a level two nats too low."""

    def planted(*given, level, **settings):
        return new_capitals(*given, level=level - 2.0, **settings)

    monkeypatch.setattr("plaudit.race.finite.race.new_capitals", planted)
    assert max(share_wrong(table, delta=0.2) for table in tables()) > 0.2


def log_capital(race, item):
    state = race._state
    logs = state.carried[item] + state.stakes[item].min(axis=0)
    return math.log(np.exp(logs).mean())


@pytest.mark.parametrize("top", [1, 2])
def test_the_capital_against_one_of_the_best_is_expected_to_be_1_or_less(top):
    """After every example, over all orders: exactly what the proof says."""
    for table in list(tables())[1:]:
        best = int(np.argmax(table.mean(axis=1)))
        capitals = np.zeros(5)
        orders = list(itertools.permutations(range(6)))
        for order in orders:
            race = FiniteRace(len(table), examples=6, delta=1e-12, top=top)
            for met, example in enumerate(order[:5]):
                race.tell_many(table[:, [example]].T)
                capitals[met] += math.exp(log_capital(race, best))
        assert (capitals / len(orders) <= 1 + 1e-9).all()
        assert capitals[-1] > 0


@pytest.mark.statistical
def test_close_races_are_wrong_at_most_as_often_as_delta():
    """Two items that differ in 4 of 60 examples by one, delta 0.3, 1,500 orders.

    The exact upper tail of an error above delta is below 0.001. If the level were too low by two
    nats, the error would be so high that 1,500 races miss it with probability below 0.001.
    """
    table = np.zeros((2, 60))
    table[0, :31], table[1, 30:] = 1.0, 1.0
    table[1, 30] = 0.0
    rng = np.random.default_rng(3)
    bad = 0
    for seed in range(1500):
        race = FiniteRace(2, examples=60, delta=0.3, seed=seed)
        race.tell_many(rng.permutation(table.T))
        bad += race.leaders != (0,)
    assert stats.binom.sf(bad - 1, 1500, 0.3) > 0.001
    assert bad > 100


def test_once_all_examples_are_met_the_answer_is_certain():
    table = np.array([[1, 0, 1, 0, 1, 1], [1, 1, 0, 0, 1, 1], [1, 0, 1, 1, 0, 1]], float)
    race = FiniteRace(3, examples=6, delta=1e-9)
    race.tell_many(table.T)
    assert race.used_up
    assert race.ended
    assert race.standings().tolist().count("in") == 1
    assert race.standings().tolist().count("out") == 2
    found = race.intervals()
    assert found.lower == pytest.approx([4 / 6] * 3, abs=1e-12)
    assert found.upper == pytest.approx([4 / 6] * 3, abs=1e-12)
    named = {named_by(table, seed) for seed in range(20)}
    assert named == {0, 1, 2}


def named_by(table, seed):
    race = FiniteRace(3, examples=6, delta=1e-9, seed=seed)
    race.tell_many(table.T)
    return race.leaders[0]


def test_who_cannot_catch_up_is_out_for_certain():
    race = FiniteRace(2, examples=10, delta=1e-12)
    for _ in range(6):
        race.tell({0: 1.0, 1: 0.0})
    # One more bet is made with the odds after six: the other cannot win any more.
    race.tell({0: 0.0, 1: 1.0})
    assert race.verdict().items == (0,)
    assert race.rows == 7


def test_items_by_name_and_on_a_scale():
    race = FiniteRace(["tea", "coffee", "milk"], examples=50, delta=0.05, scale=FUNNY)
    assert race.ask() == ["tea", "coffee", "milk"]
    while not race.ended:
        race.tell({item: "Funny" if item == "milk" else "Unfunny" for item in race.ask()})
    assert race.verdict().items == race.leaders == ("milk",)
    assert race.ask() == []
    assert race.standings().tolist() == ["out", "out", "in"]
    assert race.intervals().items == ("tea", "coffee", "milk")
    assert race.votes == 3 * race.rows
    assert "after" in str(race.verdict())
    assert repr(race) == f"<FiniteRace of 3 items, {race.rows} of 50 examples, {race.votes} votes>"


def test_before_the_verdict():
    race = FiniteRace(3, examples=50, epsilon=0.01)
    race.tell({0: 0.5, 1: 0.5, 2: 0.25})
    verdict = race.verdict()
    assert not verdict
    assert verdict.gap == pytest.approx((0.0 + 49) / 50)
    assert race.standings().tolist() == ["open"] * 3
    assert race.intervals().lower.max() <= 0.5 <= race.intervals().upper.min()
    assert race.means.tolist() == [0.5, 0.5, 0.25]


@pytest.mark.statistical
def test_intervals_hold_at_all_times_over_all_orders():
    """Three items, six examples, delta 0.5: all 720 orders, read after each example."""
    table = list(tables())[1]
    means, missed = table.mean(axis=1), 0
    for order in itertools.permutations(range(6)):
        race, bad = FiniteRace(3, examples=6, delta=0.49), False
        for example in order:
            race.tell_many(table[:, [example]].T)
            found = race.intervals()
            bad |= (found.lower > means + 1e-12).any() or (found.upper < means - 1e-12).any()
            if race.ended:
                break
        missed += bad
    assert missed / 720 <= 0.49


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"items": 1}, "how many there are, from 2"),
        ({"examples": 0}, "examples must be"),
        ({"examples": 2.5}, "examples must be"),
        ({"delta": 0.95}, "For 95 % confidence say delta=0.05"),
        ({"top": 3}, "top must be less"),
        ({"epsilon": -1}, "epsilon must lie"),
        ({"seed": -1}, "seed must be"),
        ({"items": 90_000, "top": 80_000}, "too many"),
    ],
)
def test_settings_that_are_refused(settings, words):
    with pytest.raises(InvalidInput, match=words):
        FiniteRace(**{"items": 3, "examples": 10} | settings)


def test_rows_that_are_refused_change_nothing():
    race = FiniteRace(["a", "b"], examples=3)
    for row, error, words in (
        ({"a": 1.0}, InvalidInput, "1 items are missing, the first that of 'b'"),
        ({"a": 1.0, "b": 2.0}, InvalidInput, "number in"),
        ({"a": 1.0, "c": 1.0}, UnknownItem, "no item 'c'"),
        ([1.0, 0.0], InvalidInput, "must be given as"),
    ):
        with pytest.raises(error, match=words):
            race.tell(row)
    for rows, words in (([[1.0]], "2 columns"), ([[1.0, 3.0]], "number in")):
        with pytest.raises(InvalidInput, match=words):
            race.tell_many(rows)
    assert race.rows == race.votes == 0
    race.tell_many([[1.0, 0.0]] * 3)
    with pytest.raises(InvalidInput, match="has ended"):
        race.tell({"a": 1.0, "b": 1.0})
