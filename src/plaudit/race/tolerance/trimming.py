"""An item's votes without those that dishonest raters may have cast; compiled.

A rater has one vote on an item. If at most m raters are dishonest, at most m votes of an item are
false. The upper bound that holds whichever they are is the one of its votes without the m lowest,
the lower bound the one without the m highest (docs/theory/tolerance.md).

Where the votes at each level are not counted, the m votes are taken for votes of 0, or of 1: no
others could do more harm.
"""

from typing import Any

import numpy as np

from plaudit.compiled import compiled
from plaudit.race.state import KEPT, ORDER, State

# NumPy's booleans: for Python's, numba would compile a copy of the function for each.
WITHOUT_LOWEST: Any = np.True_
WITHOUT_HIGHEST: Any = np.False_
# The upper index of an item whose votes may all be false: above all others.
UNKNOWN = 1e3


@compiled
def votes_kept(state: State, item: int, lowest: bool) -> Any:
    """How many votes are left without the lowest or highest ones, and their sum.

    `state.trim[KEPT]` has the votes left at each level.
    """
    h, record = state.header[0], state.items[item]
    spare = h.tolerance
    votes = float(max(record.votes - spare, 0))
    levels = state.values.size
    if levels == 0:
        total = min(record.total, votes) if lowest else max(record.total - spare, 0.0)
        return votes, total
    total = 0.0
    for k in range(levels):
        level = state.trim[ORDER, k if lowest else levels - 1 - k]
        count = state.levels[item, level]
        gone = min(np.int64(count), spare)
        spare -= gone
        state.trim[KEPT, level] = count - gone
    for level in range(levels):
        total += state.trim[KEPT, level] * state.values[level]
    return votes, total
