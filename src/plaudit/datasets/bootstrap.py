"""Profiles from past votes: items whose simulated votes are drawn from their real ones."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plaudit.datasets.table import VoteTable
from plaudit.errors import InvalidInput

if TYPE_CHECKING:
    from plaudit.simulation import Profile


def contest_profile(
    table: VoteTable, *, binary: bool = False
) -> tuple["Profile", NDArray[np.int64]]:
    """The profile of a table's items that have votes, and their rows in the table.

    With `binary` a vote counts 1 if its value is at least ½ and 0 otherwise, as in the
    paper's Figure 2, where a caption is rewarded for being at least somewhat funny.

    >>> from plaudit.scale import FUNNY
    >>> levels = np.array([[2, 1, 1], [0, 0, 0], [9, 1, 0]])
    >>> table = VoteTable(("a", "b", "c"), levels.sum(1), levels @ FUNNY.values, levels, FUNNY)
    >>> profile, rows = contest_profile(table, binary=True)
    >>> profile.means, rows
    (array([0.5, 0.1]), array([0, 2]))
    """
    # The simulation brings the compiler along, which reading votes does not need.
    from plaudit.simulation import Profile

    if table.levels is None or table.scale is None:
        raise InvalidInput(
            "A profile needs the votes at each level of a scale: read a contest summary, or "
            "give read_votes the scale of the votes."
        )
    rows = np.flatnonzero(table.votes > 0).astype(np.int64)
    if rows.size < 2:
        raise InvalidInput(f"A profile needs at least two items with votes; got {rows.size}.")
    values = np.asarray(table.scale.values)
    counts = table.levels[rows]
    if binary:
        high = values >= 0.5
        counts = np.stack([counts[:, ~high].sum(axis=1), counts[:, high].sum(axis=1)], axis=1)
        values = np.array([0.0, 1.0])
    return Profile.frequencies(counts, values.tolist()), rows
