"""The command line as a person and as a machine use it."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from plaudit import bounds
from plaudit.bounds.error_budget import split_error
from plaudit.race import Race
from plaudit.scale import FUNNY
from support.terminal import CommandLine, on_a_terminal

CONTESTS = Path(__file__).resolve().parents[3] / "shared" / "caption-contests"


LINE = CommandLine()
run, answer, refused = LINE.run, LINE.answer, LINE.refused


@pytest.fixture
def summary(tmp_path):
    """A contest of four captions, the first clearly best, two equal."""
    rows = [
        ("Best", 0, 100, 900),
        ("Twin", 700, 200, 100),
        ("Twin", 700, 200, 100),
        ("", 990, 5, 5),
    ]
    path = tmp_path / "contest.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["caption", "mean", "precision", "votes", "not_funny", "somewhat_funny", "funny"]
        )
        for caption, a, b, c in rows:
            votes = a + b + c
            writer.writerow([caption, (a + 2 * b + 3 * c) / votes, 0.01, votes, a, b, c])
    return path


class TestInterval:
    def test_json_has_the_named_keys(self):
        got = answer("interval", "--bound", "lil-kl", "--mean", 0.3, "--votes", 50, "--delta", 0.01)
        bound = bounds.get("lil-kl")
        assert got["lower"] == bound.lower(0.3, 50, 0.01)
        assert got["upper"] == bound.upper(0.3, 50, 0.01)

    def test_two_sided_splits_delta(self):
        got = answer(
            "interval", "--mean", 0.3, "--votes", 50, "--delta", 0.02, "--two-sided", "-N", 4
        )
        assert got["upper"] == bounds.get("lil-kl", N=4).upper(0.3, 50, 0.01)

    def test_time_matters_to_the_bounds_that_use_it(self):
        plain = ("interval", "--bound", "hoeffding", "--mean", 0.3, "--votes", 50, "--delta", 0.01)
        assert answer(*plain, "--time", 10**6)["upper"] > answer(*plain)["upper"]

    @pytest.mark.parametrize("name", ["betting", "kinf", "empirical-bernstein", "stitched"])
    def test_counts_of_levels(self, name):
        got = answer("interval", "--bound", name, "--counts", "0=55,0.5=30,1=15",
                     "--delta", 0.01)  # fmt: skip
        bound = bounds.get(name)
        assert (got["mean"], got["votes"]) == (0.3, 100)
        assert got["lower"] == bound.lower_from_levels([55, 30, 15], [0, 0.5, 1], 0.01)
        assert got["upper"] == bound.upper_from_levels([55, 30, 15], [0, 0.5, 1], 0.01)

    @pytest.mark.parametrize(
        ("arguments", "word"),
        [
            (["--mean", 0.3], "--votes"),
            (["--mean", 0.3, "--votes", 3, "--counts", "0=1,1=2"], "alone"),
            (["--counts", "0=1,many"], "many"),
            (["--counts", "2=1"], "values"),
        ],
    )
    def test_bad_counts(self, arguments, word):
        assert word in refused("interval", "--delta", 0.1, *arguments)

    def test_values_without_replacement(self, tmp_path):
        (tmp_path / "scores.txt").write_text("1\n0\n\n1\n0.5\n")
        got = answer("interval", "--values", tmp_path / "scores.txt", "--of", 6, "--delta", 0.1)
        bound = bounds.in_order("without-replacement", of=6)
        assert (got["bound"], got["mean"], got["votes"]) == ("without-replacement", 0.625, 4)
        assert got["lower"] == bound.lower([1, 0, 1, 0.5], 0.1)
        assert got["upper"] == bound.upper([1, 0, 1, 0.5], 0.1)
        shown = run("interval", "--values", tmp_path / "scores.txt", "--of", 6, "--delta", 0.1)
        assert "0.625 of 4 of 6 votes" in shown.stdout

    @pytest.mark.parametrize("of", [None, 9])
    def test_paired_scores(self, tmp_path, of):
        (tmp_path / "pairs.csv").write_text("1,0\n0.5, 0.25\n0,0\n")
        more = () if of is None else ("--of", of)
        got = answer("interval", "--values", tmp_path / "pairs.csv", *more, "--delta", 0.1,
                     "--two-sided")  # fmt: skip
        bound = bounds.in_order("differences", of=of)
        assert got["lower"] == bound.lower([1, 0.25, 0], 0.05)
        assert got["upper"] == bound.upper([1, 0.25, 0], 0.05)

    @pytest.mark.parametrize(
        ("lines", "arguments", "word"),
        [
            ("1\n0\n", [], "--of"),
            ("1\n0\n", ["--of", 1], "2 values, of 1"),
            ("1\n0,1\n", ["--of", 5], "Line 2"),
            ("1\nmany\n", ["--of", 5], "Line 2"),
            ("1\n1.5\n", ["--of", 5], "[0, 1]"),
            ("1\n", ["--of", 5, "--mean", 0.5], "one of them"),
            ("1\n", ["--of", 5, "--bound", "betting"], "without-replacement"),
        ],
    )
    def test_bad_values(self, tmp_path, lines, arguments, word):
        (tmp_path / "scores.txt").write_text(lines)
        told = ("--values", tmp_path / "scores.txt", *arguments)
        assert word in refused("interval", "--delta", 0.1, *told)

    def test_the_size_of_the_set_needs_values(self):
        given = ("--mean", 0.3, "--votes", 3, "--of", 9)
        assert "--values" in refused("interval", "--delta", 0.1, *given)

    def test_a_table_for_people(self):
        outcome = run("interval", "--mean", 0.3, "--votes", 50, "--delta", 0.01)
        assert outcome.exit_code == 0
        assert "lower" in outcome.stdout
        assert "0.643458825" in outcome.stdout

    @pytest.mark.parametrize(
        ("option", "value", "word"),
        [
            ("--mean", 1.2, "mean"),
            ("--mean", "nan", "mean"),
            ("--votes", -1, "votes"),
            ("--delta", 0, "delta"),
            ("--delta", 2, "delta"),
            ("-N", 6, "power of two"),
            ("--bound", "lilkl", "Did you mean 'lil-kl'"),
            ("--votes", "many", "many"),
            ("--delta", 0.95, "say --delta 0.05"),
        ],
    )
    def test_bad_input(self, option, value, word):
        good = {"--mean": 0.3, "--votes": 50, "--delta": 0.01} | {option: value}
        arguments = [part for pair in good.items() for part in pair]
        assert word in refused("interval", *arguments)


class TestRank:
    def test_certifies_and_reports_duplicates(self, summary):
        got = answer("rank", summary, "--top", 1, "--delta", 0.05)
        assert got["certified"] is True
        assert got["ranking"][0]["caption"] == "Best"
        assert got["ranking"][0]["status"] == "in"
        assert {row["status"] for row in got["ranking"][1:]} == {"out"}
        assert any("more than once" in warning for warning in got["warnings"])
        assert [row["caption"] for row in got["ranking"]].count("Twin") == 2

    def test_says_how_far_off(self, summary):
        got = answer("rank", summary, "--top", 2, "--delta", 0.05)
        assert got["certified"] is False
        assert 0 < got["smallest_epsilon"] < 0.2
        assert got["status_counts"] == {"in": 1, "out": 1, "open": 2}
        enough = got["smallest_epsilon"] + 1e-9
        assert answer("rank", summary, "--top", 2, "--epsilon", enough)["certified"] is True
        text = " ".join(run("rank", summary, "--top", 2).stdout.split())
        assert "Not certified" in text
        assert f"{got['smallest_epsilon']:.4f}" in text

    def test_agrees_with_a_race_told_the_same_votes(self, summary):
        got = answer("rank", summary, "--top", 1, "--delta", 0.05)
        race = Race(4, delta=0.05, scale=FUNNY)
        for item, levels in enumerate(
            [(0, 100, 900), (700, 200, 100), (700, 200, 100), (990, 5, 5)]
        ):
            for value, count in zip((0, 0.5, 1), levels, strict=True):
                race.tell_many([item] * count, [value] * count)
        table = race.intervals()
        for row in got["ranking"]:
            assert row["lower"] == table.lower[row["item"]]
            assert row["upper"] == table.upper[row["item"]]

    @pytest.mark.parametrize("name", ["kinf", "empirical-bernstein", "stitched"])
    def test_other_bounds_read_the_levels_of_the_file(self, summary, name):
        got = answer("rank", summary, "--bound", name, "--delta", 0.05)
        budget = split_error(
            0.05, items=4, top=1, split="asymmetric", accounting="total", reserve=1 / 16
        )
        best = bounds.get(name).lower_from_levels([0, 100, 900], [0, 0.5, 1], budget.lower)
        assert got["certified"] is True
        assert got["ranking"][0]["lower"] == pytest.approx(best, abs=1e-15)

    def test_plain_votes_with_labels(self, tmp_path):
        path = tmp_path / "votes.csv"
        path.write_text("item,label\n" + "a,Funny\nb,Unfunny\n" * 200, encoding="utf-8")
        got = answer("rank", path, "--scale", "Unfunny=0,Somewhat funny=0.5,Funny=1")
        assert got["certified"] is True
        assert got["ranking"][0]["caption"] == "a"
        assert "--scale" in refused("rank", path)

    def test_files_of_divided_raters_are_one_contest(self, summary, tmp_path):
        parts = [tmp_path / name for name in ("a.csv", "b.csv")]
        header = "caption,votes,not_funny,somewhat_funny,funny\n"
        parts[0].write_text(f"{header}Best,400,0,0,400\nWorst,600,600,0,0\n", encoding="utf-8")
        parts[1].write_text(f"{header}Best,600,0,100,500\nWorst,400,390,5,5\n", encoding="utf-8")
        whole = tmp_path / "whole.csv"
        whole.write_text(f"{header}Best,1000,0,100,900\nWorst,1000,990,5,5\n", encoding="utf-8")
        assert answer("rank", *parts) == answer("rank", whole)
        assert "2 files: 2 items, 2,000 votes" in run("rank", *parts).stdout
        other = tmp_path / "other.csv"
        other.write_text("item,value\nBest,1\nWorst,0\n", encoding="utf-8")
        assert "different scales" in refused("rank", parts[0], other)

    def test_a_hundred_thousand_rows(self, tmp_path):
        path = tmp_path / "votes.csv"
        rows = "\n".join(f"item {k % 5000},{(k * 7919) % 2}" for k in range(100_000))
        path.write_text("item,value\n" + rows + "\n", encoding="utf-8")
        got = answer("rank", path)
        assert got["items"] == 5000
        assert got["votes"] == 100_000

    def test_all_good_items(self, summary):
        options = ("rank", summary, "--goal", "all-good", "--epsilon")
        got = answer(*options, 0.1)
        assert got["certified"] is True
        assert got["goal"] == "all-good"
        assert got["ranking"][0]["status"] == "in"
        assert got["top"] == got["status_counts"]["in"]
        text = " ".join(run(*options, 0.1).stdout.split())
        assert "Certified. With at least 95 % confidence, the first is the best" in text
        assert "Not certified within 0.001" in " ".join(run(*options, 0.001).stdout.split())
        assert "epsilon must be above 0" in refused("rank", summary, "--goal", "all-good")

    def test_shortlists(self, summary):
        got = answer("rank", summary, "--delta", 0.05, "--shortlists")["shortlists"]
        assert got["k"] == [1, 2, 3]
        assert got["items"][0] == 0
        assert got["epsilon"][0] == 0.0
        assert got["delta"] == 0.05
        assert "shortlists" not in answer("rank", summary)
        text = " ".join(run("rank", summary, "--shortlists").stdout.split())
        assert "With at least 95 % confidence of their own, for every k" in text

    def test_captions_are_printed_as_they_are(self, tmp_path):
        path = tmp_path / "votes.csv"
        path.write_text("item,value\n[red]a[/red],1\nb,0\n", encoding="utf-8")
        assert "[red]a[/red]" in run("rank", path).stdout

    @pytest.mark.parametrize(
        ("content", "word"),
        [
            (b"", "empty"),
            (b"item,value\n", "no rows"),
            (b"item,score\na,1\n", "value"),
            (b"item,value\na,1\nb,two\n", "Line 3"),
            (b"item,value\na,1\nb,nan\n", "Line 3"),
            (b"item,value\na,1\n", "only one item"),
        ],
    )
    def test_bad_files(self, tmp_path, content, word):
        path = tmp_path / "votes.csv"
        path.write_bytes(content)
        assert word.lower() in refused("rank", path).lower()

    def test_missing_file_and_bad_settings(self, summary, tmp_path):
        assert "nowhere.csv" in refused("rank", tmp_path / "nowhere.csv")
        assert "top must be less" in refused("rank", summary, "--top", 4)
        assert "epsilon" in refused("rank", summary, "--epsilon", -1)
        assert "delta" in refused("rank", summary, "--delta", 1.5)
        assert "--show" in refused("rank", summary, "--show", -1)

    @pytest.mark.skipif(not CONTESTS.is_dir(), reason="no caption contests beside the project")
    @pytest.mark.parametrize("name", ["512_LilUCB.csv", "686.csv"])
    def test_real_contests_of_both_forms(self, name):
        got = answer("rank", CONTESTS / name, "--top", 3, "--delta", 0.05, "--epsilon", 0.02)
        means = [row["mean"] for row in got["ranking"]]
        assert means == sorted(means, reverse=True)
        assert got["items"] == len(got["ranking"]) > 4000
        assert sum(got["status_counts"].values()) == got["items"]


class TestRace:
    def test_runs_to_its_verdict(self):
        options = ("--items", 1000, "--algorithm", "lil-klucb", "--delta", 0.01, "--seed", 7)
        got = answer("race", "--profile", "power:0.5", *options)
        assert got["winner"] == 0
        assert got["certified"] is True
        assert got["votes_per_item"] == got["votes"] / 1000
        assert got == answer("race", "--profile", "power:0.5", *options)

    def test_another_stopping(self):
        options = ("race", "--profile", "power:0.5", "--items", 300, "--seed", 7)
        usual, lead = answer(*options), answer(*options, "--stopping", "lead")
        assert lead["winner"] == usual["winner"] == 0
        assert lead["votes"] < usual["votes"]
        assert (usual["stopping"], lead["stopping"]) == (None, "lead")
        assert "stopping lead" in run(*options, "--stopping", "lead").stdout
        assert "top=1" in refused(*options, "--stopping", "lead", "--top", 2)

    def test_several_winners(self):
        got = answer("race", "--profile", "means:0.1,0.9,0.2,0.8", "--top", 2)
        assert sorted(got["winners"]) == [1, 3]
        assert "winner" not in got

    def test_shortlists(self):
        options = ("race", "--profile", "means:0.1,0.9,0.2,0.8", "--shortlists")
        got = answer(*options)
        assert got["shortlists"]["items"][0] == got["winner"] == 1
        assert "the k-th item" in run(*options).stdout

    def test_all_good_items(self):
        options = ("--profile", "means:0.1,0.9,0.2,0.85", "--goal", "all-good", "--epsilon", 0.1)
        got = answer("race", *options)
        assert sorted(got["winners"]) == [1, 3]
        assert got["correct"] is True
        assert got["smallest_epsilon"] is None
        assert "certified that all within 0.1 of the" in run("race", *options).stdout
        short = ("race", *options, "--max-votes", 50)
        assert "some items are still open" in run(*short).stdout

    def test_a_summary_as_profile(self, summary):
        got = answer("race", "--profile", f"csv:{summary}", "--epsilon", 0.05)
        assert got["winner"] == 0

    def test_gives_up_at_the_limit(self):
        got = answer("race", "--profile", "means:0.5,0.5", "--max-votes", 5000, code=1)
        assert got["certified"] is False
        assert got["votes"] == 5000
        assert "not yet" in run(
            "race", "--profile", "means:0.5,0.5", "--max-votes", 5000
        ).stdout.replace("\n", " ")

    def test_paper_accounting_tells_its_total(self):
        got = answer("race", "--profile", "means:0.9,0.1", "--accounting", "paper")
        assert got["total_delta"] == 0.02

    @pytest.mark.parametrize(
        ("options", "word"),
        [
            (("--profile", "power:0.5"), "--items"),
            (("--profile", "power:x", "--items", 10), "not a number"),
            (("--profile", "power:-1", "--items", 10), "exponent"),
            (("--profile", "means:0.5"), "two items"),
            (("--profile", "means:0.5,1.5"), "means"),
            (("--profile", "means:0.5,0.4", "--items", 3), "3"),
            (("--profile", "tree:1"), "power:0.5"),
            (("--profile", "means:0.5,0.4", "--algorithm", "lil-klub"), "lil-klucb"),
            (("--profile", "means:0.5,0.4", "--seed", -1), "seed"),
            (("--profile", "means:0.5,0.4", "--max-votes", 0), "max_votes"),
            (("--profile", "csv:nowhere.csv"), "nowhere.csv"),
        ],
    )
    def test_bad_input(self, options, word):
        assert word in refused("race", *options)

    def test_progress_is_live_on_a_terminal(self):
        shown, out = on_a_terminal("race", "--profile", "power:1", "--items", "2000", "--json")
        assert json.loads(out)["winner"] == 0
        assert re.search(r"[\d,]+ votes, certified within 0\.\d+", shown)


def test_help_names_every_verb_and_loads_none():
    code = (
        "import sys\nfrom plaudit.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print('numpy' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.rstrip().endswith("False")
    for verb in ("interval", "rank", "race"):
        assert verb in out.stdout


def test_an_unknown_verb_offers_the_nearest():
    assert "Did you mean 'rank'" in refused("rnak")
