"""What a contest came to, in words for readers: true of what the verdict proves, and no more."""

from typing import Any

import pytest

from plaudit.phrase import Phrase
from plaudit.service.watch.outcome import outcome_of


def leader(item: int, mean: float | None = 0.5, votes: int = 10) -> dict[str, Any]:
    facts = {"item": item, "id": f"i{item + 1}", "text": f"caption {item}", "image": ""}
    return facts | {"mean": mean, "votes": votes}


def results(
    winners: tuple[int, ...] = (4,), *, decided: bool = True, goal: str = "top", **given: Any
) -> dict[str, Any]:
    leaders = [leader(4, 0.745), leader(2), leader(7, None, 0), leader(1)]
    lane = {
        "decided": decided, "winners": list(winners) if decided else [], "votes": 30,
        "leaders": leaders, "delta": 0.05, "withstands": 0, "sentence": Phrase("exactly"),
    }  # fmt: skip
    named = {"goal": goal, "epsilon": 0.05, "top": len(winners), "votes": 1234, "raters": 56}
    of_lane = {name: given.pop(name) for name in ("delta", "withstands") if name in given}
    return named | {"items": 14, "lanes": [lane | of_lane]} | given


def said(**given: Any) -> str:
    found = outcome_of(results(**given), is_over=True)
    assert found is not None
    return str(found.sure)


def test_the_winner_second_and_third_with_their_points() -> None:
    found = outcome_of(results(), is_over=True)
    assert found is not None
    assert [(one.place, one.id, one.points, one.is_winner) for one in found.places] == [
        (1, "i5", 75, True), (2, "i3", 50, False), (3, "i8", None, False),
    ]  # fmt: skip
    assert "Only the winner is proven" in str(found.order)
    assert (found.votes, found.raters, found.items) == (1234, 56, 14)


def test_more_winners_than_places_are_all_shown() -> None:
    found = outcome_of(results((4, 2, 7, 1)), is_over=True)
    assert found is not None
    assert len(found.winners) == len(found.places) == 4
    assert "order is by the average" in str(found.order)


def test_while_it_goes_on_there_is_no_outcome() -> None:
    assert outcome_of(results(decided=False), is_over=False) is None
    no_votes = results(decided=False)
    no_votes["lanes"][0]["votes"] = 0
    assert outcome_of(no_votes, is_over=True) is None


def test_without_a_verdict_nobody_is_called_a_winner() -> None:
    found = outcome_of(results(decided=False), is_over=True)
    assert found is not None
    assert (found.is_decided, found.winners, found.order) == (False, [], None)
    assert "before the result was certain" in str(found.sure)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "at most one of 20 contests, where wrong means that another one is better by more "
             "than 5 points out of 100."),
        ({"epsilon": 0.0}, "names a wrong winner in at most one of 20 contests."),
        ({"delta": 0.01}, "at most one of 100 contests"),
        ({"winners": (4, 2)}, "all 2 winners together, where wrong means worse than the 2 best by "
                              "more than 5 points"),
        ({"goal": "all-good"}, "errs in at most one of 20 contests: that a good one is missing"),
        ({"withstands": 3}, "That holds even if any 3 voters cheated."),
        ({"withstands": 1}, "That holds even if any one voter cheated."),
        ({"delta": None}, "no proven error"),
    ],
)  # fmt: skip
def test_how_sure_it_is(given: dict[str, Any], words: str) -> None:
    assert words in said(**given)
