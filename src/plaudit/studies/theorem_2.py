"""Theorem 2: the simpler form of the bound, with the divergence from the mean itself."""

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

BOUND, SHARPER = "lil-kl-2", "lil-kl"
DELTA = 0.01
MEANS = (0.0, 0.01, 0.1, 0.3, 0.5, 0.9, 0.99)
VOTES = (10, 100, 1000, 10_000, 1_000_000)


def prepare(options: Options) -> StudyPlan:
    """All laws, with the bound of Theorem 2."""
    return plan_crossings("theorem-2", BOUND, options)


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """The promise of the theorem, and how much wider its interval is."""
    rows = crossing_rows(plan, results)
    widths = width_rows()
    return Findings(
        claims=[guarantee_claim(rows, "Theorem 2"), _wider_claim(widths)],
        tables=[
            *crossing_tables(rows),
            StudyTable("widths", widths, f"Upper bounds of both theorems, N = 8, δ = {DELTA:g}."),
        ],
        chart=crossing_figure(rows),
        figure_caption=crossing_caption("Theorem 2"),
        notes=["The paper defines U' with an infimum; the supremum is meant, and used here."],
    )


def width_rows() -> list[Record]:
    """The upper bounds of both theorems over means and votes, with the ratio of distances."""
    return [_width_row(mean, votes) for mean in MEANS for votes in VOTES]


def _width_row(mean: float, votes: int) -> Record:
    sharper, simpler = (
        float(np.asarray(bounds.get(name, N=8).upper(mean, votes, DELTA)))
        for name in (SHARPER, BOUND)
    )
    return {
        "mean": mean,
        "votes": votes,
        "theorem_1": sharper,
        "theorem_2": simpler,
        "distance_ratio": (simpler - mean) / (sharper - mean),
    }


def _wider_claim(rows: Sequence[Record]) -> Claim:
    ratios = [row["distance_ratio"] for row in rows if row["theorem_2"] < 1.0]
    contained = all(row["theorem_2"] >= row["theorem_1"] * (1 - 1e-12) for row in rows)
    return Claim(
        "Theorem 2's interval follows from Theorem 1's: it holds whenever that does, so it "
        "contains it",
        f"It {'does' if contained else 'does not'} at all {len(rows)} means and votes tried; its "
        f"upper bound lies {min(ratios):.2f} to {max(ratios):.2f} times as far from the mean, "
        "where it is below 1.",
        "agrees" if contained else "differs",
    )


STUDY = Study(
    "theorem-2",
    "How often does the simpler bound of Theorem 2 ever miss the true mean?",
    prepare,
    work,
    conclude,
)
