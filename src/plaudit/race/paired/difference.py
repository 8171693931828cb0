"""What is known of the difference of two items' means."""

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.race.paired.ledger import Ledger, lower_of, pair_of


@dataclass(frozen=True)
class Difference:
    """By how much the mean of `first` is above that of `second`: an interval for all times at once.

    `raters` rated both, and `mean` is the mean of their differences (NaN if there are none).
    `tolerance` dishonest raters are allowed for. `delta` is the probability that one of the
    intervals is ever wrong: of all pairs of the race where `at_once`, else of this pair. The items
    are numbers, or names where those of the race have names.

    >>> print(Difference(0, 1, 200, 0.08, 0.04, 0.11, 0.05, True, 0))
    Item 0 beats item 1 by 0.0400 to 0.1100 (mean difference 0.0800, 200 raters).
    """

    first: int | str
    second: int | str
    raters: int
    mean: float
    lower: float
    upper: float
    delta: float
    at_once: bool
    tolerance: int

    def __str__(self) -> str:
        about = f"(mean difference {self.mean:.4f}, {self.raters:,} raters)"
        if self.lower > 0.0:
            ends = f"{self.lower:.4f} to {self.upper:.4f}"
            return f"Item {self.first} beats item {self.second} by {ends} {about}."
        if self.upper < 0.0:
            ends = f"{-self.upper:.4f} to {-self.lower:.4f}"
            return f"Item {self.second} beats item {self.first} by {ends} {about}."
        ends = f"{self.lower:.4f} to {self.upper:.4f}"
        return f"Item {self.first} less item {self.second}: {ends} {about}."

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, ready for JSON."""
        return asdict(self)


def interval(
    ledger: Ledger,
    rows: NDArray[np.float64],
    first: int,
    second: int,
    level: float,
    *,
    delta: float,
    at_once: bool,
) -> Difference:
    """The interval whose ends are both at this level; `rows` where differences are not counted."""
    items = rows.shape[1]
    raters, total = _compared(ledger, rows, min(first, second), max(first, second))
    sign = 1.0 if first < second else -1.0
    return Difference(
        first=first,
        second=second,
        raters=raters,
        mean=sign * total / raters if raters else math.nan,
        lower=lower_of(ledger, items, first, second, level),
        upper=-lower_of(ledger, items, second, first, level),
        delta=delta,
        at_once=at_once,
        tolerance=ledger.tolerance,
    )


def _compared(ledger: Ledger, rows: NDArray[np.float64], low: int, high: int) -> tuple[int, float]:
    """How many raters rated both items, and the sum of their differences."""
    pair = pair_of(rows.shape[1], low, high)
    if ledger.lattice.size:
        total = float(ledger.counts[pair] @ ledger.lattice)
    else:
        total = float(np.nansum(rows[:, low] - rows[:, high]))
    return int(ledger.raters[pair]), total
