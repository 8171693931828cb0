"""The study of `evaluate`: its plan, its claims on made-up results, and a small run."""

import pytest

from plaudit.simulation.examples import BENCHMARKS
from plaudit.studies.evaluate import NAME, STUDY
from plaudit.studies.evaluate.rows import error_claim, fewest_claim, pruner_claim, rows_of
from plaudit.studies.evaluate.ways import GRID, OURS, PRUNERS, SLACK, WAYS
from plaudit.studies.output import write_findings
from plaudit.studies.study import Options, StudyPlan

PRUNER = list(PRUNERS)[1]


def test_the_full_run_draws_ten_thousand_tables_of_each_benchmark():
    runs: dict[str, int] = {}
    for part in STUDY.prepare(Options()).parts:
        runs[part["name"]] = runs.get(part["name"], 0) + part["end"] - part["first"]
    assert runs == {benchmark.name: 10_000 for benchmark in BENCHMARKS}
    assert [(one.candidates, one.examples) for one in BENCHMARKS] == [
        (40, 500),
        (12, 2000),
        (300, 200),
    ]


def made_up(**changed):
    """Results of 1,000 runs: a share of the grid and a number of errors for each way."""
    usual = {
        OURS: (0.2, 1), SLACK: (0.2, 1), "Hoeffding race": (0.8, 0), "uniform, one test": (0.9, 3),
        **dict.fromkeys(PRUNERS, (0.1, 300)), GRID: (1.0, 0),
    }  # fmt: skip
    told = usual | changed
    assert set(told) == set(WAYS)
    result = {
        way: {"runs": 1000, "share": 1000 * share, "squares": 1000 * share**2, "wrong": wrong,
              "off": 0.0}
        for way, (share, wrong) in told.items()
    }  # fmt: skip
    plan = StudyPlan({}, [{"name": one.name} for one in BENCHMARKS])
    return rows_of(plan, [result] * 3)


def test_claims_that_hold():
    rows = made_up()
    assert error_claim(rows).agreement == "agrees"
    assert fewest_claim(rows).agreement == "agrees"
    assert pruner_claim(rows).agreement == "agrees"
    assert "0.200, next 0.800 (Hoeffding race)" in fewest_claim(rows).measured


def test_claims_that_do_not():
    assert error_claim(made_up(**{OURS: (0.2, 80)})).agreement == "differs"
    # A pruner that keeps the error with fewer calls is better.
    rows = made_up(**{PRUNER: (0.1, 20)})
    assert fewest_claim(rows).agreement == "differs"
    assert pruner_claim(rows).agreement == "differs"


@pytest.fixture(scope="module")
def small_run():
    plan = STUDY.prepare(Options(repetitions=2))
    return plan, [STUDY.work(plan.shared, part) for part in plan.parts]


@pytest.mark.slow
def test_a_small_run_writes_its_files(small_run, tmp_path):
    plan, results = small_run
    findings = STUDY.conclude(plan, results)
    write_findings(STUDY, Options(repetitions=2), plan, findings, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} >= {"result.json", "figure.svg", "page.md"}
    rows = rows_of(plan, results)
    assert {row["share"] for row in rows if row["way"] == GRID} == {1.0}
    assert all(row["share"] < 0.7 for row in rows if row["way"] == OURS)
    assert STUDY.name == NAME
