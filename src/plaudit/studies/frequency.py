"""Exact limits for a probability, from how often something has happened."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

CONFIDENCE = 0.95


def exact_limits(
    hits: ArrayLike, trials: int, *, confidence: float = CONFIDENCE
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Clopper and Pearson's limits, which hold the true probability with `confidence`.

    >>> low, high = exact_limits([0, 10], 10)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.692], [0.308, 1.0])
    """
    counts = np.asarray(hits, dtype=np.float64)
    tail = (1.0 - confidence) / 2.0
    inside = np.clip(counts, 1, trials)
    low = np.where(counts > 0, betaincinv(inside, trials - inside + 1, tail), 0.0)
    inside = np.clip(counts, 0, trials - 1)
    high = np.where(counts < trials, betaincinv(inside + 1, trials - inside, 1.0 - tail), 1.0)
    return low, high
