"""A few connections to a database, one for each call."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from plaudit.errors import PlauditError, StoreFull, StoreUnavailable


class Closable(Protocol):
    """Something that can be closed."""

    def close(self) -> None:
        """Closes it."""


C = TypeVar("C", bound=Closable)


class ConnectionPool(Generic[C]):
    """Up to `size` connections, opened when they are needed.

    If a call loses the store, its connection and all idle ones are closed: what broke one has
    most likely broken all. The next call connects again.
    """

    def __init__(self, connect: Callable[[], C], *, size: int, wait_seconds: float) -> None:
        self._connect = connect
        self._wait_seconds = wait_seconds
        self._free = threading.BoundedSemaphore(size)
        self._lock = threading.Lock()
        self._idle: list[C] = []
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[C]:
        """A connection that nobody else uses while the block runs."""
        if not self._free.acquire(timeout=self._wait_seconds):
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
            self._free.release()

    def close(self) -> None:
        """Closes the idle connections. Those in use are closed when their calls end."""
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
