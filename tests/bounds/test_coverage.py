"""Do the bounds hold at all times at once, and are they the bounds they claim to be?

Two independent routes. For votes 0 and 1 the probability that a bound is ever crossed up
to a horizon is computed exactly, by carrying the distribution of the sum forward and
removing what has crossed: no sampling, no tolerance. For 3-level votes and long horizons
it is simulated with fixed seeds and judged by exact binomial limits.

Both directions: the probability must not exceed delta, and it must equal that of the
definition in tests/support/oracle.py, so that a bound at half its delta, or with kappa at the
wrong level, fails (both are planted below).
"""

import math
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import binom

from plaudit import bounds
from plaudit.bounds.lil_kl import LilLevel
from support import oracle
from support.crossings import (
    DELTA,
    MEANS,
    crossing_probability,
    edges,
    misses_by_definition,
    misses_of,
    table_by_name,
    table_of,
)

pytestmark = pytest.mark.statistical

LONG = 20_000
FALSE_ALARM = 1e-6


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("name", bounds.NAMES)
def test_exact_crossing_probability(name, mean, side):
    ours = crossing_probability(mean, misses_of(table_by_name(name, side), mean, side))
    exact = crossing_probability(mean, misses_by_definition(name, mean, DELTA, side))
    assert ours <= DELTA
    assert ours == pytest.approx(exact, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("name", ["lil-kl", "lil-kl-2", "sg1"])
def test_a_planted_bug_changes_the_crossing_probability(name):
    """Half delta, and kappa of the error level delta/10, must both fail the test above."""
    bound = bounds.get(name)
    exact = crossing_probability(0.5, misses_by_definition(name, 0.5, DELTA, 1))
    halved = crossing_probability(0.5, misses_of(table_of(bound, DELTA / 2, 1), 0.5, 1))
    assert halved < 0.8 * exact

    def wrong_kappa(delta):
        # kappa at delta/10, the rest of the level at delta.
        return LilLevel(8)(delta) - math.log(10) / 9

    planted = bounds.Bound(name, bound.formula, wrong_kappa)
    wrong = crossing_probability(0.5, misses_of(table_of(planted, DELTA, 1), 0.5, 1))
    assert wrong > 1.1 * exact


@lru_cache(maxsize=1)
def walks(weights):
    """2,000 walks of 20,000 votes at 0, 1/2 and 1: sums in halves, which 16 bits hold."""
    generator = np.random.default_rng(20261116)
    sums = np.empty((2000, LONG), dtype=np.uint16)
    first, second = np.cumsum(weights)[:-1]
    for walk in sums:
        chance = generator.random(LONG)
        votes = (chance >= first).astype(np.uint8) + (chance >= second)
        np.cumsum(votes, out=walk)
    return sums


def crossings(bound, weights):
    """How many of the walks ever put the true mean outside the interval."""
    above, inside = edges(bound, float(np.dot([0.0, 0.5, 1.0], weights)), DELTA / 2, LONG)
    crossed = [((walk >= above) | (walk < inside)).any() for walk in walks(weights)]
    assert len(crossed) == 2000
    return sum(crossed)


LIMIT = binom.ppf(1 - FALSE_ALARM, 2000, DELTA)


@pytest.mark.parametrize("name", bounds.NAMES)
@pytest.mark.parametrize("weights", [(0.9, 0.06, 0.04), (0.3, 0.4, 0.3), (0.01, 0.04, 0.95)])
def test_coverage_on_three_levels_over_a_long_horizon(name, weights):
    """Claim: on votes 0, 1/2, 1, up to 20,000 votes, the interval at delta on each side
    misses the true mean with probability at most 2 delta. 2,000 walks; false alarm at most
    1e-6 by the exact binomial limit."""
    assert crossings(bounds.get(name), weights) <= LIMIT


def test_the_simulated_route_sees_a_bound_that_is_too_tight():
    """A planted bound whose evidence is a tenth of what it should be crosses too often."""
    good = bounds.get("lil-kl")
    planted = bounds.Bound("planted", good.formula._replace(scale=0.1), good.level_of)
    assert crossings(planted, (0.3, 0.4, 0.3)) > LIMIT


# Mixtures


THREE = [0.0, 0.5, 1.0]
LONGEST = 120
READ_LEVELS = ("betting", *oracle.FROM_LEVELS)


def tables_on_levels(bound, side):
    """The bound for each number of votes, by the counts of the first two of three levels."""
    tables = []
    for t in range(1, LONGEST + 1):
        first, second = np.nonzero(np.add.outer(np.arange(t + 1), np.arange(t + 1)) <= t)
        counts = np.stack([first, second, t - first - second], axis=1)
        take = bound.upper_from_levels if side > 0 else bound.lower_from_levels
        tables.append(np.full((t + 1, t + 1), np.nan))
        tables[-1][first, second] = take(counts, THREE, DELTA)
    return tables


@lru_cache(maxsize=6)
def tables_by_name(name, side):
    return tables_on_levels(bounds.get(name), side)


def missed(tables, t, mean, side):
    """Which counts of the first two levels put the mean outside; none of more than t votes."""
    return tables[t - 1] < mean if side > 0 else tables[t - 1] > mean


def crossing_on_levels(tables, chances, side, horizon):
    """P(the bound from the counts of three levels ever misses the mean), exactly."""
    mean = float(np.dot(THREE, chances))
    alive = np.zeros((horizon + 2, horizon + 2))  # by the counts of the first two levels
    alive[0, 0] = 1.0
    crossed = 0.0
    for t in range(1, horizon + 1):
        after = alive * chances[2]
        after[1:] += alive[:-1] * chances[0]
        after[:, 1:] += alive[:, :-1] * chances[1]
        out = missed(tables, t, mean, side)
        crossed += after[: t + 1, : t + 1][out].sum()
        after[: t + 1, : t + 1][out] = 0.0
        alive = after
    return crossed


class MeanAlone:
    """A bound that is told no levels."""

    def __init__(self, bound):
        self.bound = bound

    def upper_from_levels(self, counts, values, delta):
        votes = counts.sum(axis=1)
        return self.bound.upper(counts @ values / votes, votes, delta)

    def lower_from_levels(self, counts, values, delta):
        votes = counts.sum(axis=1)
        return self.bound.lower(counts @ values / votes, votes, delta)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("chances", [(0.6, 0.3, 0.1), (0.3, 0.4, 0.3), (0.05, 0.15, 0.8)])
@pytest.mark.parametrize("name", READ_LEVELS)
def test_levels_are_crossed_with_probability_at_most_delta(name, chances, side):
    """Up to 120 votes, exactly. They are crossed more often than the mean alone lets them."""
    probability = crossing_on_levels(tables_by_name(name, side), chances, side, LONGEST)
    assert probability <= DELTA
    alone = tables_on_levels(MeanAlone(bounds.get(name)), side)
    assert probability > 1.5 * crossing_on_levels(alone, chances, side, LONGEST)


def worst_crossing(tables, laws, side, horizon):
    """The same where an opponent chooses each vote's law, knowing all votes before it.

    All of `laws` have one mean. From the last vote back: a state is worth 1 where the mean is
    missed, and otherwise what the best law makes of it.
    """
    mean = float(np.dot(THREE, laws[0]))
    worth = np.zeros((horizon + 2, horizon + 2))  # by the counts of the first two levels
    for t in range(horizon, 0, -1):
        worth[: t + 1, : t + 1][missed(tables, t, mean, side)] = 1.0
        mixed = [a * worth[1:, :-1] + b * worth[:-1, 1:] + c * worth[:-1, :-1] for a, b, c in laws]
        worth = np.pad(np.max(mixed, axis=0), (0, 1))
    return worth[0, 0]


OPPONENTS = {
    "mean 1/2": [(0.0, 1.0, 0.0), (0.5, 0.0, 0.5)],
    "mean 0.3": [(0.4, 0.6, 0.0), (0.7, 0.0, 0.3)],
    "mean 0.9": [(0.0, 0.2, 0.8), (0.1, 0.0, 0.9)],
}


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("opponent", OPPONENTS)
@pytest.mark.parametrize("name", READ_LEVELS)
def test_votes_need_only_share_their_mean_given_the_past(name, opponent, side):
    """Up to 100 votes, whatever laws on three levels the opponent mixes: exactly."""
    tables, laws = tables_by_name(name, side), OPPONENTS[opponent]
    worst = worst_crossing(tables, laws, side, 100)
    plain = [crossing_on_levels(tables, law, side, 100) for law in laws]
    assert max(plain) - 1e-12 <= worst <= DELTA


def test_the_exact_route_sees_bets_that_are_not_fair():
    """Planted: levels that are told as if the middle one were higher than it is."""
    bound, chances = bounds.get("betting"), (0.2, 0.7, 0.1)
    assert crossing_on_levels(tables_by_name("betting", -1), chances, -1, LONGEST) <= DELTA

    class Planted:
        def lower_from_levels(self, counts, values, delta):
            return bound.lower_from_levels(counts, [0.0, 0.6, 1.0], delta)

    planted = tables_on_levels(Planted(), -1)
    assert crossing_on_levels(planted, chances, -1, LONGEST) > DELTA


def largest_crossing(table):
    return max(crossing_probability(m, misses_of(table, m, 1)) for m in (0.1, 0.5))


@pytest.mark.parametrize("name", oracle.MIXTURES)
def test_a_mixture_that_asks_for_too_little_is_crossed_too_often(name):
    """Planted: evidence for delta of 0.9 where 0.3 is promised."""
    bound = bounds.get(name)
    planted = bounds.Bound(name, bound.formula, lambda delta: bound.level_of(3 * delta))
    assert largest_crossing(table_of(planted, DELTA, 1)) > DELTA
    assert largest_crossing(table_by_name(name, 1)) > 0.3 * DELTA


@pytest.mark.parametrize("name", ["kinf", "empirical-bernstein", "stitched"])
def test_two_nats_too_little_are_seen_by_the_exact_route(name):
    """Planted: evidence for e^2 times delta. As it is, delta is not promised for nothing."""
    bound = bounds.get(name)
    planted = bounds.Bound(name, bound.formula, lambda delta: bound.level_of(delta) - 2.0)
    assert largest_crossing(table_of(planted, DELTA, 1)) > DELTA
    assert largest_crossing(table_by_name(name, 1)) > 0.07 * DELTA
