"""`plaudit compare`: few items that the same raters rated, compared rater by rater."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.output import (
    certified_words,
    console,
    epsilon_option,
    json_option,
    one_line,
    print_json,
    scale_option,
    show_option,
    sure_of,
    tolerance_option,
    top_option,
)

WIDTH_OF_NUMBERS = 48


@click.command("compare")
@click.argument("file", metavar="VOTES", type=click.Path(path_type=Path))
@top_option
@click.option("--delta", type=float, default=0.05, show_default=True, help="Total error allowed.")
@epsilon_option
@tolerance_option
@scale_option
@show_option
@json_option
def command(file: Path, scale: str | None, show: int, as_json: bool, **settings: Any) -> None:
    """Compare the items of a CSV file by the votes of raters who rated several of them.

    VOTES has one vote a row: columns rater, item and value, or rater, item and label with --scale.
    The votes that `plaudit contest export --what votes` writes are read as they are.
    """
    from plaudit.datasets import read_rows
    from plaudit.errors import InvalidInput
    from plaudit.race import PairedRace
    from plaudit.race.paired.settings import MOST_ITEMS
    from plaudit.scale import Scale

    table = read_rows(file, scale=Scale.parse(scale) if scale else None)
    if not 2 <= len(table.items) <= MOST_ITEMS:
        raise InvalidInput(
            f"{file} has {len(table.items):,} items: a comparison of every pair takes 2 to "
            f"{MOST_ITEMS}. Use plaudit rank for more."
        )
    race = PairedRace.from_rows(table.votes, scale=table.scale, **settings)
    answer = answer_of(race, table.items) | {"warnings": list(table.warnings)}
    if as_json:
        print_json(answer)
    else:
        print_answer(answer, file, show)


def answer_of(race: Any, names: Any) -> dict[str, Any]:
    """What a paired race says of items with these names, ready for JSON."""
    verdict, status, means = race.verdict(), race.standings(), race.means
    leaders = list(race.leaders)
    others = sorted(set(range(len(race))) - set(leaders), key=lambda item: -means[item])
    return {
        "certified": verdict.certified,
        "winners": [names[item] for item in leaders],
        "top": verdict.top,
        "delta": verdict.delta,
        "epsilon": verdict.epsilon,
        "smallest_epsilon": max(0.0, round(verdict.gap, 12)),
        "tolerance": verdict.tolerance,
        "withstands": verdict.withstands,
        "items": len(race),
        "raters": race.raters,
        "votes": race.votes,
        "ranking": [
            {"item": names[item], "mean": float(means[item]), "status": str(status[item])}
            for item in [*leaders, *others]
        ],
        "differences": [
            _named(race.difference(leader, other), names) for leader in leaders for other in others
        ],
        "warnings": [],
    }


def _named(difference: Any, names: Any) -> dict[str, Any]:
    found: dict[str, Any] = difference.to_dict()
    return found | {"first": names[difference.first], "second": names[difference.second]}


def print_answer(answer: dict[str, Any], file: Path, show: int, raters: str = "raters") -> None:
    """Prints the differences and the verdict; `raters` is what they are called."""
    from rich.table import Table

    out = console()
    for warning in answer["warnings"]:
        console(stderr=True).print(f"Note: {warning}", style="yellow")
    about = f"{answer['items']:,} items, {answer['raters']:,} {raters}, {answer['votes']:,} votes"
    table = Table(title=f"{file.name}: {about}")
    table.add_column("better by", justify="right", no_wrap=True)
    for name in ("lower", "upper", raters):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("item", no_wrap=True)
    table.add_column("than", no_wrap=True)
    width = max(10, (out.width - WIDTH_OF_NUMBERS) // 2)
    for row in answer["differences"][:show]:
        numbers = (f"{row[name]:.4f}" for name in ("mean", "lower", "upper"))
        items = (one_line(row[name], width) for name in ("first", "second"))
        table.add_row(*numbers, f"{row['raters']:,}", *items)
    if show:
        out.print(table)
    out.print(_sentence(answer, raters))
    out.print(
        f"{sure_of(answer)} of their own, all intervals of the table are right at once, whenever "
        "they are read."
    )


def _sentence(answer: dict[str, Any], raters: str) -> str:
    names = ", ".join(one_line(name, 60) for name in answer["winners"])
    if answer["certified"]:
        return f"{names}. {certified_words(answer)}"
    smallest = f"{answer['smallest_epsilon']:.4f}"
    leads = "leads" if answer["top"] == 1 else "lead"
    return (
        f"{names} {leads}. Not certified within {answer['epsilon']:g}. {sure_of(answer)}, up to "
        f"{smallest}. More {raters} with both would do it, or an epsilon of {smallest}."
    )
