"""Raters who are far from everyone: their answers are not those that others give there.

A vote scores the share of the other votes on its item that say the same: (n_l - 1) / (n - 1).
A rater's agreement is the mean of that. See `score_test` for how its rarity is judged.
"""

from typing import NamedTuple

import numpy as np

from plaudit.service.moderation.overdispersion import Floats, Whole
from plaudit.service.moderation.score_test import log_rarity, on_items
from plaudit.service.moderation.vote_table import Votes


class Agreement(NamedTuple):
    """By rater: how often others say the same, and how often expected; by tested rater: rarity."""

    own: Floats
    expected: Floats
    log_p: Floats


def agreement(votes: Votes, tested: Whole) -> Agreement:
    """How rare each tested rater's lack of agreement is in this crowd."""
    table = on_items(votes)
    others = np.maximum(1.0, table.number.sum(axis=1) - 1.0)
    same = np.maximum(0.0, table.number - 1.0) / others[:, None]
    expected = (table.chance * same).sum(axis=1)
    number = votes.of_raters()
    log_p = log_rarity(
        votes, tested, table, same, weight=np.ones(len(votes.item)), unit=number
    )  # fmt: skip
    safe = np.maximum(1.0, number)
    own = votes.of_raters(same[votes.item, votes.level]) / safe
    return Agreement(own, votes.of_raters(expected[votes.item]) / safe, log_p)
