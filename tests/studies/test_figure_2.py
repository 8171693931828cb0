"""Figure 2: the two contests, what is concluded from their curves, and what stands in for them."""

import json
from pathlib import Path

import numpy as np
import pytest

from plaudit.datasets import contest_profile, load_contest, synthetic_contest
from plaudit.errors import DataUnavailable
from plaudit.simulation import Profile
from plaudit.studies import figure_2, finding
from plaudit.studies.contests import tables as contest_tables
from plaudit.studies.contests.tables import STAND_IN, best_of, count_copies, load_some, shorten
from plaudit.studies.figure_2 import STUDY
from plaudit.studies.figure_2.claims import contest_claims
from plaudit.studies.finding import RULES, TIES, FoundCurve
from plaudit.studies.output import write_findings
from plaudit.studies.study import Options
from support.small_contests import easy_counts, write_contest

CONTESTS = Path(__file__).resolve().parents[3] / "shared" / "caption-contests"
needs_contests = pytest.mark.skipif(
    not (CONTESTS / "558_LilUCB.csv").exists(),
    reason=f"the caption contests are not at {CONTESTS}",
)
BOTH = ("contest 558", "contest 512")


def outcome(plan):
    """The findings of a plan, its results as they come back from the journal."""
    results = [json.loads(json.dumps(STUDY.work(plan.shared, part))) for part in plan.parts]
    return STUDY.conclude(plan, results)


@pytest.fixture
def small(tmp_path, monkeypatch) -> Path:
    """A folder with small contests in place of the paper's, and short races."""
    short = {panel: (f"{panel[-3:]}_LilUCB", 900) for panel in BOTH}
    monkeypatch.setattr(figure_2, "CONTESTS", short)
    monkeypatch.setattr(figure_2, "SYNTHETIC_HORIZON", 400)
    monkeypatch.setattr(finding, "GRID_POINTS", 60)
    monkeypatch.setattr(contest_tables, "load_contest", _load_small)
    return tmp_path


def _load_small(name, *, data=None):
    return synthetic_contest(30) if name == "synthetic" else load_contest(name, data=data)


@needs_contests
def test_the_best_means_are_the_papers():
    plan = STUDY.prepare(Options(data=CONTESTS))
    facts = plan.settings["contests"]
    assert [facts[panel]["best_mean"] for panel in BOTH] == pytest.approx([0.536, 0.8], abs=1e-15)
    assert [facts[panel]["votes_on_best"] for panel in BOTH] == [875, 10]
    assert [facts[panel]["items_with_it"] for panel in BOTH] == [1, 1]
    assert [facts[panel]["items"] for panel in BOTH] == [3925, 4399]
    claims = contest_claims([], facts, 250)
    assert [claim.agreement for claim in claims] == ["agrees"] * 2 + ["not tested"] * 2


@needs_contests
def test_the_plan_is_the_papers():
    plan = STUDY.prepare(Options(data=CONTESTS))
    assert (plan.settings["repetitions"], plan.settings["delta"], plan.settings["N"]) == (
        250, 0.01, 8,
    )  # fmt: skip
    assert len(plan.parts) == 2 * 3 * 2 * 25
    for panel in BOTH:
        profile = plan.shared[panel]
        assert profile.values.tolist() == [0.0, 1.0]
        assert profile.means.max() == pytest.approx(plan.settings["contests"][panel]["best_mean"])
    assert {part["profile"] for part in plan.parts} == {
        profile.fingerprint for profile in plan.shared.values()
    }


@needs_contests
def test_with_three_levels_the_best_means_would_be_others():
    """The paper's figures tell which rewards it used."""
    facts = STUDY.prepare(Options(data=CONTESTS)).settings["contests"]
    for panel, stem in zip(BOTH, ("558_LilUCB", "512_LilUCB"), strict=True):
        profile, _ = contest_profile(load_contest(stem, data=CONTESTS))
        facts[panel]["best_mean"] = best_of(profile)["mean"]
    assert [facts[panel]["best_mean"] for panel in BOTH] == pytest.approx([0.384, 0.625], abs=5e-4)
    assert [claim.agreement for claim in contest_claims([], facts, 250)[:2]] == ["differs"] * 2


