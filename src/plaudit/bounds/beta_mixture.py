"""The bound of a Beta mixture of likelihood ratios, from the count and sum of the votes.

For any votes in [0, 1] of mean m, the product of (q/m)^x ((1-q)/(1-m))^(1-x) is a
supermartingale for every q, since it is convex in x; so is its mean over q ~ Beta(1/2, 1/2), the
mixture of Krichevsky and Trofimov (1981). By Ville's inequality it is ever above 1/delta with
probability at most delta. An upper bound has use for alternatives q < m only; what they hold,
and what the others can hold at most, is known without another integral.
"""

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bound import Bound
from plaudit.bounds.kernels import BETA_MIXTURE, NO_GROWTH, Formula


def beta_mixture() -> Bound:
    """All m with t D(p, m) <= price + ln(F/delta + 1 - F); F is the weight of Beta(1/2, 1/2)
    below m for the upper bound, above m for the lower.

    >>> bound = beta_mixture()
    >>> round(bound.lower(0.3, 50, 0.01), 6), round(bound.upper(0.3, 50, 0.01), 6)
    (0.110963, 0.545865)
    """
    return Bound("beta-mixture", Formula(BETA_MIXTURE, NO_GROWTH, 0.0, 1.0, 1.0), log_inverse)


def log_inverse(delta: NDArray[np.float64]) -> NDArray[np.float64]:
    """ln(1/delta)."""
    levels: NDArray[np.float64] = -np.log(delta)
    return levels
