"""A few connections, handed out one to a call and given back."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from plaudit.errors import PlauditError, StoreFull, StoreUnavailable


class Closing(Protocol):
    """Something that can be closed."""

    def close(self) -> None:
        """Lets go of what it holds."""


C = TypeVar("C", bound=Closing)


class Pool(Generic[C]):
    """Up to `size` connections, opened as they are needed.

    A connection whose call lost the store is closed, and those that are idle with it: what
    broke one has most likely broken all. The next call connects anew.
    """

    def __init__(self, connect: Callable[[], C], *, size: int, wait_seconds: float) -> None:
        self._connect = connect
        self._wait_seconds = wait_seconds
        self._room = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[C] = []
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[C]:
        """A connection of the caller's own for as long as the block lasts."""
        if not self._room.acquire(timeout=self._wait_seconds):
            raise StoreUnavailable(
                f"The store was busy with other calls for {self._wait_seconds:g} seconds. "
                "Nothing was written; try again."
            )
        try:
            connection = self._take()
            try:
                yield connection
            except BaseException as error:
                self._after_failure(connection, error)
                raise
            self._give_back(connection)
        finally:
            self._room.release()

    def close(self) -> None:
        """Closes the idle connections; those in use are closed when they come back."""
        with self._lock:
            self._closed = True
        self._drop_idle()

    def _take(self) -> C:
        with self._lock:
            if self._closed:
                raise StoreUnavailable("The store was closed. Open it again.")
            if self._idle:
                return self._idle.pop()
        return self._connect()

    def _give_back(self, connection: C) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _after_failure(self, connection: C, error: BaseException) -> None:
        lost = isinstance(error, StoreUnavailable) and not isinstance(error, StoreFull)
        if isinstance(error, PlauditError) and not lost:
            self._give_back(connection)
            return
        connection.close()
        if lost:
            self._drop_idle()

    def _drop_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
