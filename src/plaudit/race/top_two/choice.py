"""Whom a Top-Two rule asks for: the leader or its challenger, half of the votes each. All compiled.

The challenger is the rival of the smallest cost against the leader (`transport`). `keys` holds
limits of these costs, so that a search looks at few items.
"""

from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.lead.choice import next_for_lead
from plaudit.race.readings import choice_ticket, expected_mean
from plaudit.race.state import ACTIVE, EB_TC, FRESH_LEAD, NONE_BLOCKED, T3C, TTUCB, State
from plaudit.race.top_two.keys import (
    BY_COST,
    BY_INDEX,
    bonus_at,
    cost_now,
    enter,
    expected_votes,
    look_ahead,
    retire,
    votes_asked,
    weaken,
)
from plaudit.race.top_two.thompson import draw_mean, toss
from plaudit.race.tree import next_leaf, winner


@inlined
def may_see(blocked: Any, item: int) -> bool:
    """Whether a rater may get an item."""
    return blocked.size == 0 or not blocked[item]


@compiled
def smallest(state: State, tree: Any, strength: float, mean: float, blocked: Any) -> int:
    """The item of the smallest cost that a rater may see, or -1; the largest ticket of equals."""
    hidden = 0
    item = _smallest(state, tree, strength, mean)
    while item >= 0 and not may_see(blocked, item):
        retire(state, item)
        state.scratch[hidden] = item
        hidden += 1
        item = _smallest(state, tree, strength, mean)
    for k in range(hidden):
        enter(state, state.scratch[k])
    return item


@compiled
def _smallest(state: State, tree: Any, strength: float, mean: float) -> int:
    nodes, watch = state.rare.duel.nodes, state.rare.watch[0]
    best = winner(state.rare.duel, tree)
    if best < 0:
        return -1
    least = cost_now(state, tree, best, strength, mean)
    looks = 0
    item = next_leaf(state.rare.duel, tree, -1, -least)
    while item >= 0:
        if item != best:
            looks += 1
            cost = cost_now(state, tree, item, strength, mean)
            ahead = nodes[tree, item].ticket > nodes[tree, best].ticket
            if cost < least or (cost == least and ahead):
                best, least = item, cost
        item = next_leaf(state.rare.duel, tree, item, -least)
    if tree == BY_COST:
        watch.looks += looks
    else:
        watch.index_looks += looks
    return best


@compiled
def leader_of(state: State) -> int:
    """The leader of the rule now: of the largest mean, the largest index, or the largest draw."""
    h, watch = state.header[0], state.rare.watch[0]
    if h.rule == TTUCB:
        bonus = bonus_at(votes_asked(h) + 1.0)
        if bonus > watch.bonus or watch.index_looks > h.items:
            look_ahead(state, watch.index_looks > h.items)
        return smallest(state, BY_INDEX, bonus, 0.0, NONE_BLOCKED)
    return _largest_draw(state) if h.rule == T3C else int(state.seats[0])


@compiled
def _largest_draw(state: State) -> int:
    """The item whose draw from its posterior is the largest."""
    h = state.header[0]
    number = votes_asked(h)
    best, largest = -1, -1.0
    for item in range(h.items):
        record = state.items[item]
        votes = expected_votes(record)
        if record.status == ACTIVE and votes > 0.0:
            total = votes * expected_mean(record)
            drawn = draw_mean(h.seed, number, item, votes, total)
            if drawn > largest:
                best, largest = item, drawn
    return best


@compiled
def rival_of(state: State, leader: int, blocked: Any) -> int:
    """The challenger: the rival of the smallest cost that a rater may see, or -1."""
    h, watch = state.header[0], state.rare.watch[0]
    if h.rule == T3C:
        return _cheapest(state, leader, blocked)
    if leader != state.seats[0] and may_see(blocked, state.seats[0]):
        # Without epsilon nothing costs less than the item that is already above the leader.
        return int(state.seats[0])
    record = state.items[state.seats[0]]
    votes, mean = expected_votes(record), expected_mean(record)
    costly = watch.looks > h.items
    if costly or votes < watch.low_votes or mean < watch.low_mean:
        weaken(state, costly)
    return smallest(state, BY_COST, votes, mean, blocked)


@compiled
def _cheapest(state: State, leader: int, blocked: Any) -> int:
    """The same, by computing all costs."""
    h = state.header[0]
    record = state.items[leader]
    strength, mean = expected_votes(record), expected_mean(record)
    best, least = -1, np.inf
    for item in range(h.items):
        record = state.items[item]
        passed = item == leader or record.status != ACTIVE or expected_votes(record) == 0.0
        if passed or not may_see(blocked, item):
            continue
        cost = cost_now(state, BY_COST, item, strength, mean)
        if cost > least:
            continue
        drawn = choice_ticket(h, state.items, item)
        if cost < least or drawn > choice_ticket(h, state.items, best):
            best, least = item, cost
    return best


@inlined
def favours_leader(h: Any, record: Any) -> bool:
    """Whether the leader gets this vote: by a coin, or by the count of its turns as leader.

    With beta = 1/2 the leader is due in its first turn and in every even one: then its votes
    as leader are at most half of its turns.
    """
    if h.rule == TTUCB or (h.rule == EB_TC and h.epsilon > 0.0):
        return bool(record.led == 0 or record.led % 2 == 1)
    return toss(h.seed, votes_asked(h))


@rarely(-1)
def next_of_two(state: State, blocked: Any) -> int:
    """The item that the rule asks for next, of those that a rater may see, or -1."""
    h = state.header[0]
    if h.rule == FRESH_LEAD:
        return next_for_lead(state, blocked)
    leader = leader_of(state)
    if leader < 0:
        return -1
    record = state.items[leader]
    favoured = favours_leader(h, record)
    if favoured and may_see(blocked, leader):
        record.led += 1
        return leader
    rival = rival_of(state, leader, blocked)
    if rival >= 0 and not favoured:
        record.led += 1
    if rival >= 0:
        return rival
    return leader if may_see(blocked, leader) else -1


@rarely(-1)
def next_unhindered(state: State) -> int:
    """The item that the rule asks for next of a rater who has seen none."""
    return next_of_two(state, NONE_BLOCKED)
