"""Gaps (i/n)^alpha below a best mean of 1: their hardness sums, exactly and for large n.

With best mean 1 the Chernoff information is D*(1 - gap, 1) = ln(1/(1 - gap)): the sums need
no means, and so none of the digits that 1 - gap loses where the gap is small.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import zetac

from plaudit.studies.growth import Order

SMALL = 1e-4


def power_gaps(items: int, exponent: float) -> NDArray[np.float64]:
    """The gaps (i/n)^exponent of Table 1, i = 1..n, smallest first; n = `items`.

    >>> power_gaps(4, 1.0).tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    gaps: NDArray[np.float64] = (np.arange(1, items + 1) / items) ** exponent
    return gaps


def terms_kl(gaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """1/D* of each gap below a best mean of 1; 0 for a gap of 1, where D* is infinite.

    >>> terms_kl(np.array([1.0 - math.exp(-2.0), 1.0])).round(12).tolist()
    [0.5, 0.0]
    """
    with np.errstate(divide="ignore"):
        information = -np.log1p(-gaps)
    return 1.0 / information


@dataclass(frozen=True)
class Term:
    """A coefficient times an order."""

    coefficient: float
    order: Order

    def __call__(self, sizes: NDArray[np.float64]) -> NDArray[np.float64]:
        """The term at these n."""
        return self.coefficient * self.order(sizes)


def expand_kl(exponent: float) -> list[Term]:
    """S_KL for large n, leading term first, up to terms that vanish.

    With h(y) = 1/ln(1/(1-y)) = 1/y - 1/2 + ..., Euler and Maclaurin's formula for a sum over
    i/n of a function that is singular at 0 gives

        sum of h((i/n)^a) = zeta(a) n^a + F n + 1/4 + o(1),  F = 1/(1-a) + J(a),

    where J(a) integrates h(x^a) - x^-a over x in (0, 1). At a = 1 the two orders meet:
    zeta's pole gives n ln n + (Euler's gamma + J(1)) n, and J(1) = -gamma, so n has
    coefficient 0.
    """
    constant = Term(0.25, Order(0.0))
    if exponent == 1.0:
        return [Term(1.0, Order(1.0, 1)), constant]
    linear = 1.0 / (1.0 - exponent) + _excess_integral(exponent)
    return [*_by_power(_zeta_term(exponent), Term(linear, Order(1.0))), constant]


def expand_sub_gaussian(exponent: float) -> list[Term]:
    """S_SG for large n, leading term first: n^2a (1^-2a + ... + n^-2a).

    It is zeta(2a) n^2a + n/(1-2a) + 1/2 + o(1), and n ln n + gamma n + 1/2 at a = 1/2.
    """
    constant = Term(0.5, Order(0.0))
    if exponent == 0.5:
        return [Term(1.0, Order(1.0, 1)), Term(float(np.euler_gamma), Order(1.0)), constant]
    linear = Term(1.0 / (1.0 - 2.0 * exponent), Order(1.0))
    return [*_by_power(_zeta_term(2.0 * exponent), linear), constant]


def _zeta_term(power: float) -> Term:
    # zetac is zeta - 1, and unlike SciPy's older zeta also knows arguments below 1.
    return Term(1.0 + float(zetac(power)), Order(power))


def _by_power(*terms: Term) -> list[Term]:
    return sorted(terms, key=lambda term: term.order.power, reverse=True)


def _excess_integral(exponent: float) -> float:
    """J: the integral of h(x^exponent) - x^-exponent over (0, 1)."""

    def excess(x: float) -> float:
        y = float(x**exponent)
        if y < SMALL:
            # The difference of two large numbers, by its series.
            return -0.5 - y / 12.0 - y * y / 24.0
        return (-1.0 / math.log1p(-y) if y < 1.0 else 0.0) - 1.0 / y

    return float(quad(excess, 0.0, 1.0, epsabs=1e-10, epsrel=1e-10, limit=400)[0])
