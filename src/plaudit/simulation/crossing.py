"""The event that a bound is crossed; exact computation and simulation share it.

On the upper side it is that `upper(mean_t, t, delta)` lies below the true mean, on the lower
side that `lower(mean_t, t, delta)` lies above it. A bound keeps its promise if the
probability that this happens at any time at all is at most delta.

Whether a sum crosses is asked of the bound's own kernel, the one that a race runs. That
kernel rounds outward by 2^-48, so a sum exactly on the edge of the definition does not count.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit import bounds
from plaudit.bounds.arrays import valid
from plaudit.bounds.kernels import (
    NO_GROWTH,
    STITCHED,
    Formula,
    lower_kernel,
    rate_kernel,
    upper_kernel,
)
from plaudit.compiled import compiled
from plaudit.errors import UnknownName

SIDES = ("upper", "lower")


class Event(NamedTuple):
    """The bound of t votes, each first + step k, lies on the wrong side of `mean`.

    From time `falling` on the bound's rate never rises.
    """

    formula: Formula
    level: float
    mean: float
    upper: bool
    first: float
    step: float
    falling: int


@dataclass(frozen=True)
class Crossing:
    """The probability of a crossing by each checkpoint, short by at most `lost`.

    `remaining` is the mass that has not crossed by the last one.
    """

    checkpoints: NDArray[np.int64]
    probability: NDArray[np.float64]
    lost: NDArray[np.float64]
    remaining: float


def event_of(
    bound: bounds.Bound | str, mean: float, delta: float, *, side: str, first: float, step: float
) -> Event:
    """The event that the bound, at one-sided error `delta`, misses the true mean on that side."""
    if side not in SIDES:
        raise UnknownName("side", side, SIDES)
    chosen = bounds.get(bound) if isinstance(bound, str) else bound
    level = chosen.level(delta)
    falling = falling_from(chosen.formula, level)
    return Event(chosen.formula, level, mean, side == "upper", first, step, falling)


def whole_horizon(given: int) -> int:
    """The horizon, or an error where it is not a whole number of at least 1."""
    return int(
        valid(
            "horizon",
            given,
            lambda v: (v >= 1) & (v == np.floor(v)) & np.isfinite(v),
            "a whole number of votes, at least 1",
        )
    )


@compiled
def falling_from(formula: Formula, level: float) -> int:
    """A time from which the rate never rises: (level + growth)/t has one peak, if any.

    Without a growth it is the first: a vote on the far side of the true mean never makes a mixture
    smaller, and the empirical Bernstein bound shrinks with more votes of no larger mean.
    """
    # The stitched boundary is flat up to the fourth vote; its rate may rise once after it.
    votes = 4 if formula.growth == STITCHED else 1
    if formula.growth == NO_GROWTH:
        return votes
    while rate_kernel(formula, level, votes + 1.0, 1.0) > rate_kernel(formula, level, votes, 1.0):
        votes += 1
    return votes


@compiled
def crosses(event: Event, total: float, votes: int) -> bool:
    """Whether `votes` votes whose k add up to `total` cross the bound."""
    mean = (event.first * votes + event.step * total) / votes
    mean = min(max(mean, 0.0), 1.0)
    # Time 1: bounds of the race's time then take the item's own votes.
    if event.upper:
        return upper_kernel(event.formula, event.level, mean, float(votes), 1.0) < event.mean
    return lower_kernel(event.formula, event.level, mean, float(votes), 1.0) > event.mean
