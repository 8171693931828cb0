"""Counts of raters who differ: how much they do, and how rare a large count is among them.

A rater does something in `count` of `trials` answers; all raters together would in a share
`expected` of the same answers. Honest raters are not alike: some are stern, some are quick. So
a rater's own share is taken as drawn from a beta distribution around what is expected, as wide
as the raters of this contest show it to be, and the count is beta-binomial:

    variance = trials · expected · (1 - expected) · (1 + (trials - 1) · spread)

The spread is read off the middle of the crowd, so that a few who cheat do not widen it.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]
# The quantiles of the crowd from which the spread is read. The larger spread counts.
QUANTILES = (0.5, 0.7)
WIDEST = 0.9
# No crowd is as uniform as dice.
NARROWEST = 0.01
_STEPS = 25


def spread(count: Whole, trials: Whole, expected: Floats) -> float:
    """How much raters differ, between 0.01 and 0.9: 0 would be not at all, 1 all or nothing.

    The squared deviations are divided by the variance above; the spread is the one at which
    their quantiles are those of a squared normal variable. Quantiles of a small crowd are
    uncertain, so it is widened by two standard errors or so.

    >>> dice = np.random.default_rng(1).binomial(50, 0.3, 4000)
    >>> spread(dice, np.full(4000, 50), np.full(4000, 0.3))
    0.01
    """
    squares = (count - trials * expected) ** 2 / (trials * expected * (1.0 - expected))
    found = NARROWEST
    for quantile in QUANTILES:
        found = max(found, _solve(squares, trials, quantile, _wanted(quantile, len(count))))
    return found


def _solve(squares: Floats, trials: Whole, quantile: float, wanted: float) -> float:
    """The spread at which a quantile of the standardised squares is the wanted one."""
    low, high = 0.0, WIDEST
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        seen = np.quantile(squares / (1.0 + (trials - 1) * middle), quantile)
        low, high = (middle, high) if seen > wanted else (low, middle)
    return high


def log_tail(count: Whole, trials: Whole, expected: Floats, spread: float) -> Floats:
    """The logarithm of the probability of at least `count`, among raters who differ so much.

    >>> two_heads = log_tail(np.array([2]), np.array([2]), np.array([0.5]), 1e-6)
    >>> float(np.exp(two_heads[0]).round(3))
    0.25
    """
    from scipy.special import betaln, gammaln

    total = 1.0 / spread - 1.0
    alpha, beta = expected * total, (1.0 - expected) * total
    terms = trials - count + 1
    rater = np.repeat(np.arange(len(count)), terms)
    first = np.cumsum(terms) - terms
    ways = count[rater] + np.arange(len(rater)) - first[rater]
    of = trials[rater]
    logs = gammaln(of + 1.0) - gammaln(ways + 1.0) - gammaln(of - ways + 1.0)
    logs += betaln(alpha[rater] + ways, beta[rater] + of - ways)
    logs -= betaln(alpha, beta)[rater]
    largest = np.maximum.reduceat(logs, first) if len(first) else logs
    sums = np.add.reduceat(np.exp(logs - largest[rater]), first) if len(first) else logs
    return np.asarray(np.minimum(0.0, largest + np.log(sums)))


def between(deviation: Floats, variance: Floats) -> tuple[float, float]:
    """The middle of the deviations, and the variance between raters above it.

    `variance` is what each deviation would have if raters were alike. Only the side of those
    who fall short speaks, for honest raters need not differ to both sides alike.
    """
    middle = float(np.median(deviation))
    upper = np.flatnonzero(deviation > middle)
    squares = (deviation[upper] - middle) ** 2
    found = 0.0
    for quantile in QUANTILES if len(upper) else ():
        wanted = _wanted(quantile, len(deviation))
        low, high = 0.0, float(squares.max()) / wanted + 1e-12
        for _ in range(_STEPS):
            half = 0.5 * (low + high)
            seen = np.quantile(squares / (variance[upper] + half + 1e-18), quantile)
            low, high = (half, high) if seen > wanted else (low, half)
        found = max(found, high)
    return middle, found


def _wanted(quantile: float, raters: int) -> float:
    """A quantile of a squared normal variable, made smaller by what a small crowd leaves open."""
    from scipy.special import gammaincinv

    chi_square = 2.0 * gammaincinv(0.5, quantile)
    return float(chi_square / (1.0 + 2.0 / np.sqrt(raters)))
