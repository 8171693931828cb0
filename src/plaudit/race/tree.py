"""Tournament trees: the leaf with the largest key, kept up to date in O(log n).

A forest holds a few trees over the same leaves. Eight children share a node, so that a
node's keys fill one cache line and a million leaves are seven levels deep. Ties go to
the larger ticket, a hash of (seed, item, its votes): random, uniform over the tied, and a
function of the votes alone, whatever order they came in.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled, inlined

ARITY = 8

# Key and ticket side by side: a match reads one stretch of memory.
NODE = np.dtype([("key", np.float64), ("ticket", np.uint64)])


class Forest(NamedTuple):
    """Trees over the same leaves, a row of nodes each; `starts[l]` is where level l begins.

    A node holds the key and the ticket of the best leaf below it.
    """

    nodes: NDArray[Any]
    starts: NDArray[np.int64]


@lru_cache(maxsize=64)
def node_starts(leaves: int) -> NDArray[np.int64]:
    """Where each level of a tree begins, from the leaves up; the last number is its size."""
    widths = [leaves]
    while widths[-1] > 1 or len(widths) == 1:
        widths.append(-(-widths[-1] // ARITY))
    padded = [-(-width // ARITY) * ARITY for width in widths]
    return np.concatenate(([0], np.cumsum(padded))).astype(np.int64)


def plant(trees: int, leaves: int) -> Forest:
    """A forest whose keys are all -inf."""
    starts = node_starts(leaves)
    nodes = np.zeros((trees, starts[-1]), dtype=NODE)
    nodes["key"] = -np.inf
    return Forest(nodes, starts)


@inlined
def ticket(seed: int, item: int, votes: int) -> Any:
    """A hash of 64 bits that decides ties between items (splitmix64)."""
    x = np.uint64(seed) + np.uint64(item) * np.uint64(0x9E3779B97F4A7C15)
    x += np.uint64(votes) * np.uint64(0xD1B54A32D192ED03)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@inlined
def best_key(forest: Forest, tree: Any) -> float:
    """The largest key; -inf where there is none."""
    return forest.nodes[tree, forest.nodes.shape[1] - ARITY].key


@compiled
def winner(forest: Forest, tree: Any) -> int:
    """The leaf with the largest key, or -1 where all keys are -inf: a walk down the tree."""
    root = forest.nodes[tree, forest.nodes.shape[1] - ARITY]
    if root.key == -np.inf:
        return -1
    place = 0
    for level in range(forest.starts.size - 3, -1, -1):
        place *= ARITY
        child = forest.starts[level] + place
        while forest.nodes[tree, child].key != root.key or (
            forest.nodes[tree, child].ticket != root.ticket
        ):
            child += 1
        place = child - forest.starts[level]
    return place


@compiled
def next_leaf(forest: Forest, tree: Any, after: int, least: float) -> int:
    """The first leaf after the leaf `after` (-1: of all) whose key is at least `least`, or -1.

    It skips whole nodes whose best leaf is too small, and changes nothing.
    """
    root = forest.starts.size - 2
    level, node = (0, after) if after >= 0 else (root, 0)
    down = after < 0 and best_key(forest, tree) >= least
    while True:
        if down:
            if level == 0:
                return node
            level -= 1
            node *= ARITY
        else:
            node += 1
            while node % ARITY == 0 and level < root:
                level += 1
                node //= ARITY
            if level == root:
                return -1
        down = forest.nodes[tree, forest.starts[level] + node].key >= least


@compiled
def best_allowed(forest: Forest, tree: Any, blocked: Any, items: Any, most: int) -> int:
    """The leaf with the largest key of those not blocked, ties by ticket, or -1.

    Leaves are items; those with more than `most` votes pending are left out too. It skips whole
    nodes whose best leaf is not better than the best found so far, and changes nothing. With few
    blocked leaves it looks at about as many as a random order has records.
    """
    root = forest.starts.size - 2
    found, key, drawn = -1, -np.inf, np.uint64(0)
    level, node, down = root, 0, best_key(forest, tree) > -np.inf
    while True:
        if down and level > 0:
            level -= 1
            node *= ARITY
        else:
            if down and not blocked[node] and items[node].pending <= most:
                best = forest.nodes[tree, node]
                found, key, drawn = node, best.key, best.ticket
            node += 1
            while node % ARITY == 0 and level < root:
                level += 1
                node //= ARITY
            if level == root:
                return found
        ahead = forest.nodes[tree, forest.starts[level] + node]
        down = ahead.key > key or (ahead.key == key and ahead.ticket > drawn and found >= 0)


@inlined
def set_node(forest: Forest, tree: Any, place: int, key: float, drawn: Any) -> None:
    """Gives a node, or a leaf before `settle`, its key and ticket."""
    forest.nodes[tree, place].key = key
    forest.nodes[tree, place].ticket = drawn


@inlined
def _play(forest: Forest, tree: Any, level: int, node: int) -> None:
    """Plays a node's match: its children's largest key, ties by ticket."""
    first = forest.starts[level - 1] + node * ARITY
    best, drawn = -np.inf, np.uint64(0)
    for child in range(first, first + ARITY):
        key = forest.nodes[tree, child].key
        best = key if key > best else best
    for child in range(first, first + ARITY):
        if forest.nodes[tree, child].key == best:
            own = forest.nodes[tree, child].ticket
            drawn = own if own > drawn else drawn
    set_node(forest, tree, forest.starts[level] + node, best, drawn)


@compiled
def set_key(forest: Forest, tree: Any, leaf: int, key: float, drawn: Any) -> None:
    """Gives a leaf a key and a ticket, and settles the matches on its way to the root.

    A match is played anew only where this leaf had won it and now falls. A better leaf wins
    without a match, and a worse one leaves another winner in place, here and above.
    """
    old_key, old_ticket = forest.nodes[tree, leaf].key, forest.nodes[tree, leaf].ticket
    set_node(forest, tree, leaf, key, drawn)
    node = leaf
    for level in range(1, forest.starts.size - 1):
        node //= ARITY
        place = forest.starts[level] + node
        best = forest.nodes[tree, place]
        if key > best.key or (key == best.key and drawn > best.ticket):
            set_node(forest, tree, place, key, drawn)
        elif best.key == old_key and best.ticket == old_ticket:
            _play(forest, tree, level, node)
        else:
            return


@inlined
def set_only(forest: Forest, tree: Any, key: float, drawn: Any) -> None:
    """Gives the only leaf of a tree its key and ticket: it wins all matches."""
    for level in range(forest.starts.size - 1):
        set_node(forest, tree, forest.starts[level], key, drawn)


@compiled
def settle(forest: Forest, tree: Any) -> None:
    """Plays all matches of a tree anew, after its leaves were written directly."""
    for level in range(1, forest.starts.size - 1):
        children = forest.starts[level] - forest.starts[level - 1]
        for node in range(children // ARITY):
            _play(forest, tree, level, node)
