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
from itertools import chain, repeat

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
_HEAD = struct.Struct(f"<B4s{LEAF_BYTES}sQBB64s")
_VERSION_BYTE = bytes([_VERSION])
_INDEXES = [bytes([index]) for index in range(MOST_LEAVES)]
# Where the letters of a receipt begin that it shares with its neighbour: three bytes are four.
_SHARED_FROM = (_HEAD.size + HASH_BYTES) // 3 * 4


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
        return f"{self.contest}:{_encoded(head + b''.join(self.path))}"


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
        found += _batch(key, contest, start + first, leaves[part], rows_of(hashes[part]))
    return found


def _batch(
    key: SigningKey,
    contest: str,
    start: int,
    leaves: Sequence[bytes],
    rows: Sequence[Sequence[bytes]],
) -> list[str]:
    """The texts of `Receipt.text` for a whole batch, with as few steps for each as there can be.

    The first 168 bytes of a receipt end with the first hash of its path, and become 224 letters of
    their own. The rest of the path is the same for two neighbours. A last leaf without a neighbour
    ends the batch, with all of its path.
    """
    signature = key.sign(signed_text(key.name, contest, start, len(leaves), rows[-1][0]))
    before, between = _VERSION_BYTE + key.hash, start.to_bytes(8, "little") + bytes([len(leaves)])
    row, rests = rows[0], joined_paths(rows[1:])
    firsts = [side for pair in zip(row[1::2], row[::2], strict=False) for side in pair]
    if len(row) & 1:
        firsts.append(rests.pop())
    parts = zip(
        repeat(before), leaves, repeat(between), _INDEXES, repeat(signature), firsts, strict=False
    )
    letters = _encoded(b"".join(chain.from_iterable(parts)))
    ends = [end for rest in map(_encoded, rests) for end in (rest, rest)]
    cuts = range(0, len(letters), _SHARED_FROM)
    made = [
        f"{contest}:{letters[cut : cut + _SHARED_FROM]}{end}"
        for cut, end in zip(cuts, ends, strict=False)
    ]
    if len(row) & 1:
        made.append(f"{contest}:{letters[len(made) * _SHARED_FROM :]}")
    return made


def _encoded(raw: bytes) -> str:
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
