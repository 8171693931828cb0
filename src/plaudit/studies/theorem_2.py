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
        notes=NOTES,
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
        "Theorem 2's interval contains Theorem 1's, from which it follows",
        f"It {'does' if contained else 'does not'} at all {len(rows)} means and numbers of votes "
        f"tried. Where its upper bound is below 1, it lies {min(ratios):.2f} to {max(ratios):.2f} "
        "times as far from the mean as Theorem 1's.",
        [contained],
    )


NOTES = (
    "The paper defines U' (Section 3) with an infimum. The supremum is meant, and used here.",
    "The last lines of Theorem 2's proof have a wrong sign. From the tangent of log(1+x) "
    "the slope of l(μ) is at least c (α + (1-α) log(1-α)) - 1, with a plus where the paper "
    "has a minus, so c must be at least 1/(α + (1-α) log(1-α)). That is the c(N) which the "
    "theorem states. With the minus, c would be (N+1)/(N + log(N+1)), for which the "
    "inequality is false: the tests check both, for N = 1 to 64 in 50 digits. Three slips "
    "of that proof change nothing: the first line of the roots of h has another "
    "polynomial's coefficients, l(μ) has 1-α for 1-μ in a denominator, and there is a log "
    "too many before the tangent.",
)


STUDY = Study(
    "theorem-2",
    "How often does the simpler bound of Theorem 2 ever miss the true mean?",
    prepare,
    work,
    conclude,
)
