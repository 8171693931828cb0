"""The trees of the Top-Two rules: keys that are never below the negative costs. All compiled.

A vote on the leader changes the cost of every rival. So the keys are costs against a weaker
leader, with fewer votes and a smaller mean; the costs now are never below those. `choice` searches
the items of the largest keys until no other key can beat the best cost that it has found, which
gives the same choice as all costs would. All keys are computed anew when the leader falls below the
weaker one, or when searches have looked at as many items as there are. The index of TTUCB, which
grows with the votes of the whole race, is kept in the same way.
"""

import math
from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.readings import choice_ticket, expected_mean
from plaudit.race.state import ACTIVE, State
from plaudit.race.top_two.transport import cost_kernel
from plaudit.race.top_two.twins import clear, join, leave
from plaudit.race.tree import set_key, set_node, settle

BY_COST, BY_INDEX = (np.int64(tree) for tree in range(2))
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
    """By what an item is compared: in BY_COST its cost, in BY_INDEX its negative index.

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
    """Lets an item compete; of twins only one is in the trees."""
    record = state.items[item]
    if record.status != ACTIVE or record.votes + record.pending == 0:
        return
    drawn = choice_ticket(state.header[0], state.items, item)
    root = -1
    if record.place < 0:
        root = join(state.rare.twins, item, expected_votes(record), expected_mean(record), drawn)
        if root >= 0 and state.rare.twins.members[item].parent >= 0:
            return
    for tree in range(state.rare.duel.nodes.shape[0]):
        # The leader is not its own rival: it is in the tree of indices alone.
        if record.place < 0 or tree == BY_INDEX:
            put_duel(state, tree, item, key_of(state, tree, item))
        if root >= 0:
            put_duel(state, tree, root, -np.inf)


@compiled
def retire(state: State, item: int) -> None:
    """Takes an item out of the trees; a twin takes its place."""
    heir = leave(state.rare.twins, item) if state.rare.twins.members[item].joined else -1
    for tree in range(state.rare.duel.nodes.shape[0]):
        key = state.rare.duel.nodes[tree, item].key
        if key != -np.inf:
            put_duel(state, tree, item, -np.inf)
        if heir >= 0:
            put_duel(state, tree, heir, key)


@rarely(None)
def refresh_duel(state: State, item: int) -> None:
    """Computes the keys of an item from its votes."""
    if state.rare.duel.nodes.shape[0] > 0:
        retire(state, item)
        enter(state, item)


@rarely(None)
def rebuild_duel(state: State) -> None:
    """Lets all items compete anew, against the leader and at the bonus of now."""
    if state.rare.duel.nodes.shape[0] == 0:
        return
    clear(state.rare.twins)
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
    """Computes the keys of a tree anew, for one item of each group of twins."""
    for item in range(state.header[0].items):
        node = state.rare.duel.nodes[tree, item]
        if node.key != -np.inf:
            set_node(state.rare.duel, tree, item, key_of(state, tree, item), node.ticket)
    settle(state.rare.duel, tree)


@compiled
def weaken(state: State, costly: bool) -> None:
    """Computes all keys against a leader somewhat weaker than now.

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
    """Computes all indices with a bonus that the race will reach somewhat later."""
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
