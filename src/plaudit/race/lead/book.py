"""What a race whose leaders are appointed keeps beside its state."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bets import BETS
from plaudit.race.tree import Forest, plant

NOBODY = -1
# Of the whole: who was appointed, and for which leader the keys hold. For FRESH, the rival against
# which the leader lacks evidence, and at which mean.
BOOK = np.dtype(
    [
        ("level", np.float64),
        ("appointed", np.int64),
        ("leader", np.int64),
        ("renewal", np.int64),
        ("ratios", np.int64),
        ("epsilon", np.float64),
        ("settled", np.bool_),
        ("rival", np.int64),
        ("at", np.float64),
    ],
    align=True,
)
# Of each item: its rank and the votes since it was appointed; as a rival, its evidence against the
# leader, the leader's votes then, and the votes on the item that one on the leader would save. For
# FRESH, how many answers are to come that were asked for before, and the bet that suits the item.
# Of the answers to come: how many were asked for in company, of how many before those it is
# unclear, and how many before these were not; of those that came: how many were unclear, and how
# many were not asked for in company, with their sum; and how many of these there were, with their
# sum, when the first answer in company that is to come was asked for.
FRESH = np.dtype(
    [
        ("rank", np.int64),
        ("votes", np.int64),
        ("total", np.float64),
        ("evidence", np.float64),
        ("at", np.int64),
        ("ratio", np.int64),
        ("waits", np.int64),
        ("bet", np.int64),
        ("ahead", np.int64),
        ("unclear", np.int64),
        ("company", np.int64),
        ("worst", np.int64),
        ("apart", np.int64),
        ("apart_total", np.float64),
        ("mark", np.int64),
        ("mark_total", np.float64),
    ],
    align=True,
)


class Lead(NamedTuple):
    """One `BOOK`, a `FRESH` for each item, its votes at each level, and a tree of the rivals.

    `levels` are the votes since an item was appointed, `apart` those that were not asked for in
    company, and `marked` how many of these there were at the mark. `logs` is what `State.logs` is
    for lower bounds, with weights that suit the leader of the book.
    """

    book: NDArray[Any]
    fresh: NDArray[Any]
    levels: NDArray[np.int32]
    apart: NDArray[np.int32]
    marked: NDArray[np.int32]
    tree: Forest
    logs: NDArray[np.float64]


def make_lead(capacity: int, levels: int) -> Lead:
    """An empty book; without capacity, one for races that do not need it."""
    book = np.zeros(1, dtype=BOOK)
    book["leader"] = book["rival"] = NOBODY
    fresh = np.zeros(capacity, dtype=FRESH)
    # No key was ever computed.
    fresh["at"] = -1
    counts = np.zeros((3, capacity, levels), dtype=np.int32)
    logs = np.zeros((levels + 1 if capacity else 0, BETS))
    return Lead(book, fresh, counts[0], counts[1], counts[2], plant(1, capacity), logs)
