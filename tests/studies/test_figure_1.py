"""Figure 1: the experiment that is run, and what is concluded from its curves."""

from dataclasses import replace

import numpy as np
import pytest

from plaudit.simulation import Profile, SimulatedRace
from plaudit.simulation.executors import open_executor
from plaudit.studies import finding
from plaudit.studies.engine import run_study
from plaudit.studies.figure_1 import PANELS, STUDY, _near, _share_claim
from plaudit.studies.finding import TIES, FoundCurve, level_rows, vote_grid, votes_to
from plaudit.studies.study import Options


def test_the_plan_is_the_papers():
    plan = STUDY.prepare(Options())
    assert plan.settings["repetitions"] == 250
    assert (plan.settings["delta"], plan.settings["N"], plan.settings["items"]) == (0.01, 8, 1000)
    assert len(plan.parts) == 2 * 3 * 2 * 25
    for name, (alpha, _) in PANELS.items():
        expected = 1 - (np.arange(1000) / 1000) ** alpha
        assert plan.shared[name].means == pytest.approx(expected, abs=1e-15)


def test_a_part_is_one_item_a_step_with_the_papers_bounds(monkeypatch):
    """Under UCB sampling the upper bounds are at delta, not at a share of it."""
    seen = []

    def spy(profile, seeds, grid, **settings):
        race = SimulatedRace(
            profile, seed=seeds[0], **{k: settings[k] for k in settings if k != "shown"}
        )
        race.advance(2000)
        seen.append((settings["bound"], settings["rule"], race.race))
        raise InterruptedError

    monkeypatch.setattr(finding, "follow_races", spy)
    plan = STUDY.prepare(Options(repetitions=1))
    for part in plan.parts:
        with pytest.raises(InterruptedError):
            STUDY.work(plan.shared, part)
    assert {(bound, rule) for bound, rule, _ in seen} == {
        (bound, rule) for bound in ("lil-kl", "sg1", "sg2") for rule in ("largest-upper", "pair")
    }
    from plaudit import bounds

    for name, rule, race in seen:
        bound = bounds.get(name, N=8)
        records = race.engine.state.items
        votes = records["votes"].astype(float)
        upper = np.minimum(1.0, bound.upper(records["total"] / votes, votes, 0.01))
        assert race.intervals().upper == pytest.approx(upper)
        assert rule != "pair" or race.engine.state.header[0]["rule"] == 0


def test_a_small_run_from_end_to_end(tmp_path, monkeypatch):
    monkeypatch.setattr("plaudit.studies.figure_1.ITEMS", 40)
    monkeypatch.setattr(
        "plaudit.studies.figure_1.PANELS", {"α = 1": (1.0, 3000), "α = 1/2": (0.5, 800)}
    )
    with open_executor(threads=2) as executor:
        findings = run_study(STUDY, Options(repetitions=12), out=tmp_path, executor=executor)
    assert len(findings.claims) == 4
    curves = next(table for table in findings.tables if table.name == "curves").rows
    assert {row["ties"] for row in curves} == {"random", "more votes first"}
    assert all(row["low"] <= row["share"] <= row["high"] for row in curves)
    last = [row for row in curves if row["panel"] == "α = 1/2" and row["votes"] > 700]
    assert last
    assert all(row["share"] == 1.0 for row in last if row["rule"] == "LUCB pairs")
    assert (tmp_path / "figure-1" / "figure.svg").stat().st_size > 10_000


def made_curve(bound: str, reach: float) -> FoundCurve:
    """A curve that rises in a straight line and is at 1 after `reach` votes."""
    votes = np.linspace(0, 1000, 1001)
    share = np.minimum(votes / reach, 1.0)
    below = np.full(votes.size, 0.15)
    return FoundCurve(
        "p", "UCB sampling", bound, "random", votes, share, share - 0.1, share + 0.1, below
    )


def test_shares_of_votes():
    curves = [made_curve("KL", 100), made_curve("SG1", 500), made_curve("SG2", 2000)]
    row = next(row for row in level_rows(curves) if row["probability"] == 0.95)
    assert row["KL_votes"] == pytest.approx(95)
    assert row["KL_share_of_SG1"] == pytest.approx(0.2)
    assert row["SG2_votes"] is None
    assert row["KL_share_of_SG2"] is None
    assert row["KL_votes_below_median"] == pytest.approx(0.15)
    assert row["KL_votes_low"] < row["KL_votes"]


def test_votes_to_a_level():
    votes, share = np.array([10.0, 20.0, 30.0]), np.array([0.5, 0.4, 0.9])
    assert votes_to(votes, share, 0.5) == 10.0
    assert votes_to(votes, share, 0.65) == 25.0
    assert votes_to(votes, share, 0.95) is None


def test_a_share_may_be_five_points_off():
    assert _near([0.16, 0.249, 0.28, 0.14, None], 0.2) == [True, True, False, False]


@pytest.mark.parametrize(
    ("voted", "random", "agreement"),
    [(100, 120, "agrees"), (100, 150, "agrees in part"), (130, 150, "differs")],
)
def test_both_ways_to_rank_ties_are_checked(voted, random, agreement):
    """The paper has 20 %, and the other bounds need 500 votes, whichever way."""
    curves = [
        replace(made_curve(bound, reach), panel="α = 1", rule=rule, ties=ties)
        for rule in ("UCB sampling", "LUCB pairs")
        for ties, own in zip(TIES, (voted, random), strict=True)
        for bound, reach in (("KL", own), ("SG1", 500), ("SG2", 500))
    ]
    claim = _share_claim(curves, "α = 1")
    assert claim.agreement == agreement
    assert len(claim.checks) == 4
    assert f"{100 * random / 500:.0f} % and {100 * random / 500:.0f} % with random ties" in (
        claim.measured
    )


def test_the_grid_begins_at_one_vote_an_item():
    grid = vote_grid(1000, 60_000)
    assert (grid[0], grid[-1]) == (1000, 60_000)
    assert (np.diff(grid) > 0).all()
    assert vote_grid(Profile.power(5, 1.0).means.size, 5).tolist() == [5, 6]
