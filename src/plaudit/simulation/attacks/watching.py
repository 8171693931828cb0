"""What dishonest raters know of a race and of their own, and what they see in it; compiled.

The bounds of an item if they cast all votes that they have left are found by counting these votes
and taking them back.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled, inlined
from plaudit.race.readings import lower_of, time_now, upper_of
from plaudit.race.state import State


class Crowd(NamedTuple):
    """Where votes come from: honest ones by frequency, false ones at the lowest and highest level.

    `order` has the items from the largest mean to the smallest; the first `right` of them may win,
    the next one is the favourite of the dishonest.
    """

    values: NDArray[np.float64]
    below: NDArray[np.float64]
    means: NDArray[np.float64]
    order: NDArray[np.int64]
    right: int
    lowest: int
    highest: int


class Orders(NamedTuple):
    """An attack as compiled code reads it, with `raters` dishonest raters; see `Attack`."""

    raters: int
    when: int
    ruined: int
    pushed: bool
    others: bool
    sleeps: bool
    early: float
    moment: int
    slack: float
    margin: float
    patience: int


class Notes(NamedTuple):
    """What dishonest raters keep: their votes on each item, and what the rest of them could do.

    `reach` is an item's upper bound after all votes of 0 that they have left, `grip` its lower
    bound after all votes of 1, both with the item's votes in `seen`.
    """

    cast: NDArray[np.int64]
    seen: NDArray[np.int64]
    reach: NDArray[np.float64]
    grip: NDArray[np.float64]


@inlined
def look(state: State, crowd: Crowd, orders: Orders, notes: Notes) -> None:
    """Notes what the votes that are left could do to each item that has got a vote."""
    for item in range(crowd.order.size):
        if notes.seen[item] != state.items[item].votes:
            rest = orders.raters - notes.cast[item]
            notes.reach[item] = _bound_with(state, crowd, item, crowd.lowest, rest)
            notes.grip[item] = _bound_with(state, crowd, item, crowd.highest, rest)
            notes.seen[item] = state.items[item].votes


@compiled
def _bound_with(state: State, crowd: Crowd, item: int, level: int, votes: int) -> float:
    """An item's upper bound if it got these lowest votes, or lower bound after highest ones."""
    record = state.items[item]
    total, counts = record.total, state.values.size > 0
    record.votes += votes
    record.total += votes * crowd.values[level]
    if counts:
        state.levels[item, level] += votes
    now = time_now(state.header[0])
    if level == crowd.lowest:
        bound = min(1.0, upper_of(state, item, now))
    else:
        bound = lower_of(state, item, now)
    record.votes -= votes
    record.total = total
    if counts:
        state.levels[item, level] -= votes
    return bound


@inlined
def wrong_winner(state: State, crowd: Crowd, orders: Orders, notes: Notes) -> int:
    """The item that all votes left would make the winner at once, wrongly; -1 if there is none."""
    found = crowd.order[crowd.right]
    for place in range(crowd.right, crowd.order.size):
        if notes.grip[crowd.order[place]] > notes.grip[found]:
            found = crowd.order[place]
    record, rest = state.items[found], orders.raters - notes.cast[found]
    if record.votes + rest == 0:
        return -1
    mean = (record.total + rest * crowd.values[crowd.highest]) / (record.votes + rest)
    for item in range(crowd.order.size):
        if item == found:
            continue
        if notes.reach[item] - notes.grip[found] >= state.header[0].epsilon:
            return -1
        other, more = state.items[item], orders.raters - notes.cast[item]
        low = crowd.values[crowd.lowest]
        if other.votes == 0 or (other.total + more * low) / (other.votes + more) >= mean:
            return -1
    return int(found)
