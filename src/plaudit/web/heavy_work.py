"""Heavy looks at a contest: on a few threads of their own, and once for all who look.

What reads sessions and pages from the store shares one pool of threads. A page that computes for
seconds must not take them: a few people who look at it would keep everybody else waiting.
"""

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from plaudit.web.problem import Problem

R = TypeVar("R")
THREADS, MOST_WAITING = 2, 32


class HeavyWork:
    """The threads of one worker for heavy looks; all but `close` is for the event loop."""

    def __init__(self, threads: int = THREADS) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="plaudit-heavy_work")
        self._under_way: dict[Hashable, Future[Any]] = {}

    async def look(self, key: Hashable, work: Callable[[], R]) -> R:
        """What `work` returns, or what it is about to for another who looks for the same key.

        The key says all that the answer depends on but for votes, which may be a moment old.
        """
        under_way = {known: one for known, one in self._under_way.items() if not one.done()}
        found = under_way.get(key)
        if found is None:
            if len(under_way) >= MOST_WAITING:
                words = "Too many people look at large contests just now. Try again."
                raise Problem(503, "try_again", words, retry=5)
            found = under_way[key] = self._threads.submit(work)
        self._under_way = under_way
        # Whoever leaves the page must not cancel what others wait for.
        shared: R = await asyncio.shield(asyncio.wrap_future(found))
        return shared

    def close(self) -> None:
        """Lets the threads go once what runs is done."""
        self._threads.shutdown(cancel_futures=True)
