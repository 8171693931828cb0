"""The study of dishonest raters: its plan, its exact tests, and a small run."""

import json

import pytest

from plaudit.simulation.attacks import ATTACKS
from plaudit.studies.dishonest import STUDY
from plaudit.studies.dishonest.cells import (
    KNOCK_OUT,
    NO_ATTACK,
    ONE_TOO_FEW,
    TOLERATED,
    TWICE,
    UNPROTECTED,
)
from plaudit.studies.dishonest.instances import LARGE, MAIN, TARGETS
from plaudit.studies.dishonest.rows import (
    attack_rows,
    planted_claim,
    tolerated_claim,
    twice_claim,
    unprotected_claim,
)
from plaudit.studies.output import write_findings
from plaudit.studies.study import Options, StudyPlan


def test_the_full_run_attacks_in_every_way_ten_thousand_times():
    races: dict[tuple[str, str, int, int], int] = {}
    for part in STUDY.prepare(Options()).parts:
        if part["kind"] == TOLERATED:
            assert part["raters"] == part["tolerance"]
            key = (part["target"], part["attack"], part["raters"])
            races[key] = races.get(key, 0) + part["end"] - part["first"]
    assert len(ATTACKS) == 8
    for name in ATTACKS:
        for raters in (1, 3, 10, 30):
            assert races[MAIN.name, name, raters] == 10_000
        assert races[LARGE.name, name, 3] == 500


def test_a_part_holds_the_plan_of_its_attack():
    """Whoever changes an attack must not find the old results."""
    plans = {part["attack"]: part["plan"] for part in STUDY.prepare(Options(quick=True)).parts}
    assert set(plans) == set(ATTACKS)
    assert plans[KNOCK_OUT] != plans["push"]


def test_blocks_draw_numbers_of_their_own():
    parts = [part | {"seed": 0} for part in STUDY.prepare(Options()).parts]
    told = {json.dumps(part, sort_keys=True) for part in parts}
    assert len(told) == len(parts)


def test_the_controls_are_there():
    parts = STUDY.prepare(Options()).parts

    def numbers(kind):
        return {(part["tolerance"], part["raters"]) for part in parts if part["kind"] == kind}

    assert numbers(ONE_TOO_FEW) == {(0, 1), (2, 3), (9, 10), (29, 30)}
    assert numbers(TWICE) == {(1, 2), (3, 6), (10, 20), (30, 60)}
    assert numbers(UNPROTECTED) == {(0, 4)}
    assert numbers(NO_ATTACK) == {(1, 0), (3, 0), (10, 0), (30, 0)}


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_one_item_may_win_and_others_only_just_not(target):
    means = target.profile.means
    least = means.max() - target.epsilon
    assert (means >= least).sum() == 1
    assert 0.0 < least - sorted(means)[-2] < 0.1


def rows_of(*cells):
    """Rows of made-up results: kind, tolerance, raters, wrong verdicts of 100."""
    parts = [
        {"kind": kind, "target": "x", "attack": KNOCK_OUT, "tolerance": tolerance,
         "raters": raters, "delta": 0.1}
        for kind, tolerance, raters, _ in cells
    ]  # fmt: skip
    results = [
        {"races": 100, "wrong": wrong, "cut": 0, "votes": 1000 + 500 * (raters > 0),
         "false_votes": 100 * raters}
        for _, _, raters, wrong in cells
    ]  # fmt: skip
    return attack_rows(StudyPlan({}, parts, {"x": None}), results)


@pytest.mark.parametrize(("wrong", "agreement"), [(16, "agrees"), (17, "differs")])
def test_an_error_above_delta_beyond_chance_breaks_the_promise(wrong, agreement):
    # Of 100 races, the exact lower limit passes 0.1 at 17 wrong ones.
    rows = rows_of((TOLERATED, 1, 1, 2), (TOLERATED, 3, 3, wrong), (ONE_TOO_FEW, 0, 1, 90))
    assert tolerated_claim(rows).agreement == agreement
    assert "m = 3" in tolerated_claim(rows).measured


@pytest.mark.parametrize(("wrong", "agreement"), [(16, "differs"), (17, "agrees")])
def test_a_planted_bug_that_is_not_seen_is_told(wrong, agreement):
    rows = rows_of((TOLERATED, 1, 1, 2), (ONE_TOO_FEW, 0, 1, 90), (ONE_TOO_FEW, 2, 3, wrong))
    assert planted_claim(rows).agreement == agreement


@pytest.mark.parametrize(
    ("one", "three", "agreement"), [(30, 70, "agrees"), (12, 70, "differs"), (30, 55, "differs")]
)
def test_twice_as_many_must_succeed_often(one, three, agreement):
    rows = rows_of((TWICE, 1, 2, one), (TWICE, 3, 6, three))
    assert twice_claim(rows).agreement == agreement
    assert unprotected_claim(rows).agreement == "not tested"


@pytest.mark.parametrize(("wrong", "agreement"), [(99, "agrees"), (50, "differs")])
def test_four_must_break_what_tolerates_none(wrong, agreement):
    assert unprotected_claim(rows_of((UNPROTECTED, 0, 4, wrong))).agreement == agreement


def test_votes_are_compared_with_races_of_the_same_tolerance():
    rows = rows_of((TOLERATED, 1, 1, 0), (NO_ATTACK, 1, 0, 0), (TOLERATED, 3, 3, 0))
    assert [row["times_the_votes"] for row in rows] == [1.5, None, 1.0]


def test_a_small_run_from_end_to_end(tmp_path):
    options = Options(quick=True, repetitions=2, seed=1)
    plan = STUDY.prepare(options)
    results = [json.loads(json.dumps(STUDY.work(plan.shared, part))) for part in plan.parts]
    findings = STUDY.conclude(plan, results)
    tables = {table.name: table.rows for table in findings.tables}
    assert len(tables["target-1"]) == 4 * len(ATTACKS)
    assert len(tables["controls"]) == 9
    assert len(tables["all"]) == len(plan.parts)
    write_findings(STUDY, options, plan, findings, tmp_path)
    assert "| wanted | measured | |" in (tmp_path / "page.md").read_text("utf-8")
    assert (tmp_path / "figure.svg").stat().st_size > 5_000
