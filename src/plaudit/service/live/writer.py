"""The writer: commits answers in groups, and reports each group. Each contest has its own thread.

A group is what comes in within a few milliseconds, or while the previous group is being committed:
one answer in a quiet contest, some hundreds in a busy one. A contest that cannot be written to,
because someone holds it or a server is gone, does not hold up the others.

Whoever answers hears within two seconds: that it is in the log, or to try again. An answer that
was not heard of in time may still get into the log; sent again, it counts once.
"""

import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Protocol

from plaudit.errors import LiveError, StoreFull, StoreUnavailable
from plaudit.phrase import Phrase
from plaudit.store.contract import Appended, Receipt
from plaudit.store.log import Answer
from plaudit.words import N_

LARGEST_GROUP = 500
# A group gathers for this long. Nobody notices, and a sleeping writer is not woken by every single
# answer, which would cost the event loop more than the answer itself.
GATHER_SECONDS = 0.002
# If more answers than this are waiting, new ones are refused at once.
LONGEST_QUEUE = 20_000
# How long an answer waits for its store, from when its request came in: looking up its rater is
# part of that. It hears within two seconds, the last look included.
PATIENCE_SECONDS = 1.8
LOOK_SECONDS = 0.1
AGAIN_SECONDS = 0.1
# The thread of a contest without answers ends after this long.
IDLE_SECONDS = 60.0

Done = Callable[[Receipt | Exception], None]


class Appends(Protocol):
    """What a writer writes to: a store, or those who hand over to one."""

    def append_answers(self, name: str, answers: Sequence[Answer]) -> Appended:
        """Writes a group of answers in one transaction, in the given order."""


class Waiting:
    """An answer on its way to the log, and what to call afterwards.

    `done` may be called a second time, if the store answers after the sender was told to try
    again; only the first call counts.
    """

    __slots__ = ("answer", "contest", "done", "is_over", "since")

    def __init__(self, contest: str, answer: Answer, done: Done, since: float) -> None:
        self.contest = contest
        self.answer = answer
        self.done = done
        # When its sender began to wait.
        self.since = since
        # True once its sender was told something.
        self.is_over = False

    def settle(self, receipt: Receipt) -> None:
        """Tells the sender what is in the log, and lets go of all that waited for it.

        The writer's own list has it until its next look. Whatever a thousand requests were made
        of would be alive until then, and the garbage collector would look at all of it.
        """
        done, self.done = self.done, _ignore
        done(receipt)


def _ignore(_outcome: Receipt | Exception) -> None:
    """Nobody waits any more."""


class Committed:
    """A group of one contest, after the store has accepted or refused it."""

    __slots__ = ("contest", "group", "outcome")

    def __init__(
        self, contest: str, group: Sequence[Waiting], outcome: Appended | Exception
    ) -> None:
        self.contest = contest
        self.group = group
        self.outcome = outcome


Deliver = Callable[[Committed], None]
Finish = Callable[[str, Appended], Appended]


