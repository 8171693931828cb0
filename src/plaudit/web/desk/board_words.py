"""Words for what the dashboard shows."""

from plaudit.race import ALGORITHMS
from plaudit.race.goals import ALL_GOOD_GOAL
from plaudit.race.standing import IN, OPEN, OUT, WITHDRAWN
from plaudit.service.contest.settings import OPEN as IS_OPEN
from plaudit.service.contest.settings import RETIRED, ContestSettings
from plaudit.service.watch.board import Board
from plaudit.service.watch.lane_view import LaneView
from plaudit.words import N_, _, ngettext, number

STANDING_WORDS = {IN: N_("in"), OPEN: N_("open"), OUT: N_("out"), WITHDRAWN: N_("withdrawn")}
# A shape for each standing, so that nobody needs the colour to tell them apart.
MARKS = {IN: "●", OPEN: "○", OUT: "–", WITHDRAWN: "×"}


def standing_words() -> dict[str, str]:
    """What each standing is called."""
    return {standing: _(words) for standing, words in STANDING_WORDS.items()}


def meanings(of: Board | ContestSettings, *, decided: bool = False) -> dict[str, str]:
    """What each standing says of an item of a contest, which may be decided."""
    left = _("left open: the verdict does not depend on it")
    if of.goal == ALL_GOOD_GOAL:
        near, far = f"{of.epsilon:.12g}", f"{2 * of.epsilon:.12g}"
        return {
            IN: _("certainly no more than %(distance)s below the best", distance=far),
            OPEN: left if decided else _("may still be named"),
            OUT: _("certainly not within %(distance)s of the best", distance=near),
        }
    best = ngettext("certainly the best", "certainly among the best %(top)s", of.top, top=of.top)
    return {IN: best, OPEN: left if decided else _("may still win"), OUT: _("ruled out")}


def forecast_words(board: Board, view: LaneView) -> str:
    """When the verdict will come, in a sentence or two; "" where nobody can say or needs to."""
    never = ALGORITHMS[view.algorithm].stopping == "never"
    if view.decided or never or board.state == RETIRED:
        return ""
    if board.goal == ALL_GOOD_GOAL:
        return _("There is no forecast for a contest that looks for all good items.")
    if not view.votes:
        return _("A forecast comes with the first votes.")
    forecast = board.forecasts[view.lane]
    if forecast is None:
        return _("A forecast is on its way.")
    since = view.votes - forecast.start
    low, median, high = (
        None if votes is None else max(0.0, votes - since)
        for votes in (
            forecast.votes_to_come.low,
            forecast.votes_to_come.median,
            forecast.votes_to_come.high,
        )
    )
    if median is None:
        limit = forecast.verdict.limit - forecast.start
        return _("The verdict is more than %(votes)s votes away.", votes=rounded(limit))
    facts = {"votes": rounded(median), "low": rounded(low or 0), "high": rounded(high or 0)}
    if high is None:
        told = _(
            "About %(votes)s more votes to the verdict (or many more, in 8 of 10 simulated runs).",
            **facts,
        )
    else:
        told = _(
            "About %(votes)s more votes to the verdict (%(low)s to %(high)s in 8 of 10 simulated "
            "runs).",
            **facts,
        )
    return f"{told} {_pace_words(board, view, median)}".strip()


def _pace_words(board: Board, view: LaneView, votes: float) -> str:
    pace = board.answers.votes_a_minute if board.answers is not None else 0.0
    own = pace * board.shares[view.lane]
    if board.state != IS_OPEN or not own:
        return ""
    return _("At the current pace that takes %(time)s.", time=lasting(votes / own))


def lasting(minutes: float) -> str:
    """A length of time in words.

    >>> lasting(0.5), lasting(80), lasting(60 * 30), lasting(60 * 24 * 9)
    ('a minute or two', 'about 80 minutes', 'about 30 hours', 'about 9 days')
    """
    if minutes < 2:
        return _("a minute or two")
    if minutes < 100:
        return _("about %(count)s minutes", count=number(minutes))
    if minutes < 6_000:
        return _("about %(count)s hours", count=number(minutes / 60))
    return _("about %(count)s days", count=number(minutes / 1440)) if minutes < 1e6 else _("years")


def rounded(number: float) -> str:
    """A number to two digits that count: more would promise too much.

    >>> rounded(172_047.0), rounded(1234), rounded(37), rounded(0)
    ('170,000', '1,200', '37', '0')
    """
    return f"{int(float(f'{number:.2g}')):,}"


def home_words(board: Board | None) -> str:
    """When a contest's verdict will come, for the list of contests; "" where nobody looked."""
    if board is None or board.state != IS_OPEN:
        return ""
    told = [forecast_words(board, view) for view in board.lanes]
    first = next((words for words in told if words.startswith("About")), "")
    return first.partition(" (")[0]
