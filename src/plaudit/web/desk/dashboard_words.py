"""Words for what the dashboard shows."""

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
from plaudit.words import N_, _, ngettext, number

STANDING_WORDS = {IN: N_("in"), OPEN: N_("undecided"), OUT: N_("out"), WITHDRAWN: N_("withdrawn")}
# A shape for each standing, so that nobody needs the colour to tell them apart.
MARKS = {IN: "●", OPEN: "○", OUT: "–", WITHDRAWN: "×"}


def standing_words() -> dict[str, str]:
    """What each standing is called."""
    return {standing: _(words) for standing, words in STANDING_WORDS.items()}


def meanings(of: Dashboard | ContestSettings, *, decided: bool = False) -> dict[str, str]:
    """What each standing says of an item of a contest, which may be decided."""
    left = _("left undecided: the verdict does not depend on it")
    if of.goal == ALL_GOOD_GOAL:
        near, far = f"{of.epsilon:.12g}", f"{2 * of.epsilon:.12g}"
        return {
            IN: _("certainly no more than %(distance)s below the best", distance=far),
            OPEN: left if decided else _("may still be named"),
            OUT: _("certainly not within %(distance)s of the best", distance=near),
        }
    best = ngettext("certainly the best", "certainly among the best %(top)s", of.top, top=of.top)
    return {IN: best, OPEN: left if decided else _("may still win"), OUT: _("ruled out")}


def forecast_words(dashboard: Dashboard, found: Standings) -> str:
    """When the verdict will come, in a sentence or two; "" where nobody can say or needs to."""
    expected = expected_verdict(dashboard, found)
    if expected.kind == NO_GOAL:
        return _("There is no forecast for a contest that looks for all good items.")
    if expected.kind == NO_VOTES:
        return _("A forecast comes with the first votes.")
    if expected.kind == BEING_MADE:
        return _("A forecast is on its way.")
    if expected.kind == BEYOND:
        return _("The verdict is more than %(votes)s votes away.", votes=rounded(expected.limit))
    if expected.kind != VOTES:
        return ""
    about = _about(expected)
    if expected.minutes is None:
        return about
    pace = _("At the current pace that takes %(time)s.", time=lasting(expected.minutes))
    return f"{about} {pace}"


def _about(expected: ExpectedVerdict) -> str:
    if expected.high is None:
        return _(
            "About %(votes)s more votes to the verdict (or many more, in 8 of 10 simulated runs).",
            votes=rounded(expected.votes),
        )
    return _(
        "About %(votes)s more votes to the verdict (%(low)s to %(high)s in 8 of 10 simulated "
        "runs).",
        votes=rounded(expected.votes),
        low=rounded(expected.low),
        high=rounded(expected.high),
    )


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


def way_to_verdict(dashboard: Dashboard | None, *, decided: bool) -> float | None:
    """The share of the votes that a verdict is expected to take which have come; None if unknown.

    It is of the first race that has a forecast.
    """
    if decided:
        return 1.0
    if dashboard is None:
        return None
    for found in dashboard.lanes:
        expected = expected_verdict(dashboard, found)
        if expected.kind == VOTES and found.votes:
            return found.votes / (found.votes + expected.votes)
    return None


def home_words(dashboard: Dashboard | None) -> str:
    """When a contest's verdict will come, for the list of contests; "" where nobody looked."""
    if dashboard is None or dashboard.state != IS_OPEN:
        return ""
    expected = (expected_verdict(dashboard, found) for found in dashboard.lanes)
    first = next((one for one in expected if one.kind == VOTES), None)
    if first is None:
        return ""
    return _("About %(votes)s more votes to the verdict", votes=rounded(first.votes))
