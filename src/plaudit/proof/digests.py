"""What binds the items and raters of a contest, and what keeps its leaves from being guessed.

Items and raters only ever grow, in the order of their numbers, so a running digest binds all of
them up to a count. A rater is in it as a mark, which says nothing once the salt is gone.
"""

import hashlib
from collections.abc import Iterable

BLINDING_BYTES = 32
BLIND_BYTES = 16
SALT_BYTES = 16
MARK_BYTES = 32
NO_ITEMS = hashlib.sha256(b"plaudit items 1\n").digest()
NO_RATERS = hashlib.sha256(b"plaudit raters 1\n").digest()


def blind(blinding: bytes, index: int) -> bytes:
    """What precedes the data of a leaf, so that nobody can guess the data from its hash."""
    return hashlib.sha256(blinding + index.to_bytes(8, "little")).digest()[:BLIND_BYTES]


def with_items(digest: bytes, items: Iterable[tuple[int, str, str]]) -> bytes:
    """The digest after these items: number, text, and hash of the picture or ""."""
    for number, text, image in items:
        body = number.to_bytes(8, "little") + text.encode() + b"\x00" + image.encode("ascii")
        digest = hashlib.sha256(digest + hashlib.sha256(body).digest()).digest()
    return digest


def with_raters(digest: bytes, marks: Iterable[bytes]) -> bytes:
    """The digest after the raters with these marks."""
    for mark in marks:
        digest = hashlib.sha256(digest + mark).digest()
    return digest


def rater_mark(salt: bytes, key: bytes | None) -> bytes:
    """The mark of a rater. Of an erased one nothing else is left: then `salt` is the mark."""
    return salt if key is None else hashlib.sha256(salt + key).digest()
