"""The index of a race: who leads, who comes next, who is in most doubt; all compiled.

A vote changes the keys of its own item and nothing else. The two bounds that move with the
race's time are the exception: their keys are computed for a later time, and `horizon` finds
out who is ahead now.
"""

from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.all_good.camps import rebuild_good, refresh_good_choice
from plaudit.race.balance import weigh
from plaudit.race.horizon import key_at, largest_now, weakest_now
from plaudit.race.lead.counting import rebuild_lead
from plaudit.race.readings import (
    alike,
    choice_of,
    choice_ticket,
    judges_choice,
    keeps_lower,
    lower_of,
    mean_of,
    noted_like,
    stretched,
    takes_two,
    ticket_of,
    time_now,
    upper_of,
    weakness_of,
)
from plaudit.race.state import (
    ACTIVE,
    ALL_GOOD,
    BALANCE,
    BY_CHOICE,
    BY_MEAN,
    BY_UPPER,
    WEAKEST_LOWER,
    WEAKEST_MEAN,
    State,
)
from plaudit.race.top_two.keys import rebuild_duel, refresh_duel
from plaudit.race.tree import best_key, set_key, set_node, set_only, settle, winner


@inlined
def refresh(state: State, item: int) -> None:
    """Computes the keys of an item from its votes, in every tree."""
    h = state.header[0]
    record = state.items[item]
    time = h.horizon if h.uses_time else 1.0
    drawn = ticket_of(h, state.items, item)
    competes = record.status == ACTIVE
    if record.place >= 0:
        mean = -mean_of(record) if competes else -np.inf
        lower = weakness_of(state, item, time)
        # The weakest of equals is the one with the smallest ticket.
        if h.top == 1:
            set_only(state.leaders, WEAKEST_MEAN, mean, ~drawn)
            set_only(state.leaders, WEAKEST_LOWER, lower, ~drawn)
        else:
            set_key(state.leaders, WEAKEST_MEAN, record.place, mean, ~drawn)
            set_key(state.leaders, WEAKEST_LOWER, record.place, lower, ~drawn)
    else:
        mean = mean_of(record) if competes else -np.inf
        upper = upper_of(state, item, time) if competes else -np.inf
        set_key(state.field, BY_MEAN, item, mean, drawn)
        set_key(state.field, BY_UPPER, item, upper, drawn)
        if h.keeps_choice and judges_choice(h, record):
            key = stretched(h, mean, upper)
            set_key(state.field, BY_CHOICE, item, key, choice_ticket(h, state.items, item))
            if h.rule == BALANCE:
                weigh(state, item)
            return
    if h.rule == BALANCE:
        weigh(state, item)
    if h.keeps_choice:
        refresh_choice(state, item)


@compiled
def refresh_choice(state: State, item: int) -> None:
    """Gives an item its key in the tree that the rule looks at."""
    if state.header[0].stopping == ALL_GOOD:
        refresh_good_choice(state, item)
        return
    put_key(state, BY_CHOICE, item, state.header[0].horizon)
    if takes_two(state.header[0]):
        refresh_duel(state, item)


@inlined
def put_key(state: State, tree: Any, item: int, time: float) -> None:
    """Gives an item its key in BY_UPPER or BY_CHOICE, with bounds taken at a given time."""
    h = state.header[0]
    if tree == BY_CHOICE:
        drawn = choice_ticket(h, state.items, item)
    else:
        drawn = ticket_of(h, state.items, item)
    set_key(state.field, tree, item, key_at(state, tree, item, time), drawn)


@inlined
def exchange(state: State) -> None:
    """Restores the leading set: the `top` items of largest mean, ties by ticket."""
    # The weakest leader's key is its mean, negative.
    while best_key(state.field, BY_MEAN) >= -best_key(state.leaders, WEAKEST_MEAN):
        if not exchange_one(state):
            return


@compiled
def exchange_one(state: State) -> bool:
    """Lets the best item outside take the weakest leader's place, unless it loses a tie."""
    h = state.header[0]
    rival = winner(state.field, BY_MEAN)
    place = winner(state.leaders, WEAKEST_MEAN)
    if rival < 0 or place < 0:
        return False
    leaving = state.seats[place]
    tied = mean_of(state.items[rival]) == mean_of(state.items[leaving])
    if tied and ticket_of(h, state.items, rival) < ticket_of(h, state.items, leaving):
        return False
    swap(state, leaving, rival)
    return True


@compiled
def swap(state: State, leaving: int, entering: int) -> None:
    """Gives the place of one item in the leading set to another."""
    place = state.items[leaving].place
    state.items[leaving].place = -1
    state.items[entering].place = place
    state.seats[place] = entering
    set_key(state.field, BY_MEAN, entering, -np.inf, np.uint64(0))
    set_key(state.field, BY_UPPER, entering, -np.inf, np.uint64(0))
    refresh(state, leaving)
    refresh(state, entering)


