"""The store: keeps contests with their logs of votes, the people who run them, and pictures.

`contract`, `log`, `people`, `proofs`, `doors` and `notices` say what a store promises, and `checks`
what it refuses. The rest of Plaudit uses only these and `open_store`. Behind them, `sqlite` and
`postgres` are the two engines, `sql` is what they share, `migrations` holds their schemas, and
`suite` has the promises as tests for any engine.

The store knows nothing of HTTP, of settings or of how votes are counted: settings, states, payloads
and snapshots are texts or bytes that it keeps as they are.
"""

from pathlib import Path

from plaudit.errors import InvalidInput, MissingExtra
from plaudit.store.contract import Store

__all__ = ["Store", "check_name", "open_store", "sqlite_path"]

_FORMS = (
    "Name a file (votes.db, or sqlite:///votes.db; four slashes for a path from the root) or a "
    "PostgreSQL database (postgresql://user@host/database)"
)


def open_store(url: str, *, create: bool = True) -> Store:
    """Opens the store at a URL or path.

    If there is none, the SQLite file or the tables of PostgreSQL are made; `InvalidInput` instead
    if `create` is false.
    """
    check_name(url)
    path = sqlite_path(url)
    return _open_postgres(url, create) if path is None else _open_file(path, create)


def check_name(url: str) -> None:
    """Returns if there may be a store with this URL or path; `InvalidInput` otherwise."""
    scheme, separator, _ = url.partition("://")
    if separator and scheme not in ("sqlite", "postgresql", "postgres"):
        raise InvalidInput(f"There is no kind of store {scheme!r}. {_FORMS}.")
    path = sqlite_path(url)
    if path is None:
        return
    if str(path) == "." or "\0" in url:
        raise InvalidInput(f"{url!r} names no file. {_FORMS}.")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder. Name a file in it, such as {path / 'votes.db'}.")
    if not path.parent.is_dir():
        raise InvalidInput(
            f"There is no folder {path.parent} for the store {path.name}. Create it, or choose "
            f"another. {_FORMS}."
        )


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite store, or None if the URL names another engine."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme != "sqlite":
        return None
    return Path(rest.removeprefix("/") if separator else url).expanduser()


def _open_file(path: Path, create: bool) -> Store:
    from plaudit.store.sql.store import SqlStore
    from plaudit.store.sqlite.database import SqliteDatabase

    return SqlStore(SqliteDatabase(path, create=create))


def _open_postgres(url: str, create: bool) -> Store:
    from plaudit.store.sql.store import SqlStore

    # psycopg is part of an extra, and a store in a file works without it.
    try:
        from plaudit.store.postgres.database import PostgresDatabase
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("psycopg"):
            raise
        raise MissingExtra("Stores in PostgreSQL", "service") from None
    return SqlStore(PostgresDatabase(url, create=create))
