"""`plaudit contest`: create and run live contests. Each step is an event in the contest's log."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.contest import door, files, items, notices, proposals, raters, trail
from plaudit.cli.contest.step import step_options, take
from plaudit.cli.database import database_option, opened, require_service
from plaudit.cli.output import add_typed_column, console, json_option, print_json, print_pairs
from plaudit.cli.secret import signs_in


@click.group("contest")
def command() -> None:
    """Create, run, moderate and export live contests.

    A running service follows what is done here at once.
    """


@command.command("create")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--open", "opened_at_once", is_flag=True, help="Open it at once.")
@click.option("--check", is_flag=True, help="Only read the file and report mistakes.")
@database_option
@json_option
def create(file: Path, opened_at_once: bool, check: bool, database: str, as_json: bool) -> None:
    """Create a contest from its file; every mistake is named with its line."""
    require_service()
    from plaudit.service.intake.contest_file import read_contest_file

    draft = read_contest_file(file)
    answer = {"name": draft.name, "title": draft.settings.title, "items": len(draft.items)}
    if not check:
        with opened(database, create=True) as store:
            from plaudit.service.desk.desk import Desk

            record = Desk(store, signs_in=signs_in()).create_draft(draft, opened=opened_at_once)
        answer["state"] = record.state
    if as_json:
        print_json(answer | {"notes": draft.notes})
        return
    for note in draft.notes:
        click.echo(f"note: {note}", err=True)
    print_pairs("would be created" if check else "created", {k: str(v) for k, v in answer.items()})


@command.command("list")
@database_option
@json_option
def list_contests(database: str, as_json: bool) -> None:
    """List all contests with their states, without deleted drafts."""
    with opened(database) as store:
        from plaudit.service.contest.replay import load_state

        known = [record for record in store.contests() if record.state != "deleted"]
        rows = [_row(record, load_state(store, record.name)) for record in known]
    if as_json:
        print_json({"contests": rows})
    else:
        _print_contests(rows)


def _row(record: Any, contest: Any) -> dict[str, Any]:
    from plaudit.service.contest.changes import current_settings

    return {
        "name": record.name,
        "state": record.state,
        "title": current_settings(record.settings, contest.changes).title,
        "items": contest.items - len(contest.withdrawn),
        "votes": int(contest.counts.sum()),
        "raters": contest.raters,
        "verdicts": len(contest.verdicts),
    }


def _print_contests(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    if not rows:
        click.echo("There are no contests yet: `plaudit contest create contest.yaml` makes one.")
        return
    table = Table()
    add_typed_column(table, "name", (row["name"] for row in rows))
    for column in [*rows[0]][1:]:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    console().print(table)


def _add_step(step: str, words: str) -> None:
    @command.command(step, help=words)
    @step_options
    def run(name: str, database: str, as_json: bool, epoch: int | None) -> None:
        take(name, database, as_json, lambda desk: desk.step(name, step, epoch=epoch))


for _step, _words in {
    "open": "Let raters vote.",
    "pause": "Take no votes for a while.",
    "close": "Take no more votes.",
    "reopen": "Let raters vote again after closing.",
    "retire": "Put a closed contest away; it can only be read from then on.",
    "unretire": "Bring a retired contest back; it is closed then.",
    "delete": "Delete a draft: it is in no list any more.",
    "undelete": "Bring a deleted draft back.",
}.items():
    _add_step(_step, _words)

for _module in (items, proposals, raters, door, notices, trail, files):
    for _command in _module.COMMANDS:
        command.add_command(_command)
