"""The writer: one thread that commits answers in groups, then reports each group.

A group is what comes in within a few milliseconds, or while the previous group is being committed:
one answer in a quiet contest, some hundreds in a busy one.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import NamedTuple

from plaudit.errors import LiveError, StoreFull, StoreUnavailable
from plaudit.phrase import Phrase
from plaudit.store.contract import Appended, LogStore, Receipt
from plaudit.store.log import Answer
from plaudit.words import N_

LARGEST_GROUP = 500
# A group gathers for this long. Nobody notices, and a sleeping writer is not woken by every single
# answer, which would cost the event loop more than the answer itself.
GATHER_SECONDS = 0.002
# If more answers than this are waiting, new ones are refused at once.
LONGEST_QUEUE = 20_000
# How long a group waits for a store that is unavailable.
PATIENCE_SECONDS = 4.0

Done = Callable[[Receipt | Exception], None]


class Waiting(NamedTuple):
    """An answer on its way to the log, and what to call afterwards."""

    contest: str
    answer: Answer
    done: Done


class Committed(NamedTuple):
    """A group of one contest, after the store has accepted or refused it."""

    contest: str
    group: Sequence[Waiting]
    outcome: Appended | Exception


class Writer:
    """Commits the submitted answers; calls `deliver` with each group, on the writer's thread.

    `finish` adds the receipts to a group that was committed.
    """

    def __init__(
        self,
        store: LogStore,
        deliver: Callable[[Committed], None],
        *,
        finish: Callable[[str, Appended], Appended] = lambda contest, appended: appended,
    ) -> None:
        self._store = store
        self._deliver = deliver
        self._finish = finish
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="plaudit-writer", daemon=True)
        self._stopping = False
        self._thread.start()

    def submit(self, waiting: Waiting) -> None:
        """Takes an answer; `StoreUnavailable` at once if too many are waiting."""
        if self._stopping or self._queue.qsize() >= LONGEST_QUEUE:
            text = N_("Too many answers are waiting to be written. Try again soon.")
            raise StoreUnavailable(Phrase(text))
        self._queue.put(waiting)

    @property
    def waiting(self) -> int:
        """Answers that wait for the next group."""
        return self._queue.qsize()

    def close(self) -> None:
        """Commits the waiting answers, then stops."""
        self._stopping = True
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._queue.get()) is not None:
            taken, last = self._take(first)
            by_contest: dict[str, list[Waiting]] = defaultdict(list)
            for waiting in taken:
                by_contest[waiting.contest].append(waiting)
            for contest, group in by_contest.items():
                outcome = self._commit(contest, group)
                if isinstance(outcome, Appended):
                    outcome = self._finish(contest, outcome)
                self._deliver(Committed(contest, group, outcome))
            if last:
                return

    def _take(self, first: Waiting) -> tuple[list[Waiting], bool]:
        """The waiting answers, up to a full group, and whether the writer is to stop after them."""
        taken = [first]
        time.sleep(GATHER_SECONDS)
        try:
            while len(taken) < LARGEST_GROUP:
                following = self._queue.get_nowait()
                if following is None:
                    return taken, True
                taken.append(following)
        except Empty:
            pass
        return taken, False

    def _commit(self, contest: str, group: Sequence[Waiting]) -> Appended | Exception:
        """Writes a group; repeats it while the store is unavailable. An answer counts only once."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        answers = [waiting.answer for waiting in group]
        while True:
            try:
                return self._store.append_answers(contest, answers)
            except StoreFull as error:
                return error
            except StoreUnavailable as error:
                if self._stopping or time.monotonic() > give_up:
                    return error
                time.sleep(0.1)
            except LiveError as error:
                return error
            except Exception as error:  # the thread must go on, and the senders must be told
                return error
