"""Theorem 1: how often the bound of the divergence leaning towards m is ever crossed."""

import math
from collections.abc import Sequence

from plaudit import bounds
from plaudit.studies.anytime import (
    crossing_caption,
    crossing_figure,
    crossing_rows,
    crossing_tables,
    guarantee_claim,
    plan_crossings,
    work,
)
from plaudit.studies.study import Claim, Findings, Options, Record, Study, StudyPlan, StudyTable

BOUND = "lil-kl"
RESOLUTIONS = (2, 4, 8, 16, 32, 64)
DELTA = 0.01


def prepare(options: Options) -> StudyPlan:
    """All laws, with the bound of Theorem 1."""
    return plan_crossings("theorem-1", BOUND, options)


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """The promise of the theorem, and the remark on its constant."""
    rows = crossing_rows(plan, results)
    constants = constant_rows()
    return Findings(
        claims=[guarantee_claim(rows, "Theorem 1"), _constant_claim(constants)],
        tables=[
            *crossing_tables(rows),
            StudyTable("constants", constants, f"The constant κ(N) at δ = {DELTA:g}."),
        ],
        chart=crossing_figure(rows),
        figure_caption=crossing_caption("Theorem 1"),
        notes=[
            "The share that is left comes from the peeling and union steps of the proof, and from "
            "Chernoff's inequality; it shrinks slowly as the time grows.",
        ],
    )


def constant_rows() -> list[Record]:
    """ln κ(N) beside the paper's 2 log2 N."""
    # The level of the bound is ln(κ/δ).
    return [
        {
            "N": N,
            "ln_kappa": bounds.get(BOUND, N=N).level(DELTA) + math.log(DELTA),
            "2_log2_N": 2 * math.log2(N),
        }
        for N in RESOLUTIONS
    ]


def _constant_claim(rows: Sequence[Record]) -> Claim:
    pairs = ", ".join(f"{row['ln_kappa']:.1f} ({row['2_log2_N']:.0f})" for row in rows)
    slope = (rows[-1]["ln_kappa"] - rows[0]["ln_kappa"]) / math.log2(
        RESOLUTIONS[-1] / RESOLUTIONS[0]
    )
    close = all(abs(row["ln_kappa"] / row["2_log2_N"] - 1) <= 0.25 for row in rows)
    return Claim(
        "log κ(N) is about 2 log2 N, so the choice of N matters little",
        f"At δ = {DELTA:g}, N = {', '.join(map(str, RESOLUTIONS))}: ln κ (2 log2 N) is {pairs}; "
        f"each doubling of N adds {slope:.2f}. That N matters little holds all the more.",
        "agrees" if close else "agrees in part",
    )


STUDY = Study(
    "theorem-1",
    "How often does the anytime bound of Theorem 1 ever miss the true mean?",
    prepare,
    work,
    conclude,
)
