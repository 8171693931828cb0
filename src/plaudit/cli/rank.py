"""`plaudit rank`: what votes that already exist certify."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.output import (
    bets_option,
    certified_words,
    console,
    epsilon_option,
    even_if,
    json_option,
    one_line,
    print_json,
    print_shortlists,
    scale_option,
    show_option,
    sure_of,
    tolerance_option,
    top_option,
)

WIDTH_OF_NUMBERS = 58
SAYING = {"in": "in the top", "out": "out", "open": "open"}


@click.command("rank")
@click.argument("files", metavar="FILE...", nargs=-1, required=True,
                type=click.Path(path_type=Path))  # fmt: skip
@top_option
@click.option("--goal", default="top", show_default=True, help="top, or all-good.")
@click.option("--delta", type=float, default=0.05, show_default=True, help="Total error allowed.")
@epsilon_option
@tolerance_option
@bets_option
@click.option("--bound", default="betting", show_default=True, help="The bound's name.")
@click.option("-N", "N", type=int, default=8, show_default=True, help="A power of two.")
@scale_option
@click.option("--shortlists", is_flag=True, help="The smallest epsilon for each k as well.")
@show_option
@json_option
def command(
    files: tuple[Path, ...],
    top: int,
    goal: str,
    delta: float,
    epsilon: float,
    tolerance: int,
    bets: Any,
    bound: str,
    N: int,
    scale: str | None,
    shortlists: bool,
    show: int,
    as_json: bool,
) -> None:
    """Rank the items of a CSV file; say what is certified, what is not, and how far off.

    FILE is a caption-contest summary, or one vote a row: columns item and value, or item
    and label with --scale. The votes of several files are added: give the exports of contests with
    the same items, whose raters were divided.
    """
    from plaudit.datasets import read_votes
    from plaudit.datasets.adding import added
    from plaudit.errors import InvalidInput
    from plaudit.race import Race
    from plaudit.scale import Scale

    levels = Scale.parse(scale) if scale else None
    table = added([read_votes(file, scale=levels) for file in files])
    named = files[0].name if len(files) == 1 else f"{len(files)} files"
    if len(table.items) < 2:
        what = f"{files[0]} has" if len(files) == 1 else f"The {named} have"
        raise InvalidInput(f"{what} only one item: a ranking needs at least two.")
    settings: dict[str, Any] = {
        "delta": delta,
        "top": top,
        "goal": goal,
        "epsilon": epsilon,
        "tolerance": tolerance,
        "bets": bets,
        "bound": bound,
        "N": N,
    }
    if table.levels is not None and table.scale is not None:
        settings |= {"levels": table.levels, "scale": table.scale}
    race = Race.from_votes(table.votes, table.totals, **settings)
    answer = _answer(race, table, show=None if as_json else show)
    lists = race.shortlists() if shortlists else None
    if as_json:
        print_json(answer | ({"shortlists": lists.to_dict()} if lists else {}))
    else:
        _print(answer, named)
        if lists:
            print_shortlists(lists, table.items)


def _answer(race: Any, table: Any, *, show: int | None) -> dict[str, Any]:
    verdict, intervals = race.verdict(), race.intervals()
    status = race.standings()
    order = _order(race, intervals)
    rows = [
        {
            "rank": rank,
            "item": int(item),
            "caption": table.items[item],
            "mean": float(intervals.means[item]),
            "lower": float(intervals.lower[item]),
            "upper": float(intervals.upper[item]),
            "votes": int(intervals.votes[item]),
            "status": str(status[item]),
        }
        for rank, item in enumerate(order[:show], start=1)
    ]
    counts = {name: int((status == name).sum()) for name in SAYING}
    return {
        "certified": verdict.certified,
        "goal": verdict.goal,
        "top": verdict.top,
        "delta": verdict.delta,
        "epsilon": verdict.epsilon,
        "smallest_epsilon": _smallest(verdict),
        "tolerance": verdict.tolerance,
        "withstands": verdict.withstands,
        "items": len(table.items),
        "votes": verdict.votes,
        "status_counts": counts,
        "ranking": rows,
        "warnings": list(table.warnings),
    }


def _smallest(verdict: Any) -> float | None:
    return max(0.0, round(verdict.gap, 12)) if verdict.goal == "top" else None


def _order(race: Any, intervals: Any) -> Any:
    """Best mean first, the leading set ahead of its ties; items without votes last."""
    import numpy as np

    means = np.nan_to_num(intervals.means, nan=-1.0)
    outside = np.ones(len(means), dtype=bool)
    outside[list(race.leaders)] = False
    return np.lexsort((np.arange(len(means)), outside, -means))


def _print(answer: dict[str, Any], named: str) -> None:
    from rich.table import Table

    out = console()
    for warning in answer["warnings"]:
        console(stderr=True).print(f"Note: {warning}", style="yellow")
    table = Table(title=f"{named}: {answer['items']:,} items, {answer['votes']:,} votes")
    for name in ("#", "mean", "lower", "upper", "votes"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("item", no_wrap=True)
    width = max(20, out.width - WIDTH_OF_NUMBERS)
    for row in answer["ranking"]:
        ends = (f"{row[name]:.4f}" for name in ("mean", "lower", "upper"))
        saying = row["status"] if answer["goal"] == "all-good" else SAYING[row["status"]]
        fields = (f"{row['votes']:,}", saying, one_line(row["caption"], width))
        table.add_row(str(row["rank"]), *ends, *fields)
    if answer["ranking"]:
        out.print(table)
    out.print(_sentence(answer))


def _sentence(answer: dict[str, Any]) -> str:
    top, epsilon, counts = answer["top"], answer["epsilon"], answer["status_counts"]
    sure = sure_of(answer)
    if answer["goal"] == "all-good":
        return _sentence_on_all_good(answer, sure)
    if answer["certified"]:
        return certified_words(answer)
    best = f"first {top} are" if top > 1 else "first is"
    smallest = f"{answer['smallest_epsilon']:.4f}"
    return (
        f"Not certified within {epsilon:g}. {sure}, the {best} the best up to {smallest}; "
        f"{counts['in']:,} certainly in the top {top}, {counts['open']:,} open, "
        f"{counts['out']:,} out. More votes would do it, or an epsilon of {smallest}."
    )


def _sentence_on_all_good(answer: dict[str, Any], sure: str) -> str:
    top, epsilon, counts = answer["top"], answer["epsilon"], answer["status_counts"]
    if not answer["certified"]:
        return (
            f"Not certified within {epsilon:g}. {sure}, {counts['in']:,} certainly in, "
            f"{counts['open']:,} open, {counts['out']:,} out. More votes would do it."
        )
    if top == 1:
        return (
            f"Certified. {sure}, the first is the best, and no other is within {epsilon:g} of "
            f"it{even_if(answer['withstands'])}."
        )
    return (
        f"Certified. {sure}, every item within {epsilon:g} of the best is among the first {top}, "
        f"and none of these is more than {2 * epsilon:g} below it{even_if(answer['withstands'])}."
    )
