"""The store: keeps contests with their logs of votes, the people who run them, and pictures.

`contract`, `log`, `people` and `proofs` say what a store promises, and `checks` what it refuses.
The rest of Plaudit uses only these five and `open_store`. Behind them, `sqlite` and `postgres` are
the two engines, `sql` is what they share, `migrations` holds their schemas, and `suite` has the
promises as tests for any engine.

The store knows nothing of HTTP, of settings or of how votes are counted: settings, states, payloads
and snapshots are texts or bytes that it keeps as they are.
"""

from pathlib import Path

from plaudit.errors import InvalidInput, MissingExtra
from plaudit.store.contract import Store

__all__ = ["Store", "open_store", "sqlite_path"]

_FORMS = (
    "Name a file (votes.db, or sqlite:///votes.db; four slashes for a path from the root) or a "
    "PostgreSQL database (postgresql://user@host/database)"
)


def open_store(url: str) -> Store:
    """Opens the store at a URL or path. Creates the SQLite file if there is none."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return _open_file(url)
    if scheme == "sqlite":
        return _open_file(rest.removeprefix("/"))
    if scheme in ("postgresql", "postgres"):
        return _open_postgres(url)
    raise InvalidInput(f"There is no kind of store {scheme!r}. {_FORMS}.")


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite store, or None if the URL names another engine."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme != "sqlite":
        return None
    return Path(rest.removeprefix("/") if separator else url).expanduser()


def _open_file(name: str) -> Store:
    from plaudit.store.sql.store import SqlStore
    from plaudit.store.sqlite.database import SqliteDatabase

    path = Path(name).expanduser()
    if not name or "\0" in name:
        raise InvalidInput(f"{name!r} names no file. {_FORMS}.")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder. Name a file in it, such as {path / 'votes.db'}.")
    if not path.parent.is_dir():
        raise InvalidInput(
            f"There is no folder {path.parent} for the store {path.name}. Create it, or choose "
            f"another. {_FORMS}."
        )
    return SqlStore(SqliteDatabase(path))


def _open_postgres(url: str) -> Store:
    from plaudit.store.sql.store import SqlStore

    # psycopg is part of an extra, and a store in a file works without it.
    try:
        from plaudit.store.postgres.database import PostgresDatabase
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("psycopg"):
            raise
        raise MissingExtra("Stores in PostgreSQL", "service") from None
    return SqlStore(PostgresDatabase(url))
