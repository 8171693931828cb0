"""Early knock-outs: raters who came first, and vote down what those who came later prefer.

A race asks little about an item that looks bad, so a few votes of early fakes can knock out the
best items. None of them needs many votes, and none alone is rarer than an honest rater of another
taste. But together the first raters then differ from the next ones. So the crowd is tested first,
and only if that is rare are single raters named:

1. Raters are put in the order in which they came. The first n are the block, the next n the
   comparison, and all others the reference: their votes say which items are good and how often each
   gets a low label. Every rater of block and comparison gets a score from that (`low_votes`).
2. Honest raters are as likely to be in the block as in the comparison. So of the n / 2 largest
   scores among both, the number that lies in the block is hypergeometric: exactly, whatever the
   tastes of the crowd, for stern raters and camps come in any order too. Blocks of 25, 50, 100 …
   raters are tried, and all of them are paid for (Bonferroni).
3. In the rarest block, a rater's rank among the comparison is a p-value. The procedure of
   Benjamini and Hochberg, with Storey's estimate of how many are honest, names those who stand
   out: on average at most a tenth of those named are honest.

The proof, and what is not found, is in docs/live/moderation.md.
"""

import math
from typing import NamedTuple

import numpy as np

from plaudit.service.moderation.low_votes import Judged, judged
from plaudit.service.moderation.overdispersion import Floats, Whole
from plaudit.service.moderation.vote_table import Votes

# The smallest block; each is twice as large as the one before.
SMALLEST = 25
# At least half of the raters are the reference.
BLOCKS_IN_ALL = 4
# The share of honest raters among those named that is allowed on average.
WRONGLY = 0.1


class KnockOut(NamedTuple):
    """The rarest block: of the `furthest` largest scores, `inside` belong to its raters.

    `named` are its raters who stand out. `log_p` includes that several blocks were tried.
    """

    block: int
    furthest: int
    inside: int
    named: tuple[int, ...]
    judged: Judged
    log_p: float


def knock_out(votes: Votes, values: Floats) -> KnockOut | None:
    """The rarest block of early raters; None if there are too few raters."""
    order = arrivals(votes)
    sizes = block_sizes(len(order))
    if not sizes:
        return None
    rarest = min((_in_block(votes, values, order, n) for n in sizes), key=lambda one: one.log_p)
    return rarest._replace(log_p=min(0.0, rarest.log_p + math.log(len(sizes))))


def arrivals(votes: Votes) -> Whole:
    """The raters who voted, in the order of their first votes."""
    raters, first = np.unique(votes.rater, return_index=True)
    return np.asarray(raters[np.argsort(first)])


def block_sizes(raters: int) -> list[int]:
    """The blocks that are tried.

    >>> block_sizes(1000), block_sizes(99)
    ([25, 50, 100, 200], [])
    """
    largest = raters // BLOCKS_IN_ALL
    doublings = max(0, (largest // SMALLEST).bit_length())
    return [SMALLEST << doubling for doubling in range(doublings)]


def _in_block(votes: Votes, values: Floats, order: Whole, size: int) -> KnockOut:
    early, next_ones = order[:size], order[size : 2 * size]
    some = np.zeros(votes.raters, dtype=bool)
    some[order[: 2 * size]] = True
    found = judged(votes, ~some, some, values)
    own, usual = found.score[early], np.sort(found.score[next_ones])
    furthest = size // 2
    inside = among_furthest(own, usual, furthest)
    log_p = log_hypergeometric_tail(inside, 2 * size, size, furthest)
    named = tuple(early[standing_out(own, usual)].tolist())
    return KnockOut(size, furthest, inside, named, found, log_p)


def among_furthest(own: Floats, usual: Floats, furthest: int) -> int:
    """How many of the largest scores are in the block; of equal ones, none before the others.

    >>> among_furthest(np.array([3.0, 1.0, 0.0]), np.array([2.0, 1.0, 0.0]), 3)
    1
    """
    order = np.argsort(-np.concatenate([usual, own]), kind="stable")
    return int((order[:furthest] >= len(usual)).sum())


def standing_out(own: Floats, usual: Floats) -> Whole:
    """The places of those named; `usual` is sorted.

    Honest raters have any rank in the comparison with the same chance, so twice the number of those
    who rank in its lower half estimates how many they are.
    """
    above = len(usual) - np.searchsorted(usual, own, side="left")
    p = (1.0 + above) / (1.0 + len(usual))
    honest = min(float(len(p)), 2.0 * (1.0 + float((p > 0.5).sum())))
    order = np.argsort(p, kind="stable")
    small = np.flatnonzero(p[order] <= WRONGLY * np.arange(1, len(p) + 1) / honest)
    return np.asarray(order[: small[-1] + 1] if len(small) else order[:0])


def log_hypergeometric_tail(inside: int, raters: int, block: int, furthest: int) -> float:
    """The logarithm of the chance that at least `inside` of the `furthest` are in the block.

    >>> round(math.exp(log_hypergeometric_tail(2, 4, 2, 2)), 6)
    0.166667
    """
    fewest = max(inside, block + furthest - raters)
    number = np.arange(fewest, min(block, furthest) + 1)
    logs = _log_choose(block, number) + _log_choose(raters - block, furthest - number)
    return float(min(0.0, np.logaddexp.reduce(logs) - _log_choose(raters, np.array(furthest))))


def _log_choose(of: int, some: Whole) -> Floats:
    from scipy.special import gammaln

    return np.asarray(gammaln(of + 1.0) - gammaln(some + 1.0) - gammaln(of - some + 1.0))
