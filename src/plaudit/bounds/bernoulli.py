"""Bernoulli divergence, its two inverses, and Chernoff information.

For x, y in [0, 1], with natural logarithms,

    D(x, y) = x ln(x/y) + (1-x) ln((1-x)/(1-y)),

where 0 ln 0 = 0, so that D(x, x) = 0 also at 0 and 1, and D(x, y) is infinite
where y is 0 or 1 and x is not.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from plaudit.bounds.arrays import Floats, broadcast, in_unit_interval, result, valid
from plaudit.compiled import compiled, inlined

# Computed values are within a few units in the last place; 2^-48 is 16 of them.
OUTWARD = 2.0**-48
MAX_STEPS = 80
TINY = 1e-100


def divergence(x: ArrayLike, y: ArrayLike) -> Floats:
    """D(x, y): the Kullback-Leibler divergence from Bernoulli(y) to Bernoulli(x).

    >>> divergence(0.5, 0.5), divergence(0.0, 0.0), divergence(0.5, 1.0)
    (0.0, 0.0, inf)
    >>> round(divergence(0.0, 0.5), 12) == round(math.log(2), 12)
    True
    """
    a, b = broadcast(in_unit_interval("x", x), in_unit_interval("y", y))
    out = np.empty(a.size)
    fill_divergence(a.ravel(), b.ravel(), out)
    return result(out, a.shape)


def inverse_upper(x: ArrayLike, value: ArrayLike) -> Floats:
    """The largest m in [x, 1] with D(x, m) at most `value`, rounded upward.

    At x = 0 it is 1 - exp(-value); at x = 1 it is 1.

    >>> round(inverse_upper(0.0, math.log(2)), 12)
    0.5
    """
    return _inverse(x, value, True)


def inverse_lower(x: ArrayLike, value: ArrayLike) -> Floats:
    """The smallest m in [0, x] with D(x, m) at most `value`, rounded downward.

    >>> round(inverse_lower(1.0, math.log(2)), 12)
    0.5
    """
    return _inverse(x, value, False)


def chernoff_information(x: ArrayLike, y: ArrayLike) -> Floats:
    """D*(x, y) = D(z, x) = D(z, y) for the z between x and y that makes them equal.

    It is 0 where x = y, -ln(1-y) at x = 0, -ln(x) at y = 1, and infinite between 0 and 1.

    >>> chernoff_information(0.3, 0.3), chernoff_information(0.0, 1.0)
    (0.0, inf)
    >>> round(chernoff_information(0.0, 0.5), 12) == round(math.log(2), 12)
    True
    """
    a, b = broadcast(in_unit_interval("x", x), in_unit_interval("y", y))
    out = np.empty(a.size)
    fill_chernoff(a.ravel(), b.ravel(), out)
    return result(out, a.shape)


def _inverse(x: ArrayLike, value: ArrayLike, upper: bool) -> Floats:
    rates = valid("value", value, lambda v: v >= 0.0, "a divergence of at least 0")
    a, b = broadcast(in_unit_interval("x", x), rates)
    out = np.empty(a.size)
    fill_inverse(a.ravel(), b.ravel(), upper, out)
    return result(out, a.shape)


@compiled
def log1p_minus(x: float) -> float:
    """ln(1+x) - x, to full relative precision near 0."""
    if abs(x) > 0.01:
        return math.log1p(x) - x
    # The Taylor series: nine terms reach 1e-18 of the first at |x| = 0.01.
    total = 0.0
    for k in range(10, 1, -1):
        total = total * x + (1.0 if k % 2 else -1.0) / k
    return total * x * x


@compiled
def shifted_divergence(mean: float, shift: float) -> float:
    """D(mean, mean + shift), exact also where mean + shift would round."""
    if mean <= 0.0:
        return -math.log1p(-shift)
    if mean >= 1.0:
        return -math.log1p(shift)
    rest = 1.0 - mean
    return -mean * log1p_minus(shift / mean) - rest * log1p_minus(-shift / rest)


@compiled
def _log_ratio_minus(new: float, old: float) -> float:
    """ln(new/old) - (new-old)/old."""
    change = (new - old) / old
    if change < -0.5:
        return math.log(new / old) - change
    return log1p_minus(change)


@compiled
def divergence_kernel(x: float, y: float) -> float:
    """D(x, y) of two numbers in [0, 1]."""
    if x == y:
        return 0.0
    if y <= 0.0 or y >= 1.0:
        return math.inf
    # An x this small counts for nothing, and y/x would overflow.
    if x <= 1e-300 * y:
        return -math.log1p(-y)
    if x >= 1.0:
        return -math.log(y)
    # The linear terms of the two logarithms cancel exactly, so both may leave theirs out.
    return -x * _log_ratio_minus(y, x) - (1.0 - x) * _log_ratio_minus(1.0 - y, 1.0 - x)


@compiled
def chernoff_kernel(x: float, y: float) -> float:
    """D*(x, y) of two numbers in [0, 1]."""
    low, high = min(x, y), max(x, y)
    if low == high:
        return 0.0
    if low <= 0.0:
        return -math.log1p(-high) if high < 1.0 else math.inf
    if high >= 1.0:
        return -math.log(low)
    # D(z, low) = D(z, high) is linear in z: z ln(high/low) = (1-z) ln((1-low)/(1-high)).
    gap = high - low
    rise = math.log1p(gap / low) if high < 2.0 * low else math.log(high) - math.log(low)
    fall = math.log1p(gap / (1.0 - high))
    return divergence_kernel(fall / (rise + fall), low)


@compiled
def distance_kernel(mean: float, complement: float, rate: float, weight: float) -> float:
    """The largest d in [0, complement] with D(mean + (1-weight) d, mean + d) <= rate.

    `complement` is 1 - mean. With weight = 1 this inverts D(mean, .); with weight =
    N/(N+1) it is the form of Theorem 1, whose first argument leans towards the second.
    The left side is convex in d; its derivatives are rational once its two logarithms are
    known, so steps of fourth order come cheap: two or three evaluations reach the root.
    """
    if rate <= 0.0:
        return 0.0
    if complement < TINY:
        return complement
    if mean <= 0.0 and weight >= 1.0:
        return -math.expm1(-rate)
    # Beyond TINY products would underflow; both steps only widen the bound.
    rate = max(rate, TINY)
    # At weight 1 the step would take the logarithm of mean/end, and lose it below 2^-53.
    mean = max(mean, TINY if weight < 1.0 else 2.0**-51)
    distance = near_root(mean, complement, rate, weight)
    if distance > 0.8 * complement:
        distance = min(distance, beyond_root(complement, rate, weight))
    for _ in range(MAX_STEPS):
        end = mean + distance
        rest = complement - distance
        if rest <= 0.0:
            return complement
        step = _step(mean, complement, distance, rate, weight)
        distance -= step
        if distance >= complement:
            distance = min(
                0.5 * (complement + distance + step), beyond_root(complement, rate, weight)
            )
        elif abs(step) <= max(1e-4 * min(distance, rest), 1e-16 * end):
            # Fourth order: what is left is about one unit in the last place.
            break
    return distance


@inlined
def _step(mean: float, complement: float, distance: float, rate: float, weight: float) -> float:
    """How far `distance` lies beyond the root, to fourth order (Householder's method)."""
    lean = 1.0 - weight
    span = weight * distance
    end, rest = mean + distance, complement - distance
    first, other = mean + lean * distance, complement - lean * distance
    across, inner = 1.0 / (end * rest), 1.0 / (first * other)
    low, high = rest * across, end * across
    log_low = quick_log1p(-span * low, end * other * inner)
    log_high = quick_log1p(span * high, rest * first * inner)
    slope = lean * (log_low - log_high) + span * across
    newton = (first * log_low + other * log_high - rate) / slope
    # The second and third derivative of D(mean + lean d, mean + d) in d.
    own_low, own_high = first * low * low, other * high * high
    bend = own_low + own_high - 2.0 * lean * across + lean * lean * inner
    turn = 2.0 * (own_high * high - own_low * low) + lean * (low * low - high * high)
    turn += lean * (2.0 * (rest - end) * across * across)
    turn -= lean * lean * lean * (other - first) * inner * inner
    second = 0.5 * newton * bend / slope
    if abs(second) > 0.25:
        # Far from the root: Halley's step, at most twice Newton's.
        return newton / max(0.5, 1.0 - second)
    third = newton * newton * turn / (6.0 * slope)
    return newton * (1.0 - second) / (1.0 - 2.0 * second + third)


@inlined
def quick_log1p(x: float, inverse: float) -> float:
    """ln(1+x), given 1/(1+x) roughly: twice as fast as the library's, which has to divide.

    It adds back what rounding 1+x loses, times the slope.
    """
    rounded = 1.0 + x
    return math.log(rounded) + (x - (rounded - 1.0)) * inverse


@inlined
def near_root(mean: float, complement: float, rate: float, weight: float) -> float:
    """The root to third order: D is the squared span over twice a variance.

    D(q, m) is the integral of (x-q)/(x(1-x)) from q to m, whose weight is centred two
    thirds of the way; with the variance taken there, d solves a quadratic equation.
    """
    centre = 1.0 - weight / 3.0
    square = weight * weight + 2.0 * rate * centre * centre
    half = rate * centre * (complement - mean)
    return (half + math.sqrt(half * half + 2.0 * rate * mean * complement * square)) / square


@inlined
def beyond_root(complement: float, rate: float, weight: float) -> float:
    """A distance at or beyond the root, and close to it where the root is close to the end.

    D(q, m) >= q ln q + (1-q) ln((1-q)/(1-m)), with 1-q at least weight (1-mean).
    """
    tail = weight * complement
    head = 1.0 - tail
    entropy = head * math.log(head) if head > 0.0 else 0.0
    return complement - tail * math.exp((entropy - rate) / tail)


@compiled
def fill_divergence(x: Floats, y: Floats, out: Floats) -> None:
    """D(x, y) of each pair."""
    for i in range(x.size):
        out[i] = divergence_kernel(x[i], y[i])


@compiled
def fill_chernoff(x: Floats, y: Floats, out: Floats) -> None:
    """D*(x, y) of each pair."""
    for i in range(x.size):
        out[i] = chernoff_kernel(x[i], y[i])


@compiled
def fill_inverse(x: Floats, value: Floats, upper: bool, out: Floats) -> None:
    """The ends of the intervals in which D(x, m) is at most a value."""
    for i in range(x.size):
        if upper:
            end = x[i] + distance_kernel(x[i], 1.0 - x[i], value[i], 1.0)
            out[i] = min(1.0, end * (1.0 + OUTWARD))
        else:
            end = x[i] - distance_kernel(1.0 - x[i], x[i], value[i], 1.0)
            out[i] = max(0.0, end - OUTWARD * x[i])
