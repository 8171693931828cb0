"""The study of votes saved: floors, pairs of races, claims, and a small run of it all."""

import json
import math

import numpy as np
import pytest

from plaudit.datasets import contest_profile, load_contest
from plaudit.race import Race
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace
from plaudit.simulation.seeds import seed_at
from plaudit.studies import fewer_votes
from plaudit.studies.entrants import ENTRANTS, OURS, PAPERS
from plaudit.studies.fewer_votes import STUDY
from plaudit.studies.fewer_votes.cases import CHOSEN, JUDGED, Case
from plaudit.studies.fewer_votes.cells import EXACT, LESS, MORE, Cell, cell_rows
from plaudit.studies.fewer_votes.claims import certify_claims, never_worse_claim, no_repeat_claim
from plaudit.studies.fewer_votes.floor import _raise_to, characteristic_time_of, vote_floor_of
from plaudit.studies.fewer_votes.found import Finding, find_rows
from plaudit.studies.fewer_votes.profiles import varied_cases
from plaudit.studies.fewer_votes.races import CERTIFY, Effort
from plaudit.studies.level_laws import three_levels
from plaudit.studies.output import write_findings
from plaudit.studies.ratio import mean_with_limits, ratio_with_limits
from plaudit.studies.study import Options
from plaudit.theory import vote_floor
from support.small_contests import easy_counts, write_contest

SMALL = Effort(items=12, certify_races=2, certify_cap=20_000, find_races=4, find_others=1,
               find_cap=1500, no_repeat_races=2, varied_races=2)  # fmt: skip


# Entrants


def test_every_entrant_is_a_race():
    for entrant in ENTRANTS.values():
        race = Race(5, delta=0.05, reserve=0.0, **entrant.settings)
        assert race.ask(1)
    assert {PAPERS, OURS} <= set(ENTRANTS)


# Ratios


def test_means_and_ratios_have_students_limits():
    mean = mean_with_limits([8.0, 10.0, 12.0])
    # The quantile of two degrees of freedom is 4.3027.
    assert mean.value == 10.0
    assert mean.high - 10.0 == pytest.approx(4.3027 * 2.0 / math.sqrt(3.0), rel=1e-4)
    ours, theirs = np.array([4.0, 6.0, 5.0]), np.array([9.0, 11.0, 10.0])
    ratio = ratio_with_limits(ours, theirs)
    rest = ours - 0.5 * theirs
    assert ratio.value == 0.5
    assert ratio.high - 0.5 == pytest.approx(
        4.3027 * rest.std(ddof=1) / math.sqrt(3.0) / 10.0, rel=1e-4
    )
    assert mean_with_limits([3.0]) == (3.0, None, None)


def test_more_races_of_one_are_not_paired_with_none():
    assert ratio_with_limits([1.0, 1.0, 100.0], [2.0, 2.0]).value == 0.5


# Floors


def test_the_floor_of_binary_votes_is_garivier_and_kaufmanns():
    for means in ([0.75, 0.5, 0.25], [1.0, 0.9, 0.5], [0.1, 0.0, 0.0], [0.52, 0.5]):
        profile = Profile.bernoulli(means)
        assert vote_floor_of(profile, 0.01) == pytest.approx(vote_floor(means, 0.01), rel=1e-3)


def test_the_least_divergence_is_the_least():
    chances, values = np.array([[0.3, 0.5, 0.2]]), np.array([0.0, 0.5, 1.0])
    for mark in (0.5, 0.6, 0.8):
        high = np.linspace(1e-6, 1.0 - 1e-6, 4001)
        middle = np.clip(2.0 * (mark - high), 0.0, None)
        low = 1.0 - high - middle
        good = (low > 0) & (middle > 0)
        terms = [p * np.log(p / q[good]) for p, q in zip(chances[0], (low, middle, high),
                                                         strict=True)]  # fmt: skip
        least = sum(terms).min()
        assert _raise_to(chances, values - mark, mark)[0] == pytest.approx(least, rel=1e-3)
    assert _raise_to(chances, values - 0.4, 0.4)[0] == 0.0


