"""`plaudit account`: the accounts of those who run contests, and the links that let them in."""

from typing import Any

import click

from plaudit.cli.database import database_option, opened
from plaudit.cli.output import json_option, say
from plaudit.service.accounts.roles import COMMAND_LINE, ROLES

URL = "http://127.0.0.1:8000"
url_option = click.option(
    "--public-url", default=URL, show_default=True, help="The address of the service."
)


@click.group("account")
def command() -> None:
    """Let people in who run contests, and see to their roles and passwords."""


def accounts_of(store: Any) -> Any:
    """The accounts of a store, to make, change and remove them."""
    from plaudit.service.accounts.accounts import Accounts
    from plaudit.service.accounts.passwords import Passwords

    return Accounts(store, Passwords())


def address(url: str, token: str) -> str:
    """Where a link leads."""
    return f"{url.rstrip('/')}/desk/welcome/{token}"


def _show(link: str, *, as_json: bool) -> None:
    say(link, {"link": link}, as_json=as_json)


@command.command("link")
@database_option
@url_option
@json_option
def link(database: str, public_url: str, as_json: bool) -> None:
    """Print a new first link, for the first account; it works once, for a day."""
    from plaudit.errors import NotAllowed

    with opened(database, create=True) as store:
        token = accounts_of(store).first_link()
    if token is None:
        raise NotAllowed(
            "There are accounts already. `plaudit account invite` lets another one in, and "
            "`plaudit account reset NAME` makes a link to a new password."
        )
    _show(address(public_url, token), as_json=as_json)


@command.command("invite")
@click.option("--role", type=click.Choice(ROLES), required=True, help="What they may do.")
@database_option
@url_option
@json_option
def invite(role: str, database: str, public_url: str, as_json: bool) -> None:
    """Print a link to a new account; it works once, for a week."""
    with opened(database, create=True) as store:
        token = accounts_of(store).invite(COMMAND_LINE, role)
    _show(address(public_url, token), as_json=as_json)


@command.command("reset")
@click.argument("name")
@database_option
@url_option
@json_option
def reset(name: str, database: str, public_url: str, as_json: bool) -> None:
    """Print a link to a new password; it works once, for a day."""
    with opened(database) as store:
        accounts = accounts_of(store)
        token = accounts.reset(COMMAND_LINE, accounts.numbered(name))
    _show(address(public_url, token), as_json=as_json)


@command.command("list")
@database_option
@json_option
def list_accounts(database: str, as_json: bool) -> None:
    """List the accounts with their roles."""
    with opened(database) as store:
        rows = [{"name": one.name, "role": one.role} for one in store.accounts()]
    words = "\n".join(f"{row['name']}: {row['role']}" for row in rows)
    say(words, {"accounts": rows}, as_json=as_json)


@command.command("role")
@click.argument("name")
@click.argument("role", type=click.Choice(ROLES))
@database_option
@json_option
def role(name: str, role: str, database: str, as_json: bool) -> None:
    """Give an account another role; it holds at once."""
    with opened(database) as store:
        accounts = accounts_of(store)
        accounts.set_role(COMMAND_LINE, accounts.numbered(name), role)
    say(f"{name} is now {role}", {"name": name, "role": role}, as_json=as_json)


@command.command("remove")
@click.argument("name")
@database_option
@json_option
def remove(name: str, database: str, as_json: bool) -> None:
    """Take an account away; it is signed out everywhere at once."""
    with opened(database) as store:
        accounts = accounts_of(store)
        accounts.remove(COMMAND_LINE, accounts.numbered(name))
    say(f"{name} has no account any more", {"name": name, "removed": True}, as_json=as_json)
