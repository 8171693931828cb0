"""`plaudit learn`, and the verbs that take what it writes."""

import json

import pytest
from click.testing import CliRunner

from plaudit import Bets
from plaudit.cli import main
from support.small_contests import easy_counts, write_contest

EASY = ("--epsilon", "0.2", "--delta", "0.1")


def run(*arguments, code=0):
    outcome = CliRunner().invoke(main, list(map(str, arguments)))
    assert outcome.exit_code == code, outcome.output
    return outcome


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("past")
    write_contest(place, "700", easy_counts(40))
    return place


@pytest.fixture(scope="module")
def bets(folder):
    """The file that `plaudit learn` wrote."""
    out = folder / "bets.json"
    said = run("learn", "700", "--data", folder, "--out", out, *EASY).stdout
    assert "bets learned from 700" in said
    return out


def test_a_file_of_a_contest_teaches_the_same(folder, bets, tmp_path):
    out = tmp_path / "again.json"
    said = run("learn", f"csv:{folder / '700.csv'}", "--out", out, "--json", *EASY).stdout
    assert json.loads(said)["bets"] == Bets.from_json(out.read_text()).to_record()
    assert Bets.from_json(out.read_text()) == Bets.from_json(bets.read_text())


def test_race_rank_and_plan_take_it(folder, bets):
    file, with_bets = folder / "700.csv", ("--bets", bets, "--json", *EASY)
    for verb in (("race", "--profile", f"csv:{file}"), ("rank", file)):
        ours = json.loads(run(*verb, *with_bets).stdout)
        plain = json.loads(run(*verb, "--json", *EASY).stdout)
        assert ours != plain
        assert ours["certified"]
    planned = run("plan", "--like", f"csv:{file}", "--races", 2, *with_bets)
    assert json.loads(planned.stdout)["verdict"]["votes"]["median"] > 0


@pytest.mark.parametrize("verb", [("race", "--profile", "means:0.9,0.1"), ("plan", "--items", 10)])
def test_what_is_no_file_of_bets_is_refused(verb, tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    assert f"{wrong}: These are no bets" in run(*verb, "--bets", wrong, code=2).stderr
    assert "Cannot read the bets in" in run(*verb, "--bets", tmp_path / "none", code=2).stderr


def test_past_votes_without_levels_are_refused(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("item,value\na,0.3\nb,0.7\n")
    said = run("learn", f"csv:{file}", "--out", tmp_path / "bets.json", code=2).stderr
    assert "no votes at each level" in said
