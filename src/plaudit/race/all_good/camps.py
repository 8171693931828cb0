"""All good items: who is inside, when the race may stop, and which item is next; compiled.

The items are in two camps: inside are those whose empirical mean is at most 1.5 epsilon below
the largest. Let L and U be the bounds of an item. An item inside is certainly good enough once
L > max U - 2 epsilon, and one outside is certainly too bad once U < max L - epsilon. The race may
stop when this holds for all items. The proof is in docs/theory/all-good.md.

A vote changes the keys of its own item, and the camp of every item that the border passes. The
leaves of the trees keep the bounds of all items, so that a change of camp computes none.
"""

import numpy as np

from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.readings import (
    choice_of,
    choice_ticket,
    judges_choice,
    lower_of,
    mean_of,
    ticket_of,
    upper_of,
)
from plaudit.race.state import (
    ACTIVE,
    BEST_LOWER,
    BEST_UPPER,
    BY_CHOICE,
    BY_MEAN,
    BY_UPPER,
    FEWEST_VOTES,
    LAST_LOWER,
    LAST_MEAN,
    OUT_CHOICE,
    TOP_MEAN,
    State,
)
from plaudit.race.tree import best_key, next_leaf, set_key, set_node, settle, winner

# Bounds that can move with the race's time are taken at the item's own votes, where they hold.
OWN_TIME = 1.0
# Where the camps part, in epsilons below the largest mean.
BORDER = 1.5
# Means lie in [0, 1], and an item without votes has -1.
UNSEEN = -0.5


@inlined
def border_of(state: State) -> float:
    """The least mean of the inside camp; no item without votes is in it."""
    border: float = best_key(state.rare.camp, TOP_MEAN) - BORDER * state.header[0].epsilon
    return max(border, UNSEEN)


@inlined
def least_good(state: State) -> float:
    """The mark below which an upper bound says that its item is certainly not good."""
    least: float = best_key(state.rare.camp, BEST_LOWER) - state.header[0].epsilon
    return least


@inlined
def most_bad(state: State) -> float:
    """The mark above which a lower bound says that its item is certainly not bad."""
    most: float = min(1.0, best_key(state.rare.camp, BEST_UPPER)) - 2.0 * state.header[0].epsilon
    return most


@rarely(0.0)
def excess_of_all(state: State) -> float:
    """By how much the worst bound misses its mark; negative where the race may stop."""
    outside = min(1.0, best_key(state.field, BY_UPPER)) - least_good(state)
    return max(outside, most_bad(state) + best_key(state.rare.camp, LAST_LOWER))


