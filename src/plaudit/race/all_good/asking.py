"""Which item a rater sees next in a race for all good items, compiled.

Only here do pending votes count, and items that the rater must not get.
"""

from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.all_good.camps import (
    OWN_TIME,
    excess_of_all,
    least_good,
    most_bad,
    one_of,
    refresh_good_choice,
    seat,
)
from plaudit.race.readings import lower_at, ticket_of
from plaudit.race.state import (
    BEST_LOWER,
    BEST_UPPER,
    BY_CHOICE,
    BY_UPPER,
    FEWEST_VOTES,
    LAST_LOWER,
    OUT_CHOICE,
    State,
)
from plaudit.race.tree import Forest, best_key, set_key, winner

# Every eighth turn takes the contender as if nothing were pending.
PATIENCE = 8


@rarely(-1)
def pick_good(state: State, blocked: Any) -> int:
    """The next item for a rater who may not get those blocked, or -1 where none would help."""
    h = state.header[0]
    if excess_of_all(state) < 0.0:
        return -1
    contender = _contender(state, blocked)
    if h.rule == FEWEST_VOTES:
        return contender
    if contender >= 0 and state.field.nodes[BY_CHOICE, contender].key == np.inf:
        # Every item is seen once before the bounds decide.
        return contender
    if h.turn % PATIENCE == PATIENCE - 1:
        # What is pending may never come.
        largest = winner(state.rare.camp, BEST_UPPER)
        contender = contender if blocked[largest] else largest
    if contender >= 0 and _upper(state, contender) < best_key(state.rare.camp, BEST_LOWER):
        # It is certainly not the best.
        contender = -1
    outside, inside = _outside(state, blocked), _inside(state, blocked)
    return one_of(state, h.turn, contender, outside, inside)


@inlined
def _upper(state: State, item: int) -> float:
    upper: float = state.rare.camp.nodes[BEST_UPPER, item].key
    return min(1.0, upper)


@inlined
def _expected_lower(state: State, item: int) -> float:
    """An item's lower bound once its pending votes are in, if they fall as those so far."""
    record = state.items[item]
    return lower_at(state, item, record.votes + record.pending, OWN_TIME)


@compiled
def _contender(state: State, blocked: Any) -> int:
    """The item with the largest key of the rule that is not blocked, or -1."""
    item, hidden = _first(state, state.field, BY_CHOICE, blocked)
    for k in range(hidden):
        refresh_good_choice(state, state.scratch[k])
    return item


@compiled
def _outside(state: State, blocked: Any) -> int:
    """An item outside that may still be good, pending votes counted, or -1."""
    item, hidden = _first(state, state.rare.camp, OUT_CHOICE, blocked)
    for k in range(hidden):
        seat(state, state.scratch[k])
    if item >= 0 and _upper(state, item) >= least_good(state):
        return item
    # The rest may still matter and only have many votes pending.
    item, hidden = _first(state, state.field, BY_UPPER, blocked)
    for k in range(hidden):
        seat(state, state.scratch[k])
    return item if item >= 0 and _upper(state, item) >= least_good(state) else -1


@inlined
def _first(state: State, forest: Forest, tree: Any, blocked: Any) -> tuple[int, int]:
    """The item of the largest key that is not blocked, or -1, and how many keys it hid."""
    item, hidden = winner(forest, tree), 0
    while item >= 0 and blocked[item]:
        set_key(forest, tree, item, -np.inf, np.uint64(0))
        state.scratch[hidden] = item
        hidden += 1
        item = winner(forest, tree)
    return item, hidden


@compiled
def _inside(state: State, blocked: Any) -> int:
    """The item inside in most doubt, pending votes counted, or -1 where none needs votes."""
    h, bad = state.header[0], most_bad(state)
    found, least, changed = -1, np.inf, 0
    item = winner(state.rare.camp, LAST_LOWER)
    while item >= 0 and state.rare.camp.nodes[BEST_LOWER, item].key <= bad:
        lower = np.inf if blocked[item] else _expected_lower(state, item)
        if lower < least:
            found, least = item, lower
        if -best_key(state.rare.camp, LAST_LOWER) >= least:
            break
        state.scratch[changed] = item
        changed += 1
        set_key(state.rare.camp, LAST_LOWER, item, -np.inf, ~ticket_of(h, state.items, item))
        item = winner(state.rare.camp, LAST_LOWER)
    for k in range(changed):
        seat(state, state.scratch[k])
    return found
