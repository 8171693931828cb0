"""Draws from the posteriors of items, each a function of the seed and the number of votes.

The state of a generator would depend on what was asked before. A hash of (seed, item, votes of the
race) does not, so that a restored race draws what the race itself would have drawn.
"""

import math
from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined
from plaudit.race.tree import ticket

# These keep the draws apart from the tickets that decide ties.
COIN, POSTERIOR = 0x632BE59BD9B4E019, 0x3C6EF372FE94F82A
STEP = 0x9E3779B97F4A7C15


@inlined
def toss(seed: int, number: int) -> bool:
    """Heads or tails of a race at so many votes, each with probability 1/2."""
    mixed = ticket(seed, COIN, number)
    return bool(mixed >> np.uint64(63))


@inlined
def _uniform(mixed: Any) -> float:
    """A number in (0, 1) from a hash."""
    return (float(mixed >> np.uint64(11)) + 0.5) * 2.0**-53


@inlined
def _number(stream: Any, place: int) -> float:
    """The number at a place of a stream, uniform in (0, 1)."""
    return _uniform(ticket(stream, place, 0))


@compiled
def _gamma(shape: float, stream: Any, place: int) -> float:
    """A gamma variable of shape at least 1: Marsaglia and Tsang (2000)."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        radius = math.sqrt(-2.0 * math.log(_number(stream, place)))
        z = radius * math.cos(2.0 * math.pi * _number(stream, place + 1))
        v = 1.0 + c * z
        # Not as a power: Python asks the C library for it, and may round otherwise.
        v = v * v * v
        u = _number(stream, place + 2)
        place += 3
        if v > 0.0 and math.log(u) < 0.5 * z * z + d - d * v + d * math.log(v):
            return d * v


@compiled
def draw_mean(seed: int, number: int, item: int, votes: float, total: float) -> float:
    """A mean drawn from Beta(1 + total, 1 + votes - total), for an item at so many votes."""
    stream = ticket(seed ^ POSTERIOR, item, number)
    # Far apart: the two gammas never use the same number.
    rises = _gamma(1.0 + total, stream, 0)
    falls = _gamma(1.0 + max(votes - total, 0.0), stream, 1 << 20)
    return rises / (rises + falls)
