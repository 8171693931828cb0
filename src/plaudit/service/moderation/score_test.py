"""How rare so low a score is for a rater whose votes are like those of the others.

Every level of every item has a score. If a rater were like the others, each vote of theirs
would be any of the item's votes with the same chance: level l with the chance n_l / n. That is
all that is assumed of items; nothing is fitted. A rater falls short by the sum of the expected
scores less their own. Chernoff's inequality bounds how likely a shortfall of x or more is, by

    min over t of  exp(-t x + t² B / 2) · Π E exp(t (expected - score)),

where B is for raters who differ: the variance between them, read off the crowd's middle.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.service.moderation.overdispersion import Floats, Whole, between
from plaudit.service.moderation.vote_table import Votes

# Only raters beyond so many standard deviations are tested closely.
CLOSELY = 2.5
# Values of t that are tried, as parts of x / variance, where a normal sum has its minimum.
_TRIED = np.geomspace(0.1, 1.5, 24)


class OnItems(NamedTuple):
    """By item and level: how many votes there are, and the chance of each."""

    number: Floats
    chance: Floats


def on_items(votes: Votes) -> OnItems:
    """The votes on each item by level."""
    items = int(votes.item.max()) + 1 if len(votes.item) else 0
    counts = np.bincount(votes.item * votes.levels + votes.level, minlength=items * votes.levels)
    table = counts.reshape(items, votes.levels).astype(np.float64)
    return OnItems(table, table / np.maximum(1.0, table.sum(axis=1))[:, None])


def log_rarity(
    votes: Votes, tested: Whole, table: OnItems, scores: Floats, *, weight: Floats, unit: Floats
) -> Floats:
    """The logarithm of each tested rater's rarity.

    A vote scores `weight` times what `scores` says for its item and level. `unit` is the sum
    by rater in which raters are compared with each other, such as their number of votes.
    """
    mean = (table.chance * scores).sum(axis=1)
    variance = (table.chance * scores**2).sum(axis=1) - mean**2
    lacking = weight * (mean[votes.item] - scores[votes.item, votes.level])
    short = votes.of_raters(lacking)[tested]
    alike = votes.of_raters(weight**2 * np.maximum(0.0, variance)[votes.item])[tested]
    unit = np.maximum(unit[tested], 1e-9)
    middle, apart = between(short / unit, alike / unit**2)
    # The middle of the crowd is where it should be, cheats or not.
    short, apart_sum = short - max(0.0, middle) * unit, apart * unit**2
    spread = np.sqrt(alike + apart_sum + 1e-18)
    close = np.flatnonzero(short > CLOSELY * spread)
    log_p = np.zeros(len(tested))
    mine, rater = _votes_of(votes, tested[close])
    deviations = weight[mine, None] * (mean[:, None] - scores)[votes.item[mine]]
    chances = table.chance[votes.item[mine]]
    best = np.zeros(len(close))
    for part in _TRIED:
        t = part * short[close] / spread[close] ** 2
        tilted = np.log((chances * np.exp(t[rater, None] * deviations)).sum(axis=1))
        sums = np.bincount(rater, tilted, len(close))
        best = np.minimum(best, sums - t * short[close] + 0.5 * t**2 * apart_sum[close])
    log_p[close] = best
    return log_p


def _votes_of(votes: Votes, raters: Whole) -> tuple[Whole, Whole]:
    """The places of the votes of some raters, and whose of them each is."""
    place: NDArray[np.int64] = np.full(votes.raters, -1)
    place[raters] = np.arange(len(raters))
    mine = np.flatnonzero(place[votes.rater] >= 0)
    return mine, place[votes.rater[mine]]
