"""What a dashboard says in plain words."""

from plaudit.race.goals import ALL_GOOD_GOAL
from plaudit.race.standing import IN, OPEN, OUT, WITHDRAWN
from plaudit.service.contest.settings import OPEN as IS_OPEN
from plaudit.service.contest.settings import ContestSettings
from plaudit.service.contest.standings import Standings
from plaudit.service.watch.dashboard import Dashboard
from plaudit.service.watch.expected_verdict import (
    BEING_MADE,
    BEYOND,
    NO_GOAL,
    NO_VOTES,
    VOTES,
    ExpectedVerdict,
    expected_verdict,
)

STANDING_WORDS = {IN: "in", OPEN: "open", OUT: "out", WITHDRAWN: "withdrawn"}
# A shape for each standing, so that colour is never alone.
MARKS = {IN: "●", OPEN: "○", OUT: "–", WITHDRAWN: "×"}


def meanings(of: Dashboard | ContestSettings, *, decided: bool = False) -> dict[str, str]:
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


def forecast_words(dashboard: Dashboard, found: Standings) -> str:
    """When the verdict will come, in a sentence or two; "" where nobody can say or needs to."""
    expected = expected_verdict(dashboard, found)
    if expected.kind == NO_GOAL:
        return "There is no forecast for a contest that looks for all good items."
    if expected.kind == NO_VOTES:
        return "A forecast comes with the first votes."
    if expected.kind == BEING_MADE:
        return "A forecast is on its way."
    if expected.kind == BEYOND:
        far = rounded(expected.limit)
        return f"The verdict is more than {far} votes away, as far as was looked ahead."
    if expected.kind != VOTES:
        return ""
    low, high = expected.low, expected.high
    span = f"{rounded(low)} to {rounded(high)}" if high is not None else "or many more"
    about = f"{_more_votes(expected)} ({span} in 8 of 10 simulated runs)."
    if expected.minutes is None:
        return about
    return f"{about} At the present pace that takes {lasting(expected.minutes)}."


def _more_votes(expected: ExpectedVerdict) -> str:
    return f"About {rounded(expected.votes)} more votes to the verdict"


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


def home_words(dashboard: Dashboard | None) -> str:
    """When a contest's verdict will come, for the list of contests; "" where nobody looked."""
    if dashboard is None or dashboard.state != IS_OPEN:
        return ""
    expected = (expected_verdict(dashboard, found) for found in dashboard.lanes)
    first = next((one for one in expected if one.kind == VOTES), None)
    return "" if first is None else _more_votes(first)
