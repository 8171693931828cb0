"""Raters who do not prefer what others prefer, or prefer the contrary.

A vote scores its value times how much better than the rater's other items its item is, in the
mean of all. Whether a rater is stern or kind does not matter to the sum: it is large for one
who prefers what others prefer, 0 on average for one who clicks at random, and negative for
one who votes against the crowd. See `score_test` for how its rarity is judged.
"""

from typing import NamedTuple

import numpy as np

from plaudit.service.moderation.overdispersion import Floats, Whole
from plaudit.service.moderation.score_test import log_rarity, on_items
from plaudit.service.moderation.vote_table import Votes


class Preference(NamedTuple):
    """By vote: its value, its item's mean, and how much better that is than the rater's others."""

    value: Floats
    mean: Floats
    better: Floats
    log_p: Floats


def preference(votes: Votes, tested: Whole, values: Floats) -> Preference:
    """How rare it is in this crowd to prefer what others like as little as each tested rater."""
    table = on_items(votes)
    mean = (table.chance @ values)[votes.item]
    number = np.maximum(1.0, votes.of_raters())
    better = mean - (votes.of_raters(mean) / number)[votes.rater]
    scores = np.broadcast_to(values, table.chance.shape)
    squares = votes.of_raters(better**2)
    log_p = log_rarity(votes, tested, table, scores, weight=better, unit=squares)
    return Preference(values[votes.level], mean, better, log_p)


def halves(votes: Votes, found: Preference, rater: int) -> tuple[list[float], list[float]]:
    """A rater's mean votes on items that others like more and less, and everyone's there."""
    mine = votes.rater == rater
    upper = found.better[mine] > 0.0
    parts = [upper, ~upper]
    own = [float(found.value[mine][part].mean()) for part in parts]
    return own, [float(found.mean[mine][part].mean()) for part in parts]
