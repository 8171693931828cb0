"""Results that many requests ask for, each computed once and shared.

The dashboard, the results, all forecasts, moderation and all heavy pages use this one class. It
promises:

- Requests for the same key share one computation, also while it is under way.
- A result is kept until its version moves, and at least for a minimum interval: so many seconds,
  or a multiple of the processor time that computing it took. Within the interval an older version
  is good enough.
- Results are computed on a few threads of their own. If too much is under way, a request for yet
  another result is refused.
- An error reaches everyone who waits for the result, and is not kept. A result from before the
  error stays for another interval.
"""

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from plaudit.errors import PlauditError
from plaudit.phrase import Phrase
from plaudit.service.cores import roam
from plaudit.words import N_

R = TypeVar("R")
# Computes a result; and takes what that needs, on the thread that asks.
Work = Callable[[], R]
Prepare = Callable[[], Work[R]]


class TooBusy(PlauditError):
    """Too many results are being computed."""


@dataclass(frozen=True)
class Limits:
    """How often results are computed, and how many.

    `least_seconds` and `times_its_cost` give the minimum interval, from when a computation began.
    While a new version is computed, requests get a result of at most `stale_seconds` at once;
    others wait. `most_under_way` computations may run or wait, and `most_kept` results stay.
    """

    least_seconds: float = 0.0
    times_its_cost: float = 0.0
    stale_seconds: float = 0.0
    most_under_way: int | None = None
    most_kept: int = 1_000


@dataclass
class Kept(Generic[R]):
    """A result, the version that it is of, when it was made, and until when it is good anyway."""

    done: "Future[R]"
    version: Hashable
    at: float
    due: float

    @property
    def value(self) -> R:
        """The result itself."""
        return self.done.result()


class _Begun(NamedTuple, Generic[R]):
    """A computation that begins: where its result goes, and what its first asker waits for."""

    result: "Future[R]"
    answer: "Future[R]"


class SharedResult(Generic[R]):
    """The results of one kind, by key; any thread may ask."""

    def __init__(
        self,
        name: str,
        limits: Limits,
        *,
        threads: int = 1,
        timer: Callable[[], float] = time.monotonic,
        spent: Callable[[], float] = time.process_time,
    ) -> None:
        self.computed = 0
        self._limits = limits
        self._timer = timer
        self._spent = spent
        self._lock = threading.Lock()
        self._kept: dict[Hashable, Kept[R]] = {}
        self._under_way: dict[Hashable, Future[R]] = {}
        self._threads = ThreadPoolExecutor(
            threads, thread_name_prefix=f"plaudit-{name}", initializer=roam
        )

    def close(self, *, wait: bool = True) -> None:
        """Lets the threads go; what has not begun is refused, what runs may be waited for."""
        self._threads.shutdown(wait=wait, cancel_futures=True)
        for key, result in list(self._under_way.items()) if wait else ():
            told = Phrase(N_("The service is stopping. Try again soon."))
            self._fail(key, result, TooBusy(told))

    def kept(self, key: Hashable) -> Kept[R] | None:
        """The latest result for a key, however old; costs nothing."""
        return self._kept.get(key)

    def ask(self, key: Hashable, version: Hashable, prepare: Prepare[R]) -> "Future[R]":
        """The result for a key, done or under way.

        If a computation begins, `prepare` is called at once on this thread, to take a snapshot,
        and returns the work for another thread. Raises `TooBusy` where too much is under way.
        """
        found = self._find(key, version)
        if isinstance(found, Future):
            return found
        try:
            self._threads.submit(self._compute, key, version, found.result, prepare())
        except BaseException as error:
            self._fail(key, found.result, error)
            raise
        return found.answer

    def compute_here(self, key: Hashable, version: Hashable, work: Work[R]) -> R:
        """The same for a thread that may wait: it computes the result itself if nobody does."""
        found = self._find(key, version)
        if isinstance(found, Future):
            return found.result()
        self._compute(key, version, found.result, work)
        return found.result.result()

    def _find(self, key: Hashable, version: Hashable) -> "Future[R] | _Begun[R]":
        """What to wait for; or a computation that is to begin, noted as under way."""
        now = self._timer()
        with self._lock:
            kept, under_way = self._kept.get(key), self._under_way.get(key)
            good = kept is not None and now - kept.at < self._limits.stale_seconds
            if under_way is not None:
                return kept.done if kept is not None and good else under_way
            if kept is not None and (kept.version == version or now < kept.due):
                return kept.done
            most = self._limits.most_under_way
            if most is not None and len(self._under_way) >= most:
                told = N_("Too many results are being computed just now. Try again.")
                raise TooBusy(Phrase(told))
            result: Future[R] = Future()
            # From now on nobody can cancel what others wait for.
            result.set_running_or_notify_cancel()
            self._under_way[key] = result
            return _Begun(result, kept.done if kept is not None and good else result)

    def _compute(
        self, key: Hashable, version: Hashable, result: "Future[R]", work: Work[R]
    ) -> None:
        begun, spent = self._timer(), self._spent()
        try:
            value = work()
        except BaseException as error:
            self._fail(key, result, error, due=self._due(begun, spent))
            return
        now, due = self._timer(), self._due(begun, spent)
        with self._lock:
            self.computed += 1
            self._under_way.pop(key, None)
            self._kept.pop(key, None)
            self._kept[key] = Kept(result, version, now, due)
            for forgotten in list(self._kept)[: max(0, len(self._kept) - self._limits.most_kept)]:
                del self._kept[forgotten]
        result.set_result(value)

    def _fail(
        self, key: Hashable, result: "Future[R]", error: BaseException, *, due: float = 0.0
    ) -> None:
        with self._lock:
            self._under_way.pop(key, None)
            if key in self._kept:
                self._kept[key].due = due
        result.set_exception(error)

    def _due(self, begun: float, spent: float) -> float:
        # Time in which the process was stopped, or waited for a processor, cost nothing: after it a
        # result would be kept for minutes.
        cost = min(self._timer() - begun, self._spent() - spent)
        limits = self._limits
        return begun + max(limits.least_seconds, limits.times_its_cost * cost)
