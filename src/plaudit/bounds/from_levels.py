"""The bounds that read the votes at each level and have no table of bets; compiled."""

from typing import Any

from plaudit.bounds.bernoulli import OUTWARD
from plaudit.bounds.bernstein import bernstein_distance, squares_of
from plaudit.bounds.kernels import KINF, Formula, lower_kernel, rate_kernel, upper_index
from plaudit.bounds.likelihood import kinf_distance
from plaudit.compiled import compiled, inlined


@compiled
def levels_upper(
    formula: Formula,
    level: float,
    votes: float,
    total: float,
    share: float,
    counts: Any,
    values: Any,
) -> float:
    """The upper index from `share` times the votes at each level; 1 before the first vote.

    `votes` and `total` are what the counts add up to. Without levels they say all.
    """
    if votes <= 0.0:
        return 1.0
    mean = total / votes
    if counts.size == 0:
        return upper_index(formula, level, mean, share * votes, 1.0)
    distance = _distance(formula, level, votes, mean, share, counts, values, True)
    return (mean + distance) * (1.0 + OUTWARD)


@compiled
def levels_lower(
    formula: Formula,
    level: float,
    votes: float,
    total: float,
    share: float,
    counts: Any,
    values: Any,
) -> float:
    """The lower bound from `share` times the votes at each level; 0 before the first vote."""
    if votes <= 0.0:
        return 0.0
    mean = total / votes
    if counts.size == 0:
        return lower_kernel(formula, level, mean, share * votes, 1.0)
    distance = _distance(formula, level, votes, mean, share, counts, values, False)
    return max(0.0, mean - distance - OUTWARD * (mean + distance))


@inlined
def _distance(
    formula: Formula,
    level: float,
    votes: float,
    mean: float,
    share: float,
    counts: Any,
    values: Any,
    upper: bool,
) -> float:
    if formula.shape == KINF:
        rate = rate_kernel(formula, level, share * votes, 1.0)
        return kinf_distance(rate, votes, counts, values, upper)
    return bernstein_distance(level, share * votes, squares_of(mean, share, counts, values))
