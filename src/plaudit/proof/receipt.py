"""Receipts: what a rater gets for an answer, to show later that it is in the log, unchanged.

A commit writes a group of answers. Their leaves are a small tree of their own, whose root is
signed once; a receipt has one leaf, its path in that tree, and the signature. So a signature serves
a whole group, and a receipt needs nothing but the public key to be checked.

Receipts of version 1 had a tree of RFC 9162; they are still read and checked.
"""

import base64
import binascii
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from plaudit.errors import ProofRefused
from plaudit.proof.checkpoint import base64_of
from plaudit.proof.digests import BLIND_BYTES
from plaudit.proof.fours import (
    NODE_BYTES,
    OTHERS_BYTES,
    SIDES,
    height_of,
    others_in,
    root_above,
    rows_and_root,
)
from plaudit.proof.merkle import HASH_BYTES, leaf_hash, root_from_path
from plaudit.proof.note import PublicKey, SigningKey

MOST_LEAVES = 64
PACKED_BYTES = 41
LEAF_BYTES = BLIND_BYTES + PACKED_BYTES
_FIRST_VERSION, _VERSION = 1, 2
_FIRST_HEAD = struct.Struct(f"<B4s{LEAF_BYTES}sQBB64s")
_HEAD = struct.Struct("<B4sQB64s")
# The parts of a receipt are whole groups of three bytes, so each has letters of its own: four for
# three bytes.
_HEAD_LETTERS, _OTHERS_LETTERS, _NODE_LETTERS, _LEAF_LETTERS = (
    size // 3 * 4 for size in (_HEAD.size, OTHERS_BYTES, NODE_BYTES, LEAF_BYTES)
)


@dataclass(frozen=True)
class Receipt:
    """What a receipt says.

    `leaf` is the data of the leaf: the blind and the packed entry. It is one of the `count` leaves
    from position `start` on that were signed together. `path` begins at the leaf.
    """

    version: int
    contest: str
    key_hash: bytes
    leaf: bytes
    start: int
    count: int
    signature: bytes
    path: tuple[bytes, ...]

    @property
    def position(self) -> int:
        """The position of the entry in the log, which is the index of its leaf in the tree."""
        return int.from_bytes(self.packed[:8], "little")

    @property
    def index(self) -> int:
        """The place of the leaf among those that were signed together."""
        return self.position - self.start

    @property
    def packed(self) -> bytes:
        """The entry as the chain has it, 41 bytes."""
        return self.leaf[BLIND_BYTES:]

    @property
    def leaf_hash(self) -> bytes:
        """The hash of the leaf in the tree of the contest."""
        return leaf_hash(self.leaf)

    @property
    def root(self) -> bytes | None:
        """The root that the path leads to; None if it leads nowhere."""
        if self.version == _FIRST_VERSION:
            return root_from_path(self.leaf_hash, self.index, self.count, self.path)
        sound = len(self.path) == height_of(self.count)
        return root_above(self.leaf_hash, self.index, self.path) if sound else None

    @property
    def text(self) -> str:
        """The receipt as a text to keep."""
        return f"{self.contest}:{_letters(self._raw())}"

    def _raw(self) -> bytes:
        given = self.version, self.key_hash
        if self.version == _FIRST_VERSION:
            rest = self.leaf, self.start, self.count, self.index, self.signature
            return _FIRST_HEAD.pack(*given, *rest) + b"".join(self.path)
        head = _HEAD.pack(*given, self.start, self.count, self.signature)
        return b"".join((head, *reversed(self.path), self.leaf))


def make_receipts(
    key: SigningKey,
    contest: str,
    start: int,
    leaves: Sequence[bytes],
    hashes: Sequence[bytes] | None = None,
) -> list[str]:
    """The receipts of leaves at consecutive positions from `start` on, in order.

    There is one signature for each 64 of them. `hashes` are those of the leaves, if they are known.
    """
    hashes = [leaf_hash(leaf) for leaf in leaves] if hashes is None else hashes
    found: list[str] = []
    for first in range(0, len(leaves), MOST_LEAVES):
        part = slice(first, first + MOST_LEAVES)
        found += _batch(key, contest, start + first, leaves[part], hashes[part])
    return found


