"""Frames of votes: the answers of races, in the kind of frame that was given."""

from typing import Any

import numpy as np
import pandas
import polars
import pytest

from plaudit.adapters.pandas import compare, rank
from plaudit.errors import InvalidInput
from plaudit.race import PairedRace, Race
from plaudit.scale import THUMBS, Scale

KINDS = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "columns": dict}


@pytest.fixture
def votes() -> dict[str, list[Any]]:
    """Eighty raters of three drinks, in a random order of rows."""
    rng = np.random.default_rng(2)
    liked = rng.random((80, 3)) < [0.2, 0.95, 0.5]
    rows = rng.permutation([(r, i) for r in range(80) for i in range(3)])
    return {
        "who": [f"r{r}" for r, _ in rows],
        "drink": [("tea", "coffee", "milk")[i] for _, i in rows],
        "liked": [float(liked[r, i]) for r, i in rows],
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_is_ranked_as_a_race_would(votes: dict[str, list[Any]], kind: str) -> None:
    frame = KINDS[kind](votes)
    table, verdict = rank(frame, item="drink", vote="liked", rater="who", delta=0.05)
    assert type(table) is type(frame)
    assert list(table["item"]) == ["coffee", "milk", "tea"]
    assert list(table["votes"]) == [80, 80, 80]
    assert list(table["standing"]) == ["in", "out", "out"]
    race = Race(["coffee", "milk", "tea"], delta=0.05)
    race.tell_many(votes["drink"], votes["liked"])
    np.testing.assert_allclose(list(table["lower"]), race.intervals().lower)
    np.testing.assert_allclose(list(table["upper"]), race.intervals().upper)
    assert verdict.items == race.verdict().items == ("coffee",)


def test_labels_and_levels_of_a_scale(votes: dict[str, list[Any]]) -> None:
    labels = ["yes" if value else "no" for value in votes["liked"]]
    scale = Scale(("no", "yes"), (0.0, 1.0))
    by_label, _ = rank(votes | {"liked": labels}, item="drink", vote="liked", scale=scale)
    by_value, _ = rank(votes, item="drink", vote="liked", scale=THUMBS)
    np.testing.assert_array_equal(by_label["lower"], by_value["lower"])


@pytest.mark.parametrize("kind", KINDS)
def test_few_items_are_compared_rater_by_rater(votes: dict[str, list[Any]], kind: str) -> None:
    columns = {"item": "drink", "vote": "liked", "rater": "who"}
    table, verdict = compare(KINDS[kind](votes), **columns, delta=0.05)
    assert list(table["first"]) == ["coffee", "coffee"]
    assert list(table["second"]) == ["milk", "tea"]
    assert list(table["raters"]) == [80, 80]
    assert verdict.items == ("coffee",)
    rows = np.full((80, 2), np.nan)
    for who, drink, liked in zip(votes["who"], votes["drink"], votes["liked"], strict=True):
        if drink != "tea":
            rows[int(who[1:]), int(drink == "milk")] = liked
    apart = PairedRace.from_rows(rows).difference(0, 1)
    assert next(iter(table["mean"])) == pytest.approx(apart.mean)


def test_what_cannot_be_ranked_is_said(votes: dict[str, list[Any]]) -> None:
    with pytest.raises(InvalidInput, match="no column 'item'; it has 'who', 'drink', 'liked'"):
        rank(votes)
    with pytest.raises(InvalidInput, match="1 different items"):
        rank({"item": ["tea"], "vote": [1.0]})
    twice = {"rater": [1, 1], "item": ["tea", "tea"], "vote": [1.0, 0.0]}
    more = {key: [*values, 2 if key == "rater" else "milk" if key == "item" else 0.0]
            for key, values in twice.items()}  # fmt: skip
    with pytest.raises(InvalidInput, match="Rater 1 has two votes on 'tea'"):
        rank(more, rater="rater")
    with pytest.raises(InvalidInput, match="two votes"):
        compare(more)
    with pytest.raises(InvalidInput, match="vote"):
        rank({"item": ["a", "b"], "vote": [0.0, 7.0]})
