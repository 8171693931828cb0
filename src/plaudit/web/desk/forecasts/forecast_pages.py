"""Forecasts at the desk: how many votes and days a contest will take, before it opens."""

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from starlette.datastructures import QueryParams
from starlette.responses import Response

from plaudit.race.algorithms import ALGORITHMS
from plaudit.race.goals import TOP_GOAL
from plaudit.race.settings import DEFAULT_ALGORITHM
from plaudit.scale import MAX_LEVELS
from plaudit.service.accounts.roles import VIEWER
from plaudit.service.contest.proposals import OFF
from plaudit.service.contest.settings import ContestSettings
from plaudit.service.intake.contest_form import FormMistakes, read_form
from plaudit.service.watch.new_contest_forecasts import ForecastInput, Job, NewContestForecasts
from plaudit.simulation.forecast import Choice, Forecast, round_off
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.problem import Problem
from plaudit.words import _, ngettext, number

RATERS_A_DAY, VOTES_A_RATER = 100, 30
MOST_ITEMS = 100_000
# Nobody plans a contest that takes longer than this, or has fewer or more votes.
MOST_DAYS, LEAST_VOTES, MOST_VOTES = 120, 5_000, 300_000
# A tolerance that is a share of the raters is forecast for a crowd of this size.
SOME_RATERS = 1_000


Query = list[tuple[str, str]]


class Coming(NamedTuple):
    """How raters will come: so many a day, so many votes of each, a share of them for a race."""

    raters_a_day: float
    votes_a_rater: int
    share: float

    @property
    def own_votes(self) -> int:
        """The votes of a rater that go to this race."""
        return max(1, round(self.share * self.votes_a_rater))


def forecast_query(form: Mapping[str, str], *, items: int) -> Query:
    """What the address of a forecast says of a form; nothing where the form has mistakes."""
    settings = read_form(form, items=items, is_there=lambda hash: True)
    if isinstance(settings, FormMistakes) or items < 2:
        return []
    return [
        *query_of(settings, items=items),
        ("raters_a_day", form.get("raters_a_day") or str(RATERS_A_DAY)),
        ("votes_a_rater", form.get("votes_a_rater") or str(VOTES_A_RATER)),
    ]


def query_of(settings: ContestSettings, *, items: int) -> Query:
    """What the address of a forecast says of a contest, but not of its raters."""
    return [
        ("items", str(items)),
        ("levels", ",".join(f"{level.value:.15g}" for level in settings.scale)),
        ("delta", f"{settings.delta:.15g}"),
        ("epsilon", f"{settings.epsilon:.15g}"),
        ("top", str(settings.top)),
        ("goal", settings.goal),
        ("tolerance", str(settings.tolerated(SOME_RATERS))),
        *(("algorithm", lane.algorithm) for lane in settings.lanes),
        *(("share", f"{share:.4g}") for share in settings.shares),
        *([("proposals", settings.proposals)] if settings.proposals != OFF else []),
    ]


async def forecast_page(request: DeskRequest) -> Response:
    """The forecast, or its progress."""
    return _view(request, "forecast.html")


async def forecast_part(request: DeskRequest) -> Response:
    """The part of it that changes, for a script that asks again and again."""
    return _view(request, "forecast_part.html")


def _view(request: DeskRequest, template: str) -> Response:
    query = request.http.query_params
    forecasts: NewContestForecasts = request.http.app.state.new_forecasts
    races: list[dict[str, Any]] = []
    for given, coming in _inputs(query):
        # One after another, so that one page never takes more than one place in the queue.
        waits = bool(races) and not races[-1]["job"].done
        job = Job() if waits else forecasts.ask(given, by=request.who.account.number)
        told = forecast_words(job.forecast, coming) if job.forecast is not None else {}
        races.append({"job": job, "given": given, "coming": coming} | told)
    return request.page(
        template, races=races, done_all=races[-1]["job"].done, proposals="proposals" in query
    )


