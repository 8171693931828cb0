"""A fixed list of bets on differences, and what they have made of a capital of 1; compiled.

A bet of size b in (0, 1) against "the mean of D is theta or less" multiplies its capital, at a
difference d in [-1, 1], by

    (1 + b d) / (1 + b theta) = 1 + lam (d - theta),   lam = b / (1 + b theta).

Where the mean of D is theta or less this is expected to be 1 or less. First capitals add up to 1,
so the sum over all bets is a supermartingale, and ever at 1/eta or above with probability at most
eta. With t differences d_1, d_2, ...

    ln capital of one = ln weight + sum of ln(1 + b d_s) - t ln(1 + b theta),

where the sum, the bet's growth, does not depend on theta. The capital falls as theta rises.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled, inlined

BETS = 20
# b = odds / (2 + odds), with odds of a constant ratio.
SMALLEST, LARGEST = 0.002, 20.0
# First capitals grow with this power of the odds.
WEIGHT_POWER = 0.3
# More than rounding adds up to in the logarithm of a capital, with millions of raters.
MARGIN = 1e-6
# A bet whose capital is below e^-40 of the largest adds nothing; leaving it out is safe.
NOTHING = -40.0
MAX_STEPS = 60


def _odds() -> NDArray[np.float64]:
    return np.exp(np.linspace(math.log(SMALLEST), math.log(LARGEST), BETS))


def _log_weights() -> NDArray[np.float64]:
    shares = _odds() ** WEIGHT_POWER
    logs: NDArray[np.float64] = np.log(shares / shares.sum())
    return logs


SIZES = _odds() / (2.0 + _odds())
LOG_WEIGHTS = _log_weights()


def growth_of(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """ln(1 + b d) for each difference and bet."""
    table: NDArray[np.float64] = np.log1p(np.multiply.outer(differences, SIZES))
    return table


def log_capitals(growth: NDArray[np.float64], raters: NDArray[Any], theta: float) -> Any:
    """The logarithm of the capital for each row of `growth`, one column a bet."""
    logs = LOG_WEIGHTS + growth - np.multiply.outer(raters, np.log1p(SIZES * theta))
    most = logs.max(axis=-1)
    return most + np.log(np.exp(logs - most[..., None]).sum(axis=-1))


@inlined
def most_gained(difference: float, theta: float) -> float:
    """The most that any bet's logarithm gains by a difference; below 0 where all lose."""
    size = SIZES[BETS - 1] if difference > theta else SIZES[0]
    return math.log1p(size * difference) - math.log1p(size * theta)


@compiled
def log_capital(growth: Any, raters: float, theta: float) -> float:
    """The logarithm of the capital after so many raters, from the growth of each bet."""
    largest, total = -math.inf, 0.0
    for bet in range(BETS):
        logs = LOG_WEIGHTS[bet] + growth[bet] - raters * math.log1p(SIZES[bet] * theta)
        if logs > largest:
            # The sum so far is counted in units of the largest capital so far.
            total = 1.0 + (total * math.exp(largest - logs) if logs - largest < -NOTHING else 0.0)
            largest = logs
        elif logs - largest > NOTHING:
            total += math.exp(logs - largest)
    return largest + math.log(total)


@compiled
def lower_difference(growth: Any, raters: float, level: float) -> float:
    """The largest theta that is surely excluded: the capital there is e^level or more; else -1.

    The capital falls as theta rises, and is 1 or less where theta is the mean difference, so that
    halving finds the place. The end that is excluded is returned.
    """
    low, high = -1.0, 1.0
    if raters <= 0.0 or log_capital(growth, raters, low) < level + MARGIN:
        return -1.0
    for _ in range(MAX_STEPS):
        middle = 0.5 * (low + high)
        if log_capital(growth, raters, middle) >= level + MARGIN:
            low = middle
        else:
            high = middle
    return low
