"""Receipts: what a rater gets for an answer, to show later that it is in the log, unchanged.

A commit writes a group of answers. Their leaves are a small tree of their own, whose root is
signed once; a receipt has one leaf, its path in that tree, and the signature. So a signature serves
a whole group, and a receipt needs nothing but the public key to be checked.
"""

import base64
import binascii
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plaudit.errors import ProofRefused
from plaudit.proof.checkpoint import base64_of
from plaudit.proof.digests import BLIND_BYTES
from plaudit.proof.merkle import (
    HASH_BYTES,
    joined_paths,
    leaf_hash,
    root_from_path,
    rows_of,
)
from plaudit.proof.note import PublicKey, SigningKey

MOST_LEAVES = 64
PACKED_BYTES = 41
LEAF_BYTES = BLIND_BYTES + PACKED_BYTES
_VERSION = 1
_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_HEAD = struct.Struct(f"<B4s{LEAF_BYTES}sQBB64s")


@dataclass(frozen=True)
class Receipt:
    """What a receipt says.

    `leaf` is the data of the leaf: the blind and the packed entry. It is at `index` of the `count`
    leaves from position `start` on that were signed together.
    """

    contest: str
    key_hash: bytes
    leaf: bytes
    start: int
    count: int
    index: int
    signature: bytes
    path: tuple[bytes, ...]

    @property
    def position(self) -> int:
        """The position of the entry in the log, which is the index of its leaf in the tree."""
        return self.start + self.index

    @property
    def packed(self) -> bytes:
        """The entry as the chain has it, 41 bytes."""
        return self.leaf[BLIND_BYTES:]

    @property
    def leaf_hash(self) -> bytes:
        """The hash of the leaf in the tree of the contest."""
        return leaf_hash(self.leaf)

    @property
    def text(self) -> str:
        """The receipt as a text to keep."""
        head = _HEAD.pack(
            _VERSION, self.key_hash, self.leaf, self.start, self.count, self.index, self.signature
        )
        body = base64.urlsafe_b64encode(head + b"".join(self.path)).decode().rstrip("=")
        return f"{self.contest}:{body}"


def make_receipts(key: SigningKey, contest: str, start: int, leaves: Sequence[bytes]) -> list[str]:
    """The receipts of leaves at consecutive positions from `start` on, in order.

    There is one signature for each 64 of them.
    """
    found: list[str] = []
    for first in range(0, len(leaves), MOST_LEAVES):
        found += _batch(key, contest, start + first, leaves[first : first + MOST_LEAVES])
    return found


def _batch(key: SigningKey, contest: str, start: int, leaves: Sequence[bytes]) -> list[str]:
    # It is made for each vote, so it joins the bytes itself: those of `Receipt.text`.
    rows, count = rows_of([leaf_hash(leaf) for leaf in leaves]), len(leaves)
    signature = key.sign(signed_text(key.name, contest, start, count, rows[-1][0]))
    before, between = bytes([_VERSION]) + key.hash, start.to_bytes(8, "little") + bytes([count])
    bodies = (
        before + leaf + between + index.to_bytes() + signature + path
        for index, (leaf, path) in enumerate(zip(leaves, joined_paths(rows), strict=True))
    )
    encode = binascii.b2a_base64
    return [
        f"{contest}:{encode(body, newline=False).translate(_URL_SAFE, b'=').decode()}"
        for body in bodies
    ]


def signed_text(name: str, contest: str, start: int, count: int, root: bytes) -> str:
    """The text that the key called `name` signs for a batch of receipts."""
    return f"{name}/{contest}\nreceipts {start} {count} {base64_of(root)}\n"


def read_receipt(text: str) -> Receipt:
    """What a receipt says, unchecked; `ProofRefused` if the text is no receipt."""
    contest, _, body = text.strip().partition(":")
    try:
        raw = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        version, key_hash, leaf, start, count, index, signature = _HEAD.unpack_from(raw)
    except (binascii.Error, ValueError, struct.error):
        raise _no_receipt(text) from None
    rest = raw[_HEAD.size :]
    path = tuple(rest[at : at + HASH_BYTES] for at in range(0, len(rest), HASH_BYTES))
    found = Receipt(contest, key_hash, leaf, start, count, index, signature, path)
    # Each receipt is written in one way only, and its entry says the same position.
    sound = version == _VERSION and 0 <= index < count <= MOST_LEAVES
    if not sound or found.text != text.strip() or not _fits(found):
        raise _no_receipt(text)
    return found


def check_receipt(receipt: Receipt, keys: Iterable[PublicKey]) -> PublicKey:
    """The key that has signed a receipt; `ProofRefused` if none of these has."""
    root = root_from_path(receipt.leaf_hash, receipt.index, receipt.count, receipt.path)
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


def _fits(receipt: Receipt) -> bool:
    whole = all(len(step) == HASH_BYTES for step in receipt.path)
    return whole and int.from_bytes(receipt.packed[:8], "little") == receipt.position


def _no_receipt(text: str) -> ProofRefused:
    return ProofRefused(
        f"This is not a receipt: {text.strip()[:40]!r}. A receipt is the name of a contest, a "
        "colon, and about 200 to 440 letters and digits; copy all of it."
    )
