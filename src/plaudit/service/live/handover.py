"""Handing answers over to the scribe, the one process that writes for all workers of a machine.

Promises: the scribe is never needed. If it is away, slow or refuses a group, the worker writes the
group itself, and whatever the scribe wrote of it meanwhile counts once. It touches the store, and
one socket a thread; a thread sends one message and waits for its answer.
"""

import os
import socket
import struct
import threading
import time
from collections.abc import Sequence

import msgspec

from plaudit.service.contest.answer_run import PACKED, AnswerRun
from plaudit.service.contest.replay import Batch
from plaudit.store.contract import Appended, LogStore, Receipt
from plaudit.store.log import Answer, numbers_in

# A scribe that says nothing for so long is not waited for, and left alone for a while.
SILENT_SECONDS, AWAY_SECONDS = 1.0, 2.0
# Longer than any message: a group of answers, or so many entries of a log.
MOST_BYTES = 180_000
MOST_ENTRIES = 3_000
DIGEST_BYTES = 32
REFUSED = b"-"
# Whether a worker that follows is to look for verdicts, or leaves that to another.
LOOK, LEAVE = b"+", b"."


class Append(msgspec.Struct, array_like=True, tag=True):
    """A group of answers to write; the scribe answers with a `Written`, or `REFUSED`."""

    contest: str
    answers: Sequence[Answer]


class Follow(msgspec.Struct, array_like=True, tag=True):
    """Asks for the entries after a position.

    The scribe answers with `LOOK` or `LEAVE`, a digest and packed entries; or with `REFUSED`.
    """

    contest: str
    after: int


class Written(msgspec.Struct, array_like=True):
    """What became of a group; `digest` is that of the chain after it, if nothing followed it.

    `packed` are the entries that are new in the log, in their order and as the chain has them. If
    every answer is new, they say all that there is, and there are no `receipts`.
    """

    receipts: list[Receipt]
    packed: bytes
    digest: bytes | None

    def appended(self) -> Appended:
        """The same as the store would tell it."""
        size, packed = PACKED.itemsize, self.packed
        whole = [packed[place : place + size] for place in range(0, len(packed), size)]
        receipts = self.receipts or _receipts_of(packed)
        return Appended(receipts, AnswerRun.unpacked(packed), self.digest, whole)


def _receipts_of(packed: bytes) -> list[Receipt]:
    """The receipts of entries that are new in the log."""
    return [
        Receipt(position, kind, level, rater, True)
        for position, kind, _, rater, _, level, _, _ in numbers_in(packed)
    ]


encode = msgspec.msgpack.Encoder().encode
_read_written = msgspec.msgpack.Decoder(Written).decode


def is_own(connection: socket.socket) -> bool:
    """Whether the process at the other end belongs to the same user."""
    given = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", given)
    return bool(user == os.geteuid())


class _Line(socket.socket):
    """A connection that ends with the thread that uses it."""

    def __del__(self) -> None:
        self.close()


class _OfThread(threading.local):
    """The connection of one thread, and room for what it hears."""

    def __init__(self) -> None:
        self.connection: _Line | None = None
        self.room = bytearray(MOST_BYTES)


class Handover:
    """Writes and reads by the scribe at an address; without an address, by the store alone."""

    def __init__(self, store: LogStore, address: str = "") -> None:
        self._store = store
        self._address = address
        self._away_until = 0.0
        self._here = _OfThread()

    def append_answers(self, name: str, answers: Sequence[Answer]) -> Appended:
        """Writes a group of answers, as the store would."""
        heard = self._ask(Append(name, answers))
        if heard is None:
            return self._store.append_answers(name, answers)
        return _read_written(heard).appended()

    def entries_after(self, name: str, position: int) -> Batch | None:
        """The next entries, if the scribe wrote them lately; None if the store has to be read."""
        heard = self._ask(Follow(name, position))
        if heard is None:
            return None
        digest, packed = bytes(heard[1 : 1 + DIGEST_BYTES]), bytes(heard[1 + DIGEST_BYTES :])
        return Batch(AnswerRun.unpacked(packed), digest=digest, looks=heard[:1] == LOOK)

    def _ask(self, request: Append | Follow) -> memoryview | None:
        """What the scribe answers, until the thread asks again; None if it does not, or refuses."""
        if not self._address or time.monotonic() < self._away_until:
            return None
        here = self._here
        try:
            if here.connection is None:
                here.connection = self._connected()
            here.connection.sendall(encode(request))
            size = here.connection.recv_into(here.room)
        except OSError:
            size = 0
        if not size:
            if here.connection is not None:
                here.connection.close()
                here.connection = None
            self._away_until = time.monotonic() + AWAY_SECONDS
            return None
        heard = memoryview(here.room)[:size]
        return None if heard == REFUSED else heard

    def _connected(self) -> _Line:
        connection = _Line(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.settimeout(SILENT_SECONDS)
        try:
            connection.connect(self._address)
            if not is_own(connection):
                raise PermissionError("The scribe belongs to another user.")
        except OSError:
            connection.close()
            raise
        return connection
