"""Theorems 1 and 2: the cases that are run, and what is concluded from them."""

import math

import pytest

from plaudit import bounds
from plaudit.simulation.executors import open_executor
from plaudit.studies import anytime
from plaudit.studies.anytime import (
    BINARY,
    OTHER_LAWS,
    THREE_LEVELS,
    checkpoints,
    crossing_rows,
    guarantee_claim,
    law_of,
    plan_crossings,
    work,
)
from plaudit.studies.engine import run_study
from plaudit.studies.study import Options, load_study
from plaudit.studies.theorem_1 import choice_claim, constant_claim, constant_rows
from plaudit.studies.theorem_1 import width_rows as widths_over_n
from plaudit.studies.theorem_2 import _wider_claim, width_rows


@pytest.mark.parametrize("mean", [0.1, 0.5, 0.9])
def test_three_levels_have_the_variance_of_contests(mean):
    law = law_of(THREE_LEVELS, mean)
    assert law.mean == pytest.approx(mean)
    second = sum(part.weight * part.low**2 for part in law.parts)
    assert second - mean**2 == pytest.approx(0.62 * mean * (1 - mean))


def test_the_full_plan_runs_a_million_votes_and_more():
    plan = plan_crossings("theorem-1", "lil-kl", Options())
    assert plan.settings["horizon"] == 1_000_000
    assert max(part["horizon"] for part in plan.parts) == 10_000_000
    assert {part["law"] for part in plan.parts} == {BINARY, THREE_LEVELS, *OTHER_LAWS}
    assert len({tuple(sorted(part.items())) for part in plan.parts}) == len(plan.parts)
    assert {part["N"] for part in plan.parts} == {1, 2, 8, 64}


@pytest.mark.parametrize("name", ["theorem-1", "theorem-2"])
def test_a_small_run_from_end_to_end(tmp_path, monkeypatch, name):
    monkeypatch.setattr(anytime, "QUICK_HORIZON", 300)
    options = Options(quick=True, repetitions=150)
    with open_executor(threads=2) as executor:
        findings = run_study(load_study(name), options, out=tmp_path, executor=executor)
    assert findings.claims[0].agreement == "agrees"
    rows = next(table for table in findings.tables if table.name == "crossings").rows
    assert all(0 <= row["low"] <= row["probability"] <= row["high"] <= 1 for row in rows)
    assert {row["method"] for row in rows} == {"exact", "150 walks"}


def test_blocks_of_walks_add_up(monkeypatch):
    monkeypatch.setattr(anytime, "QUICK_HORIZON", 50)
    # A bound that claims far too little is crossed often.
    monkeypatch.setattr(anytime, "DELTAS", (0.999,))
    plan = plan_crossings("theorem-1", "sg1", Options(quick=True, repetitions=250))
    results = [work(None, part) for part in plan.parts]
    rows = crossing_rows(plan, results)
    uniform = [row for row in rows if row["law"] == "uniform" and row["side"] == "upper"]
    assert [row["votes"] for row in uniform] == checkpoints(50)
    hits = sum(
        result["crossed"][-1]
        for part, result in zip(plan.parts, results, strict=True)
        if part["law"] == "uniform" and part["side"] == "upper"
    )
    assert uniform[-1]["probability"] == hits / 250


def made_row(method: str, probability: float, low: float, high: float) -> dict:
    return {
        "law": "0 and 1", "mean": 0.5, "N": 8, "delta": 0.1, "side": "upper", "horizon": 10,
        "votes": 10, "method": method, "probability": probability, "low": low, "high": high,
        "share_of_delta": probability / 0.1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("exact", "walked", "agreement"),
    [
        ((0.05, 0.05, 0.05), (0.08, 0.05, 0.12), "agrees"),
        ((0.11, 0.11, 0.11), (0.08, 0.05, 0.12), "differs"),
        ((0.05, 0.05, 0.05), (0.2, 0.11, 0.3), "differs"),
        ((0.05, 0.05, 0.05), (0.11, 0.09, 0.13), "agrees"),
    ],
)
def test_a_broken_promise_is_told(exact, walked, agreement):
    rows = [made_row("exact", *exact), made_row("1,000 walks", *walked)]
    assert guarantee_claim(rows, "Theorem").agreement == agreement


def test_the_constant_is_the_papers():
    row = next(row for row in constant_rows() if row["N"] == 8)
    assert row["ln_kappa"] == pytest.approx(3.093286, abs=1e-6)
    assert row["log2_kappa"] == pytest.approx(4.462668, abs=1e-6)
    assert row["2_log2_N"] == 6.0


def test_the_remark_on_the_constant_is_checked_in_both_bases():
    """In base 2 it is right from N = 16 on; as a natural logarithm nowhere."""
    claim = constant_claim(constant_rows())
    assert claim.checks == [False] * 6 + [True, False] * 3
    assert claim.agreement == "differs"
    right = [row | {"log2_kappa": row["2_log2_N"]} for row in constant_rows()]
    assert constant_claim(right).agreement == "agrees in part"


def test_the_choice_of_n_matters_little_for_the_widths():
    rows = widths_over_n()
    assert choice_claim(rows).agreement == "agrees"
    assert min(min(row[f"N = {N}"] for N in (2, 64)) for row in rows) >= 1.0
    assert choice_claim([row | {"N = 2": 1.3} for row in rows]).agreement == "differs"


def test_widths_tell_which_bound_is_wider():
    rows = width_rows()
    assert _wider_claim(rows).agreement == "agrees"
    turned = [row | {"theorem_1": row["theorem_2"], "theorem_2": row["theorem_1"]} for row in rows]
    assert _wider_claim(turned).agreement == "differs"
    some = next(row for row in rows if (row["mean"], row["votes"]) == (0.5, 100))
    assert some["theorem_1"] == bounds.get("lil-kl").upper(0.5, 100, 0.01)
    assert not math.isnan(some["distance_ratio"])
