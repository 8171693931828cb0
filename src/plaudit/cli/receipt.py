"""`plaudit receipt`: check that an answer is in the log, unchanged, and whether it counts."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from plaudit.cli.database import require_service
from plaudit.cli.output import json_option, print_json

if TYPE_CHECKING:
    from plaudit.witness.receipts import Checked

NOT_THERE = 1


@click.group("receipt")
def command() -> None:
    """Check what a rater was given for an answer."""


@command.command("check")
@click.argument("receipts", nargs=-1, required=True, metavar="RECEIPT...")
@click.option("--url", help="The address of the service.")
@click.option("--export", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="The export of the contest, in place of the service.")  # fmt: skip
@click.option("--key", metavar="KEY",
              help="The public key, or a file with keys. [default: as listed there]")  # fmt: skip
@json_option
def check(receipts: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Check each RECEIPT, or each line of a file with receipts, with the service or an export.

    The exit code is 1 if one of them is not in the log as it was signed, and 2 if one is no
    receipt of this service.
    """
    require_service()
    from plaudit.errors import InvalidInput

    if (given["url"] is None) == (given["export"] is None):
        raise InvalidInput("Give either --url or --export: where to look for the answer.")
    texts = [text for one in receipts for text in _texts(one)]
    found = _at_service(texts, given) if given["url"] else _in_export(texts, given)
    if as_json:
        print_json({"receipts": [_plain(one) for one in found]})
    else:
        for one in found:
            click.echo(words(one))
    if not all(one.there for one in found):
        click.get_current_context().exit(NOT_THERE)


def _texts(given: str) -> list[str]:
    """The receipts that an argument stands for: itself, or the lines of a file."""
    file = Path(given)
    if ":" in given and not file.exists():
        return [given]
    from plaudit.errors import InvalidInput

    if not file.is_file():
        raise InvalidInput(f"{given[:80]!r} is neither a receipt nor a file with receipts.")
    lines = file.read_text("utf-8", errors="replace").splitlines()
    return [line.strip() for line in lines if line.strip()]


def _at_service(texts: list[str], given: dict[str, Any]) -> "list[Checked]":
    from plaudit.cli.public_keys import given_keys
    from plaudit.witness.receipts import check_at
    from plaudit.witness.remote import Remote

    remote = Remote(given["url"])
    try:
        keys = given_keys(given["key"]) if given["key"] else remote.keys()
        return [check_at(remote, text, keys) for text in texts]
    finally:
        remote.close()


def _in_export(texts: list[str], given: dict[str, Any]) -> "list[Checked]":
    from plaudit.cli.public_keys import given_keys
    from plaudit.service.archive.receipts import check_in_export

    keys = given_keys(given["key"]) if given["key"] else None
    with given["export"].open("rb") as lines:
        return check_in_export(lines, texts, keys)


def words(found: "Checked") -> str:
    """What came of a receipt, in a sentence."""
    place = f"{found.receipt.position:,}"
    if not found.there:
        return f"NOT IN THE LOG at place {place}. {found.why}"
    if found.counts:
        return (
            f"Your vote is in the log at place {place}, unchanged, and counts. {found.why}".strip()
        )
    return f"Your answer is in the log at place {place}, unchanged. {found.why}"


def _plain(found: "Checked") -> dict[str, Any]:
    return {
        "contest": found.receipt.contest,
        "position": found.receipt.position,
        "there": found.there,
        "counts": found.counts,
        "why": found.why,
        "size": None if found.checkpoint is None else found.checkpoint.size,
    }
