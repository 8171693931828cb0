"""`plaudit key`: API keys and what each may do."""

import click

from plaudit.cli.database import database_option, opened
from plaudit.cli.output import json_option, say
from plaudit.service.accounts.api_keys import SCOPES, new_key, note_key, revoke_key
from plaudit.service.accounts.roles import COMMAND_LINE
from plaudit.service.deeds import did


@click.group("key")
def command() -> None:
    """Make, list and take back API keys."""


@command.command("create")
@click.argument("name")
@click.option(
    "--scope", "scopes", type=click.Choice(SCOPES), multiple=True, required=True,
    help="What it may do; give several if need be.",
)  # fmt: skip
@database_option
@json_option
def create(name: str, scopes: tuple[str, ...], database: str, as_json: bool) -> None:
    """Make a key; it is shown once, and only its hash is kept."""
    with opened(database, create=True) as store:
        text = new_key(store, name, scopes)
        note_key(store, COMMAND_LINE, did("made-key", name=name, scopes=", ".join(scopes)))
    say(text, {"name": name, "key": text, "scopes": list(scopes)}, as_json=as_json)


@command.command("list")
@database_option
@json_option
def list_keys(database: str, as_json: bool) -> None:
    """List the keys by name; their text is not kept anywhere."""
    with opened(database) as store:
        rows = [{"name": key.name, "scopes": list(key.scopes)} for key in list(store.keys())]
    words = "\n".join(f"{row['name']}: {', '.join(row['scopes'])}" for row in rows)
    say(words, {"keys": rows}, as_json=as_json)


@command.command("drop")
@click.argument("name")
@database_option
@json_option
def drop(name: str, database: str, as_json: bool) -> None:
    """Take a key back; services forget it within seconds."""
    with opened(database) as store:
        revoke_key(store, COMMAND_LINE, name)
    say(f"{name} is no longer a key", {"name": name, "dropped": True}, as_json=as_json)
