"""What a board says in plain words."""

from plaudit.race import ALGORITHMS
from plaudit.race.goals import ALL_GOOD_GOAL
from plaudit.race.standing import IN, OPEN, OUT, WITHDRAWN
from plaudit.service.contest.settings import OPEN as IS_OPEN
from plaudit.service.contest.settings import RETIRED, ContestSettings
from plaudit.service.watch.board import Board
from plaudit.service.watch.lane_view import LaneView

STANDING_WORDS = {IN: "in", OPEN: "open", OUT: "out", WITHDRAWN: "withdrawn"}
# A shape for each standing, so that colour is never alone.
MARKS = {IN: "●", OPEN: "○", OUT: "–", WITHDRAWN: "×"}


def meanings(of: Board | ContestSettings, *, decided: bool = False) -> dict[str, str]:
    """What each standing says of an item of a contest, which may be decided."""
    left = "left open, as the verdict needs no more"
    if of.goal == ALL_GOOD_GOAL:
        near, far = f"{of.epsilon:.12g}", f"{2 * of.epsilon:.12g}"
        return {
            IN: f"certainly no more than {far} below the best",
            OPEN: left if decided else "may be named or not",
            OUT: f"certainly not within {near} of the best",
        }
    best = f"certainly among the best {of.top}" if of.top > 1 else "certainly the best"
    return {IN: best, OPEN: left if decided else "may still win", OUT: "ruled out"}


def forecast_words(board: Board, view: LaneView) -> str:
    """When the verdict will come, in a sentence or two; "" where nobody can say or needs to."""
    never = ALGORITHMS[view.algorithm].stopping == "never"
    if view.decided or never or board.state == RETIRED:
        return ""
    if board.goal == ALL_GOOD_GOAL:
        return "There is no forecast for a contest that looks for all good items."
    if not view.votes:
        return "A forecast comes with the first votes."
    forecast = board.forecasts[view.lane]
    if forecast is None:
        return "A forecast is on its way."
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
        return f"The verdict is more than {rounded(limit)} votes away, as far as was looked ahead."
    span = f"{rounded(low or 0)} to {rounded(high)}" if high is not None else "or many more"
    told = f"About {rounded(median)} more votes to the verdict ({span} in 8 of 10 simulated runs)."
    return f"{told} {_pace_words(board, view, median)}".strip()


def _pace_words(board: Board, view: LaneView, votes: float) -> str:
    pace = board.answers.votes_a_minute if board.answers is not None else 0.0
    own = pace * board.shares[view.lane]
    if board.state != IS_OPEN or not own:
        return ""
    return f"At the present pace that takes {lasting(votes / own)}."


def lasting(minutes: float) -> str:
    """A length of time in words.

    >>> lasting(0.5), lasting(80), lasting(60 * 30), lasting(60 * 24 * 9)
    ('a minute or two', 'about 80 minutes', 'about 30 hours', 'about 9 days')
    """
    if minutes < 2:
        return "a minute or two"
    for unit, each in (("minutes", 1), ("hours", 60), ("days", 1440)):
        if minutes < each * 100 and unit != "days":
            return f"about {minutes / each:.0f} {unit}"
    return f"about {minutes / 1440:,.0f} days" if minutes < 1_000_000 else "years"


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
