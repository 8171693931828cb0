"""The bound of K_inf: the empirical likelihood of votes in [0, 1], at all times.

K_inf(m) is the smallest divergence from the votes that came to any law in [0, 1] whose mean is m
or more; in its dual form (J. Honda and A. Takemura, COLT 2010) it is the logarithm, per vote, of
what the best bet in hindsight has won. A uniform mixture of all bets falls short of the best by at
most ln(t+1), and is a martingale. `plaudit.bounds.likelihood` has the formula.
"""

from plaudit.bounds.beta_mixture import log_inverse
from plaudit.bounds.bound import Bound
from plaudit.bounds.kernels import KINF, NEXT_VOTE, Formula


def kinf() -> Bound:
    """All m with t K_inf(m) <= ln((t+1)/delta).

    From the count and the sum, K_inf is the Bernoulli divergence, the smallest that it can be.

    >>> bound = kinf()
    >>> round(bound.lower(0.3, 50, 0.01), 6), round(bound.upper(0.3, 50, 0.01), 6)
    (0.092704, 0.589328)
    """
    return Bound("kinf", Formula(KINF, NEXT_VOTE, 1.0, 1.0, 1.0), log_inverse)
