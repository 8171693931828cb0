"""Raters who give one answer again and again, whatever the item."""

from typing import NamedTuple

import numpy as np

from plaudit.service.moderation.overdispersion import Floats, Whole, log_tail, spread
from plaudit.service.moderation.score_test import on_items
from plaudit.service.moderation.vote_table import Votes

# Fewer of a rater's answers than this at one level are no monotony.
MONOTONOUS = 0.9


class SameAnswer(NamedTuple):
    """By rater: the level used most, how often, how often others use it there, and rarity."""

    level: Whole
    times: Whole
    usual: Floats
    log_p: Floats


def same_answer(votes: Votes, tested: Whole) -> SameAnswer:
    """How rare it is, in this crowd, to use one level as often as each tested rater does.

    What is expected of a rater is how often the level was chosen on the same items. The
    level is the rater's most used one, so each rarity is multiplied by the number of levels.
    """
    counts, usual = _counts(votes)
    level = counts.argmax(axis=1)
    every = np.arange(votes.raters)
    times, share = counts[every, level], usual[every, level]
    number = counts.sum(axis=1)
    expected = _middle(counts[tested], number[tested], usual[tested])
    # How much raters differ is one thing, whichever level shows it best.
    wide = max(
        spread(counts[tested, one], number[tested], expected[:, one]) for one in range(votes.levels)
    )
    close = np.flatnonzero(times[tested] >= MONOTONOUS * number[tested])
    at = tested[close]
    rare = log_tail(times[at], number[at], expected[close, level[at]], wide)
    log_p = np.zeros(len(tested))
    log_p[close] = np.minimum(0.0, rare + np.log(votes.levels))
    return SameAnswer(level, times, share, log_p)


def _middle(counts: Whole, number: Whole, usual: Floats) -> Floats:
    """What is expected, moved to the crowd's middle: cheats are among what is usual."""
    off = np.median(counts / number[:, None] - usual, axis=0)
    return np.clip(usual + np.minimum(0.0, off), 0.001, 0.999)


def _counts(votes: Votes) -> tuple[Whole, Floats]:
    """Each rater's votes by level, and the shares of all votes on the same items."""
    levels, raters = votes.levels, votes.raters
    counts = np.bincount(votes.rater * levels + votes.level, minlength=raters * levels)
    counts = counts.reshape(raters, levels)
    chance = on_items(votes).chance
    number = np.maximum(1, counts.sum(axis=1))
    usual = [votes.of_raters(chance[votes.item, level]) / number for level in range(levels)]
    return counts, np.stack(usual, axis=1)
