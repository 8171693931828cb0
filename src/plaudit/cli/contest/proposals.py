"""`plaudit contest`: what raters proposed, taken into the contest or refused."""

from typing import Any

import click

from plaudit.cli.contest.step import step_options, take
from plaudit.cli.database import database_option, opened
from plaudit.cli.output import add_typed_column, console, json_option, print_json

REASONS = ("duplicate", "off-topic", "offensive", "unclear", "other")
_numbers = click.argument(
    "proposals", nargs=-1, required=True, type=click.IntRange(1), metavar="PROPOSAL..."
)


@click.command("proposals")
@click.argument("name")
@click.option("--all", "everything", is_flag=True, help="Also those that were decided.")
@database_option
@json_option
def proposals(name: str, everything: bool, database: str, as_json: bool) -> None:
    """List what raters proposed and nobody has decided, with items that are near."""
    with opened(database) as store:
        from plaudit.service.desk.desk import Desk
        from plaudit.service.proposals.proposing import Proposing
        from plaudit.service.proposals.queue import queue_of

        desk = Desk(store)
        found = queue_of(store, Proposing(store, desk), desk.history(name), waiting=not everything)
        rows = [_row(one) for one in found]
    if as_json:
        print_json({"name": name, "proposals": rows})
    elif rows:
        _print(rows)
    else:
        click.echo("No proposal waits." if not everything else "Nobody has proposed anything.")


def _row(one: Any) -> dict[str, Any]:
    from plaudit.phrase import item_id

    return {
        "proposal": one.position,
        "standing": one.standing,
        "rater": one.rater,
        "excluded": one.excluded,
        "text": one.text,
        "item": item_id(one.item) if one.item >= 0 else None,
        "reason": one.reason or None,
        "near": [item_id(near.item) for near in one.near],
    }


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table()
    add_typed_column(table, "proposal", (str(row["proposal"]) for row in rows))
    for column in ("standing", "rater", "text", "item", "near"):
        table.add_column(column, overflow="fold")
    for row in rows:
        rater = f"{row['rater']}{' (excluded)' if row['excluded'] else ''}"
        cells = (row["standing"], rater, row["text"], row["item"] or "")
        table.add_row(str(row["proposal"]), *cells, " ".join(row["near"]))
    console().print(table)


@click.command("take-proposals")
@step_options
@_numbers
@click.option("--text", help="What the item says instead; for one proposal only.")
def take_proposals(
    name: str,
    proposals: tuple[int, ...],
    text: str | None,
    database: str,
    as_json: bool,
    epoch: int | None,
) -> None:
    """Let proposals join a contest as items, by their numbers."""
    if text is not None and len({*proposals}) != 1:
        raise click.UsageError("--text is for one proposal: name only that one.")
    texts = dict.fromkeys(proposals, text)
    take(name, database, as_json, lambda desk: desk.take_proposals(name, texts, epoch=epoch))


@click.command("refuse-proposals")
@step_options
@_numbers
@click.option("--reason", type=click.Choice(REASONS), default="other", show_default=True)
@click.option("--note", default="", help="A sentence for those who proposed them.")
def refuse_proposals(
    name: str,
    proposals: tuple[int, ...],
    reason: str,
    note: str,
    database: str,
    as_json: bool,
    epoch: int | None,
) -> None:
    """Refuse proposals, by their numbers; those who sent them read why."""
    take(
        name, database, as_json,
        lambda desk: desk.refuse_proposals(name, proposals, reason, note, epoch=epoch),
    )  # fmt: skip


COMMANDS = (proposals, take_proposals, refuse_proposals)
