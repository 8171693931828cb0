"""The stitched boundary: Howard, Ramdas, McAuliffe and Sekhon (Ann. Statist. 49, 2021), Theorem 1.

With intrinsic time v = max(t/4, m), the sum of t votes is with probability at least 1 - delta at
all times at most, on one side,

    k1 sqrt(v l(v)) from t times its mean,   k1 = (eta^(1/4) + eta^(-1/4)) / sqrt(2),
    l(v) = s ln ln(eta v/m) + ln(zeta(s) / (delta ln(eta)^s))
         = s ln(1 + log_eta(v/m)) + ln(zeta(s)/delta).

Their theorem also has a k2 = (sqrt(eta) + 1)/2, by which a scale c enters; sub-Gaussian sums have
c = 0, so it drops out. Here eta = 2, s = 1.4 and m = 1, as in their examples, with the variance 1/4
of votes in [0, 1]: the boundary is flat up to the fourth vote, where v = m.
"""

import math

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bound import Bound
from plaudit.bounds.kernels import RADIUS, STITCHED, Formula

ETA = 2.0
POWER = 1.4
VARIANCE = 0.25


def stitched() -> Bound:
    """Radius k1 sqrt(v l(v)) / t.

    >>> bound = stitched()
    >>> round(bound.lower(0.3, 50, 0.01), 6), round(bound.upper(0.3, 50, 0.01), 6)
    (0.014915, 0.585085)
    """
    scale = VARIANCE * first_constant() ** 2
    return Bound("stitched", Formula(RADIUS, STITCHED, POWER, scale, 1.0), _level)


def first_constant() -> float:
    """k1.

    >>> round(first_constant(), 6)
    1.4355
    """
    return (math.pow(ETA, 0.25) + math.pow(ETA, -0.25)) / math.sqrt(2)


def _level(delta: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import zeta

    levels: NDArray[np.float64] = math.log(float(zeta(POWER))) - np.log(delta)
    return levels
