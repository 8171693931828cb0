"""Every bound of Plaudit as one compiled function of an item's own votes.

Most bounds have one form: with `level` a constant of the error probability and
`growth` a slowly growing function of time,

    rate = scale (level + growth) / votes,

and the bound lies where the divergence from the empirical mean reaches `rate`
(shape DIVERGENCE), or at the distance sqrt(rate) from it (shape RADIUS). A family's
own module says what its numbers are and where they come from. The two bounds that mix
martingales have kernels of their own, at level ln(1/delta). BETTING, KINF and
EMPIRICAL_BERNSTEIN want the votes at each level of a scale, and take their sum where there
is none; KINF is then a DIVERGENCE.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from plaudit.bounds.bernoulli import OUTWARD, distance_kernel
from plaudit.bounds.bernstein import bernstein_distance
from plaudit.bounds.beta_evidence import (
    beta_distance_kernel,
    price_kernel,
    threshold_kernel,
    weight_below,
)
from plaudit.bounds.bets import capital_within, gains, rest_kernel
from plaudit.compiled import compiled, inlined

DIVERGENCE = 0
RADIUS = 1
BETA_MIXTURE = 2
# From here on: shapes that read the votes at each level.
BETTING = 3
KINF = 4
EMPIRICAL_BERNSTEIN = 5

LIL_BINARY = 0  # ln(log2(2t)), t the item's votes
LIL_NATURAL = 1  # factor ln(ln(e t))
LIL_RATIO = 2  # ln(ln((1+factor) t))
VOTE_POWER = 3  # factor ln(t)
TIME_POWER = 4  # factor ln(time), time the rounds of the whole race
TIME_POWER_LOG = 5  # factor ln(time), and the logarithm of level + growth on top
TIME_SUM = 32  # factor time, where time is a sum of logarithms (at-lucb)
NO_GROWTH = 6  # the mixtures: what time costs comes out of the votes
STITCHED = 7  # factor ln(1 + log2(t/4)), and flat before the fourth vote
NEXT_VOTE = 8  # ln(t+1)

# An item without level counts, and the usual bets on its sum.
NO_COUNTS = np.zeros(0, dtype=np.int32)
NO_LOGS = gains(np.zeros(0))[0]
# Half of it is the most that rounding 1 - rest can lose.
ONE_UNIT = 2.0**-52


class Formula(NamedTuple):
    """The numbers that make a bound: see the head of this module."""

    shape: int
    growth: int
    factor: float
    scale: float
    weight: float


@inlined
def reads_levels(shape: int) -> bool:
    """Whether the votes at each level of a scale say more than their sum."""
    return shape >= BETTING


@inlined
def rate_kernel(formula: Formula, level: float, votes: float, time: float) -> float:
    """The divergence, or squared radius, that the evidence of `votes` cannot exclude."""
    if formula.growth == LIL_BINARY:
        evidence = level + math.log(1.0 + math.log2(votes))
    elif formula.growth == LIL_NATURAL:
        evidence = level + formula.factor * math.log(1.0 + math.log(votes))
    elif formula.growth == LIL_RATIO:
        inner = math.log1p(formula.factor) + math.log(votes)
        evidence = level + math.log(inner) if inner > 0.0 else math.inf
    elif formula.growth == VOTE_POWER:
        evidence = level + formula.factor * math.log(votes)
    elif formula.growth == NEXT_VOTE:
        evidence = level + math.log1p(votes)
    elif formula.growth == STITCHED:
        past = max(0.25 * votes, 1.0)
        evidence = level + formula.factor * math.log(1.0 + math.log2(past))
        evidence *= past / (0.25 * votes)
    elif formula.growth == TIME_SUM:
        evidence = level + formula.factor * time
    else:
        evidence = level + formula.factor * math.log(max(time, votes))
        if formula.growth == TIME_POWER_LOG:
            evidence += math.log(evidence)
    return formula.scale * max(evidence, 0.0) / votes


@compiled
def betting_upper(
    level: float, votes: float, total: float, share: float, counts: Any, logs: Any
) -> float:
    """The upper index from `share` times the votes at each level; 1 before the first vote.

    `logs` is the upper side of `gains`. Without levels the total says all.
    """
    if votes <= 0.0:
        return 1.0
    falls = share * (votes - total)
    return 1.0 - rest_kernel(level, share * votes, falls, share, counts, logs) + ONE_UNIT


@compiled
def betting_lower(
    level: float, votes: float, total: float, share: float, counts: Any, logs: Any
) -> float:
    """The lower bound from `share` times the votes at each level; 0 before the first vote."""
    if votes <= 0.0:
        return 0.0
    return max(0.0, rest_kernel(level, share * votes, share * total, share, counts, logs))


@inlined
def distance_up(formula: Formula, level: float, mean: float, votes: float, time: float) -> float:
    """How far above the empirical mean the upper bound lies (a radius may pass 1)."""
    if formula.shape == BETA_MIXTURE:
        return beta_distance_kernel(mean, 1.0 - mean, votes, level)
    if formula.shape == EMPIRICAL_BERNSTEIN:
        return bernstein_distance(level, votes, votes * (mean * (1.0 - mean)))
    rate = rate_kernel(formula, level, votes, time)
    if formula.shape == RADIUS:
        return math.sqrt(rate)
    return distance_kernel(mean, 1.0 - mean, rate, formula.weight)


@inlined
def upper_index(formula: Formula, level: float, mean: float, votes: float, time: float) -> float:
    """The upper bound before it is cut at 1, rounded upward: what rules compare.

    Published rules compare sub-Gaussian bounds beyond 1, where a cut would tie them.
    """
    if formula.shape == BETTING:
        # Not from the total: 1 - mean is exact where mean is close to 1.
        rest = rest_kernel(level, votes, (1.0 - mean) * votes, 1.0, NO_COUNTS, NO_LOGS)
        return 1.0 - rest + ONE_UNIT
    return (mean + distance_up(formula, level, mean, votes, time)) * (1.0 + OUTWARD)


@compiled
def upper_kernel(formula: Formula, level: float, mean: float, votes: float, time: float) -> float:
    """The upper bound, rounded upward; 1 before the first vote."""
    if votes <= 0.0:
        return 1.0
    return min(1.0, upper_index(formula, level, mean, votes, time))


@compiled
def lower_kernel(formula: Formula, level: float, mean: float, votes: float, time: float) -> float:
    """The lower bound, rounded downward; 0 before the first vote."""
    if votes <= 0.0:
        return 0.0
    if formula.shape == BETTING:
        return max(0.0, rest_kernel(level, votes, mean * votes, 1.0, NO_COUNTS, NO_LOGS))
    if formula.shape == BETA_MIXTURE:
        distance = beta_distance_kernel(1.0 - mean, mean, votes, level)
    elif formula.shape == EMPIRICAL_BERNSTEIN:
        distance = bernstein_distance(level, votes, votes * (mean * (1.0 - mean)))
    else:
        rate = rate_kernel(formula, level, votes, time)
        if formula.shape == RADIUS:
            distance = math.sqrt(rate)
        else:
            distance = distance_kernel(1.0 - mean, mean, rate, formula.weight)
    return max(0.0, mean - distance - OUTWARD * (mean + distance))


@inlined
def surely_below(
    formula: Formula, level: float, mean: float, votes: float, time: float, value: float
) -> bool:
    """Whether `value`, in (0, mean), is at or above the lower bound; False where it is close.

    For m <= x, D(x, m) <= (x-m)^2 (1/(2m) + 1/(2-m-x)): D is the integral over u from m to
    x of (x-u)/u, which is convex, and (x-u)/(1-u), which is concave; the trapezium of the
    one and the midpoint of the other are not below them. No logarithm but those of the rate.
    """
    if formula.shape == RADIUS or formula.shape == EMPIRICAL_BERNSTEIN or value <= 0.0:
        return False
    if formula.shape == BETTING:
        return capital_within(level, votes, mean * votes, 1.0, NO_COUNTS, NO_LOGS, value)
    span = formula.weight * (mean - value)
    room = 2.0 - 2.0 * value - span
    if formula.shape == BETA_MIXTURE:
        weight = weight_below(1.0 - value, value)
        evidence = price_kernel(1.0 - mean, mean, votes) + threshold_kernel(level, weight)
        rate = evidence / votes * (1.0 - 1e-9)
    else:
        rate = rate_kernel(formula, level, votes, time) * (1.0 - 1e-9)
    return span * span * (2.0 - span) <= rate * 2.0 * value * room


@inlined
def upper_limit(formula: Formula, mean: float, index: float, fall: float) -> float:
    """No less than the upper index where the rate is less by `fall`; no root to find.

    An index is concave in its rate (the inverse of a convex divergence, or a square root), so
    it lies below its tangent. There the divergence grows by (index - mean) / (index (1-index))
    with the index, at weight 1, and the square of a radius by 2 (index - mean).
    """
    if formula.shape == RADIUS:
        return index - fall / (2.0 * (index - mean))
    return index - fall * (index * (1.0 - index)) / (index - mean)
