"""The claims of Table 1 and around it, against the measured sums."""

from collections.abc import Sequence

import numpy as np

from plaudit.bounds.bernoulli import chernoff_information
from plaudit.studies.study import Claim, Record
from plaudit.studies.table_1.sum_growth import COLUMNS, Growth, column_of

# Far from 0 and 1 the paper expects sums that "may not differ that much".
SIMILAR = 2.0
# Means for the inequality of Section 2.1: evenly spread, and close to 0 and 1.
EVEN = np.arange(1, 100) / 100.0
ENDS = np.array([1e-6, 1e-5, 1e-4, 1e-3])
ROUNDING = 1e-9


def cell_claim(growths: Sequence[Growth], column: str, name: str) -> Claim:
    """One cell of the table against the sums at the exponents of its column."""
    cell = [g for g in growths if (g.name, column_of(g.exponent)) == (name, column)]
    at = ", ".join(f"{g.exponent:g}" for g in cell)
    listed = [
        ", ".join(f"{value:.3f}" for value in values)
        for values in (
            [g.slope for g in cell],
            [g.order_slope for g in cell],
            [g.slope_without_next for g in cell],
        )
    ]
    text = (
        f"At α = {at} the exponent over the last decade of n is {listed[0]}, and that of the order "
        f"is {listed[1]}. Without the sum's next term it is {listed[2]}."
    )
    slow = [f"{g.exponent:g}" for g in cell if g.converging]
    if slow:
        text += f" At α = {', '.join(slow)} the sum itself is not there yet."
    paper = f"{name} grows like {COLUMNS[column][name]} for {column}"
    return Claim(paper, text, [g.agrees for g in cell])


def twice_claim(rows: Sequence[Record]) -> Claim:
    """Section 2's limit on S_KL for a best mean of 1."""
    # From the gaps, and once more from the means, by solving for D*.
    shares, solved = (
        [row[name] / row["inverse_gaps"] for row in rows] for name in ("S_KL", "S_KL_of_means")
    )
    return Claim(
        "S_KL is at most 2 Σ 1/Δ where the best mean is 1",
        f"S_KL is {min(shares):.2f} to {max(shares):.4f} times Σ 1/Δ on these profiles. The 2 is "
        "not needed: with best mean 1, D* is log(1/(1-Δ)) itself, twice what the inequality above "
        "gives, and so at least Δ.",
        [all(share <= 2.0 for share in (*shares, *solved))],
    )


def information_claim(rows: Sequence[Record]) -> Claim:
    """Section 1's limit on the Chernoff information."""
    least = min(row["least_information"] for row in rows)
    middle = min(row["middle_least_information"] for row in rows)
    return Claim(
        "D* is at least Δ²/2",
        f"It is at least {least:.2f} times that on these profiles, and at least {middle:.2f} times "
        "where the same gaps are halved and all means lie from 1/4 to 3/4.",
        [min(least, middle) >= 1.0 - ROUNDING],
    )


def affinity_ratios() -> list[float]:
    """D*(m, m') over log 1/(√(m m') + √((1-m)(1-m'))), for all pairs of a grid of means.

    One minus the sum of roots is half of (√m - √m')² + (√(1-m) - √(1-m'))², which keeps its
    digits where the two means are close.
    """
    means = np.concatenate((ENDS, EVEN, 1.0 - ENDS))
    low, high = np.triu_indices(means.size, 1)
    means.sort()
    one, other = means[low], means[high]
    apart = (np.sqrt(one) - np.sqrt(other)) ** 2 + (np.sqrt(1 - one) - np.sqrt(1 - other)) ** 2
    ratios: list[float] = (chernoff_information(one, other) / -np.log1p(-apart / 2)).tolist()
    return ratios


def affinity_claim(ratios: Sequence[float]) -> Claim:
    """Section 2.1's limit on the Chernoff information."""
    return Claim(
        "D* of means μ and μ' is at least log 1/(√(μμ') + √((1-μ)(1-μ')))",
        f"It is {min(ratios):.4f} to {max(ratios):.2f} times that for {len(ratios):,} pairs of "
        f"means from {ENDS[0]:g} to 1-{ENDS[0]:g}. The two are equal where the means are as far "
        "from 1/2 on either side.",
        [min(ratios) >= 1.0 - ROUNDING],
    )


def middle_claim(rows: Sequence[Record]) -> Claim:
    """Section 2's remark on means well inside (0, 1)."""
    ratios = [row["middle_S_KL"] / row["middle_S_SG"] for row in rows]
    least = min(row["S_KL"] / row["S_SG"] for row in rows)
    near = max(ratios) <= SIMILAR and min(ratios) >= 1.0 / SIMILAR
    return Claim(
        "If all means are well away from 0 and 1, the two sums may not differ much",
        f"With means from 1/4 to 3/4, S_KL is {min(ratios):.2f} to {max(ratios):.2f} times S_SG. "
        f"With best mean 1 it is as little as {least:.0e} times S_SG.",
        [near],
    )
