"""`plaudit data`: the public caption contests and their files."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from plaudit.cli.output import add_typed_column, console, json_option, print_json

data_option = click.option(
    "--data",
    type=click.Path(path_type=Path),
    help="A folder of contest files, instead of the network. [default: PLAUDIT_DATA]",
)


@click.group("data")
def command() -> None:
    """Find and download the caption contests.

    A contest is named by its number (558), or by its file (512_LilUCB) where a contest has
    several. `synthetic` is built in.
    """


@command.command("list")
@data_option
@json_option
def list_files(data: Path | None, as_json: bool) -> None:
    """List the contests: what is on this machine, and what can be downloaded."""
    from plaudit.datasets import list_contests

    rows = [_row(contest) for contest in _counting(list_contests(data=data))]
    if as_json:
        print_json({"contests": rows})
    else:
        _print(rows)


@command.command("get")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@data_option
@click.option("--source", help="The address of the folder to download from.")
@json_option
def get(names: tuple[str, ...], data: Path | None, source: str | None, as_json: bool) -> None:
    """Download contests that are not here yet; print the paths of their files."""
    from plaudit.datasets import find_contest
    from plaudit.datasets.catalogue import SOURCE
    from plaudit.datasets.past_contests import contest_path

    # All names are checked before anything is downloaded.
    stems = [contest_path(name, data=data).stem for name in names]
    paths = []
    for stem in stems:
        with _bar(stem) as bar:
            found = find_contest(stem, data=data, source=source or SOURCE, progress=bar)
        paths.append(str(found))
        if not as_json:
            click.echo(paths[-1])
    if as_json:
        print_json({"paths": paths})


@command.command("path")
@click.argument("name", required=False)
@data_option
@json_option
def path(name: str | None, data: Path | None, as_json: bool) -> None:
    """Print the folder of the contests, or the file of one that is on this machine."""
    from plaudit.datasets import find_contest
    from plaudit.datasets.past_contests import data_folder

    found = find_contest(name, data=data, download=False) if name else data_folder(data=data)
    if as_json:
        print_json({"path": str(found)})
    else:
        click.echo(str(found))


def _counting(contests: Sequence[Any]) -> Iterable[Any]:
    """The contests one by one; on a terminal, with a progress bar and the time left."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        return contests
    from rich.progress import track

    return track(contests, "counting votes", console=screen, transient=True)


def _row(contest: Any) -> dict[str, Any]:
    from plaudit.datasets.summary_file import count_votes
    from plaudit.errors import PlauditError

    row = {"contest": contest.number, "file": contest.stem, "where": contest.where}
    row |= {"items": None, "votes": None, "fault": None, "path": None}
    if contest.path is not None:
        row["path"] = str(contest.path)
        try:
            row["items"], row["votes"] = count_votes(contest.path)
        except PlauditError as error:
            row["fault"] = str(error)
    return row


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    far = any(row["where"] == "download" for row in rows)
    table = Table(caption="N stands for the number of the contest." if far else None)
    folded = list(_folded(rows))
    add_typed_column(table, "contest", (fields[0] for fields in folded), justify="right")
    table.add_column("file", overflow="fold")
    table.add_column("where", no_wrap=True)
    for name in ("items", "votes"):
        table.add_column(name, justify="right", no_wrap=True)
    for fields in folded:
        table.add_row(*fields)
    console().print(table)
    for row in rows:
        if row["fault"]:
            console(stderr=True).print(f"Note: {row['path']}: {row['fault']}", style="yellow")


def _folded(rows: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """The fields of each row; consecutive contests that are not downloaded share a row."""
    contests = [list(group) for _, group in groupby(rows, key=lambda row: row["contest"])]
    # In a sequence without gaps, number minus position stays the same.
    placed = ((_form(found), found, place) for place, found in enumerate(contests))
    for (form, _), group in groupby(placed, key=lambda part: (part[0], _offset(*part[1:]))):
        run = [found for _, found, _ in group]
        if form is None:
            yield from (_fields(row) for found in run for row in found)
        else:
            first, last = run[0][0]["contest"], run[-1][0]["contest"]
            span = f"{first}" if first == last else f"{first} to {last}"
            yield span, ", ".join(form), "to download", "", ""


def _offset(found: list[dict[str, Any]], place: int) -> int:
    return (found[0]["contest"] or 0) - place


def _form(rows_of_one: list[dict[str, Any]]) -> tuple[str, ...] | None:
    """The file names of a contest, with N for its number; None if one is on this machine."""
    if any(row["where"] != "download" for row in rows_of_one):
        return None
    return tuple(row["file"].replace(str(row["contest"]), "N", 1) for row in rows_of_one)


def _fields(row: dict[str, Any]) -> tuple[str, ...]:
    counts = ("" if row[name] is None else f"{row[name]:,}" for name in ("items", "votes"))
    number = "" if row["contest"] is None else str(row["contest"])
    where = "to download" if row["where"] == "download" else row["where"]
    return number, row["file"], where, *counts


class _Bar:
    """The progress of a download; pooch sets `total` and calls the methods."""

    def __init__(self, shown: Any, task: Any) -> None:
        self.shown, self.task, self.total = shown, task, 0

    def update(self, count: int) -> None:
        # A compressed download comes out longer than its announced length.
        self.shown.update(self.task, total=self.total or None, advance=count)

    def reset(self) -> None:
        self.shown.reset(self.task)

    def close(self) -> None:
        self.shown.stop()


@contextmanager
def _bar(name: str) -> Iterator[_Bar | None]:
    """A progress bar for one download on a terminal; None elsewhere."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
    with Progress(*columns, console=screen, transient=True) as shown:
        yield _Bar(shown, shown.add_task(f"contest {name}", total=None))