def forecast_words(forecast: Forecast, coming: Coming) -> dict[str, Any]:
    """A forecast as a sentence, with a row for each epsilon and one for each tolerance."""
    return {
        "sentence": _sentence(forecast, coming),
        "arithmetic": _arithmetic(forecast, coming),
        "rows": _rows(forecast, forecast.choices, coming),
        "tolerance_rows": _rows(forecast, forecast.tolerances, coming),
    }


def _rows(forecast: Forecast, choices: tuple[Choice, ...], coming: Coming) -> list[dict[str, Any]]:
    largest = max((one.votes.median or 0.0 for one in choices), default=0.0)
    return [_row(forecast, choice, coming.raters_a_day, largest) for choice in choices]


def _sentence(forecast: Forecast, coming: Coming) -> str:
    votes, limit = forecast.verdict.votes, forecast.verdict.limit
    if votes.median is None:
        return _(
            "It may take more than %(votes)s votes. Ask for fewer winners, or for less close to "
            "the true best: the table shows what each would take.",
            votes=_at_least(limit),
        )
    days = forecast.days(raters_per_day=coming.raters_a_day).median
    facts = {
        "votes": number(round_off(votes.median)),
        "all": number(round_off(votes.median / coming.share)),
        "days": _days(days),
        "raters": f"{coming.raters_a_day:,g}",
        "each": number(coming.votes_a_rater),
    }
    if coming.share >= 1:
        first = _(
            "About %(votes)s votes: %(days)s with %(raters)s raters a day and %(each)s votes "
            "per rater.",
            **facts,
        )
    else:
        first = _(
            "About %(votes)s votes of its own, %(all)s in all: %(days)s with %(raters)s raters a "
            "day and %(each)s votes per rater.",
            **facts,
        )
    if votes.high is None:
        most = _("One contest in ten takes more than %(votes)s.", votes=_at_least(limit))
    else:
        high = number(round_off(votes.high))
        most = _("One contest in ten takes %(votes)s or more.", votes=high)
    raters = _(
        "At least %(raters)s different raters are needed, as nobody sees an item twice.",
        raters=number(round_off(forecast.verdict.raters.median or 0)),
    )
    return f"{first} {most} {raters}"


def _arithmetic(forecast: Forecast, coming: Coming) -> str:
    """How the days follow from the votes, with all numbers; "" where there are no days."""
    votes, raters = forecast.verdict.votes.median, forecast.verdict.raters.median
    if votes is None or raters is None:
        return ""
    own = coming.raters_a_day * coming.own_votes
    by_votes, by_raters = votes / own, raters / coming.raters_a_day
    return _(
        "%(votes)s votes ÷ (%(raters)s raters a day × %(each)s votes of each) = %(by_votes)s days. "
        "%(most)s different raters ÷ %(raters)s a day = %(by_raters)s days. The longer counts.",
        votes=number(votes),
        raters=f"{coming.raters_a_day:,g}",
        each=number(coming.own_votes),
        by_votes=f"{by_votes:.2g}",
        most=number(raters),
        by_raters=f"{by_raters:.2g}",
    )


def _row(forecast: Forecast, choice: Choice, raters_a_day: float, largest: float) -> dict[str, Any]:
    median = choice.votes.median
    days = forecast.days(choice, raters_per_day=raters_a_day).median
    return {
        "epsilon": f"{choice.epsilon:g}",
        "tolerance": number(choice.tolerance),
        "wanted": (choice.epsilon, choice.tolerance) == (forecast.epsilon, forecast.tolerance),
        "votes": _beyond(choice.limit) if median is None else number(round_off(median)),
        "bar": 100 if median is None else round(100 * median / largest, 1) if largest else 0,
        "beyond": median is None,
        "days": "" if days is None else _days(days),
    }


def _beyond(limit: int) -> str:
    return _("more than %(votes)s", votes=_at_least(limit))


