"""`plaudit contest notices`: where notices about a contest go, and what was sent."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.contest.door import url_option
from plaudit.cli.database import database_option, opened
from plaudit.cli.notices import private_option
from plaudit.cli.output import json_option, say
from plaudit.cli.secret import known_secret, secret_option

# As plaudit.service.notices.kinds has them; a verb is loaded without the service.
KINDS = ("verdict", "opened", "closed", "flagged", "proposed", "suspicious", "stuck")


@click.group("notices")
def group() -> None:
    """Say where notices about a contest go, and look at what was sent."""


@group.command("add")
@click.argument("name")
@click.argument("address")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="What to send; give several. [default: all]",
)
@url_option
@private_option
@secret_option
@database_option
@json_option
def add(name: str, address: str, kinds: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Send notices to an ADDRESS from now on: a webhook's (https://…), or a mail address.

    The secret that signs what a webhook gets is printed this once. A test is sent at once.
    """
    with opened(given["database"]) as store:
        from plaudit.service.accounts.roles import COMMAND_LINE

        way = "webhook" if "://" in address else "mail"
        book = _book(store, **given)
        added = book.add(name, way, address, kinds or KINDS, by=COMMAND_LINE)
    made = added.destination
    words = f"{name} sends notices to {address} (destination {made.number})"
    words += f"\nIts secret, shown this once: {added.secret}" if added.secret else ""
    answer = {"name": name, "number": made.number, "way": way, "address": address}
    say(words, answer | {"kinds": list(made.kinds), "secret": added.secret}, as_json=as_json)


@group.command("list")
@click.argument("name")
@database_option
@json_option
def show(name: str, database: str, as_json: bool) -> None:
    """List where notices go."""
    with opened(database) as store:
        found = store.destinations(name)
    rows = [
        {"number": one.number, "way": one.way, "address": one.address, "kinds": list(one.kinds)}
        for one in found
    ]
    lines = [f"{row['number']:>5}  {row['address']}  {', '.join(row['kinds'])}" for row in rows]
    words = "\n".join(lines) or f"Notices about {name} go nowhere."
    say(words, {"name": name, "destinations": rows}, as_json=as_json)


@group.command("remove")
@click.argument("name")
@click.argument("number", type=click.IntRange(1))
@database_option
@json_option
def remove(name: str, number: int, database: str, as_json: bool) -> None:
    """Send nothing to the destination NUMBER any more."""
    with opened(database) as store:
        from plaudit.service.accounts.roles import COMMAND_LINE

        _plain_book(store).remove(name, number, by=COMMAND_LINE)
    words = f"{name} sends no notices to destination {number} any more"
    say(words, {"name": name, "number": number}, as_json=as_json)


@group.command("sent")
@click.argument("name")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1), help="How many.")
@database_option
@json_option
def sent(name: str, limit: int, database: str, as_json: bool) -> None:
    """List the latest notices, and what came of them."""
    with opened(database) as store:
        found = store.deliveries(name, limit=limit)
    rows = [one._asdict() for one in found]
    lines = [
        f"{one.number:>5}  {one.kind:<10} to {one.destination:<4} {one.state:<8} "
        f"{one.tries} tries  {one.outcome}"
        for one in found
    ]
    say(
        "\n".join(lines) or f"No notices about {name} yet.",
        {"name": name, "deliveries": rows},
        as_json=as_json,
    )


@group.command("again")
@click.argument("name")
@click.argument("number", type=click.IntRange(1))
@database_option
@json_option
def again(name: str, number: int, database: str, as_json: bool) -> None:
    """Send the notice NUMBER once more, under the same id; `notices sent` lists them."""
    with opened(database) as store:
        from plaudit.service.accounts.roles import COMMAND_LINE

        _plain_book(store).send_again(name, number, by=COMMAND_LINE)
    words = f"{name} sends its notice {number} again"
    say(words, {"name": name, "number": number}, as_json=as_json)


def _book(
    store: Any, *, database: str, secret_file: Path | None, url: str, private_webhooks: bool
) -> Any:
    from plaudit.service.accounts.secret import Secret
    from plaudit.service.notices.address_book import AddressBook
    from plaudit.service.notices.settings import NoticeSettings

    secret = Secret(known_secret(database, secret_file).encode())
    settings = NoticeSettings(private=private_webhooks)
    address = url.rstrip("/")
    return AddressBook(store, secret, settings, public_url=address, knows_mail=False)


def _plain_book(store: Any) -> Any:
    """An address book that makes no secrets, and so needs none."""
    from plaudit.service.accounts.secret import Secret
    from plaudit.service.notices.address_book import AddressBook
    from plaudit.service.notices.settings import NoticeSettings

    return AddressBook(store, Secret(bytes(32)), NoticeSettings(), public_url="")


COMMANDS: tuple[click.Command, ...] = (group,)
