"""Do the bounds hold at all times at once, and are they the bounds they claim to be?

Two independent routes. For votes 0 and 1 the probability that a bound is ever crossed up
to a horizon is computed exactly, by carrying the distribution of the sum forward and
removing what has crossed: no sampling, no tolerance. For 3-level votes and long horizons
it is simulated with fixed seeds and judged by exact binomial limits.

Both directions: the probability must not exceed delta, and it must equal that of the
definition in tests/oracle.py, so that a bound at half its delta, or with kappa at the
wrong level, fails (both are planted below).
"""

import math
from functools import cache

import mpmath as mp
import numpy as np
import pytest
from scipy.special import betaln, logsumexp
from scipy.stats import beta, binom

import oracle
from plaudit import bounds
from plaudit.bounds.lil_kl import LilLevel
from plaudit.compiled import compiled

pytestmark = pytest.mark.statistical

HORIZON = 1000
DELTA = 0.3
MEANS = [0.02, 0.5, 0.9]
FALSE_ALARM = 1e-6


def crossing_probability(mean, misses):
    """P(some t <= horizon has misses[t-1][sum]), sums of Bernoulli(mean) votes."""
    alive = np.zeros(len(misses) + 2)
    alive[0] = 1.0
    crossed = 0.0
    for t, row in enumerate(misses, start=1):
        alive[1 : t + 1] = alive[1 : t + 1] * (1 - mean) + alive[:t] * mean
        alive[0] *= 1 - mean
        crossed += alive[: t + 1][row].sum()
        alive[: t + 1][row] = 0.0
    return crossed


def misses_of(bound, mean, delta, side):
    """For each t and sum whether the bound excludes the true mean."""
    rows = []
    for t in range(1, HORIZON + 1):
        means = np.arange(t + 1) / t
        if side > 0:
            rows.append(bound.upper(means, t, delta) < mean)
        else:
            rows.append(bound.lower(means, t, delta) > mean)
    return rows


def misses_by_definition(name, mean, delta, side):
    """The same from the definitions, evaluated at the true mean: no inversion at all."""
    rows = []
    for t in range(1, HORIZON + 1):
        means = np.arange(t + 1) / t
        beyond = (mean - means) * side > 0
        rows.append(beyond & _excluded(name, means, mean, t, delta))
    return rows


def _excluded(name, means, mean, t, delta):
    if name in oracle.MIXTURES:
        upper = _mixture_excludes(name, means, mean, t, delta)
        lower = _mixture_excludes(name, 1 - means, 1 - mean, t, delta)
        return np.where(means < mean, upper, lower)
    if name == "empirical-bernstein":
        return _bernstein_excludes(np.abs(means - mean), means * (1 - means), t, delta)
    evidence, radius = _definition(name, t, delta)
    if radius is not None:
        return np.abs(means - mean) > radius
    first = (8 * means + mean) / 9 if name == "lil-kl" else means
    constant = 9 / (8 - math.log(9)) if name == "lil-kl-2" else 1.0
    return bounds.divergence(first, mean) > constant * evidence / t


def _mixture_excludes(name, means, mean, t, delta):
    """Whether a mean is too large, by the theory pages and SciPy's functions."""
    rises = means * t
    falls = t - rises
    if name == "betting":
        sizes = np.geomspace(0.001, 100, 24)
        weights = sizes**0.4 / (sizes**0.4).sum()
        odds = t * np.log1p(sizes * (1 - mean))
        grown = np.outer(falls, np.log1p(sizes)) - odds
        return logsumexp(grown, axis=1, b=weights) > -math.log(delta)
    weight = beta.cdf(mean, 0.5, 0.5)
    mixture = betaln(rises + 0.5, falls + 0.5) - math.log(math.pi)
    log_ratio = mixture - rises * math.log(mean) - falls * math.log1p(-mean)
    return log_ratio > math.log(weight / delta + 1 - weight)


def _bernstein_excludes(apart, variances, t, delta):
    """Whether one of the sizes of its page leaves no room for such distances."""
    k = np.arange(60)[:, None]
    sizes = 2.0 ** (-1 - k / 2)
    psi = -np.log1p(-sizes) - sizes
    excess = sizes * t * apart - psi * t * (variances + apart**2)
    return (excess > np.log((k + 1) * (k + 2) / delta)).any(axis=0)


