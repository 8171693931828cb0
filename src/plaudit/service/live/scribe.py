"""The scribe: writes the answers of all workers of a machine, and knows what it wrote last.

Workers that wrote by themselves would take turns with small groups, and each would read from the
store what the others wrote. The scribe writes what all of them bring as one group, and hands out
the latest entries from memory.

Promises: what it calls written is in the log. A group that could not be written is refused, and
its worker writes it. A worker that hangs, and a contest that is locked, hold up nobody else. It
touches the store and its sockets.
"""

import selectors
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import NamedTuple

import msgspec

from plaudit.service.contest.answer_run import PACKED
from plaudit.service.live.handover import (
    LEAVE,
    LOOK,
    MOST_BYTES,
    REFUSED,
    Append,
    Follow,
    Written,
    encode,
    is_own,
)
from plaudit.service.live.tail import Tail
from plaudit.service.live.writer import LARGEST_GROUP
from plaudit.store.contract import Appended, LogStore
from plaudit.store.log import Answer, packed

# A group waits for those who brought something lately, for this long at most.
GATHER_SECONDS, LATELY_SECONDS = 0.008, 0.05
BEAT_SECONDS = 1.0
# A worker that looks for verdicts and does not get ahead for so long is replaced by another.
STUCK_SECONDS = 0.5
# The thread of a contest without answers ends after this long.
IDLE_SECONDS = 60.0

_read = msgspec.msgpack.Decoder(Append | Follow).decode


class _Line:
    """The line to one thread of a worker. Two threads may use it: one hears, another replies."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._connection = connection
        # A socket that is closed while another thread sends may be somebody else's by then.
        self._lock = threading.Lock()

    def hear(self, room: bytearray) -> Append | Follow | None:
        """The next message; None if there is none, or it is in no language of ours."""
        try:
            size = self._connection.recv_into(room)
            return _read(memoryview(room)[:size]) if size else None
        except (OSError, msgspec.DecodeError):
            return None

    def reply(self, message: bytes) -> None:
        """Sends an answer; a worker that is gone, or has stopped listening, is given up."""
        with self._lock:
            try:
                self._connection.send(message)
            except OSError:
                with suppress(OSError):
                    self._connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Ends the line."""
        with self._lock:
            self._connection.close()


class _Brought(NamedTuple):
    """A group that a worker brought."""

    line: _Line
    answers: Sequence[Answer]


class _Judge:
    """Which of the workers that follow a contest looks for its verdicts.

    All of them would find the same. It is the first that follows, as long as it gets ahead: one
    that hangs asks for the same entries again.
    """

    def __init__(self) -> None:
        self._line: _Line | None = None
        self._after = self._since = -1.0

    def is_at(self, line: _Line, after: int, now: float) -> bool:
        """Whether it is the worker at this line, which asks for the entries after a position."""
        if self._line is None or now - self._since > STUCK_SECONDS:
            self._line, self._after, self._since = line, after, now
        elif line is self._line and after > self._after:
            self._after, self._since = after, now
        return line is self._line

    def leave(self, line: _Line) -> None:
        """Takes note that a line has ended."""
        if line is self._line:
            self._line = None


