"""The study of error rates: its instances, its exact test, and a small run."""

import json

import numpy as np
import pytest

from plaudit.studies.entrants import ENTRANTS, OURS, PAPERS
from plaudit.studies.error_rates import ATTACK_RACES, NAME, OWN_RACES, STUDY
from plaudit.studies.error_rates.instances import ATTACKED, INSTANCES
from plaudit.studies.error_rates.rows import (
    attack_claim,
    error_claim,
    error_rows,
    summary_rows,
    tightness_claim,
)
from plaudit.studies.output import write_findings
from plaudit.studies.study import Options, StudyPlan


def test_the_full_run_has_the_races_that_it_says():
    plan = STUDY.prepare(Options())
    races: dict[str, int] = {}
    for part in plan.parts:
        name = part["address"][2]
        races[name] = races.get(name, 0) + part["end"] - part["first"]
    assert races[OURS] >= len(INSTANCES) * OWN_RACES >= 100_000
    assert races[OURS] == len(INSTANCES) * OWN_RACES + 3 * len(ATTACKED) * ATTACK_RACES
    assert set(races) == {name for name, entrant in ENTRANTS.items() if entrant.errs}


def test_the_instances_are_hard_in_every_way():
    assert {one.profile.values.size for one in INSTANCES} == {2, 3, 5}
    ends = np.concatenate([one.profile.means for one in INSTANCES])
    assert ends.min() == 0.0
    assert ends.max() == 1.0
    assert {one.top for one in INSTANCES} == {1, 2, 3}
    assert {one.delta for one in INSTANCES} == {0.1, 0.2}
    names = [one.name for one in INSTANCES]
    assert len(set(names)) == len(names)
    assert set(ATTACKED) <= set(names)
    for one in INSTANCES:
        means = np.sort(one.profile.means)[::-1]
        wrong = means < means[one.top - 1] - one.epsilon - 1e-12
        assert wrong.any(), f"no verdict can be wrong: {one.name}"


def plan_of(*cells):
    """A plan of one block a cell: algorithm, attack, races, wrong."""
    parts = [
        {"address": [NAME, "x", algorithm, attack], "delta": 0.1} for algorithm, attack, *_ in cells
    ]
    results = [
        {"races": races, "wrong": wrong, "cut": 1, "votes": 10 * races}
        for _, _, races, wrong in cells
    ]
    return StudyPlan({}, parts, {"x": None}), results


@pytest.mark.parametrize(("wrong", "agreement"), [(12, "agrees"), (17, "differs")])
def test_an_error_above_delta_beyond_chance_is_told(wrong, agreement):
    # Of 100 races, the exact lower limit passes 0.1 at 17 wrong ones.
    rows = error_rows(*plan_of((OURS, "", 50, wrong - 3), (OURS, "", 50, 3)))
    (row,) = rows
    assert (row["races"], row["wrong"], row["cut"]) == (100, wrong, 2)
    assert row["too_often"] == (agreement == "differs")
    assert error_claim(rows).agreement == agreement
    assert row["tightness"] == pytest.approx(wrong / 10)


def test_attacks_are_judged_by_themselves():
    rows = error_rows(*plan_of((OURS, "", 100, 2), (OURS, "streak", 100, 40), (PAPERS, "", 100, 0)))
    assert error_claim(rows).agreement == "agrees"
    assert attack_claim(rows).agreement == "differs"
    assert "attacked: streak" in tightness_claim(rows).measured
    summary = {(row["algorithm"], row["votes asked by"]): row for row in summary_rows(rows)}
    assert summary[OURS, "attacks"]["too often"] == 1
    assert summary[OURS, "its own rule"]["tightness"] == pytest.approx(0.2)
    assert len(summary) == 3


def test_a_small_run_from_end_to_end(tmp_path):
    options = Options(quick=True, repetitions=2, seed=1)
    plan = STUDY.prepare(options)
    some = [part for part in plan.parts if part["address"][2] in (OURS, PAPERS)]
    plan = StudyPlan(plan.settings, some, plan.shared)
    results = [json.loads(json.dumps(STUDY.work(plan.shared, part))) for part in plan.parts]
    findings = STUDY.conclude(plan, results)
    tables = {table.name: table.rows for table in findings.tables}
    assert len(tables["instances"]) == len(INSTANCES) + 3 * len(ATTACKED)
    assert [row["instance"] for row in tables["instances"][:3]] == [
        one.name for one in INSTANCES[:3]
    ]
    write_findings(STUDY, options, plan, findings, tmp_path)
    assert "| wanted | measured | |" in (tmp_path / "page.md").read_text("utf-8")
    assert (tmp_path / "figure.svg").stat().st_size > 5_000
