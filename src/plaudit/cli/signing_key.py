"""`plaudit signing-key`: the keys with which a service signs."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.database import database_option, opened
from plaudit.cli.output import json_option, say
from plaudit.cli.secret import known_secret, secret_option


@click.group("signing-key")
def command() -> None:
    """List the public keys of a service, or make a new one."""


@command.command("list")
@database_option
@json_option
def list_keys(database: str, as_json: bool) -> None:
    """List the public keys, the current one first: outsiders check signatures with them."""
    from plaudit.service.notary.keys import listed_keys

    with opened(database) as store:
        _show(listed_keys(store.signing_keys()), as_json=as_json)


@command.command("rotate")
@secret_option
@database_option
@json_option
def rotate(secret_file: Path | None, database: str, as_json: bool) -> None:
    """Make a new key; the one before is retired, and stays listed. Running services follow."""
    with opened(database) as store:
        from plaudit.service.accounts.secret import Secret
        from plaudit.service.notary.keys import rotate_keys

        secret = Secret(known_secret(database, secret_file).encode())
        _show(rotate_keys(store, secret).listed, as_json=as_json)


def _show(listed: list[Any], *, as_json: bool) -> None:
    from plaudit.service.notary.keys import keys_text

    rows = [
        {"vkey": one.key.vkey, "made_at": one.made_at, "retired_at": one.retired_at}
        for one in listed
    ]
    words = keys_text(listed).rstrip() or "There is no key yet: a service makes one when it starts."
    say(words, {"keys": rows}, as_json=as_json)
