"""A plan for people: a table of choices, a curve in text, and a sentence."""

import math
from typing import Any

from plaudit.cli.output import console
from plaudit.simulation.forecast import round_off

ROWS, BAR = 10, 40


def print_plan(forecast: Any, raters_per_day: float) -> None:
    """Prints the whole answer."""
    from rich.table import Table

    out = console()
    best = "the best item" if forecast.top == 1 else f"the best {forecast.top} items"
    title = f"{best} of {forecast.items:,} (like {forecast.like}), {forecast.algorithm}"
    table = Table(title=title, title_justify="left")
    for name in ("epsilon", "votes", "80 % of races", "raters", "days"):
        table.add_column(name, justify="right", no_wrap=True)
    for choice in forecast.choices:
        days = forecast.days(choice, raters_per_day=raters_per_day)
        style = "bold" if choice.epsilon == forecast.epsilon else ""
        table.add_row(*row_of(choice, days), style=style)
    out.print(table)
    if forecast.tolerances:
        out.print(_tolerance_table(forecast, raters_per_day))
    for line in curve_lines(forecast):
        out.print(line)
    out.print()
    out.print(sentence_of(forecast, raters_per_day))


def _tolerance_table(forecast: Any, raters_per_day: float) -> Any:
    """What it costs to withstand dishonest raters."""
    from rich.table import Table

    title = f"right even if so many raters are dishonest, epsilon {forecast.epsilon:g}"
    table = Table(title=title, title_justify="left")
    for name in ("dishonest", "votes", "80 % of races", "raters", "days"):
        table.add_column(name, justify="right", no_wrap=True)
    for choice in forecast.tolerances:
        days = forecast.days(choice, raters_per_day=raters_per_day)
        style = "bold" if choice.tolerance == forecast.tolerance else ""
        table.add_row(f"{choice.tolerance:,}", *row_of(choice, days)[1:], style=style)
    return table


def row_of(choice: Any, days: Any) -> tuple[str, ...]:
    """The fields of one epsilon; if it was not reached, after how many votes it was given up."""
    votes = choice.votes
    return (
        f"{choice.epsilon:g}",
        f"{round_off(votes.median):,}" if votes.median is not None else f"> {choice.limit:,}",
        f"{_or_more(votes.low, choice.limit)} – {_or_more(votes.high, choice.limit)}",
        f"{round_off(choice.raters.median):,}" if choice.raters.median is not None else "",
        f"{_whole(days.median):,}" if days.median is not None else "",
    )


def curve_lines(forecast: Any) -> list[str]:
    """The smallest certified epsilon after each number of votes, as bars: median and 90 % point."""
    points = list(forecast.curve)
    step = max(1, math.ceil(len(points) / ROWS))
    shown = points[::step] if (len(points) - 1) % step == 0 else [*points[::step], points[-1]]
    largest = max((point.epsilon.high for point in shown), default=1.0) or 1.0
    lines = ["", "epsilon certified after so many votes (█ median, ░ nine races in ten)"]
    for point in shown:
        middle = round(BAR * point.epsilon.median / largest)
        rest = round(BAR * point.epsilon.high / largest) - middle
        lines.append(f"{point.votes:>11,}  {point.epsilon.median:<7.3g} {'█' * middle}{'░' * rest}")
    return lines


def sentence_of(forecast: Any, raters_per_day: float) -> str:
    """The answer in plain words."""
    verdict = forecast.verdict
    sure = f"{100 * (1 - forecast.delta):.6g} % confidence, epsilon {forecast.epsilon:g}"
    if verdict.votes.median is None:
        reached = "" if verdict.votes.low is None else " in most simulated races"
        return (
            f"Not within {verdict.limit:,} votes{reached} ({sure}; {forecast.races} races). A "
            "larger --epsilon ends sooner: see the table. Or raise --max-votes."
        )
    days = forecast.days(raters_per_day=raters_per_day)
    votes = round_off(verdict.votes.median)
    each = f"{raters_per_day:g} raters a day with {forecast.votes_per_rater} votes each"
    end = f"in one race of ten it takes {_or_more(verdict.votes.high, verdict.limit)} votes or more"
    raters = round_off(verdict.raters.median)
    return (
        f"About {votes:,} votes: {_days(days.median)} at {each} ({sure}); {end}. It needs at "
        f"least {raters:,} different raters, as nobody sees an item twice. From {forecast.races} "
        f"simulated races: {forecast.note}."
    )


def _days(days: float) -> str:
    return "1 day" if _whole(days) == 1 else f"{_whole(days):,} days"


def _whole(days: float) -> int:
    """Days, rounded up."""
    return round_off(max(1, math.ceil(days)))


def _or_more(votes: float | None, limit: int) -> str:
    return f"> {limit:,}" if votes is None else f"{round_off(votes):,}"
