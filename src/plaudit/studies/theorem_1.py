"""Theorem 1: how often the bound of the divergence leaning towards m is ever crossed."""

import math
from collections.abc import Sequence

import numpy as np

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
# “About” is to within a quarter, and a choice of N matters little if no width is a quarter more.
CLOSE = 0.25
MEANS, VOTES = (0.1, 0.5, 0.9), (100, 10_000, 1_000_000)


def prepare(options: Options) -> StudyPlan:
    """All laws, with the bound of Theorem 1."""
    return plan_crossings("theorem-1", BOUND, options)


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """The promise of the theorem, and the remark on its constant."""
    rows = crossing_rows(plan, results)
    constants, widths = constant_rows(), width_rows()
    return Findings(
        claims=[
            guarantee_claim(rows, "Theorem 1"),
            constant_claim(constants),
            choice_claim(widths),
        ],
        tables=[
            *crossing_tables(rows),
            StudyTable(
                "constants", constants, f"The constant κ(N) at δ = {DELTA:g}, in both bases."
            ),
            StudyTable(
                "widths",
                widths,
                f"How far the upper bound lies above the mean, at δ = {DELTA:g}, over its smallest "
                "distance for any of these N.",
            ),
        ],
        chart=crossing_figure(rows),
        figure_caption=crossing_caption("Theorem 1"),
        notes=NOTES,
    )


def constant_rows() -> list[Record]:
    """log κ(N) in both bases, beside the paper's 2 log2 N."""
    return [
        {"N": N, "ln_kappa": level, "log2_kappa": level / math.log(2), "2_log2_N": 2 * math.log2(N)}
        for N in RESOLUTIONS
        # The level of the bound is ln(κ/δ).
        for level in (bounds.get(BOUND, N=N).level(DELTA) + math.log(DELTA),)
    ]


def width_rows() -> list[Record]:
    """How far the bounds of all N lie from the mean, over the nearest of them."""
    rows = []
    for mean in MEANS:
        for votes in VOTES:
            far = [
                float(np.asarray(bounds.get(BOUND, N=N).upper(mean, votes, DELTA))) - mean
                for N in RESOLUTIONS
            ]
            ratios = {f"N = {N}": x / min(far) for N, x in zip(RESOLUTIONS, far, strict=True)}
            rows.append({"mean": mean, "votes": votes, **ratios})
    return rows


def constant_claim(rows: Sequence[Record]) -> Claim:
    """What the paper says of log κ, in both bases."""
    said = {
        name: ", ".join(f"{row[name]:{form}}" for row in rows)
        for name, form in (("N", "d"), ("2_log2_N", ".0f"), ("log2_kappa", ".1f"),
                           ("ln_kappa", ".1f"))
    }  # fmt: skip
    return Claim(
        "log κ(N) is about 2 log2 N",
        f"At δ = {DELTA:g} and N = {said['N']}, 2 log2 N is {said['2_log2_N']}. In base 2, log κ "
        f"is {said['log2_kappa']}; as a natural logarithm it is {said['ln_kappa']}.",
        [
            abs(row[name] / row["2_log2_N"] - 1) <= CLOSE
            for row in rows
            for name in ("log2_kappa", "ln_kappa")
        ],
    )


def choice_claim(rows: Sequence[Record]) -> Claim:
    """What the paper concludes from it, by the widths of the bounds themselves."""
    most = [max(row[f"N = {N}"] for N in RESOLUTIONS) for row in rows]
    return Claim(
        "The choice of N plays a relatively mild role in the bounds",
        f"From N = {RESOLUTIONS[0]} to {RESOLUTIONS[-1]} the upper bound lies at most "
        f"{max(most):.2f} times as far from the mean as for the best N, at {len(rows)} means and "
        "numbers of votes.",
        [ratio <= 1 + CLOSE for ratio in most],
    )


NOTES = (
    "The proof gives most of δ away, in its steps from one block of votes to the next, in "
    "its sum over blocks and in Chernoff's inequality. The share that it gives away "
    "shrinks slowly as votes come.",
    "κ(N) comes close to N² for large N, so log κ is about 2 log N in one and the same "
    "base. The paper writes log on one side, which is the natural logarithm everywhere "
    "else in it, and log2 on the other. Both readings are checked.",
    "The paper writes that L ≤ μ̂ ≤ U with probability 1-2δ (after Theorem 1, and again "
    "for L' and U'). The empirical mean μ̂ always lies between; the true mean μ is meant.",
)


STUDY = Study(
    "theorem-1",
    "How often does the bound of Theorem 1 ever miss the true mean?",
    prepare,
    work,
    conclude,
)
