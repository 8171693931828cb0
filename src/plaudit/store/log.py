"""The log of a contest: its entries, and the chain of digests over them.

Everything that a contest is follows from its log: answers of raters and events of those
who run it, numbered from 1 without gaps, never changed and never taken out.
"""

import hashlib
import struct
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple


class Kind(IntEnum):
    """What an entry records. Answers come from raters, events from those who run a contest."""

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


ANSWERS = frozenset({Kind.VOTE, Kind.SKIP, Kind.FLAG})
# A rater, item, level, lane or response time that an entry does not have.
NONE = -1


class Answer(NamedTuple):
    """What a rater did with an item, before it is in the log.

    `rater` is the rater's key, 16 bytes. `lane` is the place of the algorithm that asked
    among the contest's algorithms, or `NONE` for uniform traffic. `at` is in milliseconds
    since 1970. `level` is `NONE` for a skip, and the number of the reason for a flag.
    `origin`, 8 bytes or none, says where the rater came from; it is kept with the rater's
    first answer, and is not part of the log.
    """

    kind: int
    rater: bytes
    item: int
    level: int
    lane: int
    at: int
    response_ms: int
    origin: bytes = b""


class Event(NamedTuple):
    """What someone who runs a contest did, before it is in the log."""

    kind: int
    at: int
    payload: str


class Entry(NamedTuple):
    """One entry of a log. `rater` is a number that the contest gave; events have none."""

    position: int
    kind: int
    at: int
    rater: int
    item: int
    level: int
    lane: int
    response_ms: int
    payload: str


_PACKED = struct.Struct("<qbqqqhhi")


def first_digest(contest: str, settings: str) -> bytes:
    """Where the chain of a contest begins: its name and settings are part of it."""
    return hashlib.sha256(f"plaudit log 1\n{contest}\n{settings}".encode()).digest()


def chain(digest: bytes, entries: Iterable[Entry]) -> bytes:
    """The digest after these entries: each is SHA-256 of the one before and the entry."""
    for entry in entries:
        packed = _PACKED.pack(*entry[:8])
        digest = hashlib.sha256(digest + packed + entry.payload.encode()).digest()
    return digest
