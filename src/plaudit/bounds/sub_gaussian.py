"""Bounds that know of a vote only that it lies in [0, 1]: variance proxy 1/4.

Their radius does not depend on the mean, so they waste votes on items near 0 and 1.
"""

import math

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bound import Bound
from plaudit.bounds.kernels import LIL_BINARY, LIL_NATURAL, RADIUS, TIME_POWER, VOTE_POWER, Formula
from plaudit.bounds.lil_kl import LilLevel, check_n

SG2_LARGEST_DELTA = 0.1
LUCB_K1 = 5 / 4
ELIMINATION_C = 5.0


def sg1(N: int = 8) -> Bound:
    """The paper's own sub-Gaussian bound, from the proof of Theorem 1 (its last appendix).

    Radius sqrt(((N+1)/N)^2 ln(kappa log2(2t)/delta) / (2t)), kappa as in Theorem 1.
    """
    scale = ((check_n(N) + 1) / N) ** 2 / 2
    return Bound("sg1", Formula(RADIUS, LIL_BINARY, 1.0, scale, 1.0), LilLevel(N))


def sg2() -> Bound:
    """Kaufmann, Cappé and Garivier (JMLR 2016), Theorem 8, for variance proxy 1/4.

    Radius sqrt(beta/(2t)), beta = ln(1/delta) + 3 ln ln(1/delta) + (3/2) ln ln(e t).
    The theorem asks for delta <= 0.1; a larger delta gets the bound of 0.1.
    """
    return Bound("sg2", Formula(RADIUS, LIL_NATURAL, 1.5, 0.5, 1.0), _sg2_level)


def hoeffding() -> Bound:
    """The bound of LUCB: Kalyanakrishnan, Tewari, Auer and Stone (ICML 2012).

    Radius sqrt(ln(k1 time^4/delta) / (2t)) with k1 = 5/4 and `time` the rounds of the
    race, at least t. The sum of time^-4 over all pairs t <= time is zeta(3) < 5/4.
    """
    return Bound("hoeffding", Formula(RADIUS, TIME_POWER, 4.0, 0.5, 1.0), _LogInverse(LUCB_K1))


def elimination() -> Bound:
    """The radius of Successive Elimination: Even-Dar, Mannor and Mansour (JMLR 2006).

    Radius sqrt(ln(c t^2/delta) / t); the paper asks for a constant c > 4, here 5.
    """
    return Bound(
        "elimination", Formula(RADIUS, VOTE_POWER, 2.0, 1.0, 1.0), _LogInverse(ELIMINATION_C)
    )


class _LogInverse:
    """ln(constant/delta) as a function of delta."""

    def __init__(self, constant: float) -> None:
        self.log_constant = math.log(constant)

    def __call__(self, delta: NDArray[np.float64]) -> NDArray[np.float64]:
        levels: NDArray[np.float64] = self.log_constant - np.log(delta)
        return levels


def _sg2_level(delta: NDArray[np.float64]) -> NDArray[np.float64]:
    log_inverse = -np.log(np.minimum(delta, SG2_LARGEST_DELTA))
    levels: NDArray[np.float64] = log_inverse + 3 * np.log(log_inverse)
    return levels
