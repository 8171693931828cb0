"""What is within reach of a crowd: people say how many vote, how long each has, how many win.

The answer is a list of promises that such a crowd can keep. Whoever chooses one fills in the goal
of the form.
"""

from typing import Any

from starlette.responses import Response

from plaudit.service.accounts.roles import VIEWER
from plaudit.service.watch.new_contest_forecasts import NewContestForecasts
from plaudit.service.watch.within_reach import (
    LOOSE,
    MOST_VOTES,
    SECONDS_A_VOTE,
    SMALL,
    Reach,
    ReachInput,
    WithinReach,
    votes_in,
)
from plaudit.web.desk.forecasts.forecast_pages import MOST_ITEMS, levels_in, number_in
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.words import _, ngettext, number

MOST_PEOPLE = 1_000_000


async def reach_part(request: DeskRequest) -> Response:
    """What is within reach, or how far its simulations are."""
    query = request.http.query_params
    items = int(number_in(query, "items", low=2, high=MOST_ITEMS))
    minutes = number_in(query, "minutes", low=0.1, high=1e4)
    given = ReachInput(
        items=items,
        levels=levels_in(query),
        people=int(number_in(query, "people", low=1, high=MOST_PEOPLE)),
        votes_each=votes_in(minutes, items),
        top=int(number_in(query, "top", low=1, high=items - 1)),
    )
    forecasts: NewContestForecasts = request.http.app.state.new_forecasts
    job = forecasts.ask(given, by=request.who.account.number)
    told = reach_words(given, minutes, job.reach) if job.reach is not None else {}
    return request.page("reach_part.html", job=job, given=given, **told)


def reach_words(given: ReachInput, minutes: float, found: WithinReach) -> dict[str, Any]:
    """What was found, as a sentence, its arithmetic, and rows to choose from."""
    best = _best(found.rows, given.top)
    facts = {"people": number(given.people), "items": number(given.items)}
    if best is None:
        sentence = _(
            "With %(people)s people and %(items)s items nothing can be proven: you will see who is "
            "ahead, and the page will say that it is not certain. More people, more time or fewer "
            "items help.",
            **facts,
        )
    elif (best.epsilon or 0.0) > LOOSE:
        sentence = _(
            "With %(people)s people and %(items)s items only a loose promise is within reach: "
            "%(promise)s. You will see who is ahead; the page will say how certain that is.",
            promise=promise(best),
            **facts,
        )
    else:
        sentence = _(
            "With %(people)s people and %(items)s items: %(promise)s.",
            promise=promise(best),
            **facts,
        )
    simulated = min(found.votes, MOST_VOTES)
    arithmetic = _(
        "%(minutes)s minutes at about %(seconds)s seconds a vote are %(each)s votes of each "
        "person; %(people)s people give %(votes)s votes. Simulated contests that end after "
        "%(simulated)s votes say how close to the true best the winners are then, in half of them "
        "or more.",
        minutes=f"{minutes:g}",
        seconds=SECONDS_A_VOTE,
        each=number(given.votes_each),
        people=number(given.people),
        votes=number(found.votes),
        simulated=number(simulated),
    )
    rows = [_row(row, chosen=row is best) for row in found.rows if row.epsilon is not None]
    return {"sentence": sentence, "arithmetic": arithmetic, "rows": rows}


def _best(rows: tuple[Reach, ...], top: int) -> Reach | None:
    """The promise to name first: for the wanted winners, careful if that says anything."""
    known = [row for row in rows if row.epsilon is not None]
    own = [row for row in known if row.top == top]
    tight = [row for row in own if row.epsilon is not None and row.epsilon <= LOOSE]
    return next(iter(tight or own or known), None)


def promise(row: Reach) -> str:
    """What a row promises, in words.

    >>> promise(Reach(5, "small", 0.1, 0, 0.1))
    'the best 5, up to 10 points of 100'
    """
    return ngettext(
        "the best one, up to %(points)s points of 100",
        "the best %(top)s, up to %(points)s points of 100",
        row.top,
        top=row.top,
        points=f"{100 * (row.epsilon or 0.0):g}",
    )


def _row(row: Reach, *, chosen: bool) -> dict[str, Any]:
    sure = _(
        "wrong in at most one of %(odds)s contests, also if any %(raters)s people cheat",
        odds=round(1 / row.delta),
        raters=row.tolerance,
    )
    trusting = _(
        "wrong in at most one of %(odds)s contests, if nobody cheats", odds=round(1 / row.delta)
    )
    return {
        "promise": promise(row),
        "sure": trusting if row.mode == SMALL else sure,
        "fields": {
            "top": row.top,
            "epsilon": f"{row.epsilon:g}",
            "delta": f"{row.delta:g}",
            "tolerance": row.tolerance,
        },
        "chosen": chosen,
        "loose": (row.epsilon or 0.0) > LOOSE,
    }


ROUTES = [desk_route("/desk/reach/part", reach_part, role=VIEWER, background=True)]
