"""Where each item stands among the others: certainly in the top, certainly out, or open."""

import numpy as np
from numpy.typing import NDArray

from plaudit.race.verdict import Intervals

IN, OUT, OPEN = "in", "out", "open"
WITHDRAWN = "withdrawn"


def standings(intervals: Intervals, *, top: int, epsilon: float) -> NDArray[np.str_]:
    """For each item whether it is certainly in the top, certainly out of it, or open.

    "in": fewer than `top` others may be better by epsilon or more, so the item's mean is
    at most epsilon below the top-th largest. "out": at least `top` others are certainly
    better. All these claims hold together wherever the bounds of a verdict hold: the lower
    bounds of items outside the true top and the upper bounds of those inside.

    >>> bounds = Intervals(
    ...     np.array([9, 9, 9]), np.array([0.9, 0.5, 0.1]),
    ...     np.array([0.8, 0.4, 0.0]), np.array([1.0, 0.6, 0.2]),
    ... )
    >>> standings(bounds, top=1, epsilon=0.0).tolist()
    ['in', 'out', 'out']
    """
    lower, upper = intervals.lower, intervals.upper
    reach = lower + epsilon
    count = len(lower)
    rivals = count - np.searchsorted(np.sort(upper), reach, side="left") - (upper >= reach)
    betters = count - np.searchsorted(np.sort(lower), upper, side="right")
    return np.where(rivals < top, IN, np.where(betters >= top, OUT, OPEN))


def good_standings(
    intervals: Intervals, *, epsilon: float, leading: NDArray[np.bool_]
) -> NDArray[np.str_]:
    """For each item whether it is certainly good enough, certainly too bad, or open.

    "in": less than 2 epsilon below the best; "out": more than epsilon below it. Where both
    are certain an item is in if it is `leading`. Items with bounds of -inf do not count.

    >>> bounds = Intervals(
    ...     np.array([9, 9, 9]), np.array([0.9, 0.5, 0.1]),
    ...     np.array([0.8, 0.4, 0.0]), np.array([1.0, 0.6, 0.2]),
    ... )
    >>> good_standings(bounds, epsilon=0.3, leading=np.array([True, True, False])).tolist()
    ['in', 'open', 'out']
    """
    enough = intervals.lower > intervals.upper.max() - 2 * epsilon
    too_bad = intervals.upper < intervals.lower.max() - epsilon
    return np.where(enough & (leading | ~too_bad), IN, np.where(too_bad, OUT, OPEN))
