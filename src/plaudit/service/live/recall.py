"""Looking up raters whom this worker does not know, in the store.

Promises: nothing is remembered that is older than what was folded meanwhile. It reads the store
and changes the memories of one contest.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from plaudit.service.live.contest import LiveContest
from plaudit.service.live.rater_memory import Memory
from plaudit.service.live.writer import PATIENCE_SECONDS
from plaudit.store.contract import Recalled, Store
from plaudit.store.log import NONE

# A group that takes longer than this is not waited for by the next.
LATE_SECONDS = 0.05


class Recall:
    """Looks up a rater in the store: `read` on any thread, then `remember` on the owner's."""

    def __init__(self, store: Store, live: LiveContest, key: bytes) -> None:
        self._store, self._live, self.key = store, live, key
        # Taken before the store is asked: a rater who first answers meanwhile is looked up again.
        self._unmatched = live.memories.unmatched
        self._since = live.contest.position
        # What the store knows, once it was read.
        self.found: Recalled | None = None

    @property
    def who(self) -> tuple[str, bytes]:
        """The contest and the rater."""
        return self._live.name, self.key

    def read(self, *others: "Recall") -> None:
        """Reads the number and answers of the rater, and of others of the same contest."""
        recalls = (self, *others)
        found = self._store.recall(self._live.name, [recall.key for recall in recalls])
        for recall in recalls:
            recall.found = found.get(recall.key)

    def remember(self) -> Memory:
        """Remembers what the store knows."""
        number, answers = self.found or (NONE, ())
        return self._live.remember(
            self.key, number, answers, unmatched=self._unmatched, since=self._since
        )


def welcome(live: LiveContest, key: bytes) -> Memory:
    """The memory of a new rater, who cannot have answered yet."""
    memory = live.memories.get(key)
    if memory is None:
        memory = live.memories.put(key, Memory())
        memory.unmatched = live.memories.unmatched
    return memory


class _Waiting(NamedTuple):
    recall: Recall
    # When the sender began to wait, by the monotonic clock.
    since: float
    done: Callable[[Memory | Exception], None]


class Recalls:
    """Looks up raters in groups: those who come in one turn of the event loop, or meanwhile.

    A turn of another thread costs more than reading a rater. `within(seconds, work)` runs work on
    another thread, and raises an error if it takes too long. A group that takes long does not hold
    up the next one.
    """

    def __init__(self, within: Callable[[float, Callable[[], None]], Awaitable[None]]) -> None:
        self._within = within
        self._waiting: list[_Waiting] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._late: asyncio.TimerHandle | None = None

    def soon(
        self, recall: Recall, since: float, done: Callable[[Memory | Exception], None]
    ) -> None:
        """Looks up a rater soon; calls `done` with what is remembered then, or with an error."""
        if not self._waiting:
            loop = asyncio.get_running_loop()
            if not self._tasks:
                loop.call_soon(self._begin)
            elif self._late is None:
                self._late = loop.call_later(LATE_SECONDS, self._begin)
        self._waiting.append(_Waiting(recall, since, done))

    def _begin(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            task = asyncio.ensure_future(self._look_up(waiting))
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._begin()

    async def _look_up(self, waiting: Sequence[_Waiting]) -> None:
        longest = time.monotonic() - min(each.since for each in waiting)
        # Somebody who sends several at once is read once, as of the first.
        recalls = {each.recall.who: each.recall for each in reversed(waiting)}
        by_contest: dict[str, list[Recall]] = {}
        for (contest, _), recall in recalls.items():
            by_contest.setdefault(contest, []).append(recall)

        def read() -> None:
            for first, *others in by_contest.values():
                first.read(*others)

        found: dict[tuple[str, bytes], Memory] = {}
        error: Exception | None = None
        try:
            await self._within(PATIENCE_SECONDS - longest, read)
            found = {who: recall.remember() for who, recall in recalls.items()}
        except Exception as raised:
            error = raised
        for each in waiting:
            each.done(error or found[each.recall.who])
