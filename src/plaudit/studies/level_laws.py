"""Profiles of items with given means whose votes fall on three or five levels."""

from collections.abc import Sequence

import numpy as np

from plaudit.simulation.profiles import Profile


def three_levels(means: Sequence[float], *, variance_share: float = 0.62) -> Profile:
    """Votes 0, ½ and 1 with these means and a share of the variance that 0 and 1 would have.

    Votes of real contests have about 0.62 of it.

    >>> three_levels([0.5, 0.2]).means.round(12)
    array([0.5, 0.2])
    """
    mean = np.asarray(means, dtype=np.float64)
    middle = 4.0 * (1.0 - variance_share) * mean * (1.0 - mean)
    middle = np.minimum(middle, 2.0 * np.minimum(mean, 1.0 - mean))
    high = mean - middle / 2.0
    counts = np.stack([1.0 - middle - high, middle, high], axis=1)
    return Profile.frequencies(np.maximum(counts, 0.0), (0.0, 0.5, 1.0))


def five_levels(means: Sequence[float]) -> Profile:
    """Votes 0, ¼, ½, ¾ and 1, of the law of four tosses of a coin."""
    from scipy.stats import binom

    chances = binom.pmf(np.arange(5)[None, :], 4, np.asarray(means, dtype=np.float64)[:, None])
    return Profile.frequencies(chances, (0.0, 0.25, 0.5, 0.75, 1.0))
