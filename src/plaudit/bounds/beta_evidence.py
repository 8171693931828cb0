"""The bound that the Beta(1/2, 1/2) mixture of likelihood ratios gives, one-sided; compiled.

With t votes that add up to s, p = s/t and f = t - s,

    ln M(m) = ln B(s + 1/2, f + 1/2) - ln pi - s ln m - f ln(1-m) = t D(p, m) - price,

and the upper bound is the m above p where M(m) = F(m)/delta + 1 - F(m), F(m) being the mixture's
own weight on means below m. docs/theory/bounds/beta-mixture.md has the proof.
"""

import math

from plaudit.bounds.bernoulli import TINY, beyond_root, log1p_minus, near_root
from plaudit.compiled import compiled, inlined

HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)
MAX_STEPS = 80
# From here on the series below are exact to the last digit.
LARGE = 16.0


@inlined
def _half_factorial_excess(x: float) -> float:
    """ln Gamma(x + 1/2) - (x ln x - x + ln(2 pi)/2)."""
    if x < LARGE:
        return math.lgamma(x + 0.5) - (x * math.log(x) - x if x > 0.0 else 0.0) - HALF_LOG_TWO_PI
    y = 1.0 / (x * x)
    series = 127.0 / 215040.0 - y * (511.0 / 608256.0)
    return -(1.0 / 24.0 - y * (7.0 / 2880.0 - y * (31.0 / 40320.0 - y * series))) / x


@inlined
def _factorial_excess(x: float) -> float:
    """ln Gamma(x + 1) - (x ln x - x + ln(2 pi x)/2)."""
    if x < LARGE:
        plain = x * math.log(x) - x + 0.5 * math.log(x)
        return math.lgamma(x + 1.0) - plain - HALF_LOG_TWO_PI
    y = 1.0 / (x * x)
    series = 1.0 / 1680.0 - y * (1.0 / 1188.0)
    return (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * series))) / x


@inlined
def price_kernel(mean: float, complement: float, votes: float) -> float:
    """t D(p, m) - ln M(m): what not knowing the alternative costs, about ln(pi t/2) / 2."""
    sides = _half_factorial_excess(mean * votes) + _half_factorial_excess(complement * votes)
    return 0.5 * math.log(0.5 * math.pi * votes) + _factorial_excess(votes) - sides


@inlined
def weight_below(m: float, rest: float) -> float:
    """F(m), the weight of Beta(1/2, 1/2) below m; `rest` is 1 - m."""
    return math.atan2(math.sqrt(m), math.sqrt(rest)) * (2.0 / math.pi)


@inlined
def threshold_kernel(level: float, weight: float) -> float:
    """ln(F/delta + 1 - F), at level = ln(1/delta)."""
    return level + math.log(weight + (1.0 - weight) * math.exp(-level))


@compiled
def beta_distance_kernel(mean: float, complement: float, votes: float, level: float) -> float:
    """How far above the mean the upper bound lies; `complement` is 1 - mean."""
    if complement < TINY:
        return complement
    mean = max(mean, TINY)
    price = price_kernel(mean, complement, votes)
    small = math.exp(-level)
    low, high = 0.0, beyond_root(complement, (price + level) / votes, 1.0)
    distance = _start(mean, complement, votes, price, level)
    if distance > 0.8 * complement:
        distance = high
    for _ in range(MAX_STEPS):
        end, rest = mean + distance, complement - distance
        if rest <= 0.0:
            return complement
        weight = weight_below(end, rest)
        inside = weight + (1.0 - weight) * small
        excess = votes * _divergence(mean, complement, distance) - price - level - math.log(inside)
        if excess > 0.0:
            high = min(high, distance)
        else:
            low = max(low, distance)
        # The weight has density 1 / (pi sqrt(m (1-m))); its logarithm bends the threshold.
        across = 1.0 / (end * rest)
        lift = (1.0 - small) * math.sqrt(across) / (math.pi * inside)
        slope = votes * distance * across - lift
        bend = votes * (mean / (end * end) + complement / (rest * rest))
        bend += lift * (lift - 0.5 * (end - rest) * across)
        step = excess / slope
        step = step / max(0.5, 1.0 - 0.5 * step * bend / slope)
        ahead = distance - step
        if slope > 0.0 and low <= ahead <= high:
            distance = ahead
            if abs(step) <= 1e-5 * min(distance, rest):
                # Third order: what is left is about one unit in the last place.
                break
        else:
            distance = 0.5 * (low + high)
    return distance


@inlined
def _divergence(mean: float, complement: float, distance: float) -> float:
    """D(mean, mean + distance), precise also where `complement` is small."""
    fall = -distance / complement
    if fall < -0.5:
        other = math.log((complement - distance) / complement) - fall
    else:
        other = log1p_minus(fall)
    # The linear terms cancel exactly, so both may leave theirs out.
    return -mean * log1p_minus(distance / mean) - complement * other


@inlined
def _start(mean: float, complement: float, votes: float, price: float, level: float) -> float:
    """A distance near the root, with the threshold taken where all the weight would count."""
    distance = min(near_root(mean, complement, (price + level) / votes, 1.0), complement)
    threshold = threshold_kernel(level, weight_below(mean + distance, complement - distance))
    return near_root(mean, complement, (price + threshold) / votes, 1.0)
