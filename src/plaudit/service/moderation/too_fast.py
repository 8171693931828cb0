"""Raters who are too fast: answers far quicker than this contest's raters need, nearly always.

Two models must agree before a rater is named: the number of quick answers is rare among raters
whose shares of quick answers differ as here (see `overdispersion`), and the mean of the
logarithms of the times is rare among raters whose means differ as here (normal). The larger of
both chances counts, so that neither model's tail alone condemns anyone.
"""

from typing import NamedTuple

import numpy as np

from plaudit.service.moderation.overdispersion import Floats, Whole, between, log_tail, spread
from plaudit.service.moderation.vote_table import Votes, timed

# A tenth of a crowd's answers is quicker than the limit; a normal variable's tenth is so many
# standard deviations below its middle, and its quarter so many.
SHARE, TENTH, QUARTER = 0.1, 1.2816, 0.6745
# Timed answers that a rater needs, and raters who have them, before anything is said.
LEAST_TIMED, LEAST_RATERS = 10, 20
# Times that are sorted to see what is usual: more would not change it.
SORTED = 200_000


class TooFast(NamedTuple):
    """By rater: answers quicker than `limit_ms`, of those timed, and how rare that is."""

    quick: Whole
    timed: Whole
    own_ms: Floats
    log_p: Floats
    limit_ms: float
    usual_ms: float


def too_fast(votes: Votes, tested: Whole) -> TooFast:
    """How rare each tested rater's number of quick answers is in this crowd.

    Every rater weighs the same in what is usual. The limit is extrapolated from the quarter
    to the tenth, in logarithms, so that up to a quarter of the raters may be robots before it
    moves to where they are.
    """
    known = timed(votes)
    rater, taken = votes.rater[known], np.log(np.maximum(votes.response_ms[known], 1))
    number = np.bincount(rater, minlength=votes.raters)
    none = TooFast(number[:0], number[:0], np.zeros(0), np.zeros(len(tested)), 0.0, 0.0)
    if not known.any():
        return none
    every = 1 + len(taken) // SORTED
    middle, quarter = _quantiles(taken[::every], 1.0 / number[rater[::every]], (0.5, 0.25))
    limit = middle - TENTH * max(middle - quarter, 0.05) / QUARTER
    quick = np.bincount(rater[taken < limit], minlength=votes.raters)
    own = np.bincount(rater, taken, votes.raters) / np.maximum(number, 1)
    enough = number[tested] >= LEAST_TIMED
    log_p = np.zeros(len(tested))
    if enough.sum() >= LEAST_RATERS:
        some = tested[enough]
        within = np.bincount(rater, (taken - own[rater]) ** 2, votes.raters)[some]
        slow = _slowness(own[some] - middle, within.astype(np.float64), number[some])
        log_p[enough] = np.maximum(_rarity(quick[some], number[some]), slow)
    return TooFast(quick, number, np.exp(own), log_p, float(np.exp(limit)), float(np.exp(middle)))


def _rarity(quick: Whole, number: Whole) -> Floats:
    """By counts: only raters who are quick more often than not are looked at closely."""
    shares = np.sort(quick / number)
    # The mean of the lower four fifths; not less than what the limit was made for.
    expected = max(SHARE, float(shares[: int(0.8 * len(shares))].mean()))
    wide = spread(quick, number, np.full(len(quick), expected))
    close = np.flatnonzero(2 * quick > number)
    log_p = np.zeros(len(quick))
    log_p[close] = log_tail(quick[close], number[close], np.full(len(close), expected), wide)
    return log_p


def _slowness(deviation: Floats, squares: Floats, number: Whole) -> Floats:
    """By means of logarithms; the part of the crowd that is quicker than most says how varied."""
    from scipy.special import log_ndtr

    alike = float(np.median(squares / (number - 1))) / number
    middle, apart = between(-deviation, alike)
    return np.asarray(log_ndtr((deviation + middle) / np.sqrt(alike + apart + 1e-12)))


def _quantiles(values: Floats, weights: Floats, wanted: tuple[float, ...]) -> list[float]:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, np.array(wanted) * reached[-1])
    return [float(value) for value in values[order[places]]]
