"""A race with dishonest raters in it, compiled: the race asks honest raters by its own rule.

After every honest vote the dishonest ones see all and may cast any of the votes that they have
left.
"""

from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined
from plaudit.race.index import largest_upper, smallest_lower
from plaudit.race.state import State
from plaudit.simulation.attacks.plans import ADAPTIVE, AT_ONCE, HALFWAY
from plaudit.simulation.attacks.watching import Crowd, Notes, Orders, look, wrong_winner
from plaudit.simulation.runner import add_vote, draw, run


@compiled
def run_attacked(
    state: State, crowd: Crowd, orders: Orders, notes: Notes, generator: Any, limit: int
) -> bool:
    """Runs an attacked race until it may stop or has `limit` votes; whether it may stop."""
    h = state.header[0]
    waiting = _begin(state, crowd, orders, notes, generator)
    # One honest vote at a time, or a pair, as the race's rule has it.
    while not run(state, crowd.values, crowd.below, generator, h.votes + 1):
        if h.votes >= limit:
            return False
        if not waiting:
            continue
        if orders.when == ADAPTIVE:
            waiting = not _strike(state, crowd, orders, notes)
        elif _is_due(state, orders):
            _carry_out(state, crowd, orders, notes, np.float64(1.0))
            waiting = False
    return True


@inlined
def _begin(state: State, crowd: Crowd, orders: Orders, notes: Notes, generator: Any) -> bool:
    """Casts what comes before all honest votes; whether some votes are held back."""
    for item in range(crowd.order.size):
        notes.cast[item], notes.seen[item] = 0, -1
    if orders.sleeps:
        for place in range(crowd.order.size):
            if not (place < orders.ruined or place == crowd.right):
                item = crowd.order[place]
                for _ in range(orders.raters):
                    add_vote(state, item, crowd.values, draw(crowd.below, item, generator))
                notes.cast[item] = orders.raters
    _carry_out(state, crowd, orders, notes, np.float64(orders.early))
    return orders.when != AT_ONCE


@inlined
def _is_due(state: State, orders: Orders) -> bool:
    """Whether the moment has come for the votes that were held back."""
    h = state.header[0]
    if h.unsampled > 0:
        return False
    if orders.when == HALFWAY:
        return bool(h.votes >= orders.moment)
    return bool(largest_upper(state) - smallest_lower(state) < h.epsilon + orders.slack)


@compiled
def _carry_out(state: State, crowd: Crowd, orders: Orders, notes: Notes, share: float) -> None:
    """Casts this share of all false votes that the attack plans."""
    most = int(np.ceil(share * orders.raters))
    for place in range(crowd.order.size):
        item = crowd.order[place]
        if place < orders.ruined or (orders.others and place != crowd.right):
            _lie(state, crowd, notes, item, crowd.lowest, most)
        elif orders.pushed and place == crowd.right:
            _lie(state, crowd, notes, item, crowd.highest, most)


@compiled
def _lie(state: State, crowd: Crowd, notes: Notes, item: int, level: int, most: int) -> None:
    """Casts false votes on an item until the dishonest have `most` on it."""
    while notes.cast[item] < most:
        add_vote(state, item, crowd.values, level)
        notes.cast[item] += 1


@inlined
def _strike(state: State, crowd: Crowd, orders: Orders, notes: Notes) -> bool:
    """Casts votes where they ruin an item for good or decide the race; whether none are left."""
    look(state, crowd, orders, notes)
    h = state.header[0]
    goal = crowd.means[crowd.order[crowd.right]] + h.epsilon - orders.margin
    for place in range(crowd.right):
        item = crowd.order[place]
        honest = state.items[item].votes - notes.cast[item]
        if honest >= max(orders.patience, 1) and notes.reach[item] < goal:
            _lie(state, crowd, notes, item, crowd.lowest, orders.raters)
    winner = wrong_winner(state, crowd, orders, notes)
    if winner < 0:
        return False
    for item in range(crowd.order.size):
        level = crowd.highest if item == winner else crowd.lowest
        _lie(state, crowd, notes, item, level, orders.raters)
    return True
