"""`plaudit plan`: how many votes and days a contest will need, before it starts."""

from pathlib import Path
from typing import Any

import click

from plaudit.cli.data import data_option
from plaudit.cli.output import bets_option, json_option, print_json, tolerance_option, working
from plaudit.cli.plan.table import print_plan

DEFAULT_ITEMS = 5000


@click.command("plan")
@click.option(
    "--items", type=int, help="How many items. [default: 5000, or those of the past contest]"
)
@click.option(
    "--scale",
    help="binary, a number of levels (3), labels (unfunny,somewhat,funny) or label=value pairs. "
    "[default: three levels, those of the past contest, or 0 and 1 for other shapes]",
)
@click.option("--delta", type=float, default=0.01, show_default=True, help="Total error allowed.")
@click.option("--epsilon", type=float, default=0.05, show_default=True, help="Slack allowed.")
@click.option("--top", type=int, default=1, show_default=True, help="How many items are wanted.")
@tolerance_option
@bets_option
@click.option(
    "--raters-per-day", type=float, default=100, show_default=True, help="How many come a day."
)
@click.option(
    "--votes-per-rater", type=int, default=30, show_default=True, help="Votes of each, about."
)
@click.option(
    "--like",
    default="caption",
    show_default=True,
    help="caption, power:EXPONENT, means:0.5,0.4,..., a past contest (558), or csv:FILE.",
)
@click.option("--algorithm", help="Its name. [default: that of a race]")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same plan.")
@click.option("--races", type=int, default=12, show_default=True, help="Simulated races, at most.")
@click.option(
    "--max-votes", type=int, default=3_000_000, show_default=True, help="Where a race is given up."
)
@data_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder for the curve as chart files and the tables as CSV.",
)
@json_option
def command(
    like: str,
    items: int | None,
    scale: str | None,
    raters_per_day: float,
    algorithm: str | None,
    data: Path | None,
    out: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Simulate a contest to come; print votes and days until a verdict, for several epsilons.

    The exit code is 1 where half of the races had no verdict within --max-votes.
    """
    from plaudit.errors import InvalidInput

    if not 0.0 < raters_per_day < float("inf"):
        raise InvalidInput(f"--raters-per-day must be a number above 0; got {raters_per_day:g}.")
    if out is not None:
        from plaudit.charts.files import require_charts

        require_charts()
    if algorithm is not None:
        options["algorithm"] = algorithm
    with working(_done) as report:
        from plaudit.simulation import plan
        from plaudit.simulation.forecast import TOLERANCES

        shape = shape_of(like, items, scale, data)
        forecast = plan(like=shape, progress=report, tolerances=TOLERANCES, **options)
    if out is not None:
        from plaudit.cli.plan.files import write_plan

        write_plan(forecast, out, raters_per_day)
    if as_json:
        print_json(answer_of(forecast, raters_per_day))
    else:
        print_plan(forecast, raters_per_day)
    if forecast.verdict.votes.median is None:
        click.get_current_context().exit(1)


def shape_of(like: str, items: int | None, scale: str | None, data: Path | None) -> Any:
    """The shape that `--like` names: built in, a past contest, or a contest's file."""
    from plaudit.simulation import parse_shape

    target = None if scale is None else scale_of(scale)
    kind = like.partition(":")[0].casefold()
    if kind in ("caption", "power", "means"):
        count = len(like.split(",")) if items is None and kind == "means" else items
        return parse_shape(like, DEFAULT_ITEMS if count is None else count, scale=target)
    from plaudit.datasets import contest_shape, load_contest, read_votes

    file = Path(like[len("csv:") :]) if kind == "csv" else None
    table = load_contest(like, data=data) if file is None else read_votes(file)
    return contest_shape(table, name=like, items=items, scale=target)


def scale_of(text: str) -> Any:
    """The scale written in short: binary, 3, unfunny,somewhat,funny, or label=value pairs."""
    from plaudit.errors import InvalidInput
    from plaudit.scale import MAX_LEVELS, THUMBS, Scale

    if text.casefold() == "binary":
        return THUMBS
    if "=" in text:
        return Scale.parse(text)
    labels = [label.strip() for label in text.split(",")]
    if text.strip().isdigit():
        labels = [f"level {number + 1}" for number in range(min(int(text), MAX_LEVELS + 1))]
    if not 2 <= len(labels) <= MAX_LEVELS:
        raise InvalidInput(
            f"--scale {text!r} is not a scale of 2 to {MAX_LEVELS} levels: write binary, 3, "
            "unfunny,somewhat,funny or Unfunny=0,Funny=1."
        )
    return Scale(tuple(labels), tuple(k / (len(labels) - 1) for k in range(len(labels))))


def answer_of(forecast: Any, raters_per_day: float) -> dict[str, Any]:
    """The forecast as plain values, with days."""
    from dataclasses import asdict

    answer: dict[str, Any] = forecast.to_dict() | {"raters_per_day": raters_per_day}
    for name in ("choices", "tolerances"):
        for choice, row in zip(getattr(forecast, name), answer[name], strict=True):
            row["days"] = asdict(forecast.days(choice, raters_per_day=raters_per_day))
    answer["verdict"]["days"] = asdict(forecast.days(raters_per_day=raters_per_day))
    return answer


def _done(share: float) -> tuple[str, float]:
    return "simulating races", share
