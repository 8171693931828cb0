"""The vote log: what a store promises, and the engines that keep it."""

from pathlib import Path

from plaudit.errors import InvalidInput, MissingExtra
from plaudit.store.contract import Store

__all__ = ["Store", "open_store", "sqlite_path"]

_FORMS = (
    "Name a file (votes.db, or sqlite:///votes.db; four slashes for a path from the root) or a "
    "PostgreSQL database (postgresql://user@host/database)"
)


def open_store(url: str) -> Store:
    """The store at a URL or path; a SQLite file is made if there is none."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return _open_file(url)
    if scheme == "sqlite":
        return _open_file(rest.removeprefix("/"))
    if scheme in ("postgresql", "postgres"):
        return _open_postgres(url)
    raise InvalidInput(f"There is no kind of store {scheme!r}. {_FORMS}.")


def sqlite_path(url: str) -> Path | None:
    """The file of a SQLite store; None where the URL names another engine."""
    scheme, separator, rest = url.partition("://")
    if separator and scheme != "sqlite":
        return None
    return Path(rest.removeprefix("/") if separator else url).expanduser()


def _open_file(name: str) -> Store:
    from plaudit.store.sqlite import SqliteStore

    path = Path(name).expanduser()
    if not name or "\0" in name:
        raise InvalidInput(f"{name!r} names no file. {_FORMS}.")
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder. Name a file in it, such as {path / 'votes.db'}.")
    if not path.parent.is_dir():
        raise InvalidInput(
            f"There is no folder {path.parent} for the store {path.name}. Make it, or choose "
            f"another. {_FORMS}."
        )
    return SqliteStore(path)


def _open_postgres(url: str) -> Store:
    try:
        from plaudit.store.postgres import PostgresStore
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("psycopg"):
            raise
        raise MissingExtra("Stores in PostgreSQL", "service") from None
    return PostgresStore(url)
