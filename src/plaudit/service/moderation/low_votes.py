"""How often raters vote low on items that others prefer: scores that make raters comparable.

Some raters are the reference. Their votes say which items are good (the better half by mean), and
how often each gets a low label. If a rater is like them, each vote is any of the item's votes with
the same chance, the rater's own among them: so an item with few votes proves little. The number of
low labels among a rater's first votes on good items is then a sum of independent draws, whose tail
is computed exactly. Its logarithm with the sign changed is the score.

The score only orders raters. Raters who are stern, or of another taste, score high more often than
the tail says; what that means is judged by comparing raters with raters (`knock_out`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.service.moderation.overdispersion import Floats, Whole
from plaudit.service.moderation.vote_table import Votes

# The share of items that are not good.
REST = 0.5
# Labels in this part of the scale are low.
LOW = 0.25
# So many votes on good items are looked at, the first of each rater. Later raters are shown good
# items more often than early ones, and more votes would make them less comparable.
FIRST = 8

Marks = NDArray[np.bool_]


class Judged(NamedTuple):
    """By rater: votes on good items, as many as count; the low ones; those expected; the score."""

    votes: Whole
    low: Whole
    expected: Floats
    score: Floats


def judged(votes: Votes, reference: Marks, some: Marks, values: Floats) -> Judged:
    """What the raters of the reference say of some others; both are marked by rater."""
    lowest, highest = float(values.min()), float(values.max())
    is_low = values <= lowest + LOW * (highest - lowest)
    items = int(votes.item.max()) + 1
    theirs = reference[votes.rater]
    item, level = votes.item[theirs], votes.level[theirs]
    number = np.bincount(item, minlength=items)
    lows = np.bincount(item, is_low[level], items)
    good = _good(number, np.bincount(item, values[level], items).astype(np.float64))
    mine = _first(votes.rater, some[votes.rater] & good[votes.item])
    low = is_low[votes.level[mine]]
    at = votes.item[mine]
    return _by_rater(votes.rater[mine], low, (lows[at] + low) / (number[at] + 1.0), votes.raters)


def _good(number: Whole, total: Floats) -> Marks:
    """The items in the better half; the mean of one with few votes is drawn to the middle."""
    middle = float(total.sum()) / max(1, int(number.sum()))
    means = (total + middle) / (number + 1.0)
    seen = number > 0
    return seen & (means > np.quantile(means[seen], REST)) if seen.any() else seen


def _first(rater: Whole, some: Marks) -> Whole:
    """The places of the first of some votes of each rater, those of one rater together."""
    places = np.flatnonzero(some)
    places = places[np.argsort(rater[places], kind="stable")]
    whose = rater[places]
    return np.asarray(places[np.arange(len(places)) - np.searchsorted(whose, whose) < FIRST])


def _by_rater(rater: Whole, low: Marks, chance: Floats, raters: int) -> Judged:
    """The scores of raters whose votes stand together."""
    known, start, number = np.unique(rater, return_index=True, return_counts=True)
    row = np.repeat(np.arange(len(known)), number)
    chances = np.zeros((len(known), FIRST))
    chances[row, np.arange(len(rater)) - start[row]] = chance
    times = np.bincount(row, low, len(known)).astype(np.int64)
    found = Judged(*(np.zeros(raters, kind) for kind in (np.int64, np.int64, float, float)))
    found.votes[known], found.low[known] = number, times
    found.expected[known] = chances.sum(axis=1)
    found.score[known] = -np.log(tails(chances)[np.arange(len(known)), times])
    return found


def tails(chances: Floats) -> Floats:
    """By row and number: the probability of at least so many successes with these chances.

    >>> tails(np.array([[0.5, 0.5]])).tolist()
    [[1.0, 0.75, 0.25]]
    """
    exactly = np.zeros((len(chances), chances.shape[1] + 1))
    exactly[:, 0] = 1.0
    for chance in chances.T[:, :, None]:
        more = exactly[:, :-1] * chance
        exactly *= 1.0 - chance
        exactly[:, 1:] += more
    at_least = np.cumsum(exactly[:, ::-1], axis=1)[:, ::-1]
    at_least[:, 0] = 1.0
    return at_least
