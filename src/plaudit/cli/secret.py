"""Where verbs find the secret of the service: an option, the environment, or a file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

SECRET = "PLAUDIT_SECRET"

secret_option = click.option(
    "--secret-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"A file with the secret, or set {SECRET}. [default: the file beside the database]",
)


def given_secret(path: Path | None) -> str:
    """The secret in the named file, or in the environment; "" if there is none."""
    from plaudit.errors import InvalidInput
    from plaudit.service.accounts.secret import Secret, read_secret_text

    if path is not None and not path.is_file():
        raise InvalidInput(f"There is no secret in {path}. `openssl rand -hex 32` makes one.")
    given = os.environ.get(SECRET, "").strip() if path is None else read_secret_text(path)
    if given or path is not None:
        Secret(given.encode())
    return given


def secret_beside(database: str) -> Path | None:
    """The file of the secret beside a SQLite database; None for other databases."""
    from plaudit.store import sqlite_path

    file = sqlite_path(database)
    return None if file is None else file.with_name(file.name + ".secret")


def known_secret(database: str, path: Path | None) -> str:
    """The secret of the service with this database; an error if it cannot be found."""
    from plaudit.errors import InvalidInput
    from plaudit.service.accounts.secret import Secret, read_secret_text

    if given := given_secret(path):
        return given
    beside = secret_beside(database)
    if beside is None or not beside.is_file():
        raise InvalidInput(
            "This needs the secret of the service, and there is none beside the database: set "
            f"{SECRET} or give --secret-file, as for `plaudit serve`."
        )
    text = read_secret_text(beside)
    Secret(text.encode())
    return text


@contextmanager
def secret_for_start(database: str, given: str) -> Iterator[str]:
    """The given secret, or the one beside the database, which is made if there is none.

    If the block fails, a secret that was made for it is taken away again.
    """
    from plaudit.service.accounts.secret import Secret, read_secret_text

    beside = secret_beside(database)
    if given or beside is None:
        yield given
        return
    known = os.path.lexists(beside)
    text = read_secret_text(beside)
    try:
        Secret(text.encode())
        yield text
    except BaseException:
        if not known:
            beside.unlink(missing_ok=True)
        raise
