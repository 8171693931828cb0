"""Means of votes, and ratios of two means over the same seeds, with their limits."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from plaudit.studies.frequency import CONFIDENCE


class Estimate(NamedTuple):
    """A number with its limits, which are None if there is only one observation."""

    value: float
    low: float | None
    high: float | None


def mean_with_limits(votes: ArrayLike) -> Estimate:
    """The mean with Student's 95 % limits.

    >>> mean_with_limits([9.0, 11.0]).value
    10.0
    """
    numbers = np.asarray(votes, dtype=np.float64)
    return _limits(float(numbers.mean()), numbers - numbers.mean(), 1.0)


def ratio_with_limits(votes: ArrayLike, others: ArrayLike) -> Estimate:
    """Mean over mean, of races with the same seeds, pair by pair.

    The limits are Student's on votes - ratio others, divided by the mean of the others: what
    the two have in common falls out.

    >>> float(ratio_with_limits([1.0, 2.0, 3.0], [2.0, 4.0, 6.0]).value)
    0.5
    """
    ours, theirs = (np.asarray(v, dtype=np.float64) for v in (votes, others))
    count = min(ours.size, theirs.size)
    ours, theirs = ours[:count], theirs[:count]
    ratio = float(ours.mean() / theirs.mean())
    return _limits(ratio, ours - ratio * theirs, float(theirs.mean()))


def _limits(value: float, rest: np.ndarray[tuple[int], np.dtype[np.float64]], scale: float) -> (
    Estimate
):  # fmt: skip
    if rest.size < 2:
        return Estimate(value, None, None)
    error = float(rest.std(ddof=1)) / np.sqrt(rest.size) / scale
    reach = float(stdtrit(rest.size - 1, 0.5 + CONFIDENCE / 2.0)) * error
    return Estimate(value, value - reach, value + reach)
