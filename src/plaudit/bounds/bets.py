"""A fixed set of bets against a mean, and the bound that their capital gives; compiled.

A bet of size kappa > 0 against "the mean is m or more" multiplies its capital, at a vote x, by

    (1 + kappa (1-x)) / (1 + kappa (1-m)) = 1 - lam (x - m),   lam = kappa / (1 + kappa (1-m)).

Where the mean is m or more this is expected to be 1 or less. The bets here have fixed sizes and
first capitals that add up to 1, so their sum is a supermartingale, and above 1/delta with
probability at most delta. With c_l votes at level x_l, t in all, and rest = 1-m,

    ln capital of one = ln weight + sum over l of c_l ln(1 + kappa (1-x_l)) - t ln(1 + kappa rest).

The first sum does not depend on m. The logarithm of the whole is convex and falls in `rest`, so
the means that are excluded are those above one root.

The kernels read both from one table, `logs`: a row for each level of a scale with what a vote there
does for each bet, and a last row with the logarithms of the weights. A race may have weights of its
own (`plaudit.bounds.learned`).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bernoulli import OUTWARD, quick_log1p
from plaudit.compiled import compiled, inlined

BETS = 24
SMALLEST, LARGEST = 1e-3, 100.0
# First capitals grow with this power of the size: large bets rule out the many bad items.
WEIGHT_POWER = 0.4

# Each bet's logarithms are shaded by four units in the last place, more than they can be wrong.
SHADE = 2.0**-50
# A bet whose capital is below e^-40 of what is needed adds nothing; leaving it out widens.
NOTHING = -40.0
SMALLEST_CAPITAL = math.exp(NOTHING)
MAX_STEPS = 60


def _sizes() -> NDArray[np.float64]:
    return np.exp(np.linspace(math.log(SMALLEST), math.log(LARGEST), BETS))


def log_weights(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithms of first capitals that are in the ratio of these shares."""
    # Rounded down by more than the sum can be wrong: together they hold no more than 1.
    logs: NDArray[np.float64] = np.log(shares / shares.sum()) - 1e-15
    return logs


SIZES = _sizes()
LOG_WEIGHTS = log_weights(SIZES**WEIGHT_POWER)
# What a vote of 0 adds: all that sums of votes need.
LOG_GROWTH = np.log1p(SIZES)


