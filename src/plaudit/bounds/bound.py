"""A bound by name: one-sided, time-uniform, for the mean of votes in [0, 1]."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.bounds.arrays import Floats, broadcast, in_unit_interval, level_of_error, result, valid
from plaudit.bounds.bets import gains
from plaudit.bounds.from_levels import levels_lower, levels_upper
from plaudit.bounds.kernels import (
    BETTING,
    NO_COUNTS,
    TIME_POWER,
    TIME_POWER_LOG,
    Formula,
    betting_lower,
    betting_upper,
    lower_kernel,
    upper_kernel,
)
from plaudit.bounds.learned import Bets
from plaudit.compiled import compiled
from plaudit.errors import InvalidInput


@dataclass(frozen=True)
class Bound:
    """A time-uniform confidence bound.

    With probability at least 1 - delta, `upper(mean_t, t, delta)` is at least the true
    mean at all times t at once; the same for `lower` on the other side. Votes lie in
    [0, 1] and each has the item's mean given the past. Before the first vote the bounds
    are 0 and 1. `time` is the number of rounds of the whole race, for the two bounds
    that use it (`uses_time`); it defaults to the item's own votes and is never less.
    `bets` are weights of its own for the bound betting; None are the usual ones.
    """

    name: str
    formula: Formula
    level_of: Callable[[NDArray[np.float64]], NDArray[np.float64]] = field(repr=False)
    bets: Bets | None = None

    @property
    def uses_time(self) -> bool:
        """Whether an item's bound also moves while only other items get votes."""
        return self.formula.growth in (TIME_POWER, TIME_POWER_LOG)

    @property
    def uses_levels(self) -> bool:
        """Whether the votes at each level of a scale say more than their sum."""
        return self.formula.shape >= BETTING

    def gains(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What a vote at each of these levels does for each bet, and the bets' weights."""
        return gains(values, self.bets.log_weights if self.bets else None)

    def level(self, delta: float) -> float:
        """The constant that `delta` puts into the rate."""
        return float(self.level_of(level_of_error("delta", delta)))

    def upper(
        self, mean: ArrayLike, votes: ArrayLike, delta: ArrayLike, *, time: ArrayLike = 1.0
    ) -> Floats:
        """The upper bound at one-sided error `delta`, rounded upward."""
        return self._evaluate(mean, votes, delta, time, True)

    def lower(
        self, mean: ArrayLike, votes: ArrayLike, delta: ArrayLike, *, time: ArrayLike = 1.0
    ) -> Floats:
        """The lower bound at one-sided error `delta`, rounded downward."""
        return self._evaluate(mean, votes, delta, time, False)

    def upper_from_levels(self, counts: ArrayLike, values: ArrayLike, delta: ArrayLike) -> Floats:
        """The upper bound from the votes at each level of a scale, rounded upward.

        `values` are the levels', `counts` has a column for each. Only bounds with `uses_levels`
        (`betting`, `kinf`, `empirical-bernstein`) are narrower than with the mean of the votes.
        """
        return self._from_levels(counts, values, delta, True)

    def lower_from_levels(self, counts: ArrayLike, values: ArrayLike, delta: ArrayLike) -> Floats:
        """The lower bound from the votes at each level of a scale, rounded downward."""
        return self._from_levels(counts, values, delta, False)

    def _from_levels(
        self, counts: ArrayLike, values: ArrayLike, delta: ArrayLike, upper: bool
    ) -> Floats:
        levels = np.atleast_1d(in_unit_interval("values", values))
        whole = valid(
            "counts",
            counts,
            lambda v: (v >= 0) & (v == np.floor(v)) & (v < 2**31),
            "a whole number of votes, at least 0",
        )
        if levels.ndim != 1 or whole.ndim < 1 or whole.shape[-1] != levels.size:
            raise InvalidInput(
                f"counts must have a column for each of the {levels.size} values; got the shape "
                f"{whole.shape}."
            )
        votes = whole.sum(axis=-1)
        totals = sum(whole[..., k] * value for k, value in enumerate(levels))
        if not self.uses_levels:
            means = np.clip(totals / np.maximum(votes, 1.0), 0.0, 1.0)
            return self._evaluate(means, votes, delta, 1.0, upper)
        errors = np.asarray(self.level_of(level_of_error("delta", delta)))
        arrays = broadcast(votes, np.asarray(totals), errors)
        rows = np.broadcast_to(whole, (*arrays[0].shape, levels.size)).reshape(-1, levels.size)
        out = np.empty(arrays[0].size)
        counted, sums, needed = (array.ravel() for array in arrays)
        whole_rows = rows.astype(np.int32)
        if self.formula.shape == BETTING:
            fill_betting(whole_rows, self.gains(levels), counted, sums, needed, upper, out)
        else:
            fill_levels(self.formula, whole_rows, levels, counted, sums, needed, upper, out)
        return result(out, arrays[0].shape)

    def _evaluate(
        self, mean: ArrayLike, votes: ArrayLike, delta: ArrayLike, time: ArrayLike, upper: bool
    ) -> Floats:
        arrays = broadcast(
            in_unit_interval("mean", mean),
            valid("votes", votes, lambda v: (v >= 0) & np.isfinite(v), "a number of at least 0"),
            valid("time", time, lambda v: (v >= 1) & np.isfinite(v), "a number of at least 1"),
            np.asarray(self.level_of(level_of_error("delta", delta))),
        )
        means, counts, times, levels = (array.ravel() for array in arrays)
        out = np.empty(means.size)
        if self.bets is None:
            fill_bounds(self.formula, levels, means, counts, times, upper, out)
        else:
            rows = np.broadcast_to(NO_COUNTS, (means.size, 0))
            logs = self.gains(np.zeros(0))
            fill_betting(rows.copy(), logs, counts, means * counts, levels, upper, out)
        return result(out, arrays[0].shape)


@compiled
def fill_betting(
    counts: Floats,
    logs: Floats,
    votes: Floats,
    totals: Floats,
    levels: Floats,
    upper: bool,
    out: Floats,
) -> None:
    """Bounds from bets on the votes at each level."""
    for i in range(out.size):
        if upper:
            out[i] = min(
                1.0, betting_upper(levels[i], votes[i], totals[i], 1.0, counts[i], logs[0])
            )
        else:
            out[i] = betting_lower(levels[i], votes[i], totals[i], 1.0, counts[i], logs[1])


@compiled
def fill_levels(
    formula: Formula,
    counts: Floats,
    values: Floats,
    votes: Floats,
    totals: Floats,
    levels: Floats,
    upper: bool,
    out: Floats,
) -> None:
    """Bounds of other forms from the votes at each level."""
    for i in range(out.size):
        if upper:
            end = levels_upper(formula, levels[i], votes[i], totals[i], 1.0, counts[i], values)
            out[i] = min(1.0, end)
        else:
            out[i] = levels_lower(formula, levels[i], votes[i], totals[i], 1.0, counts[i], values)


@compiled
def fill_bounds(
    formula: Formula,
    levels: Floats,
    means: Floats,
    votes: Floats,
    times: Floats,
    upper: bool,
    out: Floats,
) -> None:
    """Bounds from means and numbers of votes."""
    for i in range(out.size):
        if upper:
            out[i] = upper_kernel(formula, levels[i], means[i], votes[i], times[i])
        else:
            out[i] = lower_kernel(formula, levels[i], means[i], votes[i], times[i])
