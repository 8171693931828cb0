"""What verbs on live contests share: the option for the database, and opening it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

DEFAULT = "plaudit.db"

database_option = click.option(
    "--database",
    default=DEFAULT,
    envvar="PLAUDIT_DATABASE",
    show_default=True,
    show_envvar=True,
    metavar="URL",
    help="A file (sqlite:///contest.db, or just its path) or postgresql://user@host/name.",
)


@contextmanager
def opened(database: str, *, create: bool = False) -> Iterator[Any]:
    """The open store; it is closed at the end.

    Only verbs that make something new may make a database for it. One that was made for a verb
    that fails is taken away again.
    """
    require_service()
    from plaudit.errors import UnknownContest, UnknownName
    from plaudit.store import open_store, sqlite_path

    file = sqlite_path(database) if create else None
    is_new = file is not None and not file.exists()
    store = open_store(database, create=create)
    failed = True
    try:
        yield store
        failed = False
    except UnknownContest as error:
        known = [record.name for record in store.contests()]
        raise UnknownName("contest", error.name, known) if known else error from None
    finally:
        store.close()
        if failed and is_new and file is not None:
            for ending in ("", "-wal", "-shm"):
                file.with_name(file.name + ending).unlink(missing_ok=True)


def public_name(database: str) -> str:
    """Where a database is, for people to read: the whole path of a file, no password of a URL."""
    from urllib.parse import urlsplit

    from plaudit.store import sqlite_path

    file = sqlite_path(database)
    if file is not None:
        return str(file.resolve())
    parts = urlsplit(database)
    return f"{parts.hostname or 'this machine'}{parts.path} (PostgreSQL)"


def require_service() -> None:
    """Returns if the packages of the service are installed; `MissingExtra` otherwise."""
    from plaudit.extras import require

    require("service", "Live contests", "argon2", "msgspec", "starlette", "uvicorn", "yaml")
