"""How many dishonest raters a verdict withstands: the largest tolerance that the votes support.

Without its m largest differences a claim has the least capital that the honest raters among all
can have, if at most m are dishonest. Less is left with every m, so each claim has a largest m for
which it is settled, and the verdict withstands the largest m for which enough claims are.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from plaudit.race.paired.bets import MARGIN, growth_of, log_capital, log_capitals
from plaudit.race.paired.ledger import SLACK, STRICT, Ledger, gather
from plaudit.race.paired.standing import Standing

Counts = NDArray[np.int64]


def withstood(ledger: Ledger, rows: NDArray[np.float64]) -> Counts:
    """For each pair, side and slack the largest tolerance at which the claim is settled, or -1.

    Claims that were settled on the way keep the race's own tolerance.
    """
    found = np.where(ledger.settled, ledger.tolerance, -1).astype(np.int64)
    search = _counted if ledger.lattice.size else _sorted_out
    may_hold = (ledger.settled > 0) | (ledger.reach >= ledger.level) | (ledger.tolerance > 0)
    # Without an epsilon both slacks are the same.
    slacks = 1 if ledger.thetas[SLACK] == ledger.thetas[STRICT] else 2
    for pair, side, slack in np.argwhere(may_hold[:, :, :slacks]).tolist():
        by_now = search(ledger, rows, pair, side, float(ledger.thetas[slack]))
        found[pair, side, slack] = max(by_now, found[pair, side, slack])
    if slacks == 1:
        found[:, :, STRICT] = found[:, :, SLACK]
    return found


def _counted(ledger: Ledger, _rows: NDArray[np.float64], pair: int, side: int, theta: float) -> int:
    """By trying: the capital falls with every rater that is left out."""

    def holds(spare: int) -> bool:
        left = gather(ledger, pair, side, spare)
        return log_capital(ledger.scratch, left, theta) >= ledger.level + MARGIN

    return largest(holds, int(ledger.raters[pair]))


def _sorted_out(
    ledger: Ledger, rows: NDArray[np.float64], pair: int, side: int, theta: float
) -> int:
    """From the rows: all numbers of raters left out at once."""
    first, second = pair_items(pair, rows.shape[1])
    differences = rows[:, first] - rows[:, second]
    differences = np.sort((1 - 2 * side) * differences[~np.isnan(differences)])
    growth = np.cumsum(growth_of(differences), axis=0)
    raters = np.arange(1, differences.size + 1)
    enough = log_capitals(growth, raters, theta) >= ledger.level + MARGIN
    # The first `raters` in rising order are what is left.
    return int(differences.size - 1 - np.argmax(enough)) if enough.any() else -1


def largest(holds: Callable[[int], bool], most: int) -> int:
    """The largest number from 0 to `most` that holds, where those that do come first; else -1.

    >>> largest(lambda number: number < 7, 100), largest(lambda number: False, 100)
    (6, -1)
    """
    low, step = -1, 1
    while low + step <= most and holds(low + step):
        low += step
        step *= 2
    while step > 1:
        step //= 2
        if low + step <= most and holds(low + step):
            low += step
    return low


def pair_items(pair: int, items: int) -> tuple[int, int]:
    """The two items of a pair.

    >>> [pair_items(pair, 3) for pair in range(3)]
    [(0, 1), (0, 2), (1, 2)]
    """
    first = 0
    while pair >= items - 1 - first:
        pair -= items - 1 - first
        first += 1
    return first, first + 1 + pair


def largest_tolerance(found: Counts, leaders: Counts, items: int) -> int:
    """The largest tolerance at which these leaders are certified, or -1."""

    def certified(tolerance: int) -> bool:
        standing = Standing.of(found >= tolerance, items, len(leaders))
        return standing.open_pairs(leaders).size == 0

    return largest(certified, int(found.max(initial=-1)))