@compiled
def rebuild(state: State) -> None:
    """Fills all trees from the records: at the start, on restoring, when levels change."""
    h = state.header[0]
    if h.stopping == ALL_GOOD:
        rebuild_good(state)
        return
    if h.uses_time:
        h.horizon = max(h.horizon, time_now(h))
    time = h.horizon if h.uses_time else 1.0
    for item in range(h.items):
        record = state.items[item]
        out = record.place >= 0 or record.status != ACTIVE
        drawn = ticket_of(h, state.items, item)
        mean = -np.inf if out else mean_of(record)
        upper = -np.inf if out else _upper_in_turn(state, item, time)
        set_node(state.field, BY_MEAN, item, mean, drawn)
        set_node(state.field, BY_UPPER, item, upper, drawn)
        if h.keeps_choice:
            drawn = choice_ticket(h, state.items, item)
            judged = not out and judges_choice(h, record)
            key = stretched(h, mean, upper) if judged else choice_of(state, item, time)
            set_node(state.field, BY_CHOICE, item, key, drawn)
    for place in range(h.top):
        record = state.items[state.seats[place]]
        out = record.status != ACTIVE
        drawn = ~ticket_of(h, state.items, state.seats[place])
        mean = -np.inf if out else -mean_of(record)
        lower = weakness_of(state, state.seats[place], time)
        set_node(state.leaders, WEAKEST_MEAN, place, mean, drawn)
        set_node(state.leaders, WEAKEST_LOWER, place, lower, drawn)
    for tree in range(3 if h.keeps_choice else 2):
        settle(state.field, tree)
    for tree in range(2):
        settle(state.leaders, tree)
    # Votes may have been counted anew: no pair is known to be open.
    h.open_item = h.open_rival
    if h.rule == BALANCE:
        for item in range(h.items):
            weigh(state, item)
    if takes_two(h):
        rebuild_duel(state)
        rebuild_lead(state)


@inlined
def _upper_in_turn(state: State, item: int, time: float) -> float:
    """An item's key in BY_UPPER, once all earlier items have theirs; only one competing has."""
    other = noted_like(state, item, item)
    if 0 <= other < item and alike(state, item, other):
        key = float(state.field.nodes[BY_UPPER, other].key)
        if key > -np.inf:
            return key
    return upper_of(state, item, time)


@rarely(None)
def extend_horizon(state: State) -> None:
    """Computes all keys for a later time, for bounds that move with the race's time.

    Keys are computed for the horizon, where upper bounds are larger and lower bounds smaller than
    now; `challenger` and `weakest` look at the items that may be ahead now. The span to the
    horizon doubles while such looks are few and halves when they cost more than a rebuild.
    """
    h = state.header[0]
    costly = h.looks > h.items
    h.span = max(h.span / 2.0, 1.0) if costly else min(h.span * 2.0, 1e15)
    h.horizon = time_now(h) + h.span
    h.looks = 0
    rebuild(state)


@inlined
def challenger(state: State, tree: Any) -> int:
    """The item with the largest key now in BY_UPPER or BY_CHOICE, or -1."""
    item = winner(state.field, tree)
    return largest_now(state, tree) if state.header[0].uses_time and item >= 0 else item


@inlined
def weakest(state: State) -> int:
    """The place in the leading set with the smallest lower bound now, or -1."""
    h = state.header[0]
    place = winner(state.leaders, WEAKEST_LOWER)
    return weakest_now(state) if h.uses_time and h.top > 1 and place >= 0 else place


@inlined
def put_lower(state: State, place: int, time: float) -> None:
    """Gives a leader its key in WEAKEST_LOWER, with the bound taken at a given time."""
    h = state.header[0]
    item = state.seats[place]
    key = weakness_of(state, item, time)
    set_key(state.leaders, WEAKEST_LOWER, place, key, ~ticket_of(h, state.items, item))


@inlined
def smallest_lower(state: State) -> float:
    """The smallest lower bound in the leading set; infinite where all of it is settled."""
    h = state.header[0]
    kept = keeps_lower(h) and not h.uses_time
    if kept or best_key(state.leaders, WEAKEST_LOWER) == -np.inf:
        return -best_key(state.leaders, WEAKEST_LOWER)
    return lower_of(state, state.seats[weakest(state)], time_now(h))


@inlined
def largest_upper(state: State) -> float:
    """The largest upper bound outside the leading set, cut at 1; -inf where none competes."""
    h = state.header[0]
    if not h.uses_time or best_key(state.field, BY_UPPER) == -np.inf:
        return min(1.0, best_key(state.field, BY_UPPER))
    rival = largest_now(state, BY_UPPER)
    return min(1.0, upper_of(state, rival, time_now(h)))


@inlined
def some_upper(state: State) -> float:
    """An upper bound outside the leading set, at most the largest; often this is enough.

    For bounds that move with the race's time it needs no search; for others it is the largest.
    """
    h = state.header[0]
    if not h.uses_time or best_key(state.field, BY_UPPER) == -np.inf:
        return largest_upper(state)
    rival = winner(state.field, BY_UPPER)
    return min(1.0, upper_of(state, rival, time_now(h)))
