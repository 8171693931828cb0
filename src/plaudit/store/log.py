"""The log of a contest: its entries, the chain of digests over them, and the leaves of its tree.

The state of a contest follows from its log: the answers of raters and the events of the people
who run it. Entries are numbered from 1 without gaps, and are never changed or removed.
"""

import hashlib
import struct
from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import Any, NamedTuple

from plaudit.proof.digests import blind


class Kind(IntEnum):
    """What an entry records. Answers come from raters, events from the people in charge."""

    VOTE = 1
    SKIP = 2
    FLAG = 3
    # Events; their payload is a JSON object.
    ADD = 10
    WITHDRAW = 11
    EXCLUDE = 12
    READMIT = 13
    ERASE = 14
    STATE = 15
    VERDICT = 16
    REPLACE = 17
    RESTORE = 18
    SETTINGS = 19
    CODES = 20
    REVOKE = 21
    LIST = 22
    LINK_KEY = 23
    PROPOSE = 24
    REFUSE = 25


ANSWERS = frozenset({Kind.VOTE, Kind.SKIP, Kind.FLAG})
# Stands for a rater, item, level, lane or response time that an entry does not have.
NONE = -1


class Answer(NamedTuple):
    """What a rater did with an item, before it is in the log.

    `rater` is the rater's key, 16 bytes. `lane` is the index of the algorithm that asked, in the
    contest's list of algorithms, or `NONE` for uniform traffic. `at` is in milliseconds since
    1970. `level` is `NONE` for a skip, and the number of the reason for a flag. `origin`, 8 bytes
    or none, says where the rater came from, and `door`, a small number, how they were let in. The
    store keeps both with the rater's first answer; they are not part of the log.
    """

    kind: int
    rater: bytes
    item: int
    level: int
    lane: int
    at: int
    response_ms: int
    origin: bytes = b""
    door: int = 0


class Event(NamedTuple):
    """What somebody in charge of a contest did, before it is in the log."""

    kind: int
    at: int
    payload: str


class Entry(NamedTuple):
    """One entry of a log. `rater` is the rater's number in the contest; events have none."""

    position: int
    kind: int
    at: int
    rater: int
    item: int
    level: int
    lane: int
    response_ms: int
    payload: str


# The fields of some entries, one tuple for each field.
Columns = tuple[tuple[Any, ...], ...]


def columns_of(entries: Iterable[Entry]) -> Columns:
    """Entries to be kept for a while: a few tuples of numbers instead of a tuple for each entry.

    The garbage collector looks at every entry that is alive, and not into tuples of numbers.
    """
    return tuple(zip(*entries, strict=True))


_PACKED = struct.Struct("<qbqqqhhi")


def first_digest(contest: str, settings: str) -> bytes:
    """The start of a contest's chain, made from its name and settings."""
    return hashlib.sha256(_beginning(contest, settings)).digest()


def packed(entries: Iterable[Entry]) -> list[bytes]:
    """The bytes of entries, as the chain and the tree have them."""
    pack = _PACKED.pack
    return [pack(*entry[:8]) + entry[8].encode() for entry in entries]


def chain(digest: bytes, entries: Iterable[Entry]) -> bytes:
    """The digest after these entries: each is SHA-256 of the previous digest and the entry."""
    return chain_packed(digest, packed(entries))


def chain_packed(digest: bytes, entries: Iterable[bytes]) -> bytes:
    """The same for entries that are packed already."""
    sha256 = hashlib.sha256
    for entry in entries:
        digest = sha256(digest + entry).digest()
    return digest


def first_leaf(blinding: bytes, contest: str, settings: str) -> bytes:
    """The data of leaf 0 of a contest's tree: the contest itself."""
    return blind(blinding, 0) + _beginning(contest, settings)


def leaf(blinding: bytes, entry: Entry) -> bytes:
    """The data of an entry's leaf, whose index is its position: the chain's bytes, blinded."""
    return leaves(blinding, [entry.position], packed([entry]))[0]


def leaves(blinding: bytes, positions: Iterable[int], whole: Iterable[bytes]) -> list[bytes]:
    """The same for several entries at these positions, which are packed already."""
    pairs = zip(positions, whole, strict=True)
    return [blind(blinding, position) + bytes_ for position, bytes_ in pairs]


def unpacked(entry: bytes) -> Entry:
    """The answer that the chain has in these 41 bytes; an event has a payload beside them."""
    return Entry._make((*_PACKED.unpack(entry), ""))


def numbers_in(entries: bytes) -> Iterator[tuple[int, ...]]:
    """The numbers of answers that are packed one after the other."""
    return _PACKED.iter_unpack(entries)


def _beginning(contest: str, settings: str) -> bytes:
    return f"plaudit log 1\n{contest}\n{settings}".encode()
