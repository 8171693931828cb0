"""`plaudit contest`: the trail of steps, undo, and settings."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.contest.step import step_options, take
from plaudit.cli.database import database_option, opened
from plaudit.cli.output import add_typed_column, console, json_option, print_json, print_pairs

FIRST_STEPS = 20


@click.command("trail")
@click.argument("name")
@click.option("--since", type=click.IntRange(0), help="Only steps after this epoch.")
@click.option(
    "--limit", type=click.IntRange(1), default=FIRST_STEPS, show_default=True,
    help="How many steps, the latest.",
)  # fmt: skip
@database_option
@json_option
def trail(name: str, since: int | None, limit: int, database: str, as_json: bool) -> None:
    """Show who did what to a contest and when, latest first, and what can be undone."""
    with opened(database) as store:
        from plaudit.service.desk.trail import trail_of, trail_since

        found = trail_of(store, name) if since is None else trail_since(store, name, since)
    steps = found.steps[:limit]
    if as_json:
        shown = [
            step._asdict() | {"what": str(step.what), "fixed": str(step.fixed or "")}
            for step in steps
        ]
        print_json({"name": name, "epoch": found.epoch, "steps": shown})
    else:
        _print_trail(f"{name}: epoch {found.epoch}", steps)


def _print_trail(title: str, steps: list[Any]) -> None:
    from rich.table import Table

    from plaudit.service.archive.export import utc_text

    table = Table(title=title, title_justify="left")
    add_typed_column(table, "step", (str(step.position) for step in steps))
    for column in ("when", "who", "what", "undo"):
        table.add_column(column, overflow="fold")
    for step in steps:
        position = str(step.position) if step.position else ""
        when, undo = utc_text(step.at)[:16].replace("T", " "), str(step.fixed or "can be undone")
        table.add_row(position, when, step.who, str(step.what), undo)
    console().print(table)


@click.command("undo")
@step_options
@click.argument("position", type=int, metavar="STEP")
def undo(name: str, position: int, database: str, as_json: bool, epoch: int | None) -> None:
    """Undo a step by its opposite; `plaudit contest trail` shows their numbers."""
    take(name, database, as_json, lambda desk: desk.undo(name, position, epoch=epoch))


@click.command("settings")
@click.argument("name")
@database_option
@json_option
def settings(name: str, database: str, as_json: bool) -> None:
    """Show the settings in force, by the keys of a contest file."""
    with opened(database) as store:
        from plaudit.service.contest.history import history_of
        from plaudit.service.intake.setting_keys import changeable_keys, keys_of

        history = history_of(store, name)
    keys, may = keys_of(history.settings), changeable_keys(history)
    epoch = history.record.epoch
    if as_json:
        print_json({"name": name, "epoch": epoch, "settings": keys, "changeable": may})
        return
    shown = {key if key in may else f"{key} (fixed)": str(value) for key, value in keys.items()}
    print_pairs(f"{name}: epoch {epoch}", shown)


@click.command("change")
@step_options
@click.argument("given", nargs=-1, metavar="KEY=VALUE...")
@click.option(
    "--file", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A YAML file with keys of a contest file; paths start at its folder.",
)  # fmt: skip
def change(
    name: str,
    given: tuple[str, ...],
    file: Path | None,
    database: str,
    as_json: bool,
    epoch: int | None,
) -> None:
    """Change settings by keys of a contest file, such as title="Which is best?" skip=false.

    KEY= alone puts a setting back to its default. Lists and tables take a file.
    """
    if bool(given) == (file is not None):
        raise click.UsageError("Give either KEY=VALUE or --file.")
    if wrong := [one for one in given if "=" not in one]:
        raise click.UsageError(f"{wrong[0]!r} is not KEY=VALUE: write it like title=Better.")

    def work(desk: Any) -> Any:
        from plaudit.service.intake.setting_keys import change_of_file, change_of_words

        history = desk.history(name)
        if file is None:
            return desk.change(name, change_of_words(history, given), epoch=epoch)
        fields, pictures = change_of_file(history, file)
        return desk.change(name, fields, pictures=pictures, epoch=epoch)

    take(name, database, as_json, work)


COMMANDS = (trail, undo, settings, change)
