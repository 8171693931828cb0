"""Heavy work for pages: on a few threads of its own, shared by everyone who asks for it.

What reads sessions and pages from the store shares one pool of threads. A page that computes for
seconds must not take them: a few people who look at it would keep everybody else waiting.
"""

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, TypeVar

from plaudit.phrase import Phrase, words_of
from plaudit.service.watch.shared_result import Limits, SharedResult, TooBusy
from plaudit.web.problem import Problem
from plaudit.words import N_

R = TypeVar("R")
THREADS, MOST_WAITING, RETRY_SECONDS = 2, 32, 5


async def shared(result: Future[R]) -> R:
    """A shared result, once it is there; whoever leaves the page does not cancel it for others."""
    try:
        if result.done():
            return result.result()
        return await asyncio.shield(asyncio.wrap_future(result))
    except TooBusy as error:
        raise Problem(503, "try_again", words_of(error), retry=RETRY_SECONDS) from None


class HeavyWork:
    """The threads of one worker for heavy work; nothing that they compute is kept."""

    def __init__(self, threads: int = THREADS) -> None:
        limits = Limits(most_under_way=MOST_WAITING, most_kept=0)
        self._shared: SharedResult[Any] = SharedResult("heavy-work", limits, threads=threads)

    async def look(self, key: Hashable, prepare: Callable[[], Callable[[], R]]) -> R:
        """The result of the work that `prepare` returns, or of what is under way for this key.

        The key says all that the result depends on but for votes, which may be a moment old.
        `prepare` runs at once, on this thread, if the work begins: it takes a snapshot.
        """
        try:
            result: Future[R] = self._shared.ask(key, None, prepare)
        except TooBusy:
            told = N_("Too many people look at large contests just now. Try again.")
            raise Problem(503, "try_again", Phrase(told), retry=RETRY_SECONDS) from None
        return await shared(result)

    def close(self) -> None:
        """Ends the threads once their work is done."""
        self._shared.close()
