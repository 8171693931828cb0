"""A made-up contest with the shape of real ones, for use without files."""

import numpy as np
from numpy.typing import NDArray

from plaudit.datasets.table import VoteTable, level_totals
from plaudit.errors import InvalidInput
from plaudit.scale import FUNNY

MAX_ITEMS = 1_000_000
# The log-odds of real captions' means are close to a normal distribution. These are its
# centre and spread over seven public contests with fifty votes a caption or more.
CENTRE = -2.11
SPREAD = 0.52
VARIANCE_RATIO = 0.62
USUAL_VOTES = 80
MOST_VOTES = 10_000


def synthetic_contest(items: int = 5000, *, seed: int = 0) -> VoteTable:
    """A contest of made-up captions, best mean first; the same seed gives the same table.

    Most means are near 0.1 and a few reach 0.4 or 0.5. The variance of a vote is 0.62 of
    mean (1 - mean), where votes of 0 and 1 alone would have all of it.

    >>> table = synthetic_contest(3, seed=1)
    >>> table.items
    ('Caption 0001', 'Caption 0002', 'Caption 0003')
    """
    if not 2 <= items <= MAX_ITEMS:
        raise InvalidInput(f"A contest needs 2 to {MAX_ITEMS:,} items; got {items}.")
    if seed < 0:
        raise InvalidInput(f"seed must be at least 0; got {seed}.")
    generator = np.random.default_rng(seed)
    merit = generator.standard_normal(items)
    levels = generator.multinomial(_votes(merit), level_frequencies(_means(merit)))
    votes = levels.sum(axis=1)
    order = np.argsort(-level_totals(levels, FUNNY) / votes, kind="stable")
    levels, votes = levels[order], votes[order]
    captions = tuple(f"Caption {number:04d}" for number in range(1, items + 1))
    return VoteTable(captions, votes, level_totals(levels, FUNNY), levels, FUNNY)


def level_frequencies(means: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""How often each of the three levels is voted, for items of these means.

    A vote of 0, ½ or 1 has the variance $m(1-m) - p/4$, where $p$ is how often it is ½. So
    $p = 4(1-0.62)\,m(1-m)$ makes it 0.62 of $m(1-m)$; the others follow from the mean.

    >>> level_frequencies(np.array([0.5])).round(3)
    array([[0.31, 0.38, 0.31]])
    """
    middle = 4 * (1 - VARIANCE_RATIO) * means * (1 - means)
    top = means - middle / 2
    return np.stack([1 - middle - top, middle, top], axis=1)


def _means(merit: NDArray[np.float64]) -> NDArray[np.float64]:
    means: NDArray[np.float64] = 1 / (1 + np.exp(-(CENTRE + SPREAD * merit)))
    return means


def _votes(merit: NDArray[np.float64]) -> NDArray[np.int64]:
    """Votes in inverse proportion to how many items are as good: the best get thousands."""
    wanted = USUAL_VOTES * np.exp(np.maximum(merit, 0) ** 2 / 2)
    votes: NDArray[np.int64] = np.minimum(wanted, MOST_VOTES).astype(np.int64)
    return votes