def _batch(
    key: SigningKey, contest: str, start: int, leaves: Sequence[bytes], hashes: Sequence[bytes]
) -> list[str]:
    """The texts of `Receipt.text` for a whole batch, with few steps for each: all votes wait.

    From the root down to the leaves, the texts of four begin with that of the node above them.
    """
    count = len(leaves)
    rows, root = rows_and_root(hashes)
    signature = key.sign(signed_text(key.name, contest, start, count, root))
    head = _HEAD.pack(_VERSION, key.hash, start, count, signature)
    others = chain.from_iterable(map(others_in, reversed(rows[1:])))
    lowest = rows[0] if rows else ()
    letters, end = _letters(b"".join((head, *others, *lowest, *leaves))), _HEAD_LETTERS
    texts = [f"{contest}:{letters[:end]}"]
    for row in reversed(rows[1:]):
        begin, end = end, end + len(row) * SIDES * _OTHERS_LETTERS
        texts = _longer(_fourfold(texts), letters, range(begin, end, _OTHERS_LETTERS))
    if rows:
        begin, end = end, end + len(lowest) * _NODE_LETTERS
        texts = _fourfold(_longer(texts, letters, range(begin, end, _NODE_LETTERS)))
    return _longer(texts, letters, range(end, len(letters), _LEAF_LETTERS))


def _longer(texts: list[str], letters: str, cuts: range) -> list[str]:
    """As many of the texts as there are cuts, each with the letters of its cut."""
    step = cuts.step
    return [text + letters[cut : cut + step] for text, cut in zip(texts, cuts, strict=False)]


def _fourfold(texts: list[str]) -> list[str]:
    return list(chain.from_iterable(zip(*[texts] * SIDES, strict=True)))


def _letters(raw: bytes) -> str:
    """Bytes in base64 for links, without padding."""
    plain = binascii.b2a_base64(raw, newline=False)
    return plain.replace(b"+", b"-").replace(b"/", b"_").rstrip(b"=").decode()


def signed_text(name: str, contest: str, start: int, count: int, root: bytes) -> str:
    """The text that the key called `name` signs for a batch of receipts."""
    return f"{name}/{contest}\nreceipts {start} {count} {base64_of(root)}\n"


def read_receipt(text: str) -> Receipt:
    """What a receipt says, unchecked; `ProofRefused` if the text is no receipt."""
    contest, _, body = text.strip().partition(":")
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        found = _read(contest, raw)
        # Each receipt is written in one way only, and its entry says the same position.
        if 0 <= found.index < found.count <= MOST_LEAVES and found.text == text.strip():
            return found
    except (binascii.Error, ValueError, struct.error):
        pass
    raise _no_receipt(text)


def _read(contest: str, raw: bytes) -> Receipt:
    version = raw[0] if raw else 0
    if version == _FIRST_VERSION:
        _, key_hash, leaf, start, count, _, signature = _FIRST_HEAD.unpack_from(raw)
        path = _parts(raw[_FIRST_HEAD.size :], HASH_BYTES)
    elif version == _VERSION:
        _, key_hash, start, count, signature = _HEAD.unpack_from(raw)
        leaf = raw[-LEAF_BYTES:]
        others = raw[_HEAD.size : -LEAF_BYTES]
        lowest = _parts(others[-NODE_BYTES:], NODE_BYTES)
        path = lowest + _parts(others[:-NODE_BYTES], OTHERS_BYTES)[::-1]
    else:
        raise ValueError(version)
    return Receipt(version, contest, key_hash, leaf, start, count, signature, path)


def _parts(joined: bytes, size: int) -> tuple[bytes, ...]:
    if len(joined) % size:
        raise ValueError(len(joined))
    return tuple(joined[at : at + size] for at in range(0, len(joined), size))


def check_receipt(receipt: Receipt, keys: Iterable[PublicKey]) -> PublicKey:
    """The key that has signed a receipt; `ProofRefused` if none of these has."""
    root = receipt.root
    if root is None:
        raise ProofRefused("The path of the receipt leads nowhere: the receipt was changed.")
    known = [key for key in keys if key.hash == receipt.key_hash]
    for key in known:
        said = signed_text(key.name, receipt.contest, receipt.start, receipt.count, root)
        if key.has_signed(said, receipt.signature):
            return key
    if known:
        raise ProofRefused(
            "The signature of the receipt does not hold: the receipt was changed, or it is of "
            "another contest."
        )
    raise ProofRefused(
        f"The receipt is signed by a key with the hash {receipt.key_hash.hex()}, which is not "
        "known here. Give the public key of the service that gave it."
    )


def _no_receipt(text: str) -> ProofRefused:
    return ProofRefused(
        f"This is not a receipt: {text.strip()[:40]!r}. A receipt is the name of a contest, a "
        "colon, and 180 to 610 letters and digits; copy all of it."
    )
