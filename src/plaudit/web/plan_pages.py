"""Forecasts at the desk: how many votes and days a contest will take, before it opens."""

import math
import re
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from plaudit.race.algorithms import ALGORITHMS
from plaudit.race.goals import TOP_GOAL
from plaudit.scale import MAX_LEVELS
from plaudit.service.contest import ContestSettings
from plaudit.service.contest_form import FormMistakes, read_form
from plaudit.service.plans import Plans, Wish
from plaudit.service.roles import VIEWER
from plaudit.simulation.forecast import Choice, Forecast, round_off
from plaudit.web.errand import Errand, desk_route
from plaudit.web.problem import Problem

RATERS_A_DAY, VOTES_A_RATER = 100, 30
MOST_ITEMS = 100_000


def forecast_query(form: Mapping[str, str], *, items: int) -> dict[str, str]:
    """What the address of a forecast says of a form; {} where the form has mistakes."""
    settings = read_form(form, items=items, is_there=lambda hash: True)
    if isinstance(settings, FormMistakes) or items < 2:
        return {}
    return query_of(settings, items=items) | {
        "raters_a_day": form.get("raters_a_day") or str(RATERS_A_DAY),
        "votes_a_rater": form.get("votes_a_rater") or str(VOTES_A_RATER),
    }


def query_of(settings: ContestSettings, *, items: int) -> dict[str, str]:
    """What the address of a forecast says of a contest."""
    return {
        "items": str(items),
        "levels": ",".join(f"{level.value:.15g}" for level in settings.scale),
        "delta": f"{settings.delta:.15g}",
        "epsilon": f"{settings.epsilon:.15g}",
        "top": str(settings.top),
        "goal": settings.goal,
        "algorithm": settings.lanes[0].algorithm,
        "raters_a_day": str(RATERS_A_DAY),
        "votes_a_rater": str(settings.votes_per_visit or VOTES_A_RATER),
    }


async def forecast_page(errand: Errand) -> Response:
    """The forecast, or how far it is; `part` asks for the part that changes alone."""
    query = errand.request.query_params
    wish = _wish(query)
    raters = _number(query, "raters_a_day", low=1e-3, high=1e9)
    plans: Plans = errand.request.app.state.plans
    job = plans.ask(wish)
    shown: dict[str, Any] = {"job": job, "wish": wish, "raters_a_day": raters}
    if job.forecast is not None:
        shown |= forecast_words(job.forecast, raters)
    template = "forecast_part.html" if "part" in query else "forecast.html"
    return errand.page(template, **shown)


def forecast_words(forecast: Forecast, raters_a_day: float) -> dict[str, Any]:
    """A forecast as a sentence, and a row for each epsilon."""
    largest = max((one.votes.median or 0.0 for one in forecast.choices), default=0.0)
    rows = [_row(forecast, choice, raters_a_day, largest) for choice in forecast.choices]
    return {"sentence": _sentence(forecast, raters_a_day), "rows": rows}


def _sentence(forecast: Forecast, raters_a_day: float) -> str:
    votes, limit = forecast.verdict.votes, forecast.verdict.limit
    if votes.median is None:
        return (
            f"It may take {_beyond(limit)} votes. Ask for fewer winners, or let a "
            "larger epsilon be close enough: the table shows what each would take."
        )
    days = forecast.days(raters_per_day=raters_a_day).median
    most = _beyond(limit) if votes.high is None else f"{round_off(votes.high):,} or more"
    return (
        f"About {round_off(votes.median):,} votes: {_days(days)} with {raters_a_day:,g} raters a "
        f"day and {forecast.votes_per_rater:,} votes of each. One contest in ten takes {most}. At "
        f"least {round_off(forecast.verdict.raters.median or 0):,} different raters are needed, as "
        "nobody sees an item twice."
    )


def _row(forecast: Forecast, choice: Choice, raters_a_day: float, largest: float) -> dict[str, Any]:
    median = choice.votes.median
    days = forecast.days(choice, raters_per_day=raters_a_day).median
    return {
        "epsilon": f"{choice.epsilon:g}",
        "wanted": choice.epsilon == forecast.epsilon,
        "votes": _beyond(choice.limit) if median is None else f"{round_off(median):,}",
        "bar": 100 if median is None else round(100 * median / largest, 1) if largest else 0,
        "beyond": median is None,
        "days": "" if days is None else _days(days),
    }


def _beyond(limit: int) -> str:
    """Where simulations ended, and never more than that.

    >>> _beyond(39_918), _beyond(7)
    ('more than 39,000', 'more than 7')
    """
    unit = 10 ** max(0, len(str(limit)) - 2)
    return f"more than {limit // unit * unit:,}"


def _days(days: float | None) -> str:
    whole = max(1, math.ceil(days or 0))
    return "1 day" if whole == 1 else f"{round_off(whole):,} days"


def _wish(query: Mapping[str, str]) -> Wish:
    if query.get("goal", TOP_GOAL) != TOP_GOAL:
        raise Problem(
            422, "no_forecast", "There is no forecast for a contest that looks for all good items: "
            "how many votes it takes depends on how many items are close to the border."
        )  # fmt: skip
    levels = tuple(_value(part) for part in query.get("levels", "0,0.5,1").split(","))
    if not (2 <= len(levels) <= MAX_LEVELS and all(0.0 <= level <= 1.0 for level in levels)):
        raise Problem(400, "bad_request", f"levels are 2 to {MAX_LEVELS} values from 0 to 1.")
    algorithm = query.get("algorithm", "plaudit")
    if algorithm not in ALGORITHMS:
        raise Problem(400, "bad_request", "There is no such algorithm. Ask from the form.")
    items = int(_number(query, "items", low=2, high=MOST_ITEMS))
    return Wish(
        items=items,
        levels=levels,
        delta=_number(query, "delta", low=1e-12, high=0.99),
        epsilon=_number(query, "epsilon", low=0.0, high=1.0),
        top=int(_number(query, "top", low=1, high=items - 1)),
        algorithm=algorithm,
        votes_per_rater=int(_number(query, "votes_a_rater", low=1, high=1e6)),
    )


def _number(query: Mapping[str, str], name: str, *, low: float, high: float) -> float:
    value = _value(query.get(name, ""))
    if not low <= value <= high:
        raise Problem(400, "bad_request", f"{name} is a number from {low:g} to {high:g}.")
    return value


def _value(text: str) -> float:
    try:
        return msgspec.json.decode(text.strip(), type=float) if re.search(r"\d", text) else math.nan
    except msgspec.DecodeError:
        return math.nan


ROUTES = [desk_route("/desk/forecast", forecast_page, role=VIEWER)]
