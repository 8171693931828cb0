"""Stretches of time of one round length, in which answers are counted."""

import numpy as np
from numpy.typing import NDArray

MINUTE = 60_000
# Minutes that people count in: up to an hour, parts of a day, days and weeks.
_WIDTHS = (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080, 40_320, 161_280)
MOST = 60


def edges_of(first: int, last: int, *, most: int = MOST) -> NDArray[np.int64]:
    """The ends of at most `most` stretches, which cover all times from first to last.

    They begin at round times of the day, in UTC.

    >>> (edges_of(61_000, 200_000) // MINUTE).tolist()
    [1, 2, 3, 4]
    """
    for minutes in _WIDTHS:
        width = minutes * MINUTE
        begin, end = first // width, last // width + 1
        if end - begin <= most:
            break
    return np.arange(begin, end + 1, dtype=np.int64) * width


def minutes_in(edges: NDArray[np.int64], now: int) -> NDArray[np.float64]:
    """How long each stretch has lasted by now, in minutes."""
    ends = np.minimum(edges[1:], max(now, int(edges[0])))
    return np.maximum(ends - edges[:-1], 0) / MINUTE
