"""Trees of costs: each node knows the two smallest that differ, so that equals cost nothing.

After their first votes thousands of items are alike, and a search among keys that are only
lower bounds would look at each of them. Here equal keys mean equal items: of these the one
with the largest ticket stands for all, and a search passes over the rest, node by node.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled, inlined
from plaudit.race.tree import ARITY, node_starts

DUO = np.dtype(
    [("first", np.float64), ("drawn", np.uint64), ("second", np.float64), ("next", np.uint64)]
)


class Duos(NamedTuple):
    """Trees over the same leaves; a leaf's cost is its `first`, with its ticket `drawn`."""

    nodes: NDArray[Any]
    starts: NDArray[np.int64]


def plant_duos(trees: int, leaves: int) -> Duos:
    """Trees whose costs are all infinite."""
    starts = node_starts(leaves)
    nodes = np.zeros((trees, starts[-1]), dtype=DUO)
    nodes["first"] = nodes["second"] = np.inf
    return Duos(nodes, starts)


@inlined
def root_of(duos: Duos, tree: Any) -> Any:
    """The node above all leaves."""
    return duos.nodes[tree, duos.nodes.shape[1] - ARITY]


@inlined
def set_leaf(duos: Duos, tree: Any, leaf: int, cost: float, drawn: Any) -> None:
    """Gives a leaf its cost and ticket before `settle_duos`."""
    node = duos.nodes[tree, leaf]
    node.first, node.drawn, node.second, node.next = cost, drawn, np.inf, np.uint64(0)


@compiled
def set_cost(duos: Duos, tree: Any, leaf: int, cost: float, drawn: Any) -> None:
    """Gives a leaf its cost and ticket, and every node above it what follows."""
    set_leaf(duos, tree, leaf, cost, drawn)
    node = leaf
    for level in range(1, duos.starts.size - 1):
        node //= ARITY
        if not _gather(duos, tree, level, node):
            return


@compiled
def settle_duos(duos: Duos, tree: Any) -> None:
    """Fills all nodes anew, after the leaves were written directly."""
    for level in range(1, duos.starts.size - 1):
        for node in range((duos.starts[level] - duos.starts[level - 1]) // ARITY):
            _gather(duos, tree, level, node)


@inlined
def _gather(duos: Duos, tree: Any, level: int, node: int) -> bool:
    """The two smallest costs of a node's children, the largest ticket of each; if it changed."""
    begin = duos.starts[level - 1] + node * ARITY
    first, second = np.inf, np.inf
    drawn, after = np.uint64(0), np.uint64(0)
    for place in range(begin, begin + ARITY):
        child = duos.nodes[tree, place]
        for rank in range(2):
            cost = child.first if rank == 0 else child.second
            ticket = child.drawn if rank == 0 else child.next
            if cost < first:
                second, after = first, drawn
                first, drawn = cost, ticket
            elif cost == first:
                drawn = max(drawn, ticket)
            elif cost < second:
                second, after = cost, ticket
            elif cost == second:
                after = max(after, ticket)
    own = duos.nodes[tree, duos.starts[level] + node]
    same = own.first == first and own.drawn == drawn and own.second == second and own.next == after
    own.first, own.drawn, own.second, own.next = first, drawn, second, after
    return not same


@compiled
def leaf_of(duos: Duos, tree: Any, cost: float, drawn: Any) -> int:
    """The leaf with one of the root's two costs and the ticket beside it."""
    place = 0
    for level in range(duos.starts.size - 3, -1, -1):
        child = duos.starts[level] + place * ARITY
        while not _has(duos.nodes[tree, child], cost, drawn):
            child += 1
        place = child - duos.starts[level]
    return place


@inlined
def _has(node: Any, cost: float, drawn: Any) -> bool:
    stands = node.first == cost and node.drawn == drawn
    return stands or (node.second == cost and node.next == drawn)


@compiled
def next_other(duos: Duos, tree: Any, after: int, most: float, one: float, two: float) -> int:
    """The next leaf (after -1: the first) of at most this cost, other than `one` and `two`."""
    root = duos.starts.size - 2
    level, node = (0, after) if after >= 0 else (root, 0)
    down = after < 0 and _holds(root_of(duos, tree), most, one, two)
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
        down = _holds(duos.nodes[tree, duos.starts[level] + node], most, one, two)


@inlined
def _holds(node: Any, most: float, one: float, two: float) -> bool:
    """Whether a node may hold such a leaf: for sure not, or perhaps."""
    if node.first != one and node.first != two:
        return node.first <= most
    return node.second <= most
