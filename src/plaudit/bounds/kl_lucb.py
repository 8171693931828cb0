"""The bound of KL-LUCB: Kaufmann and Kalyanakrishnan (COLT 2013)."""

import math

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bound import Bound
from plaudit.bounds.kernels import DIVERGENCE, TIME_POWER_LOG, Formula

# Their experiments use alpha = 1.1 and k1 = 405.5, the smallest that their theorem allows:
# k1 > 2e + 1 + e/(alpha-1) + (e+1)/(alpha-1)^2.
ALPHA = 1.1
K1 = 405.5


def kl_lucb() -> Bound:
    """All m with t D(p, m) <= beta, beta = x + ln x, x = ln(k1 time^alpha/delta).

    `time` counts the rounds of the race and is at least t. With delta/n for each of n
    items this is the published exploration rate ln(k1 n time^alpha/delta) + ln ln(...).
    """
    return Bound("kl-lucb", Formula(DIVERGENCE, TIME_POWER_LOG, ALPHA, 1.0, 1.0), _level)


def _level(delta: NDArray[np.float64]) -> NDArray[np.float64]:
    levels: NDArray[np.float64] = math.log(K1) - np.log(delta)
    return levels
