"""`plaudit plan` as an editor and as a machine use it."""

import csv
import json

import pytest

from plaudit.cli.plan import scale_of
from plaudit.simulation.forecast import round_off
from support.small_contests import easy_counts, write_contest
from support.terminal import CommandLine, on_a_terminal

SMALL = ("--items", 40, "--epsilon", 0.3, "--races", 4, "--delta", 0.1)


LINE = CommandLine("plan")
run, answer, refused = LINE.run, LINE.answer, LINE.refused


def test_the_json_has_votes_raters_and_days():
    got = answer(*SMALL, "--raters-per-day", 10, "--votes-per-rater", 20)
    verdict = got["verdict"]
    assert verdict["epsilon"] == got["epsilon"] == 0.3
    assert verdict["votes"]["low"] <= verdict["votes"]["median"] <= verdict["votes"]["high"]
    by_votes, by_raters = verdict["votes"]["median"] / 200, verdict["raters"]["median"] / 10
    assert verdict["days"]["median"] == max(by_votes, by_raters)
    assert {0.3, 0.2, 0.1, 0.05} <= {row["epsilon"] for row in got["choices"]}
    assert got["races"] == 4
    assert got["curve"][0]["votes"] < got["curve"][-1]["votes"]


def test_the_same_seed_gives_the_same_plan():
    assert answer(*SMALL, "--seed", 3) == answer(*SMALL, "--seed", 3)
    assert answer(*SMALL, "--seed", 3) != answer(*SMALL, "--seed", 4)


def test_people_get_a_table_a_curve_and_a_sentence():
    outcome = run(*SMALL)
    assert outcome.exit_code == 0
    text = " ".join(outcome.stdout.split())
    votes = answer(*SMALL)["verdict"]["votes"]["median"]
    assert f"About {round_off(votes):,} votes:" in text
    assert "at 100 raters a day with 30 votes each" in text
    assert "different raters" in text
    assert "█" in outcome.stdout


def test_votes_that_do_not_suffice():
    got = answer(*SMALL, "--max-votes", 50, code=1)
    assert got["verdict"]["votes"]["median"] is None
    outcome = run(*SMALL, "--max-votes", 50)
    assert outcome.exit_code == 1
    assert "Not within 50 votes" in " ".join(outcome.stdout.split())


def test_like_a_past_contest(tmp_path):
    path = write_contest(tmp_path, "900", easy_counts(30))
    options = ("--epsilon", 0.2, "--delta", 0.1, "--races", 3)
    by_name = answer("--like", "900", "--data", tmp_path, *options)
    assert (by_name["items"], by_name["like"]) == (30, "900")
    assert "given their votes" in by_name["note"]
    by_file = answer("--like", f"csv:{path}", *options)
    assert by_file["verdict"] == by_name["verdict"]
    more = answer("--like", "900", "--data", tmp_path, "--items", 50, "--scale", "binary", *options)
    assert more["items"] == 50


def test_shapes():
    got = answer("--like", "means:0.9,0.4,0.1", "--epsilon", 0.1, "--delta", 0.1, "--races", 3)
    assert got["items"] == 3
    got = answer("--like", "power:0.5", "--top", 2, "--algorithm", "uniform", *SMALL)
    assert (got["items"], got["top"], got["algorithm"]) == (40, 2, "uniform")


def test_files_of_the_curve(tmp_path):
    pytest.importorskip("vl_convert")
    folder = tmp_path / "plan"
    got = answer(*SMALL, "--out", folder)
    assert {path.name for path in folder.iterdir()} == {
        "curve.svg", "curve.png", "curve.pdf", "curve.vl.json", "curve.csv", "choices.csv",
        "tolerances.csv",
    }  # fmt: skip
    with (folder / "choices.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["epsilon"]) for row in rows] == [row["epsilon"] for row in got["choices"]]
    assert float(rows[0]["votes_median"]) == got["choices"][0]["votes"]["median"]
    with (folder / "tolerances.csv").open(newline="") as file:
        priced = list(csv.DictReader(file))
    assert [int(row["tolerance"]) for row in priced] == [0, 3, 10, 30]
    assert [row["tolerance"] for row in got["tolerances"]] == [0, 3, 10, 30]
    assert float(priced[-1]["votes_median"]) > float(priced[0]["votes_median"])
    assert json.loads((folder / "curve.vl.json").read_text())["layer"]


def test_a_bar_on_a_terminal():
    shown, text = on_a_terminal("plan", *map(str, SMALL))
    assert "simulating races" in shown
    assert "About" in text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("binary", (0.0, 1.0)),
        ("3", (0.0, 0.5, 1.0)),
        ("unfunny, somewhat, funny", (0.0, 0.5, 1.0)),
        ("Bad=0,Fair=0.3,Good=1", (0.0, 0.3, 1.0)),
    ],
)
def test_scales_in_short(text, values):
    assert scale_of(text).values == values


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--items", 1], "items"),
        (["--items", 10, "--top", 10], "top"),
        (["--scale", "1"], "levels"),
        (["--scale", "99999"], "levels"),
        (["--scale", "good"], "levels"),
        (["--delta", 0], "delta"),
        (["--epsilon", 1], "epsilon"),
        (["--races", 0], "races"),
        (["--max-votes", 0], "max_votes"),
        (["--raters-per-day", 0], "raters-per-day"),
        (["--raters-per-day", "nan"], "raters-per-day"),
        (["--votes-per-rater", 0], "votes_per_rater"),
        (["--algorithm", "plaudits"], "algorithm"),
        (["--like", "power:x"], "number"),
        (["--like", "csv:nowhere.csv"], "nowhere.csv"),
        (["--seed", -1], "seed"),
    ],
)
def test_bad_input(arguments, word):
    assert word in refused(*arguments)
