"""Sample complexity: the races that are run, and what is concluded from their votes."""

import json
from collections.abc import Callable

import numpy as np
import pytest

from plaudit.race.algorithms import PUBLISHED
from plaudit.simulation import Profile, SimulatedRace
from plaudit.simulation.seeds import seed_at
from plaudit.studies.output import write_findings
from plaudit.studies.sample_complexity import STUDY
from plaudit.studies.sample_complexity import plan as complexity_plan
from plaudit.studies.sample_complexity.cases import INNER, PANELS, Case
from plaudit.studies.sample_complexity.cells import Cell, Cells, collect_cells, fit_growth, row_of
from plaudit.studies.sample_complexity.claims import (
    error_claim,
    floor_claim,
    growth_claim,
    inner_claim,
    kl_lucb_claim,
    theorem_claim,
)
from plaudit.studies.sample_complexity.plan import (
    FULL,
    QUICK,
    Effort,
    cap_of,
    plan_races,
    races_of,
)
from plaudit.studies.study import Options, StudyPlan

SIZES = (10, 30, 100, 300, 1000)
# Made once, since each keeps what theory says of it.
CASES = [Case(panel, n) for panel in PANELS for n in SIZES]


def made(case: Case, algorithm: str, votes: float, *, given_up: int = 0, wrong: int = 0) -> Cell:
    """A cell of 200 races of so many votes each."""
    stopped, right = np.ones(200, dtype=bool), np.ones(200, dtype=bool)
    stopped[:given_up] = False
    right[200 - wrong :] = False
    return Cell(case, algorithm, np.full(200, round(votes)), stopped, right)


def made_cells(votes: Callable[[Case, str], float]) -> Cells:
    return {
        (case.panel, case.items, algorithm): made(case, algorithm, votes(case, algorithm))
        for case in CASES
        for algorithm in PUBLISHED
    }


def as_the_paper_says(case: Case, algorithm: str) -> float:
    if algorithm == "kl-lucb":
        return case.bound * np.log(case.items)
    if algorithm in ("lucb++", "lil-ucb"):
        return (30 if case.panel == INNER else 50) * case.sum_sub_gaussian
    return 9 * case.floor


def test_what_theory_says_of_a_case():
    """Known values at n = 1000; the floor is for the total error, twice the paper's delta."""
    half, one = Case("α = 1/2", 1000), Case("α = 1", 1000)
    assert (round(half.bound), round(one.bound)) == (20_343, 195_958)
    ratio = 0.96 * np.log(49) / (0.98 * np.log(99))
    assert half.floor == pytest.approx(2_082 * ratio, rel=1e-3)
    assert one.floor == pytest.approx(18_148 * ratio, rel=1e-3)
    inner = Case(INNER, 10).profile.means
    assert inner == pytest.approx(0.25 + Profile.power(10, 0.5).means / 2)


def test_lil_klucb_runs_as_the_papers():
    """At total error 0.02 it is, vote for vote, the paper's own accounting at delta = 0.01."""
    plan = plan_races(Options(quick=True))
    part = next(p for p in plan.parts if p["address"][1:] == ["α = 1/2", 30, "lil-klucb"])
    result = STUDY.work(plan.shared, part)
    for k, votes in enumerate(result["votes"][:5]):
        seed = seed_at(0, "sample-complexity", "α = 1/2", 30, "lil-klucb", k)
        paper = SimulatedRace(
            Profile.power(30, 0.5),
            seed=seed,
            algorithm="lil-klucb",
            delta=0.01,
            accounting="paper",
        )
        assert paper.run().votes == votes


def test_every_algorithm_has_the_same_total_error():
    for name in PUBLISHED:
        race = SimulatedRace(Profile.power(10, 0.5), algorithm=name, delta=0.02, reserve=0.0).race
        assert race.engine.method.proven_delta == (None if name == "lil-ucb-heuristic" else 0.02)


def test_a_race_beyond_its_cap_is_given_up():
    plan = plan_races(Options(quick=True))
    part = next(p for p in plan.parts if p["address"][1:] == ["α = 1", 10, "ucb"])
    result = STUDY.work(plan.shared, part)
    assert result["stopped"] == [False, False]
    assert result["votes"] == [50_000, 50_000]


def test_plans():
    for options, effort in ((Options(), FULL), (Options(quick=True), QUICK)):
        plan = plan_races(options)
        names = {tuple(part["address"][1:]) for part in plan.parts}
        assert len(names) == len(PANELS) * len(effort.sizes) * len(PUBLISHED)
        for part, weight in zip(plan.parts, plan.weights, strict=True):
            assert weight < 2.0 or part["end"] - part["first"] == 1
    assert races_of(Case("α = 1/2", 1000), "lil-klucb", Options()) == 200
    assert races_of(Case("α = 1", 1000), "lucb++", Options()) == 2
    assert races_of(Case("α = 1/2", 10), "lucb", Options(repetitions=1)) == 1
    assert races_of(Case("α = 1/2", 10), "lucb", Options(repetitions=400)) == 400
    assert cap_of("lucb", FULL) == cap_of("lucb++", FULL) // 10


def test_an_algorithm_without_a_guess_is_planned_too(monkeypatch):
    monkeypatch.delitem(complexity_plan.GUESSES, "lucb")
    assert races_of(Case("α = 1/2", 10), "lucb", Options()) >= 5


