"""An empirical Bernstein bound: the radius knows the variance of the votes that came.

The votes' own squares serve as the time of a supermartingale (X. Fan, I. Grama and Q. Liu 2015,
"Exponential inequalities for martingales with applications", Electron. J. Probab. 20; S. Howard and
others 2021). So it holds at all times and for votes that only share their mean given the past;
A. Maurer and M. Pontil (COLT 2009), Theorem 4, speak of one time and independent votes.
`plaudit.bounds.bernstein` has the formula.
"""

from plaudit.bounds.beta_mixture import log_inverse
from plaudit.bounds.bound import Bound
from plaudit.bounds.kernels import EMPIRICAL_BERNSTEIN, NO_GROWTH, Formula


def empirical_bernstein() -> Bound:
    """All m no farther from the mean of the votes than their variance allows.

    From the count and the sum, the variance is that of votes of 0 and 1, the largest.

    >>> bound = empirical_bernstein()
    >>> round(bound.lower(0.3, 50, 0.01), 6), round(bound.upper(0.3, 50, 0.01), 6)
    (0.0, 0.636899)
    """
    formula = Formula(EMPIRICAL_BERNSTEIN, NO_GROWTH, 0.0, 1.0, 1.0)
    return Bound("empirical-bernstein", formula, log_inverse)
