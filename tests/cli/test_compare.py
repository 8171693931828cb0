"""`plaudit compare`: verdicts from files with raters, and from the export of a live contest."""

import csv
import io
import json

import numpy as np
import pytest
from click.testing import CliRunner

from plaudit.cli import main
from plaudit.race import PairedRace
from plaudit.service.live.worker import now_ms
from support.live_worker import working


def run(*words, code=0):
    result = CliRunner().invoke(main, ["compare", *map(str, words)])
    assert result.exit_code == code, result.output
    return result


def answer(*words):
    return json.loads(run(*words, "--json").stdout)


@pytest.fixture
def votes(tmp_path):
    """Sixty raters of three drinks, who differ much and agree on the difference."""
    rng = np.random.default_rng(1)
    kind = rng.choice([0.0, 0.25, 0.5], size=60)
    rows = np.stack([kind + 0.25, kind + 0.5, kind], axis=1)
    rows[rng.random(60) < 0.3, 1] -= 0.25
    lines = ["rater,item,value"]
    for rater, row in enumerate(rows):
        lines += [f"r{rater},{name},{value}" for name, value in zip("abc", row, strict=True)]
    file = tmp_path / "votes.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file, rows


def test_a_verdict_with_differences(votes):
    file, rows = votes
    got = answer(file)
    assert got["certified"]
    assert got["winners"] == ["b"]
    assert [row["item"] for row in got["ranking"]] == ["b", "a", "c"]
    race = PairedRace.from_rows(rows, delta=0.05)
    first = got["differences"][0]
    assert (first["first"], first["second"], first["raters"]) == ("b", "a", 60)
    assert (first["lower"], first["upper"]) == pytest.approx(
        (race.difference(1, 0).lower, race.difference(1, 0).upper), abs=1e-12
    )
    assert got["withstands"] == race.verdict().withstands > 0
    text = " ".join(run(file).stdout.split())
    assert "60 raters" in text
    assert f"even if any {got['withstands']} raters were dishonest" in text
    assert "right at once" in text


def test_options(votes):
    file, _ = votes
    assert answer(file, "--top", 2)["winners"] == ["b", "a"]
    assert answer(file, "--tolerance", 5)["withstands"] >= 5
    open_ = answer(file, "--delta", 1e-9, "--tolerance", 25)
    assert not open_["certified"]
    assert open_["smallest_epsilon"] > 0
    enough = open_["smallest_epsilon"] + 1e-6
    assert answer(file, "--delta", 1e-9, "--tolerance", 25, "--epsilon", enough)["certified"]
    text = " ".join(run(file, "--delta", 1e-9, "--tolerance", 25, "--show", 0).stdout.split())
    assert "b leads. Not certified within 0." in text
    assert "better by" not in text


def test_the_order_of_a_file_does_not_matter(votes, tmp_path):
    """Sorted by vote, a file would settle claims on the way that all of it does not."""
    rng = np.random.default_rng(3)
    rows = rng.choice([0.0, 1.0], size=(200, 2))
    lines = [f"r{k},{name},{row[i]}" for k, row in enumerate(rows) for i, name in enumerate("ab")]
    by_difference = [
        f"r{k},{name},{rows[k][i]}"
        for k in np.argsort(rows[:, 1] - rows[:, 0])
        for i, name in enumerate("ab")
    ]
    found = []
    for order in (lines, by_difference):
        file = tmp_path / "some.csv"
        file.write_text("\n".join(["rater,item,value", *order]), encoding="utf-8")
        found.append(answer(file))
    assert not found[0]["certified"]
    assert not found[1]["certified"]
    assert found[0]["smallest_epsilon"] == pytest.approx(found[1]["smallest_epsilon"], abs=1e-9)


def test_files_that_are_refused(tmp_path):
    file = tmp_path / "votes.csv"
    file.write_text("item,value\na,1\n", encoding="utf-8")
    assert "Missing: rater" in run(file, code=2).stderr
    file.write_text("rater,item,value\nx,a,1\n", encoding="utf-8")
    assert "has 1 items" in run(file, code=2).stderr
    lines = [f"x,item {number},1" for number in range(501)]
    file.write_text("\n".join(["rater,item,value", *lines]), encoding="utf-8")
    assert "Use plaudit rank" in run(file, code=2).stderr


def test_the_export_of_a_live_contest_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PLAUDIT_SECRET", raising=False)
    monkeypatch.setenv("PLAUDIT_DATABASE", "votes.db")
    contest = "name: captions\ntitle: Which tea?\nitems: teas.txt\nscale: funny\n"
    (tmp_path / "contest.yaml").write_text(contest, encoding="utf-8")
    (tmp_path / "teas.txt").write_text("green\nblack\nwhite", encoding="utf-8")
    made = CliRunner().invoke(main, ["contest", "create", "contest.yaml", "--open"])
    assert made.exit_code == 0, made.output
    with working("votes.db", now_ms) as worker:
        for number in range(30):
            rater = worker.new_rater()
            levels = [number % 2 + (item == 1) for item in range(3)]
            while worker.vote_once(rater, levels.__getitem__) is not None:
                pass
    told = CliRunner().invoke(
        main, ["contest", "export", "captions", "--what", "votes", "--out", "votes.csv"]
    )
    assert told.exit_code == 0, told.output
    got = answer("votes.csv")
    assert got["winners"] == ["black"]
    assert got["certified"]
    lines = list(csv.DictReader(io.StringIO((tmp_path / "votes.csv").read_text("utf-8"))))
    assert got["raters"] == len({line["rater"] for line in lines}) > 10
    assert got["votes"] == len(lines)
    # On the scale of the contest, with its differences counted.
    same = answer("votes.csv", "--scale", "Unfunny=0,Somewhat funny=0.5,Funny=1")
    assert same["differences"][0]["lower"] == pytest.approx(got["differences"][0]["lower"])