def gains(
    values: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """ln(1 + kappa (1-x)) and ln(1 + kappa x) for each level x and bet: upper and lower side.

    The last row of each side has the logarithms of the bets' weights: the usual ones, or one row
    of `weights` for each side.
    """
    sides = np.stack([1.0 - values, values])
    table = np.log1p(sides[:, :, None] * SIZES)
    last = np.stack([LOG_WEIGHTS, LOG_WEIGHTS]) if weights is None else weights
    return np.concatenate([table, last[:, None, :]], axis=1)


@inlined
def _gain(bet: int, falls: float, share: float, counts: Any, logs: Any) -> float:
    """What the votes alone do for a bet: `falls` votes of 0, or `share` times the counts."""
    if counts.size == 0:
        return falls * float(LOG_GROWTH[bet])
    total = 0.0
    for level in range(counts.size):
        total += counts[level] * logs[level, bet]
    return share * total


@inlined
def _first_rest(
    level: float, votes: float, falls: float, share: float, counts: Any, logs: Any
) -> float:
    """The largest `rest` that one of the bets excludes alone, with no root to find; or 0."""
    rest = 0.0
    for bet in range(BETS):
        gain = _gain(bet, falls, share, counts, logs) * (1.0 - SHADE)
        excess = logs[counts.size, bet] - level + gain
        if excess > 0.0:
            rest = max(rest, math.expm1(excess / votes) / SIZES[bet])
    return rest * (1.0 - OUTWARD)


@compiled
def rest_kernel(
    level: float, votes: float, falls: float, share: float, counts: Any, logs: Any
) -> float:
    """1 minus the upper index: the `rest` where the capital is e^level, rounded downward.

    Where the capital is less even at `rest` = 0, it is the logarithm of the capital there minus
    `level`.

    `falls` is the sum of 1-x over the votes. `counts` and `logs` are the votes at each level,
    to be multiplied by `share`, and their side of `gains`; where there are no levels (`logs` then
    has the weights alone) the votes are taken for `falls` votes of 0 and others of 1, which never
    gives more capital.
    """
    most = falls / votes
    rest = min(most, _first_rest(level, votes, falls, share, counts, logs))
    for _ in range(MAX_STEPS):
        total, first, second, third = 0.0, 0.0, 0.0, 0.0
        for bet in range(BETS):
            stake = SIZES[bet] * rest
            inverse = 1.0 / (1.0 + stake)
            gain = _gain(bet, falls, share, counts, logs) * (1.0 - SHADE)
            loss = votes * quick_log1p(stake, inverse) * (1.0 + SHADE)
            excess = logs[counts.size, bet] - level + gain - loss
            if excess > NOTHING:
                capital = math.exp(excess)
                slope = SIZES[bet] * inverse
                total += capital
                first += capital * slope
                second += capital * slope * slope
                third += capital * slope * slope * slope
        if rest <= 0.0 and total <= 1.0:
            # No mean is excluded; how much is missing still tells items apart.
            return math.log(max(total, SMALLEST_CAPITAL))
        step = _step(votes, total, first / total, second / total, third / total)
        ahead = min(rest + step, most)
        rest = ahead if ahead > 0.0 else 0.5 * rest
        if abs(step) <= max(1e-4 * min(rest, most - rest), 1e-16 * rest):
            # Fourth order: what is left is about one unit in the last place.
            break
    return rest * (1.0 - OUTWARD)


@inlined
def _step(votes: float, total: float, first: float, second: float, third: float) -> float:
    """How much more `rest` brings the capital from `total` to 1, to fourth order.

    The others are means, weighted by capital, of the powers of kappa / (1 + kappa rest), of
    which the derivatives of the logarithm are made: it is taken for a parabola, whose root
    the third derivative then corrects.
    """
    height = math.log(total)
    slope = -votes * first
    square = votes * (votes + 1.0) * second
    bend = square - slope * slope
    turn = -votes * (votes + 1.0) * (votes + 2.0) * third - slope * (
        3.0 * square - 2.0 * slope * slope
    )
    inside = slope * slope - 2.0 * bend * height
    if inside < 0.25 * slope * slope:
        # Far from the root, on its outer side: Newton's step does not pass it.
        return -height / slope
    root = math.sqrt(inside)
    step = 2.0 * height / (root - slope)
    return step + turn * step * step * step / (6.0 * root)


@compiled
def log_capital(votes: float, falls: float, counts: Any, logs: Any, rest: float) -> Any:
    """The logarithm of the capital at `rest`, rounded downward, and its derivative there."""
    largest, total, first = -math.inf, 0.0, 0.0
    for bet in range(BETS):
        stake = SIZES[bet] * rest
        inverse = 1.0 / (1.0 + stake)
        loss = votes * quick_log1p(stake, inverse) * (1.0 + SHADE)
        gain = _gain(bet, falls, 1.0, counts, logs) * (1.0 - SHADE)
        excess = logs[counts.size, bet] + gain - loss
        if excess > largest:
            # The sum so far is counted in units of the largest capital so far.
            shrunk = math.exp(largest - excess) if excess - largest < -NOTHING else 0.0
            largest, total, first = excess, 1.0 + total * shrunk, first * shrunk
            first += SIZES[bet] * inverse
        elif excess - largest > NOTHING:
            capital = math.exp(excess - largest)
            total += capital
            first += capital * SIZES[bet] * inverse
    return largest + math.log(total), -votes * first / total


@compiled
def capital_within(
    level: float, votes: float, falls: float, share: float, counts: Any, logs: Any, rest: float
) -> bool:
    """Whether the capital at `rest` is surely below e^level, so that it is not excluded."""
    total = 0.0
    for bet in range(BETS):
        stake = SIZES[bet] * rest
        loss = votes * quick_log1p(stake, 1.0 / (1.0 + stake))
        excess = logs[counts.size, bet] - level + _gain(bet, falls, share, counts, logs) - loss
        if excess > 0.0:
            return False
        if excess > NOTHING:
            total += math.exp(excess)
    return total < 1.0 - 1e-6
