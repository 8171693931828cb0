"""Tournament trees: the leaf with the largest key, kept up to date in O(log n).

A forest holds a few trees over the same leaves. Eight children share a node, so that a
node's keys fill one cache line and a million leaves are seven levels deep. Ties go to
the larger ticket, a hash of (seed, item, its votes): random, uniform over the tied, and a
function of the votes alone, whatever order they came in.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled, inlined

ARITY = 8

# Key and ticket side by side: a match reads one stretch of memory.
NODE = np.dtype([("key", np.float64), ("ticket", np.uint64)])


class Forest(NamedTuple):
    """Trees over the same leaves: a row of nodes and a row of winners each.

    `starts[l]` is where level l begins in a row of nodes; winners, which are leaves, have
    no level 0.
    """

    nodes: NDArray[Any]
    winners: NDArray[np.int64]
    starts: NDArray[np.int64]


def plant(trees: int, leaves: int) -> Forest:
    """A forest whose keys are all -inf."""
    widths = [leaves]
    while widths[-1] > 1 or len(widths) == 1:
        widths.append(-(-widths[-1] // ARITY))
    padded = [-(-width // ARITY) * ARITY for width in widths]
    starts = np.concatenate(([0], np.cumsum(padded))).astype(np.int64)
    nodes = np.zeros((trees, starts[-1]), dtype=NODE)
    nodes["key"] = -np.inf
    return Forest(
        nodes,
        np.full((trees, starts[-1] - starts[1]), -1, dtype=np.int64),
        starts,
    )


@inlined
def ticket(seed: int, item: int, votes: int) -> Any:
    """A hash of 64 bits: the place of an item in a draw among equals (splitmix64)."""
    x = np.uint64(seed) + np.uint64(item) * np.uint64(0x9E3779B97F4A7C15)
    x += np.uint64(votes) * np.uint64(0xD1B54A32D192ED03)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@inlined
def winner(forest: Forest, tree: Any) -> int:
    """The leaf with the largest key, or -1 where all keys are -inf."""
    return forest.winners[tree, forest.winners.shape[1] - ARITY]


@inlined
def best_key(forest: Forest, tree: Any) -> float:
    """The largest key."""
    return forest.nodes[tree, forest.nodes.shape[1] - ARITY].key


@inlined
def _play(forest: Forest, tree: Any, level: int, node: int) -> None:
    """Plays a node's match: its largest key, ties by ticket."""
    first = forest.starts[level - 1] + node * ARITY
    best, drawn, champion = -np.inf, np.uint64(0), -1
    for child in range(first, first + ARITY):
        rival = forest.nodes[tree, child]
        if rival.key > best or (rival.key == best > -np.inf and rival.ticket > drawn):
            best, drawn, champion = rival.key, rival.ticket, child
    if champion >= 0 and level > 1:
        champion = forest.winners[tree, champion - forest.starts[1]]
    _crown(forest, tree, forest.starts[level] + node, best, drawn, champion)


@inlined
def _crown(forest: Forest, tree: Any, place: int, key: float, drawn: Any, leaf: int) -> None:
    set_node(forest, tree, place, key, drawn)
    forest.winners[tree, place - forest.starts[1]] = leaf


@inlined
def set_node(forest: Forest, tree: Any, place: int, key: float, drawn: Any) -> None:
    """Gives a node, or a leaf before `settle`, its key and ticket."""
    forest.nodes[tree, place].key = key
    forest.nodes[tree, place].ticket = drawn


@compiled
def set_key(forest: Forest, tree: Any, leaf: int, key: float, drawn: Any) -> None:
    """Gives a leaf a key and a ticket, and settles the matches on its way to the root.

    A node is played anew only where the leaf was its winner or ties with it: a larger key
    wins unseen, and a smaller one leaves another's victory as it was, there and above.
    """
    set_node(forest, tree, leaf, key, drawn)
    node = leaf
    for level in range(1, forest.starts.size - 1):
        node //= ARITY
        place = forest.starts[level] + node
        best = forest.nodes[tree, place].key
        if key > best:
            _crown(forest, tree, place, key, drawn, leaf)
        elif key < best and forest.winners[tree, place - forest.starts[1]] != leaf:
            return
        else:
            _play(forest, tree, level, node)


@compiled
def settle(forest: Forest, tree: Any) -> None:
    """Plays all matches of a tree anew, after its leaves were written directly."""
    for level in range(1, forest.starts.size - 1):
        children = forest.starts[level] - forest.starts[level - 1]
        for node in range(children // ARITY):
            _play(forest, tree, level, node)
