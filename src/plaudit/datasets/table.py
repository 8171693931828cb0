"""The votes of a file, counted per item."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plaudit.scale import Scale


@dataclass(frozen=True, eq=False)
class VoteTable:
    """Votes per item, in the order of the file.

    `items` are the names or captions; `votes` how many votes each has; `totals`
    the sum of their values, each in [0, 1]. `levels` counts the votes of each
    item at each level of `scale`; both are None if the values are not on a
    scale. `warnings` are what a person should know before trusting the rest.

    >>> table = VoteTable(("a", "b"), np.array([4, 0]), np.array([3.0, 0.0]))
    >>> table.means
    array([0.75,  nan])
    """

    items: tuple[str, ...]
    votes: NDArray[np.int64]
    totals: NDArray[np.float64]
    levels: NDArray[np.int64] | None = None
    scale: Scale | None = None
    warnings: tuple[str, ...] = ()

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean value of each item's votes, in [0, 1]; NaN for an item without votes."""
        means = np.full(len(self.items), np.nan)
        np.divide(self.totals, self.votes, out=means, where=self.votes > 0)
        return means


def level_totals(levels: NDArray[np.int64], scale: Scale) -> NDArray[np.float64]:
    """The sum of the vote values of each item, from its counts at each level of the scale.

    >>> from plaudit.scale import FUNNY
    >>> level_totals(np.array([[5, 2, 3]]), FUNNY)
    array([4.])
    """
    return levels.astype(np.float64) @ np.asarray(scale.values, dtype=np.float64)
