"""The smallest distance between the votes and a law in [0, 1] of another mean, inverted; compiled.

With y = 1-x over the votes, r = 1-m and E the mean over the votes, for m above theirs,

    K_inf(m) = sup over kappa >= 0 of E ln(1 + kappa y) - ln(1 + kappa r).

The largest m with K_inf(m) <= rate is wanted. Every kappa alone has its m, in closed form and never
too small, so a kappa that is a little off only widens. At the best one, also kappa r + 1 is the
inverse of E 1/(1 + kappa y), which leaves one equation in kappa alone:

    E ln(1 + kappa y) + ln E 1/(1 + kappa y) = rate,

whose left side rises with kappa. In terms of u = 1/kappa and z = (y - E y)/(u + E y), of mean 0, it
is E(ln(1+z) - z) + ln(1 + E z^2/(1+z)), where nothing cancels.
"""

import math
from typing import Any

from plaudit.bounds.bernoulli import log1p_minus
from plaudit.compiled import compiled, inlined

MAX_STEPS = 100
# The logarithms below are right to 1e-13 of themselves.
SHADE = 2.0**-43
LEAST, MOST = 1e-300, 1e300


@inlined
def _rest(value: float, upper: bool) -> float:
    return 1.0 - value if upper else value


@inlined
def _log_ratio_minus(ratio: float, z: float) -> float:
    """ln(1+z) - z, given 1+z to full precision."""
    return math.log(ratio) - z if z < -0.5 else log1p_minus(z)


@compiled
def kinf_distance(rate: float, votes: float, counts: Any, values: Any, upper: bool) -> float:
    """How far the bound lies from the mean of the votes, rounded upward.

    `votes` are the sum of `counts`.
    """
    centre, lacks_end = 0.0, True
    for level in range(counts.size):
        rest = _rest(values[level], upper)
        centre += counts[level] * rest
        if counts[level] > 0 and rest <= 0.0:
            lacks_end = False
    centre /= votes
    if centre <= 0.0:
        return 0.0
    inverse = 0.0
    if not lacks_end or _evidence(0.0, centre, votes, counts, values, upper)[0] > rate:
        inverse = _best_inverse(rate, centre, votes, counts, values, upper)
    # Whatever the inverse of kappa is, this one holds.
    logs = 0.0
    for level in range(counts.size):
        if counts[level] > 0:
            rest = _rest(values[level], upper)
            ratio = (inverse + rest) / (inverse + centre)
            logs += counts[level] * _log_ratio_minus(ratio, (rest - centre) / (inverse + centre))
    exponent = (logs / votes - rate) * (1.0 + SHADE)
    return min(centre, -(inverse + centre) * math.expm1(exponent))


@inlined
def _evidence(
    inverse: float, centre: float, votes: float, counts: Any, values: Any, upper: bool
) -> tuple[float, float]:
    """The left side of the equation, and how fast it falls with ln(inverse)."""
    scale = 1.0 / (inverse + centre)
    logs, square, turned = 0.0, 0.0, 0.0
    for level in range(counts.size):
        if counts[level] > 0:
            rest = _rest(values[level], upper)
            ratio, z = (inverse + rest) * scale, (rest - centre) * scale
            own = counts[level] * (z * z / ratio)
            logs += counts[level] * _log_ratio_minus(ratio, z)
            square += own
            turned += own * (inverse / (inverse + rest))
    square /= votes
    spread = turned / votes - inverse * scale * square * square
    return logs / votes + math.log1p(square), spread / (1.0 + square)


@inlined
def _best_inverse(
    rate: float, centre: float, votes: float, counts: Any, values: Any, upper: bool
) -> float:
    """The u = 1/kappa that solves the equation, by Newton's steps for logarithms in a bracket."""
    variance = 0.0
    for level in range(counts.size):
        apart = _rest(values[level], upper) - centre
        variance += counts[level] * (apart * apart)
    variance /= votes
    # To second order the left side is E z^2 / 2.
    low, high = LEAST, MOST
    inverse = max(math.sqrt(0.5 * variance / rate) - centre, 0.05 * centre)
    for _ in range(MAX_STEPS):
        evidence, fall = _evidence(inverse, centre, votes, counts, values, upper)
        if evidence > rate:
            low = max(low, inverse)
        else:
            high = min(high, inverse)
        step = evidence * math.log(evidence / rate) / fall if evidence > 0.0 else math.inf
        ahead = inverse * math.exp(step) if abs(step) < 100.0 else 0.0
        if low < ahead < high:
            inverse = ahead
            if abs(step) < 1e-5:
                # Second order, and the distance is smallest here: nothing is left of it.
                break
        elif high - low <= 1e-9 * low:
            break
        else:
            inverse = math.sqrt(low) * math.sqrt(high)
    return inverse
