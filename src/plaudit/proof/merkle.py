"""Hash trees of RFC 9162: roots, and proofs that a leaf is in a tree or that a tree only grew.

A leaf's hash is SHA-256 of 0x00 and its data, that of a node SHA-256 of 0x01 and the hashes of its
two sides. The left side of a tree of n leaves has the largest power of two below n.

Whoever makes a proof gives a `Node`: a function that returns the hash of a complete subtree.
Whoever checks one needs only hashes.
"""

import hashlib
from collections.abc import Callable, Sequence

from plaudit.errors import InvalidInput

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256().digest()
# The hash of the complete subtree with 2**level leaves that begins at leaf index * 2**level.
Node = Callable[[int, int], bytes]


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf with this data.

    >>> leaf_hash(b"").hex()[:8]
    '6e340b9c'
    """
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node over its two sides."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def fold(hashes: Sequence[bytes]) -> bytes:
    """The root of a complete subtree over these hashes; their number is a power of two."""
    row = list(hashes)
    while len(row) > 1:
        row = [node_hash(row[i], row[i + 1]) for i in range(0, len(row), 2)]
    return row[0]


def nodes_of(leaves: Sequence[bytes]) -> Node:
    """The nodes of a tree over leaf hashes in memory. Each is computed once."""
    known: dict[tuple[int, int], bytes] = {}

    def node(level: int, index: int) -> bytes:
        if level == 0:
            return leaves[index]
        found = known.get((level, index))
        if found is None:
            left, right = node(level - 1, 2 * index), node(level - 1, 2 * index + 1)
            found = known[level, index] = node_hash(left, right)
        return found

    return node


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The root of a tree over leaf hashes in memory."""
    return tree_root(nodes_of(leaves), len(leaves))


def tree_root(node: Node, size: int) -> bytes:
    """The root of the tree of the first `size` leaves."""
    return _range_hash(node, 0, size) if size else EMPTY_ROOT


def inclusion_path(node: Node, index: int, size: int) -> list[bytes]:
    """The proof that the leaf at `index` is in the tree of the first `size` leaves."""
    if not 0 <= index < size:
        raise InvalidInput(f"A tree of {size} leaves has no leaf {index}. Count from 0.")
    start, end = 0, size
    path = []
    while end - start > 1:
        middle = start + _left_side(end - start)
        if index < middle:
            path.append(_range_hash(node, middle, end))
            end = middle
        else:
            path.append(_range_hash(node, start, middle))
            start = middle
    return path[::-1]


def consistency_path(node: Node, first: int, second: int) -> list[bytes]:
    """The proof that the tree of `first` leaves is the beginning of the tree of `second`."""
    if not 0 < first <= second:
        raise InvalidInput(
            f"There is no proof from {first} leaves to {second}: give sizes from 1, the smaller "
            "first."
        )
    start, end = 0, second
    path = []
    while first != end:
        middle = start + _left_side(end - start)
        if first <= middle:
            path.append(_range_hash(node, middle, end))
            end = middle
        else:
            path.append(_range_hash(node, start, middle))
            start = middle
    if start:
        path.append(_range_hash(node, start, end))
    return path[::-1]


def root_from_path(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that a path leads to; None if it cannot be one of this place (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size or not _are_hashes(leaf, *path):
        return None
    place, last, found = index, size - 1, leaf
    for step in path:
        if last == 0:
            return None
        if place & 1 or place == last:
            found = node_hash(step, found)
            place, last = _up_to_odd(place, last)
        else:
            found = node_hash(found, step)
        place, last = place >> 1, last >> 1
    return found if last == 0 else None


def is_included(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether a path proves that a leaf is at this place of the tree with this root."""
    return root_from_path(leaf, index, size, path) == root


def is_consistent(
    first: int, second: int, path: Sequence[bytes], first_root: bytes, second_root: bytes
) -> bool:
    """Whether a path proves that the second tree begins with the first (RFC 9162, 2.1.4.2)."""
    if not 0 < first <= second or not _are_hashes(first_root, second_root, *path):
        return False
    if first == second:
        return not path and first_root == second_root
    steps = [first_root, *path] if first & (first - 1) == 0 else [*path]
    if not path:
        return False
    place, last = first - 1, second - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            old, new = node_hash(step, old), node_hash(step, new)
            place, last = _up_to_odd(place, last)
        else:
            new = node_hash(new, step)
        place, last = place >> 1, last >> 1
    return old == first_root and new == second_root and last == 0


def _range_hash(node: Node, start: int, end: int) -> bytes:
    """The root over the leaves from `start` to before `end`, where a subtree can begin."""
    parts = []
    while start < end:
        level = (end - start).bit_length() - 1
        parts.append(node(level, start >> level))
        start += 1 << level
    found = parts.pop()
    while parts:
        found = node_hash(parts.pop(), found)
    return found


def _left_side(size: int) -> int:
    """The largest power of two below a size of 2 or more."""
    return 1 << ((size - 1).bit_length() - 1)


def _up_to_odd(place: int, last: int) -> tuple[int, int]:
    while place and not place & 1:
        place, last = place >> 1, last >> 1
    return place, last


def _are_hashes(*hashes: bytes) -> bool:
    return all(len(each) == HASH_BYTES for each in hashes)
