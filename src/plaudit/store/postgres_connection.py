"""Connections to PostgreSQL that never wait for ever, and their errors in the store's words."""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg import conninfo, errors

from plaudit.errors import InvalidInput, StoreFull, StoreUnavailable

R = TypeVar("R")

CONNECT_SECONDS = 5
STATEMENT_SECONDS = 8
# The server ends a statement first; a server that is dead or frozen does not, so the client
# stops waiting a little later.
ANSWER_SECONDS = STATEMENT_SECONDS + 2
LONG_SECONDS = 600

_NETWORK: dict[str, Any] = {
    "connect_timeout": CONNECT_SECONDS,
    "application_name": "plaudit",
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": ANSWER_SECONDS * 1000,
}
# Every statement here finds its rows by an index, and most read on in its order; an out-of-date
# guess of the planner must not make it read or sort a whole log. What is acknowledged is on
# disk, whatever the default.
_SETTINGS = f"""
SELECT
  set_config('statement_timeout', '{STATEMENT_SECONDS}s', false),
  set_config('lock_timeout', '{STATEMENT_SECONDS - 3}s', false),
  set_config('idle_in_transaction_session_timeout', '{ANSWER_SECONDS}s', false),
  set_config('enable_seqscan', 'off', false),
  set_config('enable_bitmapscan', 'off', false),
  set_config('enable_hashjoin', 'off', false),
  set_config('enable_mergejoin', 'off', false),
  CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
    THEN set_config('synchronous_commit', 'on', false) END
"""


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that gives up, and closes, where the server does not answer in time."""

    def wait(self, gen: Generator[Any, Any, R], *args: Any, **options: Any) -> R:
        """What the generator comes to; an `OperationalError` if it takes too long."""
        return super().wait(self._in_time(gen), *args, **options)

    def _in_time(self, gen: Generator[Any, Any, R]) -> Generator[Any, Any, R]:
        deadline = time.monotonic() + ANSWER_SECONDS
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() > deadline:
                    self.close()
                    raise psycopg.OperationalError(f"no answer for {ANSWER_SECONDS} seconds")
                wanted = gen.send(ready)
        except StopIteration as end:
            value: R = end.value
            return value


def parsed(url: str) -> dict[str, Any]:
    """The parts of a PostgreSQL URL, with time limits where it sets none."""
    try:
        return {**_NETWORK, **conninfo.conninfo_to_dict(url)}
    except psycopg.ProgrammingError as error:
        raise InvalidInput(
            f"The PostgreSQL URL cannot be read: {str(error).strip()}. Write it as "
            "postgresql://user@host:5432/database."
        ) from None


def place(parts: dict[str, Any]) -> str:
    """The database in words, without user or password."""
    host = parts.get("host") or "the local host"
    return f"The PostgreSQL database {parts.get('dbname') or '(default)'} at {host}"


def connector(parts: dict[str, Any]) -> Callable[[], Connection]:
    """A function that connects."""

    def connect() -> Connection:
        with translated(place(parts)):
            connection = Connection.connect(autocommit=True, **parts)
            try:
                connection.execute(_SETTINGS)
            except BaseException:
                connection.close()
                raise
            return connection

    return connect


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Raises a block's errors as `StoreFull` or `StoreUnavailable`."""
    try:
        yield
    except errors.DiskFull as error:
        raise StoreFull(
            f"{where} has no room left to write ({_first_line(error)}). Nothing was written and "
            "reading goes on; make room on its disk, then try again."
        ) from error
    except (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError) as error:
        raise StoreUnavailable(
            f"{where} cannot be used now: {_first_line(error)}. Try again."
        ) from error


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """A transaction that is committed at the end of the block, or else rolled back."""
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # Where this fails the connection is lost, and the server rolls back by itself.
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK")
        raise


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
