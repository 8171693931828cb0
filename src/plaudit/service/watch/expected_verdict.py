"""When the verdict of a running contest is expected, as facts; pages put them into words."""

from typing import NamedTuple

from plaudit.race.goals import ALL_GOOD_GOAL
from plaudit.service.contest.settings import OPEN, RETIRED
from plaudit.service.contest.standings import Standings
from plaudit.service.watch.dashboard import Dashboard

# What is known: nothing is expected (any more); there is no forecast for this goal, before the
# first vote, or yet; the verdict is farther away than was simulated; or after so many votes.
NOTHING, NO_GOAL, NO_VOTES, BEING_MADE, BEYOND, VOTES = (
    "nothing", "no-goal", "no-votes", "being-made", "beyond", "votes",
)  # fmt: skip


class ExpectedVerdict(NamedTuple):
    """What is known of a verdict to come.

    If `kind` is VOTES, it takes about `votes` more votes; 8 of 10 simulated contests took `low` to
    `high`, which is None where they took more than was simulated. `minutes` is how long that takes
    at the present pace, None where there is none. If `kind` is BEYOND, it takes more than `limit`.
    """

    kind: str
    votes: float = 0.0
    low: float = 0.0
    high: float | None = None
    minutes: float | None = None
    limit: int = 0


def expected_verdict(dashboard: Dashboard, found: Standings) -> ExpectedVerdict:
    """What is known of the verdict of one race."""
    if found.decided or not found.certifies or dashboard.state == RETIRED:
        return ExpectedVerdict(NOTHING)
    if dashboard.goal == ALL_GOOD_GOAL:
        return ExpectedVerdict(NO_GOAL)
    if not found.votes:
        return ExpectedVerdict(NO_VOTES)
    forecast = dashboard.forecasts[found.lane]
    if forecast is None:
        return ExpectedVerdict(BEING_MADE)
    coming, since = forecast.votes_to_come, found.votes - forecast.start
    if coming.median is None:
        return ExpectedVerdict(BEYOND, limit=forecast.verdict.limit - forecast.start)
    votes = coming.median - since
    if votes <= 0:
        # More votes have come since than it said; the next forecast knows better.
        return ExpectedVerdict(BEING_MADE)
    return ExpectedVerdict(
        VOTES,
        votes=votes,
        low=max(0.0, (coming.low or 0.0) - since),
        high=None if coming.high is None else max(0.0, coming.high - since),
        minutes=_minutes(dashboard, found, votes),
    )


def _minutes(dashboard: Dashboard, found: Standings, votes: float) -> float | None:
    pace = dashboard.answers.votes_a_minute if dashboard.answers is not None else 0.0
    own = pace * dashboard.shares[found.lane]
    return votes / own if dashboard.state == OPEN and own else None