@rarely(None)
def count_good(state: State, item: int) -> None:
    """Updates all that a vote on an item changes."""
    h = state.header[0]
    refresh_good(state, item)
    change_camps(state)
    # Only now and then: a look takes a step for each item left, and a change a rebuild.
    if h.standing > 1 and h.votes % max(1, h.items // 4) == 0:
        descend(state)


@compiled
def refresh_good(state: State, item: int) -> None:
    """Computes the keys of an item from its votes, in every tree."""
    h, record = state.header[0], state.items[item]
    drawn = ticket_of(h, state.items, item)
    competes = record.status == ACTIVE
    upper = upper_of(state, item, OWN_TIME) if competes else -np.inf
    lower = lower_of(state, item, OWN_TIME) if competes else -np.inf
    set_key(state.rare.camp, TOP_MEAN, item, mean_of(record) if competes else -np.inf, drawn)
    set_key(state.rare.camp, BEST_LOWER, item, lower, drawn)
    set_key(state.rare.camp, BEST_UPPER, item, upper, drawn)
    choice = upper if judges_choice(h, record) else choice_of(state, item, OWN_TIME)
    set_key(state.field, BY_CHOICE, item, choice, choice_ticket(h, state.items, item))
    seat(state, item)


@rarely(None)
def refresh_good_choice(state: State, item: int) -> None:
    """Gives an item the keys that the rule looks at, after its pending votes changed."""
    h = state.header[0]
    choice = choice_of(state, item, OWN_TIME)
    set_key(state.field, BY_CHOICE, item, choice, choice_ticket(h, state.items, item))
    seat(state, item)


@compiled
def seat(state: State, item: int) -> None:
    """Gives an item the keys of its camp, from those that it has anyway."""
    camp, field = state.rare.camp, state.field
    mean, choice = camp.nodes[TOP_MEAN, item], field.nodes[BY_CHOICE, item]
    key, drawn, nothing = mean.key, mean.ticket, -np.inf
    inside = state.items[item].place >= 0 and key > nothing
    lower, upper = camp.nodes[BEST_LOWER, item].key, camp.nodes[BEST_UPPER, item].key
    set_key(camp, LAST_MEAN, item, -key if inside else nothing, ~drawn)
    set_key(camp, LAST_LOWER, item, -lower if inside else nothing, ~drawn)
    set_key(camp, OUT_CHOICE, item, nothing if inside else choice.key, choice.ticket)
    set_key(field, BY_MEAN, item, nothing if inside else key, drawn)
    set_key(field, BY_UPPER, item, nothing if inside else upper, drawn)


@compiled
def change_camps(state: State) -> None:
    """Moves the items that are on the wrong side of the border."""
    border = border_of(state)
    while best_key(state.field, BY_MEAN) >= border:
        item = winner(state.field, BY_MEAN)
        state.items[item].place = 0
        seat(state, item)
    while -best_key(state.rare.camp, LAST_MEAN) < border:
        item = winner(state.rare.camp, LAST_MEAN)
        state.items[item].place = -1
        seat(state, item)


@rarely(None)
def rebuild_good(state: State) -> None:
    """Fills all trees from the records: at the start, on restoring, when levels change."""
    h = state.header[0]
    largest = -1.0
    for item in range(h.items):
        if state.items[item].status == ACTIVE:
            largest = max(largest, mean_of(state.items[item]))
    border = max(largest - BORDER * h.epsilon, UNSEEN)
    for item in range(h.items):
        fill_leaves(state, item, border)
    for tree in range(3):
        settle(state.field, tree)
    for tree in range(6):
        settle(state.rare.camp, tree)


@inlined
def fill_leaves(state: State, item: int, border: float) -> None:
    """Writes an item's camp and its keys into the leaves of all trees."""
    h, record = state.header[0], state.items[item]
    camp, field, nothing = state.rare.camp, state.field, -np.inf
    drawn, choosing = ticket_of(h, state.items, item), choice_ticket(h, state.items, item)
    competes = record.status == ACTIVE
    mean = mean_of(record) if competes else nothing
    inside = competes and mean >= border
    record.place = 0 if inside else -1
    upper = upper_of(state, item, OWN_TIME) if competes else nothing
    lower = lower_of(state, item, OWN_TIME) if competes else nothing
    choice = choice_of(state, item, OWN_TIME)
    set_node(camp, TOP_MEAN, item, mean, drawn)
    set_node(camp, BEST_LOWER, item, lower, drawn)
    set_node(camp, BEST_UPPER, item, upper, drawn)
    set_node(camp, LAST_MEAN, item, -mean if inside else nothing, ~drawn)
    set_node(camp, LAST_LOWER, item, -lower if inside else nothing, ~drawn)
    set_node(camp, OUT_CHOICE, item, nothing if inside else choice, choosing)
    set_node(field, BY_MEAN, item, nothing if inside else mean, drawn)
    set_node(field, BY_UPPER, item, nothing if inside else upper, drawn)
    set_node(field, BY_CHOICE, item, choice, choosing)


@compiled
def descend(state: State) -> None:
    """Shares the upper side of delta among fewer items, once at most half are not out.

    `standing` is the number of items that share it; it is 0 once items have joined or left.
    """
    h = state.header[0]
    step, number = 0, h.initial
    while number > max(h.standing, 1):
        number = (number + 1) // 2
        step += 1
    while h.standing > 1:
        half = (h.standing + 1) // 2
        if more_than(state, half, least_good(state)):
            return
        step += 1
        h.standing = half
        h.upper_level = state.rare.step_levels[step]
        if not h.own_choice_level:
            h.choice_level = h.upper_level
        rebuild_good(state)


@compiled
def more_than(state: State, number: int, least: float) -> bool:
    """Whether more than `number` items have an upper bound of at least `least`."""
    found = 0
    item = next_leaf(state.rare.camp, BEST_UPPER, -1, least)
    while item >= 0:
        found += 1
        if found > number:
            return True
        item = next_leaf(state.rare.camp, BEST_UPPER, item, least)
    return False


@rarely(-1)
def next_good(state: State) -> int:
    """The item that comes next where none is barred and no vote is pending, or -1."""
    h = state.header[0]
    contender = winner(state.field, BY_CHOICE)
    if h.rule == FEWEST_VOTES or h.unsampled > 0:
        return contender
    outside, inside = winner(state.field, BY_UPPER), winner(state.rare.camp, LAST_LOWER)
    if min(1.0, best_key(state.field, BY_UPPER)) < least_good(state):
        outside = -1
    if -best_key(state.rare.camp, LAST_LOWER) > most_bad(state):
        inside = -1
    return one_of(state, h.votes, contender, outside, inside)


@inlined
def one_of(state: State, turn: int, contender: int, outside: int, inside: int) -> int:
    """The item in doubt of either camp, in turns, or the contender if it has fewer votes.

    An item of -1 stands for none.
    """
    item = outside if inside < 0 or (turn % 2 == 0 and outside >= 0) else inside
    if item < 0 or contender < 0:
        return max(item, contender)
    doubtful, best = state.items[item], state.items[contender]
    behind = best.votes + best.pending < doubtful.votes + doubtful.pending
    return contender if behind else item
