"""`plaudit contest`: the items of a contest, added, withdrawn, brought back, edited, merged."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.contest.step import step_options, take


class ItemType(click.ParamType[int]):
    """An item by its id, such as i8. A bare number is a position from 0, as before; it is told."""

    name = "item"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The position of the item in the log."""
        from plaudit.phrase import item_id, position_of

        try:
            position = position_of(value)
        except ValueError:
            self.fail(f"{value!r} is not the id of an item, such as i8.", param, ctx)
        if not str(value).lower().startswith("i"):
            told = f"note: {value} is read as a position from 0, which is item {item_id(position)}."
            click.echo(f"{told} Pages show ids: write {item_id(position)}.", err=True)
        return position


ITEM = ItemType()
_items = click.argument("items", nargs=-1, required=True, type=ITEM, metavar="ITEM...")


@click.command("add-items")
@step_options
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def add_items(name: str, file: Path, database: str, as_json: bool, epoch: int | None) -> None:
    """Add the items of a TXT or CSV file to a contest, also while it runs."""

    def work(desk: Any) -> Any:
        from plaudit.service.intake.contest_file import read_items

        items, pictures, notes = read_items(file)
        for note in notes:
            click.echo(f"note: {note}", err=True)
        return desk.add_items(name, items, pictures=pictures.values(), epoch=epoch)

    take(name, database, as_json, work)


@click.command("withdraw")
@step_options
@_items
def withdraw(
    name: str, items: tuple[int, ...], database: str, as_json: bool, epoch: int | None
) -> None:
    """Take items out of a contest, by their ids, such as i8."""
    take(name, database, as_json, lambda desk: desk.withdraw(name, items, epoch=epoch))


@click.command("bring-back")
@step_options
@_items
def bring_back(
    name: str, items: tuple[int, ...], database: str, as_json: bool, epoch: int | None
) -> None:
    """Let withdrawn items come back, with their votes."""
    take(name, database, as_json, lambda desk: desk.restore(name, items, epoch=epoch))


@click.command("merge")
@step_options
@_items
@click.option("--text", help="What the one item says.  [default: as the first of them]")
def merge(
    name: str,
    items: tuple[int, ...],
    text: str | None,
    database: str,
    as_json: bool,
    epoch: int | None,
) -> None:
    """Put one item in the place of several that say the same; their votes pool."""
    if len({*items}) < 2:
        raise click.UsageError("Name at least two items by their ids, such as i3 i12.")
    take(
        name, database, as_json,
        lambda desk: desk.replace(name, items, text, keep_votes=True, epoch=epoch),
    )  # fmt: skip


@click.command("edit")
@step_options
@click.argument("item", type=ITEM)
@click.option("--text", required=True, help="What the item says from now on.")
@click.option(
    "--votes", type=click.Choice(("keep", "anew")), required=True,
    help="Keep the votes, for a typo fix, or start without votes.",
)  # fmt: skip
def edit(
    name: str,
    item: int,
    text: str,
    votes: str,
    database: str,
    as_json: bool,
    epoch: int | None,
) -> None:
    """Put a new text in an item's place; what was voted on stays in the log."""
    keep = votes == "keep"
    take(
        name, database, as_json,
        lambda desk: desk.replace(name, [item], text, keep_votes=keep, epoch=epoch),
    )  # fmt: skip


COMMANDS = (add_items, withdraw, bring_back, merge, edit)