def _at_least(limit: int) -> str:
    """Where simulations ended, rounded down.

    >>> _at_least(39_918), _at_least(7)
    ('39,000', '7')
    """
    unit = 10 ** max(0, len(str(limit)) - 2)
    return number(limit // unit * unit)


def _days(days: float | None) -> str:
    whole = max(1, math.ceil(days or 0))
    shown = round_off(whole)
    return ngettext("%(count)s day", "%(count)s days", shown, count=number(shown))


def _inputs(query: QueryParams) -> list[tuple[ForecastInput, Coming]]:
    """The forecasts to make: one for each algorithm, with its share of the votes."""
    if query.get("goal", TOP_GOAL) != TOP_GOAL:
        raise Problem(422, "no_forecast", _(
            "There is no forecast for a contest that looks for all good items: how many votes it "
            "takes depends on how many items are close to the border."
        ))  # fmt: skip
    algorithms = query.getlist("algorithm") or [DEFAULT_ALGORITHM]
    shares = [_value(text) for text in query.getlist("share")] or [1.0] * len(algorithms)
    wrong = len(shares) != len(algorithms) or len(algorithms) > len(ALGORITHMS)
    if wrong or not all(0.0 < share <= 1.0 for share in shares):
        raise Problem(400, "bad_request", "Each algorithm has a share above 0 and at most 1.")
    raters = number_in(query, "raters_a_day", low=1e-3, high=1e9)
    votes = int(number_in(query, "votes_a_rater", low=1, high=1e6))
    comings = [Coming(raters, votes, share) for share in shares]
    return [
        (_input(query, algorithm, coming), coming)
        for algorithm, coming in zip(algorithms, comings, strict=True)
    ]


def levels_in(query: Mapping[str, str]) -> tuple[float, ...]:
    """The values of the answers, as an address has them."""
    levels = tuple(_value(part) for part in query.get("levels", "0,0.5,1").split(","))
    if not (2 <= len(levels) <= MAX_LEVELS and all(0.0 <= level <= 1.0 for level in levels)):
        raise Problem(400, "bad_request", f"levels are 2 to {MAX_LEVELS} values from 0 to 1.")
    return levels


def _input(query: Mapping[str, str], algorithm: str, coming: Coming) -> ForecastInput:
    levels = levels_in(query)
    if algorithm not in ALGORITHMS:
        raise Problem(400, "bad_request", "There is no such algorithm. Ask from the form.")
    items = int(number_in(query, "items", low=2, high=MOST_ITEMS))
    return ForecastInput(
        items=items,
        levels=levels,
        delta=number_in(query, "delta", low=1e-12, high=0.99),
        epsilon=number_in(query, "epsilon", low=0.0, high=1.0),
        top=int(number_in(query, "top", low=1, high=items - 1)),
        algorithm=algorithm,
        votes_per_rater=coming.own_votes,
        tolerance=_tolerance(query),
        max_votes=_most_votes(coming),
    )


def _most_votes(coming: Coming) -> int:
    """How long a simulated contest may be: what comes in some months, so that it takes seconds."""
    in_time = coming.raters_a_day * coming.own_votes * MOST_DAYS
    # In round numbers, so that similar questions have the same answer.
    return round_off(min(MOST_VOTES, max(LEAST_VOTES, in_time)))


def _tolerance(query: Mapping[str, str]) -> int:
    """How many dishonest raters; addresses from before forecasts knew of them say none."""
    if "tolerance" not in query:
        return 0
    return int(number_in(query, "tolerance", low=0, high=MOST_ITEMS))


def number_in(query: Mapping[str, str], name: str, *, low: float, high: float) -> float:
    """A number of an address; a `Problem` if it is none, or out of bounds."""
    value = _value(query.get(name, ""))
    if not low <= value <= high:
        raise Problem(400, "bad_request", f"{name} is a number from {low:g} to {high:g}.")
    return value


def _value(text: str) -> float:
    try:
        return msgspec.json.decode(text.strip(), type=float) if re.search(r"\d", text) else math.nan
    except msgspec.DecodeError:
        return math.nan


ROUTES = [
    desk_route("/desk/forecast", forecast_page, role=VIEWER),
    desk_route("/desk/forecast/part", forecast_part, role=VIEWER, background=True),
]
