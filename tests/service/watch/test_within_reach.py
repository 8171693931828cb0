"""What a crowd of a known size can decide: a promise that simulated contests of that size keep."""

import pytest

from plaudit.service.watch.within_reach import (
    CAREFUL,
    SMALL,
    ReachInput,
    WithinReach,
    nice,
    within_reach,
)
from plaudit.simulation import plan
from plaudit.web.desk.forecasts.reach_pages import reach_words

LEVELS = (0.0, 0.5, 1.0)


@pytest.fixture(scope="module")
def found() -> WithinReach:
    given = ReachInput(items=12, levels=LEVELS, people=60, votes_each=12, top=2)
    shares: list[float] = []
    made = within_reach(given, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    return made


def test_rows_have_the_wanted_winners_first_in_both_modes(found: WithinReach) -> None:
    assert found.votes == 720
    assert [(row.top, row.mode) for row in found.rows[:3]] == [
        (2, CAREFUL), (2, SMALL), (1, CAREFUL),
    ]  # fmt: skip
    assert {(row.mode, row.delta, row.tolerance) for row in found.rows} == {
        (CAREFUL, 0.05, 3), (SMALL, 0.1, 0),
    }  # fmt: skip


def test_a_crowd_that_trusts_itself_gets_closer(found: WithinReach) -> None:
    of_top = {(row.top, row.mode): row.epsilon for row in found.rows}
    small, careful = of_top[2, SMALL], of_top[2, CAREFUL]
    assert small is not None
    assert careful is None or small <= careful


def test_the_promise_is_one_that_contests_of_this_size_keep(found: WithinReach) -> None:
    """The epsilon of a row is reached within the votes of the crowd, by half of the contests."""
    row = next(row for row in found.rows if (row.top, row.mode) == (2, SMALL))
    assert row.epsilon is not None
    forecast = plan(
        12, top=2, epsilon=row.epsilon, delta=row.delta, votes_per_rater=12, races=6,
        max_votes=found.votes, threads=1,
    )  # fmt: skip
    assert forecast.verdict.votes.median is not None
    assert forecast.verdict.votes.median <= found.votes


def test_more_people_get_no_less_close() -> None:
    def reach(people: int) -> float:
        given = ReachInput(items=6, levels=LEVELS, people=people, votes_each=6, top=1)
        rows = within_reach(given, lambda share: None).rows
        return rows[0].epsilon or 1.0

    assert reach(200) <= reach(20)


def test_it_is_told_with_its_arithmetic(found: WithinReach) -> None:
    given = ReachInput(items=12, levels=LEVELS, people=60, votes_each=12, top=2)
    told = reach_words(given, 1.6, found)
    assert told["sentence"].startswith("With 60 people and 12 items")
    assert "the best 2, up to " in told["sentence"]
    assert "60 people give 720 votes" in told["arithmetic"]
    chosen = [row for row in told["rows"] if row["chosen"]]
    assert len(chosen) == 1
    assert chosen[0]["fields"]["top"] == 2


def test_where_nothing_is_within_reach_it_says_so() -> None:
    given = ReachInput(items=12, levels=LEVELS, people=1, votes_each=3, top=1)
    told = reach_words(given, 0.4, within_reach(given, lambda share: None))
    assert "nothing can be proven" in told["sentence"]
    assert told["rows"] == []
    assert nice(1.0) is None