class _Lane:
    """The groups of one contest on their way to the log, and the thread that writes them."""

    def __init__(self, contest: str, store: LogStore) -> None:
        self.tail = Tail()
        self.judge = _Judge()
        # When something was brought last.
        self.used = time.monotonic()
        self.queue: SimpleQueue[_Brought | None] = SimpleQueue()
        self._contest = contest
        self._store = store
        self._lately: dict[_Line, float] = {}
        threading.Thread(target=self._run, name="plaudit-scribe", daemon=True).start()

    def _run(self) -> None:
        while (first := self.queue.get()) is not None:
            brought = self._take(first)
            try:
                answers = [answer for each in brought for answer in each.answers]
                appended = self._store.append_answers(self._contest, answers)
            except Exception:
                # The worker gets the same error, and knows what to say.
                for each in brought:
                    each.line.reply(REFUSED)
            else:
                self._tell(brought, appended)

    def _take(self, first: _Brought) -> list[_Brought]:
        """The next group: of all who brought something lately, up to a full one."""
        now = time.monotonic()
        taken, count = [first], len(first.answers)
        with suppress(Empty):
            while count < LARGEST_GROUP:
                left = now + GATHER_SECONDS - time.monotonic()
                # Each line has one group under way.
                waits = left > 0 and len(taken) < len(self._lately)
                more = self.queue.get(timeout=left) if waits else self.queue.get_nowait()
                if more is None:
                    # It is the last group: the thread ends after it.
                    self.queue.put(None)
                    break
                taken.append(more)
                count += len(more.answers)
        self._lately = {line: at for line, at in self._lately.items() if at > now - LATELY_SECONDS}
        self._lately |= {each.line: now for each in taken}
        return taken

    def entries_for(self, line: _Line, after: int) -> bytes:
        """The entries after a position, for the worker at a line."""
        entries = self.tail.after(after)
        if entries == REFUSED:
            return REFUSED
        return (LOOK if self.judge.is_at(line, after, time.monotonic()) else LEAVE) + entries

    def _tell(self, brought: Sequence[_Brought], appended: Appended) -> None:
        together = b"".join(appended.packed or packed(appended.entries))
        self.tail.add(appended, together)
        size, place, written, last = PACKED.itemsize, 0, 0, brought[-1]
        for each in brought:
            end = place + len(each.answers)
            receipts = appended.receipts[place:end]
            new = sum(receipt.fresh for receipt in receipts)
            entries = together[size * written : size * (written + new)]
            digest = appended.digest if each is last else None
            given = Written([] if new == len(receipts) else receipts, entries, digest)
            each.line.reply(encode(given))
            place, written = end, written + new


class Scribe:
    """Serves the workers that connect to a socket; `beat` is called about once a second."""

    def __init__(
        self, store: LogStore, listening: socket.socket, beat: Callable[[], None] = lambda: None
    ) -> None:
        self._store = store
        self._beat = beat
        self._lanes: dict[str, _Lane] = {}
        self._room = bytearray(MOST_BYTES)
        self._sockets = selectors.DefaultSelector()
        self._listening = listening
        listening.setblocking(False)
        self._sockets.register(listening, selectors.EVENT_READ, self._accept)

    def run(self) -> None:
        """Serves for as long as the process lives."""
        next_beat = 0.0
        while True:
            if (now := time.monotonic()) >= next_beat:
                self._beat()
                self._end_idle(now - IDLE_SECONDS)
                next_beat = now + BEAT_SECONDS
            for key, _ in self._sockets.select(BEAT_SECONDS):
                key.data(key.fileobj)

    def _accept(self, _: object) -> None:
        with suppress(OSError):
            connection, _ = self._listening.accept()
            if is_own(connection):
                line = _Line(connection)
                self._sockets.register(connection, selectors.EVENT_READ, partial(self._hear, line))
            else:
                connection.close()

    def _hear(self, line: _Line, connection: socket.socket) -> None:
        """Takes one message; a line that ended, or makes no sense, is closed."""
        request = line.hear(self._room)
        if request is None:
            self._sockets.unregister(connection)
            line.close()
            for lane in self._lanes.values():
                lane.judge.leave(line)
        elif isinstance(request, Append):
            self._lane(request.contest).queue.put(_Brought(line, request.answers))
        elif request.contest in self._lanes:
            line.reply(self._lanes[request.contest].entries_for(line, request.after))
        else:
            line.reply(REFUSED)

    def _lane(self, contest: str) -> _Lane:
        """The lane of a contest, for something that was brought now."""
        if contest not in self._lanes:
            self._lanes[contest] = _Lane(contest, self._store)
        self._lanes[contest].used = time.monotonic()
        return self._lanes[contest]

    def _end_idle(self, before: float) -> None:
        """Ends threads without work. Only this thread gives them any."""
        for contest in [name for name, lane in self._lanes.items() if lane.used < before]:
            self._lanes.pop(contest).queue.put(None)
