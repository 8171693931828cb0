"""Small trees whose nodes have four sides each, for the receipts of a group.

They are flatter than those of RFC 9162, which grow: a third of the hashes, and neighbours share
more. A node is 0x02 and the hashes of its four sides, and its hash is SHA-256 of that; 32 zero
bytes stand for a side that is missing.

The path of a leaf begins with the whole node above it, which four leaves share. For each node above
that it has the other three sides: those after, then those before.
"""

import hashlib
from collections.abc import Sequence

from plaudit.proof.merkle import HASH_BYTES

SIDES = 4
_KIND = b"\x02"
NODE_BYTES = 1 + SIDES * HASH_BYTES
OTHERS_BYTES = (SIDES - 1) * HASH_BYTES


def rows_and_root(leaves: Sequence[bytes]) -> tuple[list[list[bytes]], bytes]:
    """The nodes of a tree over leaf hashes, row by row, the lowest first, and its root."""
    rows: list[list[bytes]] = []
    hashes, sha256, size = leaves, hashlib.sha256, SIDES * HASH_BYTES
    while len(hashes) > 1:
        joined = b"".join(hashes) + bytes(-len(hashes) % SIDES * HASH_BYTES)
        nodes = [_KIND + joined[at : at + size] for at in range(0, len(joined), size)]
        rows.append(nodes)
        hashes = [sha256(node).digest() for node in nodes]
    return rows, hashes[0]


def others_in(nodes: Sequence[bytes]) -> list[bytes]:
    """For each side of some nodes the other three, as a path has them."""
    found: list[bytes] = []
    for node in nodes:
        twice = node[1:] * 2
        found += (twice[32:128], twice[64:160], twice[96:192], twice[128:224])
    return found


def height_of(count: int) -> int:
    """How many nodes are above each leaf of a tree with so many."""
    height = 0
    while count > 1:
        count, height = -(-count // SIDES), height + 1
    return height


def root_above(leaf: bytes, index: int, path: Sequence[bytes]) -> bytes | None:
    """The root that a path leads to from the leaf at an index; None if it leads nowhere."""
    found = leaf
    for height, part in enumerate(path):
        index, place = divmod(index, SIDES)
        own, cut = HASH_BYTES * place, HASH_BYTES * (SIDES - 1 - place)
        node = part if height == 0 else _KIND + part[cut:] + found + part[:cut]
        if node[:1] != _KIND or node[1 + own : 1 + own + HASH_BYTES] != found:
            return None
        found = hashlib.sha256(node).digest()
    return found
