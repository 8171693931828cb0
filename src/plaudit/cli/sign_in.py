"""Where `plaudit serve` finds the provider that people sign in with: options or environment."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

ISSUER, SECRET = "PLAUDIT_SIGN_IN_ISSUER", "PLAUDIT_SIGN_IN_SECRET"
_OPTIONS = (
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
        help=f"A file with the client secret, or set {SECRET}.",
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
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def signs_in() -> bool:
    """Whether the environment says that the service is connected to a provider."""
    return bool(os.environ.get(ISSUER))


def given_provider(options: dict[str, Any]) -> Any:
    """The provider that the options and the environment name; None if they name none."""
    from plaudit.errors import InvalidInput
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
    _require_library()
    host = urlsplit(issuer).hostname if "://" in issuer else ""
    return check_provider(
        ProviderSettings(
            issuer=issuer,
            client=options["sign_in_client"] or "",
            secret=_client_secret(options["sign_in_secret_file"]),
            name=" ".join((options["sign_in_name"] or host or "").split()),
        )
    )


def _client_secret(path: Path | None) -> str:
    from plaudit.errors import InvalidInput

    if path is None:
        return os.environ.get(SECRET, "").strip()
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise InvalidInput(f"Cannot read the client secret in {path} ({reason}).") from None


def _require_library() -> None:
    from plaudit.errors import MissingExtra

    try:
        import authlib.oidc.core  # noqa: F401
    except ImportError:
        raise MissingExtra("Sign-ins through a provider", "oidc") from None
