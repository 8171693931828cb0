"""The Top-Two rules: a leader or its challenger, half of the votes each. All compiled.

The challenger is the rival of the smallest cost against the leader (`transport`). A vote on
the leader changes the cost of every rival; so the keys kept are costs against a weaker
leader, with fewer votes and a smaller mean, which are never above the costs now. A search
takes the items of the smallest keys until no other key is below the best cost found: the
same choice as from all costs. Keys are made anew when the leader falls below the weaker one,
or when searches have looked at as many items as there are. The index of TTUCB, which grows
with the votes of the whole race, is kept in the same way.
"""

import math
from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.alike import join, leave, scatter
from plaudit.race.readings import choice_ticket, expected_mean
from plaudit.race.state import ACTIVE, EB_TC, T3C, TTUCB, State
from plaudit.race.thompson import draw_mean, toss
from plaudit.race.transport import cost_kernel
from plaudit.race.tree import next_leaf, set_key, set_node, settle, winner

BY_COST, BY_INDEX = (np.int64(tree) for tree in range(2))
# No rater has seen anything.
NONE_BLOCKED = np.zeros(0, dtype=np.uint8)
# TTUCB's own numbers.
ALPHA, S = 1.2, 1.2
VARIANCE = 0.25
# Keys are raised by this much of themselves, so that no rounding takes them below a cost.
MARGIN = 1e-11


@inlined
def expected_votes(record: Any) -> float:
    """An item's votes once the pending ones are in."""
    return float(record.votes + record.pending)


@inlined
def votes_asked(h: Any) -> int:
    """The votes of the race, told or pending: what a random choice is a function of."""
    return int(h.votes + h.pending)


@inlined
def cost_now(state: State, tree: Any, item: int, strength: float, mean: float) -> float:
    """What an item is compared by: in BY_COST against a leader, in BY_INDEX its negative index.

    `strength` is the leader's votes or the bonus of the index.
    """
    record = state.items[item]
    votes, own = expected_votes(record), expected_mean(record)
    if tree == BY_COST:
        return cost_kernel(strength, mean, votes, own, state.header[0].epsilon)
    return -(own + math.sqrt(VARIANCE * strength / votes))


@inlined
def key_of(state: State, tree: Any, item: int) -> float:
    """An item's key: no less than its negative cost."""
    watch = state.rare.watch[0]
    strength = watch.low_votes if tree == BY_COST else watch.bonus
    cost = cost_now(state, tree, item, strength, watch.low_mean)
    return MARGIN * abs(cost) - cost


@inlined
def put_duel(state: State, tree: Any, item: int, key: float) -> None:
    """Gives an item its key in one tree."""
    drawn = choice_ticket(state.header[0], state.items, item)
    set_key(state.rare.duel, tree, item, key, drawn)


@compiled
def enter(state: State, item: int) -> None:
    """Lets an item compete: with those that are alike, of which one is in the trees."""
    record = state.items[item]
    if record.status != ACTIVE or record.votes + record.pending == 0:
        return
    drawn = choice_ticket(state.header[0], state.items, item)
    root = -1
    if record.place < 0:
        root = join(state.rare.alike, item, expected_votes(record), expected_mean(record), drawn)
        if root >= 0 and state.rare.alike.members[item].parent >= 0:
            return
    for tree in range(state.rare.duel.nodes.shape[0]):
        # A leader is its own rival nowhere, and alone in the tree of indices.
        if record.place < 0 or tree == BY_INDEX:
            put_duel(state, tree, item, key_of(state, tree, item))
        if root >= 0:
            put_duel(state, tree, root, -np.inf)


@compiled
def retire(state: State, item: int) -> None:
    """Takes an item out of the trees; another that is alike steps in."""
    heir = leave(state.rare.alike, item) if state.rare.alike.members[item].joined else -1
    for tree in range(state.rare.duel.nodes.shape[0]):
        key = state.rare.duel.nodes[tree, item].key
        if key != -np.inf:
            put_duel(state, tree, item, -np.inf)
        if heir >= 0:
            put_duel(state, tree, heir, key)


@rarely(None)
def refresh_duel(state: State, item: int) -> None:
    """Gives an item the keys that its votes call for."""
    if state.rare.duel.nodes.shape[0] > 0:
        retire(state, item)
        enter(state, item)


@rarely(None)
def rebuild_duel(state: State) -> None:
    """Lets all items compete anew, against the leader and at the bonus of now."""
    if state.rare.duel.nodes.shape[0] == 0:
        return
    scatter(state.rare.alike)
    for tree in range(state.rare.duel.nodes.shape[0]):
        for item in range(state.header[0].items):
            set_node(state.rare.duel, tree, item, -np.inf, np.uint64(0))
        settle(state.rare.duel, tree)
    for item in range(state.header[0].items):
        enter(state, item)
    weaken(state, False)
    if state.rare.duel.nodes.shape[0] > 1:
        look_ahead(state, False)


@compiled
def renew(state: State, tree: Any) -> None:
    """Takes the keys of all items in a tree anew: one of those that are alike."""
    for item in range(state.header[0].items):
        node = state.rare.duel.nodes[tree, item]
        if node.key != -np.inf:
            set_node(state.rare.duel, tree, item, key_of(state, tree, item), node.ticket)
    settle(state.rare.duel, tree)


@compiled
def weaken(state: State, costly: bool) -> None:
    """Takes all costs against a leader somewhat weaker than now.

    The slack doubles where the leader left it, and halves where searches were costly.
    """
    watch = state.rare.watch[0]
    record = state.items[state.seats[0]]
    votes, mean = max(expected_votes(record), 1.0), expected_mean(record)
    watch.slack = max(watch.slack / 2.0, 2.0**-12) if costly else min(watch.slack * 2.0, 4.0)
    spread = max(mean * (1.0 - mean), 0.0) + 1.0 / votes
    watch.low_votes = votes / (1.0 + watch.slack)
    watch.low_mean = mean - watch.slack * math.sqrt(spread / votes)
    watch.looks = 0
    renew(state, BY_COST)


@compiled
def look_ahead(state: State, costly: bool) -> None:
    """Takes all indices at a bonus that the race will reach somewhat later."""
    watch = state.rare.watch[0]
    watch.span = max(watch.span / 2.0, 2.0**-20) if costly else min(watch.span * 2.0, 0.5)
    watch.bonus = bonus_at(votes_asked(state.header[0]) * (1.0 + watch.span) + 2.0)
    watch.index_looks = 0
    renew(state, BY_INDEX)


@compiled
def bonus_at(time: float) -> float:
    """The g of TTUCB: the w >= 1 with w - ln w = 2 s a ln t + 2 ln(2 + a ln t) + 2."""
    log = ALPHA * math.log(time)
    x = 2.0 * S * log + 2.0 * math.log(2.0 + log) + 2.0
    w = x + math.log(x)
    for _ in range(8):
        w = x + math.log(w)
    # Newton's step: what is left of the error is its square.
    return w - (w - math.log(w) - x) / (1.0 - 1.0 / w)


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
        # Without epsilon nothing costs less than the item that is above the leader already.
        return int(state.seats[0])
    record = state.items[state.seats[0]]
    votes, mean = expected_votes(record), expected_mean(record)
    costly = watch.looks > h.items
    if costly or votes < watch.low_votes or mean < watch.low_mean:
        weaken(state, costly)
    return smallest(state, BY_COST, votes, mean, blocked)


@compiled
def _cheapest(state: State, leader: int, blocked: Any) -> int:
    """The same from all costs, one by one."""
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
    """Whether the leader gets this vote, by a coin or by keeping count of its turns as leader.

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
