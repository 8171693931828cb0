"""What a race on a finite set of examples knows: arrays that the kernels change."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import Kept

# The sizes of bets, as fractions of Kelly's.
FRACTIONS = np.array([0.5, 1.0, 2.0])
SPLIT = FRACTIONS.size

# Places in `clock`.
ROWS, INSIDE, CHOSEN, NEXT_CHOICE, ENDED = range(5)

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


class _Parts(NamedTuple):
    examples: int
    level: float
    near_level: float
    epsilon: float
    clock: Counts
    order: Counts
    leaders: Counts
    chosen: Counts
    sums: Floats
    squares: Floats
    met: Counts
    inside: NDArray[np.uint8]
    carried: Floats
    stakes: Floats
    near: Floats


class Capitals(Kept, _Parts):
    """All bets of a race of n candidates for k places; logarithms of capitals.

    `leaders` has the k leaders and, last, the next one, whom a leader has for an opponent in its
    own place. `carried` is what was won against earlier leaders, `stakes` against the present
    ones, `near` the same for bets that a leader is not worse by more than epsilon, since these
    leaders were chosen. `met` says how many examples each candidate met. `order` breaks ties.
    """


def new_capitals(
    candidates: int, examples: int, *, top: int, level: float, near_level: float, epsilon: float,
    order: Counts,
) -> Capitals:  # fmt: skip
    """The bets before the first example; `near_level` is infinite where there is no epsilon."""
    close = top if epsilon > 0.0 else 0
    clock = np.zeros(5, np.int64)
    clock[INSIDE] = candidates
    return Capitals(
        examples=int(examples),
        level=float(level),
        near_level=float(near_level),
        epsilon=float(epsilon),
        clock=clock,
        order=order.astype(np.int64),
        leaders=np.full(top + 1, -1, np.int64),
        chosen=np.full(top + 1, -1, np.int64),
        sums=np.zeros(candidates),
        squares=np.zeros(candidates),
        met=np.zeros(candidates, np.int64),
        inside=np.ones(candidates, np.uint8),
        carried=np.zeros((candidates, SPLIT)),
        stakes=np.zeros((candidates, top, SPLIT)),
        near=np.zeros((candidates, close, SPLIT)),
    )
