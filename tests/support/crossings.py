"""How likely a bound is crossed, computed plainly: from its tables, and from its definition."""

import math
from functools import cache, lru_cache

import mpmath as mp
import numpy as np
from scipy.special import betaln, logsumexp
from scipy.stats import beta

from plaudit import bounds
from support import oracle

HORIZON = 1000
DELTA = 0.3
MEANS = [0.02, 0.5, 0.9]


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


def table_of(bound, delta, side):
    """For each t the bound at every sum: the same whatever the true mean is."""
    means = (np.arange(t + 1) / t for t in range(1, HORIZON + 1))
    take = bound.upper if side > 0 else bound.lower
    return [take(row, t, delta) for t, row in enumerate(means, start=1)]


# The last tables used, about 4 MB each.
@lru_cache(maxsize=4)
def table_by_name(name, side):
    return table_of(bounds.get(name), DELTA, side)


def misses_of(table, mean, side):
    """For each t and sum whether the bound excludes the true mean."""
    return [row < mean if side > 0 else row > mean for row in table]


def misses_by_definition(name, mean, delta, side):
    """The same from the definitions, evaluated at the true mean: no inversion at all."""
    rows = []
    for t in range(1, HORIZON + 1):
        means = np.arange(t + 1) / t
        misses = (mean - means) * side > 0
        misses[misses] = _excluded(name, means[misses], mean, t, delta, side)
        rows.append(misses)
    return rows


def _excluded(name, means, mean, t, delta, side):
    if name in oracle.MIXTURES:
        if side < 0:
            means, mean = 1 - means, 1 - mean
        return _mixture_excludes(name, means, mean, t, delta)
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


def edges(bound, mean, delta, horizon):
    """The smallest sum from which on the lower bound is above the mean, and the smallest at which
    the upper bound is not below it, for votes 0, 1/2 and 1. Both in halves, for each t."""
    t = np.arange(1, horizon + 1)
    low, high = np.zeros_like(t), 2 * t + 1  # one more than the largest sum if there is none
    while (low < high).any():
        middle = np.minimum((low + high) // 2, 2 * t)
        out = bound.lower(middle / (2 * t), t, delta) > mean
        low, high = np.where(out, low, np.minimum(middle + 1, high)), np.where(out, middle, high)
    above = high
    low, high = np.zeros_like(t), 2 * t + 1
    while (low < high).any():
        middle = np.minimum((low + high) // 2, 2 * t)
        out = bound.upper(middle / (2 * t), t, delta) < mean
        low, high = np.where(out, np.minimum(middle + 1, high), low), np.where(out, high, middle)
    return above.astype(np.uint16), low.astype(np.uint16)