class Lane:
    """The answers of one contest on their way to the log, and the thread that writes them.

    `finish` adds the receipts to a group that was committed.
    """

    def __init__(self, contest: str, store: Appends, deliver: Deliver, finish: Finish) -> None:
        self.queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self.stopping = False
        self._contest = contest
        self._store = store
        self._deliver = deliver
        self._finish = finish
        self._thread = threading.Thread(target=self._run, name="plaudit-writer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Lets the thread end once it has committed what waits."""
        self.stopping = True
        self.queue.put(None)

    def join(self) -> None:
        """Returns once the thread has ended."""
        self._thread.join()

    def _run(self) -> None:
        last = False
        while not last and (first := self.queue.get()) is not None:
            taken, last = self._take(first)
            # Those who were told to try again need not be written.
            group = [waiting for waiting in taken if not waiting.is_over]
            if group:
                outcome = self._commit(group)
                if isinstance(outcome, Appended):
                    outcome = self._finish(self._contest, outcome)
                for waiting in group:
                    waiting.is_over = True
                self._deliver(Committed(self._contest, group, outcome))

    def _take(self, first: Waiting) -> tuple[list[Waiting], bool]:
        """The waiting answers, up to a full group, and whether the thread is to end after them."""
        taken = [first]
        time.sleep(GATHER_SECONDS)
        try:
            while len(taken) < LARGEST_GROUP:
                following = self.queue.get_nowait()
                if following is None:
                    return taken, True
                taken.append(following)
        except Empty:
            pass
        return taken, False

    def _commit(self, group: Sequence[Waiting]) -> Appended | Exception:
        """Writes a group; repeats it while the store is unavailable. An answer counts only once."""
        give_up = max(waiting.since for waiting in group) + PATIENCE_SECONDS
        answers = [waiting.answer for waiting in group]
        while True:
            try:
                return self._store.append_answers(self._contest, answers)
            except StoreFull as error:
                return error
            except StoreUnavailable as error:
                if self.stopping or time.monotonic() + AGAIN_SECONDS > give_up:
                    return error
                time.sleep(AGAIN_SECONDS)
            except LiveError as error:
                return error
            except Exception as error:  # the thread must go on, and the senders must be told
                return error


class Writer:
    """Commits the submitted answers; calls `deliver` with each group, on a thread of its own.

    `finish` adds the receipts to a group that was committed.
    """

    def __init__(
        self,
        store: Appends,
        deliver: Deliver,
        *,
        finish: Finish = lambda contest, appended: appended,
    ) -> None:
        self._store = store
        self._deliver = deliver
        self._finish = finish
        self._lanes: dict[str, Lane] = {}
        self._used: dict[str, float] = {}
        self._lock = threading.Lock()
        # All answers on their way; those that are over are dropped at the next look.
        self._waiting: list[Waiting] = []
        self._stopping = threading.Event()
        self._watch = threading.Thread(target=self._look, name="plaudit-patience", daemon=True)
        self._watch.start()

    def submit(self, waiting: Waiting) -> None:
        """Takes an answer; `StoreUnavailable` at once if too many are waiting."""
        lane = self._lanes.get(waiting.contest)
        if self._stopping.is_set() or (lane is not None and lane.queue.qsize() >= LONGEST_QUEUE):
            text = N_("Too many answers are waiting to be written. Try again soon.")
            raise StoreUnavailable(Phrase(text))
        with self._lock:
            lane = self._lanes.get(waiting.contest)
            if lane is None:
                lane = Lane(waiting.contest, self._store, self._deliver, self._finish)
                self._lanes[waiting.contest] = lane
            self._used[waiting.contest] = waiting.since
            self._waiting.append(waiting)
            lane.queue.put(waiting)

    @property
    def waiting(self) -> int:
        """Answers that wait for the next group."""
        return sum(lane.queue.qsize() for lane in list(self._lanes.values()))

    def close(self) -> None:
        """Commits the waiting answers, then stops."""
        self._stopping.set()
        lanes = list(self._lanes.values())
        for lane in lanes:
            lane.stop()
        for lane in lanes:
            lane.join()
        self._watch.join()

    def _look(self) -> None:
        """Tells those who have waited for too long to try again; ends threads without work."""
        while not self._stopping.wait(LOOK_SECONDS):
            now = time.monotonic()
            self._give_up(now - PATIENCE_SECONDS)
            self._end_idle(now - IDLE_SECONDS)

    def _give_up(self, before: float) -> None:
        late: dict[str, list[Waiting]] = {}
        with self._lock:
            self._waiting = [waiting for waiting in self._waiting if not waiting.is_over]
            for waiting in self._waiting:
                if waiting.since < before:
                    waiting.is_over = True
                    late.setdefault(waiting.contest, []).append(waiting)
        for contest, group in late.items():
            text = N_("The store does not answer. Your vote is not confirmed; send it again soon.")
            self._deliver(Committed(contest, group, StoreUnavailable(Phrase(text))))

    def _end_idle(self, before: float) -> None:
        with self._lock:
            for contest in [name for name, used in self._used.items() if used < before]:
                lane = self._lanes[contest]
                if lane.queue.empty():
                    lane.stop()
                    del self._lanes[contest], self._used[contest]