@cache
def _definition(name, t, delta):
    with mp.workdps(20):
        radius = float(oracle.radius(name, t, delta)) if name in oracle.RADII else None
        return float(oracle.evidence(name, t, delta)), radius


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("name", bounds.NAMES)
def test_exact_crossing_probability(name, mean, side):
    ours = crossing_probability(mean, misses_of(bounds.get(name), mean, DELTA, side))
    exact = crossing_probability(mean, misses_by_definition(name, mean, DELTA, side))
    assert ours <= DELTA
    assert ours == pytest.approx(exact, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("name", ["lil-kl", "lil-kl-2", "sg1"])
def test_a_planted_bug_changes_the_crossing_probability(name):
    """Half delta, and kappa of the error level delta/10, must both fail the test above."""
    bound = bounds.get(name)
    exact = crossing_probability(0.5, misses_by_definition(name, 0.5, DELTA, 1))
    halved = crossing_probability(0.5, misses_of(bound, 0.5, DELTA / 2, 1))
    assert halved < 0.8 * exact

    def wrong_kappa(delta):
        # kappa at delta/10, the rest of the level at delta.
        return LilLevel(8)(delta) - math.log(10) / 9

    planted = bounds.Bound(name, bound.formula, wrong_kappa)
    wrong = crossing_probability(0.5, misses_of(planted, 0.5, DELTA, 1))
    assert wrong > 1.1 * exact


@compiled
def _count_crossings(above, beneath, values, below, generator, horizon, out):
    """How many walks ever put the true mean outside their bound, by its own definition."""
    for walk in range(out.size):
        total = 0.0
        for t in range(1, horizon + 1):
            chance = generator.random()
            level = 0
            while level < below.size and chance >= below[level]:
                level += 1
            total += values[level]
            if total > above[t - 1] or total < beneath[t - 1]:
                out[walk] = True
                break


def _edges(bound, mean, delta, horizon):
    """Sums above which the lower bound passes the mean, and below which the upper does."""
    t = np.arange(1, horizon + 1, dtype=float)
    above, below = np.full(horizon, np.inf), np.full(horizon, -np.inf)
    low, high = np.full(horizon, mean), np.ones(horizon)
    for _ in range(50):
        middle = (low + high) / 2
        out = bound.lower(middle, t, delta) > mean
        low, high = np.where(out, low, middle), np.where(out, middle, high)
    crossed = bound.lower(np.ones(horizon), t, delta) > mean
    above[crossed] = (high * t)[crossed]
    low, high = np.zeros(horizon), np.full(horizon, mean)
    for _ in range(50):
        middle = (low + high) / 2
        out = bound.upper(middle, t, delta) < mean
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    crossed = bound.upper(np.zeros(horizon), t, delta) < mean
    below[crossed] = (low * t)[crossed]
    return above - 1e-9, below + 1e-9


@pytest.mark.parametrize("weights", [(0.9, 0.06, 0.04), (0.3, 0.4, 0.3), (0.01, 0.04, 0.95)])
@pytest.mark.parametrize("name", bounds.NAMES)
def test_coverage_on_three_levels_over_a_long_horizon(name, weights):
    """Claim: on votes 0, 1/2, 1, up to 20,000 votes, the interval at delta on each side
    misses the true mean with probability at most 2 delta. 2,000 walks; false alarm at most
    1e-6 by the exact binomial limit."""
    values = np.array([0.0, 0.5, 1.0])
    mean = float(np.dot(values, weights))
    above, below = _edges(bounds.get(name), mean, DELTA / 2, 20_000)
    crossed = np.zeros(2000, dtype=np.bool_)
    cumulative = np.cumsum(weights)[:-1]
    generator = np.random.default_rng(20261116)
    _count_crossings(above, below, values, cumulative, generator, 20_000, crossed)
    limit = binom.ppf(1 - FALSE_ALARM, crossed.size, DELTA)
    assert crossed.sum() <= limit


def test_the_simulated_route_sees_a_bound_that_is_too_tight():
    """A planted bound whose evidence is a tenth of what it should be crosses too often."""
    good = bounds.get("lil-kl")
    planted = bounds.Bound("planted", good.formula._replace(scale=0.1), good.level_of)
    above, below = _edges(planted, 0.5, DELTA / 2, 20_000)
    crossed = np.zeros(2000, dtype=np.bool_)
    generator = np.random.default_rng(20261116)
    cumulative = np.array([0.3, 0.7])
    values = np.array([0.0, 0.5, 1.0])
    _count_crossings(above, below, values, cumulative, generator, 20_000, crossed)
    assert crossed.sum() > binom.ppf(1 - FALSE_ALARM, crossed.size, DELTA)


# Mixtures


def crossing_on_levels(bound, values, chances, delta, side, horizon):
    """P(the bound from the counts of three levels ever misses the mean), exactly."""
    mean = float(np.dot(values, chances))
    alive = np.zeros((horizon + 2, horizon + 2))  # by the counts of the first two levels
    alive[0, 0] = 1.0
    crossed = 0.0
    for t in range(1, horizon + 1):
        after = alive * chances[2]
        after[1:] += alive[:-1] * chances[0]
        after[:, 1:] += alive[:, :-1] * chances[1]
        first, second = np.nonzero(after)
        counts = np.stack([first, second, t - first - second], axis=1)
        if side > 0:
            out = bound.upper_from_levels(counts, values, delta) < mean
        else:
            out = bound.lower_from_levels(counts, values, delta) > mean
        crossed += after[first[out], second[out]].sum()
        after[first[out], second[out]] = 0.0
        alive = after
    return crossed


THREE = [0.0, 0.5, 1.0]
READ_LEVELS = ("betting", *oracle.FROM_LEVELS)


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
    bound = bounds.get(name)
    probability = crossing_on_levels(bound, THREE, chances, DELTA, side, 120)
    assert probability <= DELTA
    alone = MeanAlone(bound)
    assert probability > 1.5 * crossing_on_levels(alone, THREE, chances, DELTA, side, 120)


def worst_crossing(bound, laws, delta, side, horizon):
    """The same where an opponent chooses each vote's law, knowing all votes before it.

    All of `laws` have one mean. From the last vote back: a state is worth 1 where the mean is
    missed, and otherwise what the best law makes of it.
    """
    mean = float(np.dot(THREE, laws[0]))
    worth = np.zeros((horizon + 2, horizon + 2))  # by the counts of the first two levels
    for t in range(horizon, 0, -1):
        first, second = np.nonzero(np.add.outer(np.arange(t + 1), np.arange(t + 1)) <= t)
        counts = np.stack([first, second, t - first - second], axis=1)
        if side > 0:
            out = bound.upper_from_levels(counts, THREE, delta) < mean
        else:
            out = bound.lower_from_levels(counts, THREE, delta) > mean
        worth[first[out], second[out]] = 1.0
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
    bound, laws = bounds.get(name), OPPONENTS[opponent]
    worst = worst_crossing(bound, laws, DELTA, side, 100)
    plain = [crossing_on_levels(bound, THREE, law, DELTA, side, 100) for law in laws]
    assert max(plain) - 1e-12 <= worst <= DELTA


def test_the_exact_route_sees_bets_that_are_not_fair():
    """Planted: levels that are told as if the middle one were higher than it is."""
    bound, chances = bounds.get("betting"), (0.2, 0.7, 0.1)
    honest = crossing_on_levels(bound, THREE, chances, DELTA, -1, 120)
    assert honest <= DELTA

    class Planted:
        def lower_from_levels(self, counts, values, delta):
            return bound.lower_from_levels(counts, [0.0, 0.6, 1.0], delta)

    assert crossing_on_levels(Planted(), THREE, chances, DELTA, -1, 120) > DELTA


@pytest.mark.parametrize("name", oracle.MIXTURES)
def test_a_mixture_that_asks_for_too_little_is_crossed_too_often(name):
    """Planted: evidence for delta of 0.9 where 0.3 is promised."""
    bound = bounds.get(name)
    planted = bounds.Bound(name, bound.formula, lambda delta: bound.level_of(3 * delta))
    wrong = [crossing_probability(m, misses_of(planted, m, DELTA, 1)) for m in (0.1, 0.5)]
    assert max(wrong) > DELTA
    right = [crossing_probability(m, misses_of(bound, m, DELTA, 1)) for m in (0.1, 0.5)]
    assert max(right) > 0.3 * DELTA


@pytest.mark.parametrize("name", ["kinf", "empirical-bernstein", "stitched"])
def test_two_nats_too_little_are_seen_by_the_exact_route(name):
    """Planted: evidence for e^2 times delta. As it is, delta is not promised for nothing."""
    bound = bounds.get(name)
    planted = bounds.Bound(name, bound.formula, lambda delta: bound.level_of(delta) - 2.0)
    wrong = [crossing_probability(m, misses_of(planted, m, DELTA, 1)) for m in (0.1, 0.5)]
    assert max(wrong) > DELTA
    right = [crossing_probability(m, misses_of(bound, m, DELTA, 1)) for m in (0.1, 0.5)]
    assert max(right) > 0.07 * DELTA
