"""Items by name: the same race as by number, and what names are refused."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from plaudit import Race
from plaudit.errors import InvalidInput, UnknownItem
from plaudit.scale import FUNNY

NAMES = ["tea", "coffee", "milk", "water"]
VOTE = {"tea": 0.5, "coffee": 1.0, "milk": 0.0, "water": 0.0}


def decided(items: object, **settings: object) -> Race:
    race = Race(items, delta=0.05, seed=3, **settings)
    while not race.verdict():
        for item in race.ask(2):
            race.tell(item, VOTE[item if isinstance(item, str) else NAMES[item]])
    return race


@pytest.mark.parametrize("top", [1, 2])
def test_a_race_by_name_is_the_race_by_number(top: int) -> None:
    named, numbered = decided(NAMES, top=top), decided(len(NAMES), top=top)
    assert named.verdict().items == tuple(NAMES[n] for n in numbered.verdict().items)
    assert named.verdict().numbers == numbered.verdict().items == numbered.verdict().numbers
    assert named.votes == numbered.votes
    assert named.leaders == tuple(NAMES[n] for n in numbered.leaders)
    assert named.intervals(["milk", "tea"]).items == ["milk", "tea"]
    assert np.array_equal(named.intervals(["milk", "tea"]).votes, numbered.intervals([2, 0]).votes)
    assert str(named.verdict()).count("coffee") >= 2
    shown = str(numbered.verdict())
    for number, name in enumerate(NAMES):
        shown = shown.replace(f"  {number}: ", f"  {name}: ")
    assert str(named.verdict()).splitlines()[1:] == shown.splitlines()[1:]
    assert named.withstands() == numbered.withstands()
    assert named.standings().tolist() == numbered.standings().tolist()


def test_numbers_are_understood_beside_names() -> None:
    race = Race(NAMES)
    race.tell(1, 1.0)
    race.tell("coffee", 1.0)
    assert race.intervals().votes.tolist() == [0, 2, 0, 0]
    assert "tea" not in race.ask(3, exclude=[0])
    assert "tea" not in race.ask(3, exclude=["tea"])


def test_labels_and_names_in_one_call() -> None:
    race = Race(NAMES, scale=FUNNY)
    race.tell_many(["tea", "tea", "milk"], ["Funny", "Unfunny", "Somewhat funny"])
    race.tell_many(np.array(["tea", "milk"]), [0.5, 1])
    race.tell_many(["tea", 3], ["Somewhat funny", "Funny"])
    assert race.intervals().votes.tolist() == [4, 0, 2, 1]
    assert race.intervals().means[[0, 2, 3]].tolist() == [0.5, 0.75, 1.0]


def test_what_is_refused_changes_nothing() -> None:
    race = Race(NAMES, scale=FUNNY)
    for items, votes in (
        (["tea", "beer"], ["Funny", "Funny"]),
        (["tea", "milk"], ["Funny", "Fun"]),
        (["tea", "milk"], ["Funny"]),
        (["tea", 4], ["Funny", "Funny"]),
    ):
        with pytest.raises((InvalidInput, UnknownItem)):
            race.tell_many(items, votes)
    with pytest.raises(UnknownItem, match=r"'beer'.*'tea'"):
        race.tell("beer", "Funny")
    with pytest.raises(InvalidInput, match="no scale"):
        Race(NAMES).tell_many(["tea"], ["Funny"])
    assert race.votes == 0


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (["tea", "tea"], "Two items have the name 'tea'"),
        (["tea", ""], "not empty"),
        (["tea", 3], "must be a text"),
        (["tea"], "items must be"),
        ("tea", "items must be"),
    ],
)
def test_names_that_cannot_be(names: object, what: str) -> None:
    with pytest.raises(InvalidInput, match=what):
        Race(names)


def test_items_join_and_leave_by_name() -> None:
    race = Race(NAMES)
    assert race.add(["beer", "wine"]) == ("beer", "wine")
    assert race.add(name for name in ["juice"]) == ("juice",)
    race.withdraw("tea")
    race.withdraw(["milk", "wine"])
    assert race.withdrawn == ("tea", "milk", "wine")
    assert len(race) == 7 == len(race.names)
    for wrong in (2, ["tea"], [], ["beer"]):
        with pytest.raises(InvalidInput):
            race.add(wrong)
    with pytest.raises(InvalidInput, match="say how many"):
        Race(3).add(["beer"])
    assert len(race) == 7
    assert Race(3).add(2) == range(3, 5)


def test_saving_keeps_names() -> None:
    race = decided(NAMES)
    race_open = Race(NAMES)
    race_open.add("beer")
    for saved in (race, race_open):
        file = io.BytesIO()
        saved.save(file)
        file.seek(0)
        again = Race.restore(file)
        assert again.names == saved.names
        assert again.verdict().to_dict() == saved.verdict().to_dict()
        assert str(again.verdict()) == str(saved.verdict())


def test_a_verdict_as_plain_values_has_its_intervals() -> None:
    facts = json.loads(json.dumps(decided(NAMES).verdict().to_dict()))
    assert [row["item"] for row in facts["intervals"]] == facts["items"] == ["coffee"]
    row = facts["intervals"][0]
    assert row["lower"] < row["mean"] == 1.0 <= row["upper"]
    assert json.loads(json.dumps(Race(2).verdict().to_dict()))["intervals"] == []


def test_confidence_given_as_delta_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"say delta=0\.05"):
        Race(3, delta=0.95)
    assert Race(3, delta=0.5)


def test_frames_and_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    race = decided(NAMES)
    monkeypatch.setattr("plaudit.race.display.frames.LIBRARIES", ())
    columns = race.to_frame()
    assert columns["item"] == NAMES
    assert list(columns["standing"]) == list(race.standings())
    assert list(race.intervals().to_frame()) == ["item", "votes", "mean", "lower", "upper"]
    race.plot().save(tmp_path / "race.svg")
    assert "coffee" in (tmp_path / "race.svg").read_text()
    with pytest.raises(InvalidInput, match=r"\.svg or \.png"):
        race.plot().save(tmp_path / "race.gif")
    shown = Race(["<script>", "b"])._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "and 70 more" in Race(100).plot().svg
    verdict = race.verdict()._repr_html_()
    assert verdict.startswith(f"<p>Item {race.verdict().items[0]} after ")
    assert verdict.endswith("</svg>")
    early = Race(2)
    early.tell(0, 1.0)
    assert early.verdict()._repr_html_().startswith("<p>Not yet after 1 vote: ")


def test_a_picture_for_slides(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    decided(NAMES).plot().save(tmp_path / "race.png")
    assert (tmp_path / "race.png").read_bytes().startswith(b"\x89PNG")


def test_frames_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = decided(NAMES).to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.set_index("item").loc["coffee", "standing"] == "in"


def test_shortlists_have_names() -> None:
    found = decided(NAMES).shortlists()
    assert found.items[0] == "coffee"
    assert "coffee" in str(found)
    assert found.to_dict()["items"][0] == "coffee"