def test_given_up_races_count_and_make_a_lower_limit():
    case = Case("α = 1", 10)
    votes = np.array([100, 200, 1000, 1000])
    stopped = np.array([True, True, False, False])
    cell = Cell(case, "lucb", votes, stopped, np.array([True, False, False, True]))
    assert (cell.mean, cell.given_up, cell.wrong) == (575.0, 2, 1)
    assert cell.text == "> 575"
    assert cell.standard_error is None
    assert cell.high is None
    assert row_of({("α = 1", 10, "lucb"): cell}, "α = 1", "lucb") == []
    done = Cell(case, "lucb", votes, np.ones(4, dtype=bool), np.ones(4, dtype=bool))
    assert done.standard_error == pytest.approx(votes.std(ddof=1) / 2)


def test_growth_leaves_out_what_was_given_up():
    rows = {}
    for n in SIZES:
        cell = made(Case("α = 1", n), "lucb", 3.0 * n**2, given_up=int(n > 100))
        rows["α = 1", n, "lucb"] = cell
    fit = fit_growth(row_of(rows, "α = 1", "lucb"))
    assert fit is not None
    assert fit.range == "10 to 100"
    assert fit.votes == pytest.approx(2.0, abs=1e-3)
    assert fit.sum_sub_gaussian == pytest.approx(2.02, abs=0.02)
    assert fit_growth([made(Case("α = 1", 10), "lucb", 10)]) is None
    assert fit_growth([]) is None


def claims_of(cells: Cells) -> list[str]:
    return [
        claim.agreement
        for claim in (
            theorem_claim(cells),
            error_claim(cells),
            kl_lucb_claim(cells),
            growth_claim(cells, "α = 1", ("lil-ucb", "lucb++")),
            inner_claim(cells),
            floor_claim(cells),
        )
    ]


def test_votes_as_the_paper_says_agree():
    assert claims_of(made_cells(as_the_paper_says)) == ["agrees"] * 6


def test_a_constant_that_grows_differs():
    cells = made_cells(lambda case, name: case.bound * np.sqrt(case.items))
    claims = claims_of(cells)
    assert (claims[0], claims[3], claims[5]) == ("differs", "differs", "differs")
    slow = made_cells(lambda case, name: case.bound * case.items**0.15)
    assert theorem_claim(slow).agreement == "differs"
    one = made_cells(lambda case, _: case.bound * (case.items if case.panel == "α = 1" else 1))
    assert (theorem_claim(one).agreement, floor_claim(one).agreement) == ("differs", "differs")


def test_no_gain_on_kl_lucb_differs():
    assert kl_lucb_claim(made_cells(lambda case, name: case.bound)).agreement == "differs"
    steady = made_cells(lambda case, name: case.bound * (2 if name == "kl-lucb" else 1))
    assert kl_lucb_claim(steady).agreement == "agrees in part"


def test_a_gain_where_none_is_expected_differs():
    cells = made_cells(lambda case, name: case.bound * (5 if name == "lucb++" else 1))
    assert inner_claim(cells).agreement == "differs"


def test_wrong_verdicts():
    cells = dict(made_cells(as_the_paper_says))
    case = Case("α = 1", 10)
    cells["α = 1", 10, "lil-klucb"] = made(case, "lil-klucb", 1000, wrong=20)
    assert error_claim(cells).agreement == "differs"
    few = {key: cell for key, cell in cells.items() if key[:2] == ("α = 1", 30)}
    few["α = 1", 30, "lil-klucb"] = made(Case("α = 1", 30), "lil-klucb", 1000, wrong=3)
    assert error_claim(few).agreement == "agrees in part"


def test_own_races_given_up_never_agree_in_full():
    cells = dict(made_cells(as_the_paper_says))
    case = Case("α = 3/2", 1000)
    cells["α = 3/2", 1000, "lil-klucb"] = made(case, "lil-klucb", case.bound, given_up=1)
    assert theorem_claim(cells).agreement == "agrees in part"


def test_a_small_run_from_end_to_end(tmp_path, monkeypatch):
    monkeypatch.setattr(complexity_plan, "QUICK", Effort((5, 10), 20_000, 4, 2, 0.01))
    options = Options(quick=True)
    plan = STUDY.prepare(options)
    results = [json.loads(json.dumps(STUDY.work(plan.shared, part))) for part in plan.parts]
    cells = collect_cells(plan, results)
    assert len(cells) == len(PANELS) * 2 * len(PUBLISHED)
    again = StudyPlan(plan.settings, plan.parts[::-1], plan.shared)
    assert collect_cells(again, results[::-1]).keys() == cells.keys()
    findings = STUDY.conclude(plan, results)
    write_findings(STUDY, options, plan, findings, tmp_path)
    page = (tmp_path / "page.md").read_text("utf-8")
    assert "| > 2,000 |" in page
    assert f"0 wrong verdicts in {sum(cell.races for cell in cells.values())}" in page
    assert len(findings.claims) == 6
    assert (tmp_path / "figure.svg").stat().st_size > 10_000
    rows = next(table for table in findings.tables if table.name == "cells").rows
    assert all(row["over_floor"] > 1.0 for row in rows if row["races"] > 3 and row["n"] == 10)
