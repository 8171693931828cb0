"""Bounds from values in the order in which they came: drawn without replacement, or differences.

The bets are those of `betting`. Without replacement the odds know what is left: if the mean of all
N values is m and those so far add up to S, the N - t values left have the mean

    m_next = (N m - S) / (N - t),

and a bet of size kappa against "the mean is m or less" multiplies its capital, at the next value
x, by (1 + kappa x) / (1 + kappa m_next). The capital falls as m rises, so that one root bounds the
means that are excluded. After Waudby-Smith and Ramdas (2024, "Estimating means of bounded random
variables by betting", JRSS B 86, section 5), with bets of fixed sizes.
docs/theory/bounds/without-replacement.md has the proof.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.bounds.arrays import level_of_error, valid
from plaudit.bounds.bets import BETS, LOG_WEIGHTS, NOTHING, SIZES
from plaudit.compiled import compiled
from plaudit.errors import InvalidInput, UnknownName

# More than rounding adds up to in the logarithm of a capital, with a million values.
MARGIN = 1e-9
# Halvings of an interval of length 1, down to its last digits.
HALVINGS = 52
# A few units in the last place, for sums and quotients.
OUTWARD = 1e-15
LARGE = 1e100
MOST = 2**31 - 1


@compiled
def log_capital_in_order(values: Any, of: float, mean: float) -> float:
    """The logarithm of the capital against "the mean of all is `mean` or less".

    `of` is how many values there are in all, infinite where they are drawn afresh. `mean` is not
    below what the values alone make of it.
    """
    largest, total = -math.inf, 0.0
    for bet in range(BETS):
        size, logs, product, so_far = SIZES[bet], LOG_WEIGHTS[bet], 1.0, 0.0
        for place in range(values.size):
            fair = mean
            if of < math.inf:
                fair = max((of * mean - so_far) / (of - place), 0.0)
            product *= (1.0 + size * values[place]) / (1.0 + size * fair)
            so_far += values[place]
            if product > LARGE or product < 1.0 / LARGE:
                logs += math.log(product)
                product = 1.0
        logs += math.log(product)
        if logs > largest:
            total = 1.0 + (total * math.exp(largest - logs) if logs - largest < -NOTHING else 0.0)
            largest = logs
        elif logs - largest > NOTHING:
            total += math.exp(logs - largest)
    return largest + math.log(total)


@compiled
def lower_in_order(values: Any, of: float, level: float) -> float:
    """The lower bound on the mean of all from those so far, rounded downward; 0 before the first.

    The larger of two: what the values make of the mean even if all that are left are 0, and the
    largest mean that is excluded at e^level.
    """
    count: int = values.size
    if count == 0:
        return 0.0
    low, high = 0.0, 1.0
    if of < math.inf:
        total = 0.0
        for place in range(count):
            total += values[place]
        low = total / of
        high = min(low + (of - count) / of, 1.0)
    if log_capital_in_order(values, of, low) >= level + MARGIN:
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if log_capital_in_order(values, of, middle) >= level + MARGIN:
                low = middle
            else:
                high = middle
    return max(0.0, low * (1.0 - OUTWARD * (1.0 + count)))


def upper_in_order(values: NDArray[np.float64], of: float, level: float) -> float:
    """The upper bound, rounded upward; 1 before the first value. The mirror of the lower."""
    return min(1.0, 1.0 - lower_in_order(1.0 - values, of, level) + OUTWARD)


@dataclass(frozen=True)
class OrderedBound:
    """A time-uniform bound on a mean, from values in the order in which they came.

    With probability at least 1 - delta, `upper(values, delta)` is at least the mean at all times
    at once; the same for `lower` on the other side. Values lie in [`least`, 1], `least` being 0 or
    -1. Without `of` each has the mean given the past. With `of`, values are drawn without
    replacement from so many, all orders being equally likely, and the mean is that of all of them:
    known once all are there.
    """

    name: str
    least: float
    of: int | None = None

    def lower(self, values: ArrayLike, delta: float) -> float:
        """The lower bound at one-sided error `delta`, rounded downward."""
        found = lower_in_order(self._read(values), *self._odds(delta))
        return found if self.least == 0.0 else max(self.least, 2.0 * found - 1.0 - OUTWARD)

    def upper(self, values: ArrayLike, delta: float) -> float:
        """The upper bound at one-sided error `delta`, rounded upward."""
        found = upper_in_order(self._read(values), *self._odds(delta))
        return found if self.least == 0.0 else min(1.0, 2.0 * found - 1.0 + OUTWARD)

    def _odds(self, delta: float) -> tuple[float, float]:
        return float(self.of or math.inf), -math.log(float(level_of_error("delta", delta)))

    def _read(self, values: ArrayLike) -> NDArray[np.float64]:
        """The values, moved into [0, 1]."""
        domain = f"a number in [{self.least:g}, 1]"
        read = valid("value", values, lambda v: (v >= self.least) & (v <= 1.0), domain)
        if read.ndim != 1:
            raise InvalidInput(f"Values must be given as one list; got the shape {read.shape}.")
        if self.of is not None and read.size > self.of:
            raise InvalidInput(
                f"There are {read.size:,} values, of {self.of:,} in all: give the size of the "
                "whole set."
            )
        return read if self.least == 0.0 else 0.5 * (read + 1.0)


def _without_replacement(of: int | None) -> OrderedBound:
    if of is None:
        raise InvalidInput(
            "The bound without-replacement needs the size of the set that values are drawn from: "
            'bounds.in_order("without-replacement", of=500).'
        )
    return OrderedBound("without-replacement", 0.0, of)


def _differences(of: int | None) -> OrderedBound:
    return OrderedBound("differences", -1.0, of)


_ORDERED: dict[str, Callable[[int | None], OrderedBound]] = {
    "without-replacement": _without_replacement,
    "differences": _differences,
}
ORDERED_NAMES = tuple(_ORDERED)


def in_order(name: str, *, of: int | None = None) -> OrderedBound:
    """The bound of that name, for values in the order in which they came.

    "without-replacement" is for values in [0, 1], of a set of `of`. "differences" is for
    differences of two scores on the same examples, in [-1, 1]; with `of`, without replacement.

    >>> bound = in_order("without-replacement", of=4)
    >>> bound.lower([1.0, 1.0, 0.0], 0.05), bound.upper([1.0, 1.0, 0.0], 0.05) >= 0.75
    (0.499999999999998, True)
    """
    if name not in _ORDERED:
        raise UnknownName("bound", name, ORDERED_NAMES)
    whole = isinstance(of, int) and not isinstance(of, bool)
    if of is not None and not (whole and 1 <= of <= MOST):
        raise InvalidInput(f"of must be a whole number of at least 1; got {of!r}.")
    return _ORDERED[name](of)
