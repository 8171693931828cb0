"""The bound of a fixed mixture of bets, from the votes at each level of a scale.

Capital that is bet on the votes in turn, at odds that are fair where the mean is m, is above
1/delta at some time with probability at most delta (Ville). Mixing a fixed set of bets needs
no tuning and no order of the votes. After Waudby-Smith and Ramdas (2024, "Estimating means of
bounded random variables by betting", JRSS B 86), with sizes that stay the same instead of
following the votes. `plaudit.bounds.bets` has the formula.
"""

from plaudit.bounds.beta_mixture import log_inverse
from plaudit.bounds.bound import Bound
from plaudit.bounds.kernels import BETTING, NO_GROWTH, Formula
from plaudit.bounds.learned import Bets


def betting(bets: Bets | None = None) -> Bound:
    """All m for which the capital of 24 bets is at most 1/delta, with these weights or the usual.

    >>> bound = betting()
    >>> round(bound.lower(0.3, 50, 0.01), 6), round(bound.upper(0.3, 50, 0.01), 6)
    (0.106625, 0.561993)
    """
    return Bound("betting", Formula(BETTING, NO_GROWTH, 0.0, 1.0, 1.0), log_inverse, bets)