def test_a_small_run_from_end_to_end(small, tmp_path):
    counts = easy_counts(30, best='A | "pipe" <b>and</b>\nmore')
    for stem in ("558_LilUCB", "512_LilUCB"):
        write_contest(small, stem, counts)
    options = Options(repetitions=60, data=small)
    plan = STUDY.prepare(options)
    findings = outcome(plan)
    assert not any("stands in" in note for note in findings.notes)
    assert "stands in" not in findings.figure_caption
    means, comparable = findings.claims[:2], findings.claims[2]
    assert [claim.agreement for claim in means] == ["differs", "differs"]
    assert all("0.9, from 100 votes. One caption has it" in claim.measured for claim in means)
    assert comparable.agreement != "not tested"
    levels = next(table for table in findings.tables if table.name == "levels").rows
    assert all(row["KL_votes"] is not None for row in levels)
    write_findings(STUDY, options, plan, findings, tmp_path)
    page = (tmp_path / "page.md").read_text("utf-8")
    assert 'A \\| "pipe" <b>and</b> more' in page
    assert (tmp_path / "figure.svg").stat().st_size > 10_000


def test_without_the_files_a_made_up_contest_stands_in_and_nothing_is_tested(small):
    write_contest(small, "600", easy_counts(20))
    plan = STUDY.prepare(Options(repetitions=60, data=small))
    assert list(plan.shared) == ["synthetic"]
    findings = outcome(plan)
    assert {claim.agreement for claim in findings.claims} == {"not tested"}
    assert len(findings.claims) == 4
    assert findings.figure_caption.startswith(STAND_IN)
    assert STAND_IN in findings.notes[0]
    assert "558_LilUCB" in findings.notes[1]
    assert "no contest" in findings.notes[1]


def test_one_contest_alone_is_tested_and_the_other_is_not(small):
    write_contest(small, "512_LilUCB", easy_counts(20))
    plan = STUDY.prepare(Options(repetitions=60, data=small))
    assert list(plan.shared) == ["contest 512", "synthetic"]
    agreements = {claim.paper: claim.agreement for claim in outcome(plan).claims}
    assert {paper[:11]: value == "not tested" for paper, value in agreements.items()} == {
        "contest 558": True, "contest 512": False,
    }  # fmt: skip


def test_without_network_the_made_up_contest_stands_in(monkeypatch):
    def unreachable(name, *, data=None):
        if name == "synthetic":
            return synthetic_contest(10)
        raise DataUnavailable("Cannot reach the host.")

    monkeypatch.setattr(contest_tables, "load_contest", unreachable)
    found = load_some(["558_LilUCB", "512_LilUCB"])
    assert list(found.tables) == ["synthetic"]
    assert not found.real
    assert found.missing == dict.fromkeys(("558_LilUCB", "512_LilUCB"), "Cannot reach the host.")


def test_a_named_folder_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(DataUnavailable, match="does not exist"):
        STUDY.prepare(Options(data=tmp_path / "nowhere"))


def made_curves(panel: str, kl: float, others: float) -> list[FoundCurve]:
    """Curves that rise in a straight line up to 1, with UCB sampling and with pairs."""
    votes = np.linspace(1, 1000, 1000)
    curves = []
    for bound, reach in (("KL", kl), ("SG1", others), ("SG2", 500.0)):
        share = np.minimum(votes / reach, 1.0)
        for rule in RULES:
            # With pairs all bounds are alike: a claim on UCB sampling must not look there.
            shown = share if rule == "UCB sampling" else np.minimum(votes / 500, 1.0)
            curves += [
                FoundCurve(panel, rule, bound, ties, votes, shown, shown, shown, 0.2 * shown)
                for ties in TIES
            ]
    return curves


FACT = {"best_mean": 0.5, "votes_on_best": 5, "items_with_it": 1, "next_mean": 0.4}