def test_slack_and_small_variance_lower_the_floor():
    means = [0.5, 0.4, 0.3]
    binary, three = Profile.bernoulli(means), three_levels(means)
    times = [characteristic_time_of(binary, epsilon=epsilon) for epsilon in (0.0, 0.05, 0.1)]
    assert times == sorted(times, reverse=True)
    assert characteristic_time_of(three) == pytest.approx(0.62 * times[0], rel=0.1)
    assert characteristic_time_of(Profile.bernoulli([0.5, 0.5])) == math.inf
    # For two equal items and small slack: a difference of epsilon between Gaussians.
    equal = characteristic_time_of(Profile.bernoulli([0.5, 0.5]), epsilon=0.05)
    assert equal == pytest.approx(8 * 0.25 / 0.05**2, rel=0.01)


# Numbers and claims


def cell(name, algorithm, votes, *, stopped=True, epsilon=0.05, right=True):
    votes = np.array(votes)
    case = Case(name, Profile.bernoulli([0.6, 0.4]), 100.0, epsilon)
    done = np.full(votes.shape, stopped)
    return Cell(case, algorithm, votes, done, np.full(votes.shape, right))


def rows_of(*cells, floors=None):
    return cell_rows({(CERTIFY, c.case.name, c.algorithm): c for c in cells}, CERTIFY, floors or {})


def test_rows_say_which_cases_the_method_was_chosen_on():
    rows = rows_of(
        cell("558", PAPERS, [100, 120]), cell("558", OURS, [30, 36]),
        cell("729", PAPERS, [100, 120]), cell("729", OURS, [50, 60], stopped=False),
        floors={"558": 10.0},
    )  # fmt: skip
    found = {(row["case"], row["algorithm"]): row for row in rows}
    assert found["558", OURS]["role"] == CHOSEN
    assert found["729", OURS]["role"] == JUDGED
    assert found["558", OURS]["ratio"] == pytest.approx(0.3)
    assert found["558", OURS]["over_floor"] == pytest.approx(3.3)
    assert (found["558", OURS]["state"], found["729", OURS]["state"]) == (EXACT, MORE)
    assert found["729", OURS]["cut"] == 2


@pytest.mark.parametrize(
    ("ours", "agreement"),
    [((40, 39), "agrees"), ((40, 41), "agrees in part"), ((50, 41), "differs")],
)
def test_contests_must_take_two_fifths_of_the_votes(ours, agreement):
    rows = rows_of(
        cell("558", PAPERS, [100, 100]), cell("558", OURS, [ours[0]] * 2),
        cell("729", PAPERS, [100, 100]), cell("729", OURS, [ours[1]] * 2),
    )  # fmt: skip
    on_contests, on_profiles = certify_claims(rows)
    assert on_contests.agreement == agreement
    assert on_profiles.agreement == "not tested"


def test_a_race_that_was_cut_proves_no_saving_of_ours():
    rows = rows_of(cell("558", PAPERS, [100, 100]), cell("558", OURS, [20, 20], stopped=False))
    assert certify_claims(rows)[0].agreement == "differs"
    rows = rows_of(cell("558", PAPERS, [100, 100], stopped=False), cell("558", OURS, [20, 20]))
    assert rows[1]["state"] == LESS
    assert certify_claims(rows)[0].agreement == "agrees"


def test_the_worst_profile_is_named():
    rows = rows_of(
        cell("a", PAPERS, [100, 100]), cell("a", OURS, [30, 30]),
        cell("b", PAPERS, [100, 100]), cell("b", OURS, [106, 106]),
    )  # fmt: skip
    claim = never_worse_claim(rows)
    assert claim.agreement == "differs"
    assert "“b” with 1.06 times" in claim.measured
    assert never_worse_claim(rows[:2]).agreement == "agrees"


def test_contests_certified_in_most_races_are_counted():
    def row(contest, algorithm, certified):
        return {"contest": contest, "algorithm": algorithm, "certified": certified, "races": 3}

    rows = [row("a", OURS, 2), row("a", PAPERS, 1), row("b", OURS, 1), row("b", PAPERS, 0)]
    claim = no_repeat_claim(rows)
    assert claim.agreement == "agrees"
    assert f"{OURS} certifies 1 of 2 contests (a), {PAPERS} 0 (none)" in claim.measured
    assert no_repeat_claim(rows[2:]).agreement == "differs"


