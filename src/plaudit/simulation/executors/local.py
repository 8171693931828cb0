"""Parts on threads of this process; few are under way at a time, so memory stays as it is."""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from typing import Any

from plaudit.simulation.executors.executor import Work

# How long a run that is given up waits for the parts under way.
SECONDS_OF_PATIENCE = 1.0


def usable_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class LocalExecutor:
    """Runs parts on threads; compiled kernels let them run at the same time."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or usable_cores()

    def run(self, work: Work, shared: Any, parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yields `(index, work(shared, parts[index]))` as parts finish, in any order."""
        crew = _Crew(work, shared, parts, min(self.threads, len(parts)))
        try:
            for _ in range(len(parts)):
                yield crew.next_result()
        finally:
            crew.dismiss()


class _Crew:
    """Threads that take one part after the other, and pause while too many results wait."""

    def __init__(self, work: Work, shared: Any, parts: Sequence[Any], threads: int) -> None:
        self._work, self._shared, self._parts = work, shared, parts
        self._numbers = iter(range(len(parts)))
        self._taking = threading.Lock()
        # A place is taken by a part that is started and freed when its result is fetched.
        self._places = threading.Semaphore(2 * threads)
        self._done: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
        self._dismissed = False
        # Daemons: a part under way does not keep an interrupted program alive.
        self._threads = [threading.Thread(target=self._labour, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def next_result(self) -> tuple[int, Any]:
        """The next part to finish, and its result."""
        index, result, error = self._done.get()
        self._places.release()
        if error is not None:
            raise error
        return index, result

    def dismiss(self) -> None:
        """Starts no more parts, and waits a moment for those under way."""
        self._dismissed = True
        self._places.release(len(self._threads) or 1)
        patience_ends = time.monotonic() + SECONDS_OF_PATIENCE
        for thread in self._threads:
            thread.join(max(0.0, patience_ends - time.monotonic()))

    def _labour(self) -> None:
        while (index := self._take()) is not None:
            try:
                self._done.put((index, self._work(self._shared, self._parts[index]), None))
            except BaseException as error:
                self._done.put((index, None, error))
                return

    def _take(self) -> int | None:
        """The number of a part to run, or None when there is none."""
        self._places.acquire()
        with self._taking:
            return None if self._dismissed else next(self._numbers, None)
