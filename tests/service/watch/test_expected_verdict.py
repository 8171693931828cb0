"""When a verdict is expected: what a forecast says once votes have come after it."""

from types import SimpleNamespace
from typing import Any

import pytest

from plaudit.service.watch.expected_verdict import BEING_MADE, VOTES, expected_verdict


def expected(*, votes: int) -> Any:
    """What is expected after so many votes, by a forecast made at 100 votes for 50 to come."""
    coming = SimpleNamespace(low=30.0, median=50.0, high=80.0)
    forecast = SimpleNamespace(votes_to_come=coming, start=100)
    answers = SimpleNamespace(votes_a_minute=10.0)
    dashboard: Any = SimpleNamespace(
        state="open", goal="top", forecasts=[forecast], answers=answers, shares=[1.0]
    )
    found: Any = SimpleNamespace(decided=False, certifies=True, votes=votes, lane=0)
    return expected_verdict(dashboard, found)


@pytest.mark.parametrize(("votes", "left", "low"), [(100, 50.0, 30.0), (140, 10.0, 0.0)])
def test_votes_that_came_since_are_no_longer_to_come(votes: int, left: float, low: float) -> None:
    found = expected(votes=votes)
    assert (found.kind, found.votes, found.low) == (VOTES, left, low)
    assert found.minutes == left / 10


@pytest.mark.parametrize("votes", [150, 400])
def test_a_forecast_that_was_wrong_says_nothing_more(votes: int) -> None:
    assert expected(votes=votes).kind == BEING_MADE
