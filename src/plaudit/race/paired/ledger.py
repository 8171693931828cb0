"""What the bets need to know of the differences of each pair of items; compiled.

With a scale of few levels there are few differences, and the number of raters at each is all that
matters: the capital does not depend on the order of raters, to the last bit. Otherwise the growth
of each bet is added up, the largest differences are kept aside for the tolerance, and the rows
are kept for `withstanding`.

Pair p of items i < j has two sides: 0 is the claim that i is better, with the differences
X_i - X_j; 1 the claim that j is. A claim is settled once its capital has reached the level, and
stays so: this happens to a false claim with probability at most e^-level, over all times.

`reach` is never less than the logarithm of the capital: a rater adds at most what the best bet
gains. The capital itself is computed only when `reach` is at the level.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import Kept, compiled, inlined
from plaudit.race.paired.bets import (
    BETS,
    MARGIN,
    SIZES,
    growth_of,
    log_capital,
    lower_difference,
    most_gained,
)
from plaudit.scale import Scale

# The slacks for which a claim is judged: epsilon for the verdict, none for who is out or in.
SLACK, STRICT = 0, 1
# More differences than this are not counted but added up.
MOST_DIFFERENCES = 64
# Below all differences: nothing is kept aside here yet.
EMPTY = -2.0

Floats = NDArray[np.float64]


class _Parts(NamedTuple):
    level: float
    thetas: Floats
    tolerance: int
    lattice: Floats
    logs: Floats
    most: Floats
    step: NDArray[np.int64]
    counts: NDArray[np.int32]
    growth: Floats
    aside: Floats
    raters: NDArray[np.int64]
    reach: Floats
    settled: NDArray[np.uint8]
    scratch: Floats


class Ledger(Kept, _Parts):
    """All pairs of a race; either `counts` or `growth`, `aside` are empty.

    `lattice` has the differences in rising order, `logs` what each bet gains by them, `most` what
    the best bet gains for each slack, `step` the place for the levels of the two items. `scratch`
    is for the growth of one claim.
    """


# What cannot be computed anew.
SAVED = ("counts", "growth", "aside", "raters", "reach", "settled")


def lattice_of(scale: Scale | None) -> Floats:
    """All differences of two values of a scale, in rising order; none if they are too many."""
    if scale is None:
        return np.empty(0)
    values = np.array(scale.values)
    found = np.unique(values[:, None] - values[None, :])
    return found if found.size <= MOST_DIFFERENCES else np.empty(0)


def new_ledger(
    items: int, *, level: float, epsilon: float, tolerance: int, scale: Scale | None
) -> Ledger:
    """A ledger without raters."""
    lattice, pairs = lattice_of(scale), items * (items - 1) // 2
    counted = lattice.size > 0
    values = np.array(scale.values) if scale and counted else np.empty(0)
    step = np.searchsorted(lattice, values[:, None] - values[None, :]).astype(np.int64)
    sums = 0 if counted else pairs
    thetas = np.array([-epsilon, 0.0])
    most = [[most_gained(float(one), float(theta)) for theta in thetas] for one in lattice]
    return Ledger(
        level=float(level),
        thetas=thetas,
        tolerance=int(tolerance),
        lattice=lattice,
        logs=growth_of(lattice),
        most=np.array(most).reshape(-1, 2),
        step=step,
        counts=np.zeros((pairs if counted else 0, lattice.size), np.int32),
        growth=np.zeros((sums, 2, BETS)),
        aside=np.full((sums, 2, tolerance), EMPTY),
        raters=np.zeros(pairs, np.int64),
        reach=np.zeros((pairs, 2, 2)),
        settled=np.zeros((pairs, 2, 2), np.uint8),
        scratch=np.zeros(BETS),
    )


@inlined
def pair_of(items: int, first: int, second: int) -> int:
    """The number of a pair of items, the first less than the second."""
    return first * (2 * items - first - 1) // 2 + second - first - 1


@compiled
def tell_levels(ledger: Ledger, rows: Any) -> int:
    """Counts rows of levels, -1 where there is no vote; how many claims they settled."""
    items, last = rows.shape[1], ledger.lattice.size - 1
    settled = 0
    for rater in range(rows.shape[0]):
        for i in range(items):
            if rows[rater, i] < 0:
                continue
            for j in range(i + 1, items):
                if rows[rater, j] < 0:
                    continue
                pair = pair_of(items, i, j)
                place = ledger.step[rows[rater, i], rows[rater, j]]
                ledger.counts[pair, place] += 1
                ledger.raters[pair] += 1
                for side, where in ((0, place), (1, last - place)):
                    loose, strict = ledger.most[where, SLACK], ledger.most[where, STRICT]
                    settled += _judge(ledger, pair, side, loose, strict)
    return settled


@compiled
def tell_values(ledger: Ledger, rows: Any) -> int:
    """The same for rows of values, NaN where there is no vote."""
    items = rows.shape[1]
    settled = 0
    for rater in range(rows.shape[0]):
        for i in range(items):
            if math.isnan(rows[rater, i]):
                continue
            for j in range(i + 1, items):
                if math.isnan(rows[rater, j]):
                    continue
                pair = pair_of(items, i, j)
                difference = rows[rater, i] - rows[rater, j]
                ledger.raters[pair] += 1
                for side, ahead in ((0, difference), (1, -difference)):
                    _add(ledger, pair, side, ahead)
                    strict = most_gained(ahead, ledger.thetas[STRICT])
                    loose = strict
                    if ledger.thetas[SLACK] < ledger.thetas[STRICT]:
                        loose = most_gained(ahead, ledger.thetas[SLACK])
                    settled += _judge(ledger, pair, side, loose, strict)
    return settled


@inlined
def _add(ledger: Ledger, pair: int, side: int, difference: float) -> None:
    """Adds a difference to the growth, or keeps it aside and adds the one whose place it takes."""
    aside, left = ledger.aside, difference
    for place in range(ledger.tolerance):
        if left > aside[pair, side, place]:
            aside[pair, side, place], left = left, aside[pair, side, place]
    if left > EMPTY:
        for bet in range(BETS):
            ledger.growth[pair, side, bet] += math.log1p(SIZES[bet] * left)


@inlined
def _judge(ledger: Ledger, pair: int, side: int, loose: float, strict: float) -> int:
    """Whether a rater settles a claim, with and without slack; what the best bet gained by each."""
    if ledger.raters[pair] <= ledger.tolerance:
        return 0
    settled = 0
    for slack in range(2):
        if ledger.settled[pair, side, slack]:
            continue
        theta = ledger.thetas[slack]
        ledger.reach[pair, side, slack] += loose if slack == SLACK else strict
        if ledger.reach[pair, side, slack] < ledger.level:
            continue
        left = gather(ledger, pair, side, ledger.tolerance)
        capital = log_capital(ledger.scratch, left, theta)
        # Rounding must not let `reach` fall behind.
        ledger.reach[pair, side, slack] = capital + MARGIN
        if capital >= ledger.level + MARGIN:
            ledger.settled[pair, side, slack] = 1
            settled += 1
    return settled


@compiled
def gather(ledger: Ledger, pair: int, side: int, spare: int) -> float:
    """Puts the growth of a claim without its `spare` largest differences into `scratch`.

    How many raters are left. Where differences are added up, `spare` is the tolerance.
    """
    scratch, size = ledger.scratch, ledger.lattice.size
    left = max(ledger.raters[pair] - spare, 0)
    if size == 0:
        for bet in range(BETS):
            scratch[bet] = ledger.growth[pair, side, bet]
        return float(left)
    for bet in range(BETS):
        scratch[bet] = 0.0
    for place in range(size - 1, -1, -1):
        count: Any = np.int64(ledger.counts[pair, place if side == 0 else size - 1 - place])
        gone = min(count, spare)
        spare -= gone
        if count > gone:
            for bet in range(BETS):
                scratch[bet] += (count - gone) * ledger.logs[place, bet]
    return float(left)


@compiled
def weigh(ledger: Ledger) -> None:
    """Judges every claim by all raters together, and forgets what was settled on the way."""
    for pair in range(ledger.raters.size):
        for side in range(2):
            left = gather(ledger, pair, side, ledger.tolerance)
            for slack in range(2):
                capital = log_capital(ledger.scratch, left, ledger.thetas[slack])
                ledger.reach[pair, side, slack] = capital + MARGIN
                ledger.settled[pair, side, slack] = capital >= ledger.level + MARGIN


@compiled
def lower_of(ledger: Ledger, items: int, first: int, second: int, level: float) -> float:
    """The lower bound, at this level, of how much the mean of the first item is above the other."""
    if first < second:
        pair, side = pair_of(items, first, second), 0
    else:
        pair, side = pair_of(items, second, first), 1
    left = gather(ledger, pair, side, ledger.tolerance)
    return lower_difference(ledger.scratch, left, level)


@compiled
def gap_of(ledger: Ledger, items: int, pairs: Any) -> float:
    """The smallest slack that the capitals of these claims certify now: leader, rival in a row."""
    gap = -1.0
    for row in range(pairs.shape[0]):
        first, second = pairs[row, 0], pairs[row, 1]
        pair = pair_of(items, min(first, second), max(first, second))
        left = gather(ledger, pair, 0 if first < second else 1, ledger.tolerance)
        # Most pairs are closer to settled than the worst so far: one look tells.
        if log_capital(ledger.scratch, left, -gap) < ledger.level + MARGIN:
            gap = max(gap, -lower_difference(ledger.scratch, left, ledger.level))
    return gap
