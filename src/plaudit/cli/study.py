"""`plaudit study`: list, run and bind the studies of the paper's claims and of our own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from plaudit.cli.data import data_option
from plaudit.cli.output import console, json_option, print_json, print_pairs

DEFAULT_OUT = "plaudit-studies"

out_option = click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=DEFAULT_OUT,
    show_default=True,
    help="The folder for all studies; each gets a folder of its own there.",
)


@click.group("study")
def command() -> None:
    """Repeat the paper's tables, figures and claims, and measure our own."""


@command.command("list")
@json_option
def list_studies(as_json: bool) -> None:
    """List the studies by name."""
    from plaudit.studies import TITLES

    if as_json:
        print_json(dict(TITLES))
    else:
        print_pairs("studies: plaudit study run NAME", TITLES)


@command.command("run")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@out_option
@click.option("--repetitions", type=int, help="Races, or walks, of each kind.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same results.")
@click.option("--quick", is_flag=True, help="A small version, to see that it works.")
@data_option
@click.option("--contest", "contests", multiple=True, help="For `contests`: which; repeatable.")
@click.option("--threads", type=int, help="How many threads; all cores unless told.")
@click.option("--cluster", help="Run on Dask: `local`, or a scheduler's tcp:// address.")
@click.option("--fresh", is_flag=True, help="Do not go on from an earlier run: start over.")
def run(
    names: tuple[str, ...],
    out: Path,
    threads: int | None,
    cluster: str | None,
    fresh: bool,
    **options: Any,
) -> None:
    """Run studies by name, `paper` or `all`; finished parts of an earlier run are kept.

    Ctrl-C keeps what is finished: the same command goes on from there.
    """
    from plaudit.simulation.executors import open_executor
    from plaudit.studies import GROUPS
    from plaudit.studies.engine import run_study
    from plaudit.studies.study import Options, load_study

    asked = Options(**options)
    studies = [load_study(one) for name in names for one in GROUPS.get(name, (name,))]
    with open_executor(cluster, threads=threads) as executor:
        for study in studies:
            with _stoppable(study.name, out), _bar(study.name) as report:
                findings = run_study(
                    study, asked, out=out, executor=executor, fresh=fresh, progress=report
                )
            _print_claims(study, findings, out)


@command.command("report")
@out_option
def report(out: Path) -> None:
    """Bind all finished studies into one offline HTML page."""
    from plaudit.studies.report import write_report

    click.echo(str(write_report(out)))


def _print_claims(study: Any, findings: Any, out: Path) -> None:
    from rich.table import Table

    table = Table(title=study.title, title_justify="left", show_lines=True)
    for heading in (study.claims_heading, "measured", ""):
        table.add_column(heading)
    for claim in findings.claims:
        table.add_row(claim.paper, claim.measured, claim.agreement)
    console().print(table)
    click.echo(f"{out / study.name}")


@contextmanager
def _stoppable(name: str, out: Path) -> Iterator[None]:
    """On Ctrl-C, says what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(
            f"plaudit: stopped. What was finished is kept in {out / name}; the same command "
            "goes on from there.",
            err=True,
        )
        raise SystemExit(130) from None


@contextmanager
def _bar(name: str) -> Iterator[Callable[[float, float], None]]:
    """A progress bar with the time left, on a terminal."""
    screen = console(stderr=True)
    if not screen.is_terminal:
        yield lambda done, total: None
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    left = (TimeRemainingColumn(elapsed_when_finished=True),)
    with Progress(*columns, *left, console=screen, transient=True) as bar:
        task = bar.add_task(f"{name}: getting ready", total=None)

        def report(done: float, total: float) -> None:
            words = f"{name}: concluding" if done >= total else name
            bar.update(task, description=words, total=total, completed=done)

        yield report
