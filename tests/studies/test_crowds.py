"""The study of crowds: its plan, its exact test, bets on differences, and a small run."""

import json

import numpy as np
import pytest

from plaudit.race.paired.bets import SIZES
from plaudit.simulation.crowds import ATTACKS
from plaudit.studies.crowds import STUDY
from plaudit.studies.crowds.cases import (
    CONTENDERS,
    CONTEST,
    INSTANCES,
    KINDS,
    PRODUCTS,
    TOLERANT,
    TWO,
)
from plaudit.studies.crowds.claims import (
    attack_claim,
    contest_pair_claim,
    default_claim,
    list_claim,
    pair_claim,
    products_claim,
    tolerance_claim,
)
from plaudit.studies.crowds.in_contests import visited_pairs
from plaudit.studies.crowds.pairs import by_differences, draw_rows, few_items
from plaudit.studies.crowds.races import ERRORS, NAME, VOTES
from plaudit.studies.crowds.rows import cells_of, error_rows
from plaudit.studies.entrants import OURS
from plaudit.studies.level_laws import three_levels
from plaudit.studies.output import write_findings
from plaudit.studies.study import Options, StudyPlan


def test_every_algorithm_meets_every_crowd():
    plan = STUDY.prepare(Options())
    met = {tuple(part["address"][1:]) for part in plan.parts}
    for name, kind in KINDS.items():
        for who in CONTENDERS:
            if who == TOLERANT and not kind.attacked:
                continue
            assert (VOTES, CONTEST.name, name, who) in met
            assert (ERRORS, "six items", name, who) in met
            assert kind.attacked or (ERRORS, TWO.name, name, who) in met
    assert {kind.people.partition(":")[0] for kind in KINDS.values() if kind.attacked} == set(
        ATTACKS
    )
    assert sum(plan.weights) < 1200


def test_errors_can_be_made_on_every_instance():
    for one in INSTANCES.values():
        means = np.sort(one.profile.means)[::-1]
        assert means[1] < means[0] - one.epsilon


def rows_of(*cells):
    """Rows from made-up results: instance, crowd, algorithm, races, wrong."""
    parts = [{"address": [NAME, ERRORS, place, crowd, who]} for place, crowd, who, *_ in cells]
    results = [
        {"races": races, "wrong": wrong, "cut": 0, "votes": races}
        for *_, races, wrong in cells
    ]  # fmt: skip
    return error_rows(cells_of(StudyPlan({}, parts), results))


@pytest.mark.parametrize(("wrong", "agreement"), [(12, "agrees"), (21, "differs")])
def test_an_error_above_delta_beyond_chance_is_told(wrong, agreement):
    # Of 1,000 races at delta 0.01 the exact lower limit passes delta between 17 and 18 wrong ones.
    half = wrong // 2
    rows = rows_of(
        (TWO.name, "camps, opposed", OURS, 500, half),
        (TWO.name, "camps, opposed", OURS, 500, wrong - half),
        (TWO.name, "tastes drift", OURS, 500, 400),
        (TWO.name, "camps, opposed", PRODUCTS, 1000, wrong),
    )
    assert rows[0]["races"] == 1000
    assert default_claim(rows).agreement == agreement
    assert products_claim(rows).agreement == {"agrees": "differs", "differs": "agrees"}[agreement]


def test_attacks_are_judged_by_themselves():
    rows = rows_of(
        (CONTEST.name, "knock-out", OURS, 20, 15),
        (CONTEST.name, "knock-out", TOLERANT, 20, 0),
        (CONTEST.name, "independent", OURS, 20, 0),
    )
    assert attack_claim(rows).agreement == "agrees"
    assert tolerance_claim(rows).agreement == "agrees"
    assert default_claim(rows).agreement == "agrees"
    broken = rows_of((CONTEST.name, "late", TOLERANT, 20, 15))
    assert tolerance_claim(broken).agreement == "differs"
    assert default_claim(broken).agreement == "not tested"