def test_votes_to_find_and_their_share():
    grid = np.array([10.0, 20.0, 40.0])
    soon = np.array([[0.0, 1.0, 1.0]] * 20)
    late = np.array([[0.0, 0.0, 1.0]] * 20)
    never = np.zeros((20, 3))
    found = {
        ("c", name): Finding("c", name, lines, grid, 40)
        for name, lines in ((PAPERS, late), (OURS, soon), ("uniform", never))
    }
    rows = {row["algorithm"]: row for row in find_rows(found)}
    assert rows[OURS]["votes"] == pytest.approx(19.0)
    assert rows[PAPERS]["votes"] == pytest.approx(38.0)
    assert rows[OURS]["ratio"] == rows[OURS]["ratio_low"] == pytest.approx(0.5)
    assert (rows["uniform"]["state"], rows["uniform"]["votes"]) == (MORE, None)


def test_profiles_are_varied():
    cases = varied_cases(quick=False)
    sizes = {len(case.profile) for case in cases}
    assert {2, 10, 100, 1000, 10_000} <= sizes
    assert {case.profile.values.size for case in cases} == {2, 3, 5}
    assert len({case.name for case in cases}) == len(cases) >= 30
    assert min(case.profile.means.max() for case in cases) < 0.1
    assert all(case.role == JUDGED for case in cases)


# The whole


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A folder of two small contests, short races, and two profiles."""
    for stem, items in (("600", 12), ("601", 15)):
        write_contest(tmp_path, stem, easy_counts(items))
    monkeypatch.setattr(fewer_votes, "FULL", SMALL)
    for name in ("CERTIFIED", "FOUND_BINARY", "RACED_NO_REPEAT"):
        monkeypatch.setattr(fewer_votes, name, ("600", "601"))
    few = [Case("two", Profile.bernoulli([0.8, 0.2]), 100.0),
           Case("three", three_levels([0.8, 0.5, 0.2]), 300.0)]  # fmt: skip
    monkeypatch.setattr(fewer_votes, "varied_cases", lambda *, quick: few)
    return tmp_path


def test_a_small_run_from_end_to_end(small, tmp_path):
    options = Options(data=small)
    plan = STUDY.prepare(options)
    results = [json.loads(json.dumps(STUDY.work(plan.shared, part))) for part in plan.parts]
    findings = STUDY.conclude(plan, results)
    tables = {table.name: table.rows for table in findings.tables}
    cases = {row["case"] for row in tables["certified"]}
    assert cases == {"α = 1", "α = 1/2", "600", "601"}
    algorithms = {row["algorithm"] for row in tables["votes"]}
    assert algorithms == {name for name, entrant in ENTRANTS.items() if entrant.patience}
    (unable,) = [row for row in tables["votes"] if row["algorithm"] == "lil-ucb"]
    assert unable["600"] == "cannot"
    assert all(row["over_floor"] > 1.0 for row in tables["certified"] if not row["cut"])
    assert {row["contest"] for row in tables["no-repeat"]} == {"600", "601"}
    assert [row["profile"] for row in tables["never-worse"]] == ["two", "three"]
    assert len(findings.claims) == 6
    out = tmp_path / "out"
    out.mkdir()
    write_findings(STUDY, options, plan, findings, out)
    page = (out / "page.md").read_text("utf-8")
    assert "| wanted | measured | |" in page
    assert "The method was chosen on α = 1, α = 1/2, 558, 686." in page
    assert (out / "figure.svg").stat().st_size > 10_000


def test_all_entrants_race_on_the_same_seeds(small):
    plan = STUDY.prepare(Options(data=small, seed=7))
    profile, _ = contest_profile(load_contest("600", data=small))
    for name in (PAPERS, OURS):
        part = next(part for part in plan.parts
                    if part["address"][1:] == [CERTIFY, "600", name])  # fmt: skip
        seed = seed_at(7, "fewer-votes", CERTIFY, "600", part["first"])
        race = SimulatedRace(profile, seed=seed, delta=0.01, epsilon=0.05, reserve=0.0,
                             **ENTRANTS[name].settings)  # fmt: skip
        votes = STUDY.work(plan.shared, part)["votes"][0]
        assert votes == race.run(max_votes=SMALL.certify_cap).votes


def test_without_contests_nothing_is_claimed_of_them(small, monkeypatch):
    plan = STUDY.prepare(Options(data=small))
    plan.settings["contests"].append("synthetic")
    assert any("synthetic" in note for note in fewer_votes.notes(plan.settings))
    rows = rows_of(cell("synthetic", PAPERS, [100, 100]), cell("synthetic", OURS, [20, 20]))
    assert certify_claims(rows)[0].agreement == "not tested"
