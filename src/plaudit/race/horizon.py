"""Bounds that move with the race's time: finding who is ahead now from keys of a later time.

Keys are computed for the horizon, a later time, where upper bounds are larger and lower bounds
smaller than now. A search begins with the item that is ahead there and looks at those whose keys
are not below its bound now; few of them need a bound of their own. No key is changed. All
compiled.
"""

from typing import Any

from plaudit.bounds.kernels import rate_kernel, upper_limit
from plaudit.compiled import inlined, rarely
from plaudit.race.readings import (
    choice_of,
    expected_votes,
    formula_of,
    judged_votes,
    time_now,
    upper_of,
    weakness_of,
)
from plaudit.race.state import BY_UPPER, WEAKEST_LOWER, State
from plaudit.race.tolerance.trimming import UNKNOWN
from plaudit.race.tree import best_key, next_leaf, winner

# Limits that need no root are right to about 1e-15.
ROUNDING = 1e-12


@inlined
def key_at(state: State, tree: Any, item: int, time: float) -> float:
    """An item's key in BY_UPPER or BY_CHOICE, with bounds taken at a given time."""
    if tree == BY_UPPER:
        return upper_of(state, item, time)
    return choice_of(state, item, time)


@rarely(-1)
def largest_now(state: State, tree: Any) -> int:
    """The item with the largest key now in BY_UPPER or BY_CHOICE, which must have a key."""
    h = state.header[0]
    nodes = state.field.nodes
    now = time_now(h)
    best = winner(state.field, tree)
    key = key_at(state, tree, best, now)
    if key == best_key(state.field, tree):
        return best
    fall = evidence_to_come(h, tree, now)
    item = next_leaf(state.field, tree, -1, key)
    while item >= 0:
        if are_twins(h, state.items[best], state.items[item]):
            if nodes[tree, item].ticket > nodes[tree, best].ticket:
                best = item
        else:
            h.looks += 1
            if limit_now(state, tree, item, now, fall) >= key:
                own = key_at(state, tree, item, now)
                ahead = nodes[tree, item].ticket > nodes[tree, best].ticket
                if own > key or (own == key and ahead):
                    best, key = item, own
        item = next_leaf(state.field, tree, item, key)
    return best


@inlined
def are_twins(h: Any, record: Any, other: Any) -> bool:
    """Whether two items have equal keys at all times, so that one bound serves both.

    Without their lowest votes, items of equal sums may differ.
    """
    same: bool = h.tolerance == 0 and record.votes == other.votes and record.total == other.total
    return same and bool(record.pending == other.pending)


@inlined
def evidence_to_come(h: Any, tree: Any, now: float) -> float:
    """What the rate of an item with one vote grows by from now to the horizon."""
    level = h.upper_level if tree == BY_UPPER else h.choice_level
    later = rate_kernel(formula_of(h), level, 1.0, h.horizon)
    return later - rate_kernel(formula_of(h), level, 1.0, now)


@inlined
def limit_now(state: State, tree: Any, item: int, now: float, fall: float) -> float:
    """No less than an item's key now, from its key at the horizon."""
    h = state.header[0]
    record = state.items[item]
    index: float = state.field.nodes[tree, item].key
    if index >= UNKNOWN:
        return index
    if tree == BY_UPPER:
        mean, votes = judged_votes(state, item)
    else:
        mean, votes = expected_votes(h, record)
    # Pending votes beyond the race's time are their own time, which does not move.
    if votes > now:
        return index
    return upper_limit(formula_of(h), mean, index, fall / votes) + ROUNDING


@rarely(-1)
def weakest_now(state: State) -> int:
    """The place in the leading set with the smallest lower bound now; there must be one."""
    h = state.header[0]
    nodes = state.leaders.nodes
    now = time_now(h)
    best = winner(state.leaders, WEAKEST_LOWER)
    key = weakness_of(state, state.seats[best], now)
    if key == best_key(state.leaders, WEAKEST_LOWER):
        return best
    place = next_leaf(state.leaders, WEAKEST_LOWER, -1, key)
    while place >= 0:
        own = weakness_of(state, state.seats[place], now)
        h.looks += 1
        ahead = nodes[WEAKEST_LOWER, place].ticket > nodes[WEAKEST_LOWER, best].ticket
        if own > key or (own == key and ahead):
            best, key = place, own
        place = next_leaf(state.leaders, WEAKEST_LOWER, place, key)
    return best