def test_made_up_lists_and_differences():
    lists = {"crowd": "x", "ratio": 1.0, "low": 0.99}
    assert list_claim([lists | {"high": 1.02}]).agreement == "agrees"
    assert list_claim([lists | {"high": 1.2}]).agreement == "agrees in part"
    assert list_claim([lists | {"low": 1.1, "high": 1.2}]).agreement == "differs"
    few = {"items": 2, "correlation": 0.15, "ratio": 0.7}
    assert pair_claim([few | {"high": 0.8}]).agreement == "agrees"
    assert pair_claim([few | {"high": 1.1}]).agreement == "differs"
    many = {"correlation": 0.15, "raters with both": 0.1}
    assert contest_pair_claim([many | {"votes saved at most": 0.01}]).agreement == "agrees"
    assert contest_pair_claim([many | {"votes saved at most": 0.1}]).agreement == "differs"


class TestDifferences:
    def test_a_bet_on_a_difference_is_fair_whatever_the_dependence(self):
        """Exactly: the mean capital of every bet is 1 if the means are equal."""
        for together in (
            {(0.0, 1.0): 0.5, (1.0, 0.0): 0.5},
            {(0.0, 0.0): 0.5, (1.0, 1.0): 0.5},
            {(0.5, 0.5): 0.5, (0.0, 1.0): 0.25, (1.0, 0.0): 0.25},
        ):
            mean = sum(chance * (1 + SIZES * (x - y)) for (x, y), chance in together.items())
            assert mean == pytest.approx(np.ones(SIZES.size))

    def test_rows_are_those_of_the_crowd(self):
        """Correlation 0.3 between equal items; 4,000 raters, five standard errors."""
        profile = three_levels([0.5, 0.5, 0.2])
        generator = np.random.default_rng(2)
        rows = draw_rows(profile.below, profile.values, 0.3, generator, raters=4000)
        assert rows.mean(axis=0) == pytest.approx(profile.means, abs=0.03)
        assert np.corrcoef(rows.T)[0, 1] == pytest.approx(0.3, abs=0.08)

    @pytest.mark.slow
    @pytest.mark.statistical
    def test_the_best_is_out_with_probability_at_most_delta(self):
        """0.6 and 0.5, correlation 0.32, delta 0.01: fewer than six wrong verdicts of 150.

        At delta, six or more come up once in 250 tries. Bets with a tenth of the level are told.
        """
        profile = three_levels([0.6, 0.5])
        runs = (by_differences(profile.below, profile.values, 0.32, seed) for seed in range(150))
        assert sum(named != 0 for _, named in runs) < 6

    def test_it_pays_with_two_items_that_everyone_rates(self):
        runs = [few_items(2, 0.32, seed) for seed in range(12)]
        assert sum(run["differences"] for run in runs) < sum(run["separation"] for run in runs)
        assert all(run["right"] == 2 for run in runs)

    def test_pairs_of_a_contest_are_counted(self):
        found = visited_pairs(40, 40, 0.15, seed=2)
        assert 0.0 < found["both_of_raters"] <= 1.0
        assert 0.0 <= found["saved"] < 1.0
        assert found["leader_votes"] <= found["raters"]


def test_a_small_run_from_end_to_end(tmp_path):
    options = Options(quick=True, repetitions=1, seed=1)
    plan = STUDY.prepare(options)
    kept = ("independent", "camps, opposed", "knock-out", "kind and stern, 0.15", "0.15")
    some = [part for part in plan.parts if part["address"][3] in kept]
    plan = StudyPlan(plan.settings, some, plan.shared)
    results = [json.loads(json.dumps(STUDY.work(plan.shared, part))) for part in plan.parts]
    findings = STUDY.conclude(plan, results)
    assert len(findings.claims) == 8
    tables = {table.name: table.rows for table in findings.tables}
    assert [row["crowd"] for row in tables["errors-two-items"]] == [
        "independent", "kind and stern, 0.15", "camps, opposed",
    ]  # fmt: skip
    assert TOLERANT in tables["votes"][0]
    assert [row["items"] for row in tables["differences"]] == [2, 3, 5, 10, 20]
    write_findings(STUDY, options, plan, findings, tmp_path)
    assert "| wanted | measured | |" in (tmp_path / "page.md").read_text("utf-8")
    assert (tmp_path / "figure.svg").stat().st_size > 3_000
