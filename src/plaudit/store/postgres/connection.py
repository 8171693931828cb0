"""Connections to PostgreSQL with time limits, and its errors turned into those of the store."""

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
# Normally the server ends a slow statement. A dead or frozen server does not, so the client stops
# waiting a little later.
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
# Every statement finds its rows by an index, and most read them in its order. An outdated guess of
# the planner must not make it read or sort a whole log. A commit waits until it is on disk,
# whatever the server's default is.
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
    """A connection that closes if the server does not answer in time."""

    def wait(self, gen: Generator[Any, Any, R], *args: Any, **options: Any) -> R:
        """The generator's result; an `OperationalError` if it takes too long."""
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
    """The parts of a PostgreSQL URL, with our time limits unless it sets its own."""
    try:
        return {**_NETWORK, **conninfo.conninfo_to_dict(url)}
    except psycopg.ProgrammingError as error:
        raise InvalidInput(
            f"The PostgreSQL URL cannot be read: {str(error).strip()}. Write it as "
            "postgresql://user@host:5432/database."
        ) from None


def place(parts: dict[str, Any]) -> str:
    """The database as error messages name it, without user or password."""
    host = parts.get("host") or "the local host"
    return f"The PostgreSQL database {parts.get('dbname') or '(default)'} at {host}"


def connector(parts: dict[str, Any]) -> Callable[[], Connection]:
    """A function that opens a connection."""

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
    """Raises PostgreSQL's errors in a block as `StoreFull` or `StoreUnavailable`."""
    try:
        yield
    except errors.DiskFull as error:
        raise StoreFull(
            f"{where} has no room left to write ({_first_line(error)}). Nothing was written, and "
            "reading still works. Make room on its disk, then try again."
        ) from error
    except (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError) as error:
        raise StoreUnavailable(
            f"{where} cannot be used now: {_first_line(error)}. Try again."
        ) from error


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """A transaction that commits when the block ends, or rolls back if it raises."""
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # If this fails, the connection is lost and the server rolls back by itself.
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK")
        raise


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
