"""Races that bet with learned weights: bounds, saves, shortlists, refusals."""

import numpy as np
import pytest

from plaudit import Bets, Race, bounds
from plaudit.errors import InvalidInput
from plaudit.race.tolerance.excluded import same_without
from plaudit.scale import FUNNY
from support.same_race import assert_same_from_now_on, intervals, restored

HILL = np.exp(-0.3 * np.abs(np.arange(24) - 15))
LEARNED = Bets(tuple(HILL.tolist()), tuple(HILL[::-1].tolist()), "a hill")


def told(bets, **given):
    """A race in which every item got some votes."""
    rng = np.random.default_rng(4)
    race = Race(6, scale=FUNNY, seed=2, delta=0.05, bets=bets, **given)
    items = np.repeat(np.arange(6), 30)
    chances = np.array([[0.1, 0.3, 0.6], *[[0.7, 0.2, 0.1]] * 5])
    levels = [rng.choice(3, p=chances[item]) for item in items]
    race.tell_many(items, np.array(FUNNY.values)[levels])
    return race


@pytest.mark.parametrize("tolerance", [0, 2])
def test_a_race_judges_by_the_bounds_of_its_bets(tolerance):
    race = told(LEARNED, tolerance=tolerance)
    budget, bound = race.engine.method.budget, bounds.get("betting", bets=LEARNED)
    counts = race.engine.level_counts.copy()
    lowest, highest = counts.copy(), counts.copy()
    for row in lowest:
        for level in (0, 1, 2):
            row[level] -= (gone := min(row[level], tolerance - (30 - row.sum())))
            assert gone >= 0
    for row in highest:
        for level in (2, 1, 0):
            row[level] -= min(row[level], tolerance - (30 - row.sum()))
    table = race.intervals()
    upper = bound.upper_from_levels(lowest, FUNNY.values, budget.upper)
    lower = bound.lower_from_levels(highest, FUNNY.values, budget.lower)
    assert np.abs(table.upper - upper).max() < 1e-15
    assert np.abs(table.lower - lower).max() < 1e-15
    assert np.abs(table.upper - told(None, tolerance=tolerance).intervals().upper).max() > 1e-3


def test_the_usual_weights_written_out_change_nothing():
    ours, plain = told(Bets.usual()), told(None)
    assert ours.ask(5) == plain.ask(5)
    assert np.abs(ours.intervals().upper - plain.intervals().upper).max() < 1e-13


def test_a_saved_race_has_its_bets():
    race = told(LEARNED)
    other = restored(race)
    assert other.settings.bets == LEARNED
    assert intervals(other) == intervals(race)
    other.add(1)
    race.add(1)
    assert_same_from_now_on(race, other)


def test_a_race_without_a_scale_bets_with_them_on_sums():
    race = Race(2, bets=LEARNED, delta=0.1)
    race.tell_many([0] * 20 + [1] * 20, [0.25] * 20 + [0.8] * 20)
    budget, bound = race.engine.method.budget, bounds.get("betting", bets=LEARNED)
    table = race.intervals()
    assert table.upper[0] == pytest.approx(bound.upper(0.25, 20, budget.upper), abs=1e-12)
    assert table.lower[1] == pytest.approx(bound.lower(0.8, 20, budget.lower), abs=1e-12)


def test_shortlists_and_excluded_raters_are_judged_by_them_too():
    ours, plain = told(LEARNED), told(None)
    assert (ours.shortlists().gap != plain.shortlists().gap).any()
    aside = np.zeros((6, 3), dtype=int)
    aside[1, 2] = 1
    race = told(LEARNED, epsilon=0.3)
    assert same_without(race, [0], aside) == (race.verdict().stopped and _covers(race, aside[1]))


def _covers(race, aside):
    """Whether the upper bound of item 1 is low enough with its excluded vote of 1."""
    bound, budget = race.engine.method.bound, race.engine.method.budget
    more = bound.upper_from_levels(race.engine.level_counts[1] + aside, FUNNY.values, budget.upper)
    return more - race.intervals().lower[0] < 0.3


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"algorithm": "lil-klucb"}, "the bound here is 'lil-kl'"),
        ({"bound": "kinf"}, "the bound here is 'kinf'"),
        ({"bets": "bets.json"}, r"plaudit\.Bets"),
    ],
)
def test_what_cannot_bet_refuses_them(given, words):
    with pytest.raises(InvalidInput, match=words):
        Race(3, **{"bets": LEARNED} | given)
