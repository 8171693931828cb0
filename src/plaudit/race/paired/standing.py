"""Who is certainly in the top, certainly out, or open, and which items a verdict may name.

Let item i beat item j once the claim "i is better" is settled without slack. With probability
1 - delta no item outside the true top k ever beats one inside it. Then an item that k others beat
is outside ("out"), and an item that beats n - k others is inside ("in"). docs/theory/paired.md.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plaudit.race.paired.ledger import SLACK, STRICT

Matrix = NDArray[np.bool_]


def claims(settled: NDArray[np.bool_], items: int) -> Matrix:
    """Which item beats which, from both sides of every pair."""
    beats = np.zeros((items, items), dtype=bool)
    first, second = np.triu_indices(items, 1)
    beats[first, second] = settled[:, 0]
    beats[second, first] = settled[:, 1]
    return beats


@dataclass(frozen=True)
class Standing:
    """What settled claims say: `beats` up to epsilon, and who is in and out without any slack."""

    beats: Matrix
    inside: Matrix
    outside: Matrix
    top: int

    @classmethod
    def of(cls, settled: NDArray[np.bool_], items: int, top: int) -> "Standing":
        """The standing by claims that are settled: a row a pair, sides, slacks."""
        strict = claims(settled[:, :, STRICT], items)
        inside = strict.sum(axis=1) >= items - top
        outside = strict.sum(axis=0) >= top
        return cls(claims(settled[:, :, SLACK], items), inside, outside & ~inside, top)

    def leading(self, means: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.int64]:
        """The items to be named: those in, then those of largest mean that are not out.

        `order` breaks ties. Where one item alone is wanted and some item is settled against all
        others, it is that one.
        """
        known = np.where(np.isnan(means), -1.0, means)
        ranked = np.lexsort((order, -known, self.outside, ~self.inside))
        if self.top == 1:
            needed = self.open_against(np.arange(len(means)))[ranked]
            done = ranked[np.logical_not(needed.any(axis=1))]
            return (done if done.size else ranked)[:1]
        return ranked[: self.top]

    def open_against(self, leaders: NDArray[np.int64]) -> Matrix:
        """For each leader (row) the items against which its claim is missing still."""
        missing = ~self.beats[leaders]
        missing[:, self.outside] = False
        missing[self.inside[leaders]] = False
        missing[np.arange(len(leaders)), leaders] = False
        return missing

    def open_pairs(self, leaders: NDArray[np.int64]) -> NDArray[np.int64]:
        """The claims that a verdict on these leaders needs and that are missing: leader, rival."""
        missing = self.open_against(leaders)
        missing[:, leaders] = False
        rows, rivals = np.nonzero(missing)
        return np.stack([leaders[rows], rivals], axis=1)
