"""Tournament trees: the leaf with the largest key, kept up to date in O(log n).

A forest holds a few trees over the same leaves. Eight children share a node, so that a
node's keys fill one cache line and a million leaves are seven levels deep. Ties go to
the leaf whose owner has the larger ticket, a hash of (seed, item, its votes): random,
uniform over the tied, and a function of the votes alone, whatever order they came in.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled, inlined

ARITY = 8


class Forest(NamedTuple):
    """Trees over the same leaves: one row of keys and winners each.

    `starts[l]` is where level l begins in a row of keys; winners have no level 0. `owner`
    is the item at a leaf, `reverse` 1 where ties go to the smaller ticket instead.
    """

    keys: NDArray[np.float64]
    winners: NDArray[np.int64]
    starts: NDArray[np.int64]
    owner: NDArray[np.int64]
    reverse: int


def plant(trees: int, leaves: int, *, reverse: bool = False) -> Forest:
    """A forest whose keys are all -inf and whose owners are the leaves themselves."""
    widths = [leaves]
    while widths[-1] > 1 or len(widths) == 1:
        widths.append(-(-widths[-1] // ARITY))
    padded = [-(-width // ARITY) * ARITY for width in widths]
    starts = np.concatenate(([0], np.cumsum(padded))).astype(np.int64)
    return Forest(
        np.full((trees, starts[-1]), -np.inf),
        np.full((trees, starts[-1] - starts[1]), -1, dtype=np.int64),
        starts,
        np.arange(leaves, dtype=np.int64),
        int(reverse),
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
    return forest.keys[tree, forest.keys.shape[1] - ARITY]


@inlined
def owner_of(forest: Forest, leaf: int) -> int:
    """The item at a leaf."""
    return forest.owner[leaf]


@compiled
def _contest(forest: Forest, tree: Any, level: int, node: int, items: Any, seed: int) -> Any:
    """The largest key among a node's children, and its leaf."""
    first = forest.starts[level - 1] + node * ARITY
    shift = forest.starts[1]
    best = -np.inf
    leaf = -1
    for child in range(first, first + ARITY):
        key = forest.keys[tree, child]
        if key < best or key == -np.inf:
            continue
        rival = child if level == 1 else forest.winners[tree, child - shift]
        if key > best:
            best, leaf = key, rival
        elif _wins_tie(forest, rival, leaf, items, seed):
            leaf = rival
    return best, leaf


@compiled
def _wins_tie(forest: Forest, rival: int, leaf: int, items: Any, seed: int) -> bool:
    a, b = owner_of(forest, rival), owner_of(forest, leaf)
    larger = ticket(seed, a, items[a].votes) > ticket(seed, b, items[b].votes)
    return larger != (forest.reverse == 1)


@compiled
def set_key(forest: Forest, tree: Any, leaf: int, key: float, items: Any, seed: int) -> None:
    """Gives a leaf a key and settles the matches on its way to the root."""
    forest.keys[tree, leaf] = key
    shift = forest.starts[1]
    node = leaf
    for level in range(1, forest.starts.size - 1):
        node //= ARITY
        best, chosen = _contest(forest, tree, level, node, items, seed)
        place = forest.starts[level] + node
        before = forest.winners[tree, place - shift]
        if chosen != leaf and before == chosen and forest.keys[tree, place] == best:
            return
        forest.keys[tree, place] = best
        forest.winners[tree, place - shift] = chosen


@compiled
def settle(forest: Forest, tree: Any, items: Any, seed: int) -> None:
    """Plays all matches of a tree anew, after its leaves' keys were written directly."""
    shift = forest.starts[1]
    for level in range(1, forest.starts.size - 1):
        children = forest.starts[level] - forest.starts[level - 1]
        for node in range(children // ARITY):
            best, chosen = _contest(forest, tree, level, node, items, seed)
            forest.keys[tree, forest.starts[level] + node] = best
            forest.winners[tree, forest.starts[level] + node - shift] = chosen