def agreement_at(panel: str, kl: float, others: float = 500.0, races: int = 250) -> str:
    claims = contest_claims(made_curves(panel, kl, others), {panel: FACT}, races)
    return claims[2 + BOTH.index(panel)].agreement


@pytest.mark.parametrize(
    ("kl", "comparable", "marked"),
    [
        (390, "differs", "agrees"),
        (410, "agrees", "differs"),
        (620, "agrees", "differs"),
        (640, "differs", "differs"),
    ],
)
def test_what_is_comparable_and_what_is_marked(kl, comparable, marked):
    assert agreement_at("contest 558", kl) == comparable
    assert agreement_at("contest 512", kl) == marked


def test_random_ties_count_as_much_as_more_votes_first():
    """KL is markedly better if more votes rank first, and not at all with random ties."""
    curves = [
        *(curve for curve in made_curves("contest 512", 390, 500) if curve.ties == TIES[0]),
        *(curve for curve in made_curves("contest 512", 500, 500) if curve.ties == TIES[1]),
    ]
    claim = contest_claims(curves, {"contest 512": FACT}, 250)[3]
    assert claim.agreement == "agrees in part"
    assert sum(claim.checks) == 8
    assert len(claim.checks) == 16


def test_half_of_the_shares_agree_in_part():
    assert agreement_at("contest 558", 390, others=390) == "agrees in part"
    assert agreement_at("contest 512", 390, others=390) == "agrees in part"


def test_few_races_and_levels_out_of_reach_test_nothing():
    assert agreement_at("contest 512", 390, races=49) == "not tested"
    assert agreement_at("contest 512", 390, races=50) == "agrees"
    assert agreement_at("contest 512", 1e9) == "not tested"


def test_the_note_on_votes_below_the_median():
    curves = made_curves("contest 558", 400, 500.0)
    spread = Profile.bernoulli([0.5, 0.4, 0.3])
    notes = list(figure_2._below_notes(curves, {"contest 558": spread}))
    assert len(notes) == len(RULES)
    assert "contest 558, UCB sampling: of KL's votes until 95 %, 19 % went to" in notes[0]
    level = Profile.bernoulli([0.5, 0.0, 0.0])
    (note,) = figure_2._below_notes(curves, {"contest 558": level})
    assert "no caption is below the median" in note


def test_the_lead_at_equal_votes():
    """KL reaches 1 at 400 votes, where the better of the others has 0.8."""
    claim = contest_claims(made_curves("contest 558", 400, 800), {"contest 558": FACT}, 250)[2]
    assert (
        "up to 20 points above the better of them (at 400 votes) and up to 0 points below."
        in claim.measured
    )
    claim = contest_claims(made_curves("contest 558", 500, 250), {"contest 558": FACT}, 250)[2]
    assert "and up to 50 points below." in claim.measured


def test_ties_at_the_top_are_counted_though_sums_differ_in_a_bit():
    """Both have the mean 0.6, one of them as 0.6000000000000001."""
    profile = Profile.frequencies([[0, 8, 2], [1, 6, 3], [5, 0, 5]], [0.0, 0.5, 1.0])
    best = best_of(profile)
    assert profile.means[0] != profile.means[1]
    assert (best["tied"], best["next"]) == (2, 0.5)
    assert best_of(Profile.bernoulli([0.5, 0.5])) == {
        "row": 0,
        "mean": 0.5,
        "tied": 2,
        "next": None,
    }


def test_copies_and_short_captions(tmp_path):
    counts = [("No, you grow up.", 1, 1, 1), ("no, you grow up. ", 2, 1, 1), ("x" * 80, 1, 0, 0)]
    write_contest(tmp_path, "700", counts)
    table = load_some(["700"], data=tmp_path).tables["700"]
    assert [count_copies(table, row) for row in range(3)] == [1, 1, 0]
    assert shorten(table.items[2]) == "x" * 59 + "…"
    assert shorten(" \n ") == "(empty)"
