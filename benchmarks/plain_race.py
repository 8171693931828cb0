"""lil-KLUCB as one would first write it: NumPy, all bounds of all items anew at each step.

The same race as Plaudit's `lil-klucb` with `accounting="paper"`: Theorem 1 of the paper with
N = 8, lower bounds at delta/(n-1), upper bounds at delta, one vote for the leader and one for
its strongest rival in each step. Nothing of Plaudit is used.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import zeta

Floats = NDArray[np.float64]

N = 8
# To 1e-9, which is enough for a race.
HALVINGS = 30


def plain_race(
    vote: Callable[[int, int], float],
    items: int,
    *,
    delta: float,
    seed: int,
    max_steps: int | None = None,
) -> tuple[int, int, int]:
    """The final leader, the votes used and the steps; `vote(item, k)` is the item's k-th vote."""
    rng = np.random.default_rng(seed)
    votes = np.ones(items)
    totals = np.array([vote(item, 0) for item in range(items)])
    steps = 0
    while max_steps is None or steps < max_steps:
        means = totals / votes
        uppers = upper_bounds(means, votes, delta)
        lowers = 1.0 - upper_bounds(1.0 - means, votes, delta / (items - 1))
        leader = _largest(means, rng)
        uppers[leader] = -1.0
        rival = _largest(uppers, rng)
        if lowers[leader] > uppers[rival]:
            break
        for item in (leader, rival):
            totals[item] += vote(item, int(votes[item]))
            votes[item] += 1
        steps += 1
    return leader, int(votes.sum()), steps


def upper_bounds(means: Floats, votes: Floats, delta: float) -> Floats:
    """The largest m of each item with D((N p + m)/(N+1), m) <= f, by bisection of all at once."""
    rates = (np.log(kappa(delta) / delta) + np.log(np.log2(2 * votes))) / votes
    low, high = means, np.ones_like(means)
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            # At p = 1 this is not a number, hence not inside, and the bound stays 1.
            inside = divergence((N * means + middle) / (N + 1), middle) <= rates
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return high


def divergence(x: Floats, y: Floats) -> Floats:
    """D(x, y) for x and y inside (0, 1)."""
    return x * np.log(x / y) + (1 - x) * np.log((1 - x) / (1 - y))


@cache
def kappa(delta: float) -> float:
    """The constant of Theorem 1 at this error level."""
    early = (np.log2(2 * np.arange(1, N + 1)) ** (-(N + 1) / N)).sum()
    total = early + N * zeta((N + 1) / N, np.log2(N) + 1)
    return float(delta ** (1 / (N + 1)) * total ** (N / (N + 1)))


def _largest(keys: Floats, rng: np.random.Generator) -> int:
    """The place of the largest key, ties broken at random."""
    tied = np.flatnonzero(keys == keys.max())
    return int(tied[0] if tied.size == 1 else rng.choice(tied))
