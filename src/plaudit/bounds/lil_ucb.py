"""The bound of lil'UCB: Jamieson, Malloy, Nowak and Bubeck (COLT 2014), Lemma 3.

For sub-Gaussian votes (here variance proxy 1/4), eta in (0, 1) (their epsilon) and
omega < ln(1+eta)/e, with probability at least 1 - c omega^(1+eta), at all times t,

    |p - mean| on one side <= (1+sqrt(eta)) sqrt(2 (1/4) (1+eta) ln(ln((1+eta) t)/omega) / t),
    c = (2+eta)/eta (1/ln(1+eta))^(1+eta).
"""

import math

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bound import Bound
from plaudit.bounds.kernels import LIL_RATIO, RADIUS, Formula

ETA = 0.01


def lil_ucb() -> Bound:
    """The bound at one-sided error delta: omega = (delta/c)^(1/(1+eta)), eta = 0.01."""
    return Bound("lil-ucb", lil_ucb_formula(ETA), _level)


def lil_ucb_formula(eta: float) -> Formula:
    """The published radius with its eta; the level is then ln(1/omega)."""
    scale = (1 + math.sqrt(eta)) ** 2 * (1 + eta) / 2
    return Formula(RADIUS, LIL_RATIO, eta, scale, 1.0)


def lil_ucb_constant(eta: float) -> float:
    """c = (2+eta)/eta (1/ln(1+eta))^(1+eta).

    >>> round(lil_ucb_constant(0.01), -2)
    21200.0
    """
    return (2 + eta) / eta * math.exp(-(1 + eta) * math.log(math.log1p(eta)))


def _level(delta: NDArray[np.float64]) -> NDArray[np.float64]:
    # The theorem's omega must stay below ln(1+eta)/e, which delta < 1 meets by far.
    levels: NDArray[np.float64] = (math.log(lil_ucb_constant(ETA)) - np.log(delta)) / (1 + ETA)
    return levels
