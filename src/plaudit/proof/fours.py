"""Small trees whose nodes have four sides each, for the receipts of a group.

They are flatter than those of RFC 9162, which grow: a third of the hashes, and neighbours share
more. A node's hash is SHA-256 of 0x02 and the hashes of its four sides, and 32 zero bytes stand for
a side that is missing. The path of a leaf has, for each node above it, the other three sides: those
after it, then those before it.
"""

import hashlib
from collections.abc import Sequence

from plaudit.proof.merkle import HASH_BYTES

SIDES = 4
_FOUR_BYTES = SIDES * HASH_BYTES
OTHERS_BYTES = _FOUR_BYTES - HASH_BYTES
_NODE = b"\x02"


def rows_and_root(leaves: Sequence[bytes]) -> tuple[list[bytes], bytes]:
    """The rows of a tree over leaf hashes, the lowest first, and its root.

    A row has its hashes joined, in whole fours; that of the root is left out.
    """
    rows, row, sha256 = [], leaves, hashlib.sha256
    while len(row) > 1:
        joined = b"".join(row) + bytes(HASH_BYTES * (-len(row) % SIDES))
        rows.append(joined)
        fours = range(0, len(joined), _FOUR_BYTES)
        row = [sha256(_NODE + joined[at : at + _FOUR_BYTES]).digest() for at in fours]
    return rows, row[0]


def others_in(row: bytes) -> list[bytes]:
    """For each hash of a row the other three of its four, as a path has them."""
    found: list[bytes] = []
    for at in range(0, len(row), _FOUR_BYTES):
        round_ = row[at : at + _FOUR_BYTES] * 2
        found += (round_[32:128], round_[64:160], round_[96:192], round_[128:224])
    return found


def height_of(count: int) -> int:
    """How many nodes are above each leaf of a tree with so many."""
    height = 0
    while count > 1:
        count, height = -(-count // SIDES), height + 1
    return height


def root_above(leaf: bytes, index: int, path: Sequence[bytes]) -> bytes:
    """The root that a path leads to from the leaf at an index; the lowest others come first."""
    found = leaf
    for others in path:
        index, place = divmod(index, SIDES)
        round_ = found + others
        cut = _FOUR_BYTES - HASH_BYTES * place
        found = hashlib.sha256(_NODE + round_[cut:] + round_[:cut]).digest()
    return found
