"""`plaudit contest`: the door of a contest. Codes, the list of ids, the key that signs links."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.contest.step import step_options, take
from plaudit.cli.database import database_option, opened
from plaudit.cli.output import json_option, say
from plaudit.cli.secret import known_secret, secret_option

_codes = click.argument("codes", nargs=-1, required=True, metavar="CODE...")
url_option = click.option(
    "--url",
    default="http://127.0.0.1:8000",
    show_default=True,
    help="Where raters reach the service, for the links.",
)


@click.group("codes")
def codes_group() -> None:
    """Make, show and revoke the codes that let people vote."""


@codes_group.command("make")
@step_options
@click.argument("count", type=click.IntRange(1))
def make_codes(name: str, count: int, database: str, as_json: bool, epoch: int | None) -> None:
    """Make so many codes more; `codes show` prints them."""
    take(name, database, as_json, lambda desk: desk.make_codes(name, count, epoch=epoch))


@codes_group.command("show")
@click.argument("name")
@click.option("--first", type=click.IntRange(1), default=1, show_default=True, help="From here on.")
@click.option("--last", type=click.IntRange(1), help="Up to here.  [default: all]")
@url_option
@secret_option
@database_option
@json_option
def show_codes(
    name: str,
    first: int,
    last: int | None,
    url: str,
    secret_file: Path | None,
    database: str,
    as_json: bool,
) -> None:
    """Print the codes as CSV: number, code, link and state (used, unused or revoked)."""
    with opened(database) as store:
        from plaudit.service.door.code_book import as_csv, link_of

        book = code_book(store, name, database, secret_file)
        address = f"{url.rstrip('/')}/c/{name}"
        found = list(book.codes(first, last))
        rows = [
            {"number": code.number, "code": code.text, "link": link_of(address, code),
             "state": code.state, "used": code.is_used}
            for code in found
        ]  # fmt: skip
        words = "".join(as_csv(found, address)).rstrip("\n")
        say(words, {"name": name} | book.counts._asdict() | {"codes": rows}, as_json=as_json)


def _changes_codes(verb: str, method: str, words: str) -> click.Command:
    @codes_group.command(verb, help=words)
    @step_options
    @_codes
    @secret_option
    def run(
        name: str,
        codes: tuple[str, ...],
        secret_file: Path | None,
        database: str,
        as_json: bool,
        epoch: int | None,
    ) -> None:
        def work(desk: Any) -> Any:
            numbers = _numbers(desk, name, codes, database, secret_file)
            return getattr(desk, method)(name, numbers, epoch=epoch)

        take(name, database, as_json, work)

    return run


_changes_codes(
    "revoke", "revoke_codes",
    "Let codes, by number or text, get nobody in any more. Votes that were given with them stay; "
    "`plaudit contest exclude-rater NAME --code CODE` takes them out too.",
)  # fmt: skip
_changes_codes("reinstate", "reinstate_codes", "Let revoked codes work again.")


def _numbers(
    desk: Any, name: str, codes: tuple[str, ...], database: str, path: Path | None
) -> list[int]:
    """The numbers of codes; only codes given as text need the secret of the service."""
    if all(code.isascii() and code.isdigit() for code in codes):
        return [int(code) for code in codes]
    with opened(database) as store:
        numbers: list[int] = code_book(store, name, database, path).numbers_of(codes)
        return numbers


def code_book(store: Any, name: str, database: str, path: Path | None) -> Any:
    """The codes of a contest with their states; this needs the secret of the service."""
    from plaudit.service.contest.history import history_of
    from plaudit.service.door.code_book import CodeBook

    guests = history_of(store, name).contest
    return CodeBook(store, name, doorkeeper(name, database, path), guests)


def doorkeeper(name: str, database: str, path: Path | None) -> Any:
    """The doorkeeper of a contest; this needs the secret of the service."""
    from plaudit.service.accounts.secret import Secret
    from plaudit.service.door.doorkeeper import Doorkeeper

    return Doorkeeper(Secret(known_secret(database, path).encode()), name)


@click.group("guests")
def guests_group() -> None:
    """Change the list of ids that may vote; only keyed hashes of them are kept."""


def _changes_list(verb: str, argument: str, words: str) -> None:
    @guests_group.command(verb, help=words)
    @step_options
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    @secret_option
    def run(
        name: str,
        file: Path,
        secret_file: Path | None,
        database: str,
        as_json: bool,
        epoch: int | None,
    ) -> None:
        def work(desk: Any) -> Any:
            from plaudit.service.door.guest_list import read_ids

            door = doorkeeper(name, database, secret_file)
            hashes = door.guest_list.hashes(read_ids(_text_of(file)))
            return desk.change_list(name, **{argument: hashes}, epoch=epoch)

        take(name, database, as_json, work)


def _text_of(file: Path) -> str:
    from plaudit.errors import InvalidInput

    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8. Save it as UTF-8, one id a line.") from None


_changes_list(
    "add", "added", "Let the ids in a TXT file (one a line) or a CSV file (first column) vote."
)
_changes_list("remove", "removed", "Take the ids in a file off the list.")


@click.group("link-key")
def link_key_group() -> None:
    """Show or change the key with which your site signs its links to a contest."""


@link_key_group.command("show")
@click.argument("name")
@secret_option
@database_option
@json_option
def show_link_key(name: str, secret_file: Path | None, database: str, as_json: bool) -> None:
    """Print the key. Whoever has it can let anybody in."""
    with opened(database) as store:
        from plaudit.service.contest.history import history_of

        number = history_of(store, name).contest.link_key
        key = doorkeeper(name, database, secret_file).link_keys.key(number)
    say(key, {"name": name, "number": number, "key": key}, as_json=as_json)


@link_key_group.command("change")
@step_options
def change_link_key(name: str, database: str, as_json: bool, epoch: int | None) -> None:
    """Give the contest another key; links that the old one signed let nobody in any more."""
    take(name, database, as_json, lambda desk: desk.change_link_key(name, epoch=epoch))


@click.command("door")
@click.argument("name")
@database_option
@json_option
def show_door(name: str, database: str, as_json: bool) -> None:
    """Show who came in by which door, and what was turned away."""
    with opened(database) as store:
        from plaudit.service.contest.history import history_of
        from plaudit.service.door.figures import REASONS, WAYS, door_figures

        door = history_of(store, name).settings.door
        figures = door_figures(store, name)
    answer = {
        "name": name,
        "door": door,
        "raters": {way.word: count for way, count in figures.raters.items()},
        "turned_away": [one._asdict() for one in figures.turned_away],
    }
    came = [f"{count:>9,} raters by {WAYS[way]}" for way, count in figures.raters.items()]
    refused = [
        f"{one.times:>9,} turned away on {one.date}: {REASONS.get(one.reason, one.reason)}"
        for one in figures.turned_away
    ]
    say("\n".join([f"The door of {name}: {door}", *came, *refused]), answer, as_json=as_json)


COMMANDS: tuple[click.Command, ...] = (
    codes_group,
    guests_group,
    link_key_group,
    show_door,
)
