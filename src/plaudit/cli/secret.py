"""Where verbs find the secret of the service, and the provider that people sign in with.

Options, the environment, or files.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

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


def read_secret(what: str, path: Path | None, variable: str) -> str:
    """What the named file says, or the environment where no file is named."""
    from plaudit.errors import InvalidInput

    if path is None:
        return os.environ.get(variable, "").strip()
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise InvalidInput(f"Cannot read the {what} in {path} ({reason}).") from None


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


# The provider

ISSUER, CLIENT_SECRET = "PLAUDIT_SIGN_IN_ISSUER", "PLAUDIT_SIGN_IN_SECRET"
_SIGN_IN_OPTIONS = (
    click.option(
        "--sign-in-issuer",
        envvar=ISSUER,
        show_envvar=True,
        metavar="URL",
        help="A provider of OpenID Connect that people sign in with.",
    ),
    click.option(
        "--sign-in-client",
        envvar="PLAUDIT_SIGN_IN_CLIENT",
        show_envvar=True,
        metavar="ID",
        help="The client id that the provider gave you for this service.",
    ),
    click.option(
        "--sign-in-secret-file",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"A file with the client secret, or set {CLIENT_SECRET}.",
    ),
    click.option(
        "--sign-in-name",
        envvar="PLAUDIT_SIGN_IN_NAME",
        show_envvar=True,
        metavar="NAME",
        help="What buttons call the provider. [default: its host]",
    ),
)


def sign_in_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options about the provider, for a command."""
    for option in reversed(_SIGN_IN_OPTIONS):
        command = option(command)
    return command


def signs_in() -> bool:
    """Whether the environment says that the service is connected to a provider."""
    return bool(os.environ.get(ISSUER))


def given_provider(options: dict[str, Any]) -> Any:
    """The provider that the options and the environment name; None if they name none."""
    from plaudit.errors import InvalidInput
    from plaudit.extras import require
    from plaudit.service.door.openid.settings import ProviderSettings, check_provider

    issuer = options["sign_in_issuer"] or ""
    named = [name for name in ("client", "secret_file", "name") if options[f"sign_in_{name}"]]
    if not issuer:
        if named:
            given = " and ".join(f"--sign-in-{name.replace('_', '-')}" for name in named)
            raise InvalidInput(
                f"{given} say nothing without a provider: give --sign-in-issuer as well."
            )
        return None
    require("oidc", "Sign-ins through a provider", "authlib")
    host = urlsplit(issuer).hostname if "://" in issuer else ""
    return check_provider(
        ProviderSettings(
            issuer=issuer,
            client=options["sign_in_client"] or "",
            secret=read_secret("client secret", options["sign_in_secret_file"], CLIENT_SECRET),
            name=" ".join((options["sign_in_name"] or host or "").split()),
        )
    )
