"""Ratios of medians, with an interval from resampled rounds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2_000


class Ratio(NamedTuple):
    """A ratio, and the middle 95 % of what resampled rounds give."""

    value: float
    low: float
    high: float


def ratio_of(above: NDArray[np.float64], below: NDArray[np.float64]) -> Ratio:
    """The ratio of the medians of two arrays with a row for each launch, a column for each round.

    A process is a little faster or slower than another of the same code for as long as it lives.
    So launches are resampled first, then the rounds of each; both sides keep the same rounds.

    >>> import numpy as np
    >>> ratio_of(np.full((2, 5), 3.0), np.full((2, 5), 2.0))
    Ratio(value=1.5, low=1.5, high=1.5)
    """
    draw = np.random.default_rng(13)
    launches, rounds = above.shape
    values = np.empty(RESAMPLES)
    for number in range(RESAMPLES):
        rows = draw.integers(launches, size=(launches, 1))
        columns = draw.integers(rounds, size=(launches, rounds))
        values[number] = np.median(above[rows, columns]) / np.median(below[rows, columns])
    low, high = np.quantile(values, (0.025, 0.975))
    return Ratio(float(np.median(above) / np.median(below)), float(low), float(high))
