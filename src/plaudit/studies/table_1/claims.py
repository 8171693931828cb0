"""The claims of Table 1 and around it, against the measured sums."""

from collections.abc import Sequence

from plaudit.studies.study import Agreement, Claim, Record
from plaudit.studies.table_1.sum_growth import COLUMNS, Growth, column_of

# Far from 0 and 1 the paper expects sums that "may not differ that much".
SIMILAR = 2.0


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
        f"Exponent {listed[0]} at α = {at} over the last decade of n; the order has {listed[1]}. "
        f"Without the sum's next term: {listed[2]}."
    )
    slow = [f"{g.exponent:g}" for g in cell if g.converging]
    if slow:
        text += f" Still on its way at α = {', '.join(slow)}."
    return Claim(f"{name} grows like {COLUMNS[column][name]} for {column}", text, _verdict(cell))


def _verdict(cell: Sequence[Growth]) -> Agreement:
    right = [g.agrees for g in cell]
    return "agrees" if all(right) else "agrees in part" if any(right) else "differs"


def twice_claim(rows: Sequence[Record]) -> Claim:
    """Section 2's limit on S_KL for a best mean of 1."""
    shares = [row["S_KL"] / row["inverse_gaps"] for row in rows]
    return Claim(
        "S_KL is at most 2 Σ 1/Δ where the best mean is 1",
        f"S_KL is {min(shares):.2f} to {max(shares):.4f} times Σ 1/Δ, on all profiles. The 2 is "
        "not needed: with best mean 1, D* is ln(1/(1-Δ)) itself and so at least Δ.",
        "agrees" if max(shares) <= 2.0 else "differs",
    )


def information_claim(rows: Sequence[Record]) -> Claim:
    """Section 1's limit on the Chernoff information."""
    least = min(row["least_information"] for row in rows)
    middle = min(row["middle_least_information"] for row in rows)
    return Claim(
        "D* is at least Δ²/2",
        f"At least {least:.2f} times that on these profiles, and {middle:.2f} times with the same "
        "gaps halved and means from 1/4 to 3/4.",
        "agrees" if min(least, middle) >= 1.0 - 1e-9 else "differs",
    )


def middle_claim(rows: Sequence[Record]) -> Claim:
    """Section 2's remark on means well inside (0, 1)."""
    ratios = [row["middle_S_KL"] / row["middle_S_SG"] for row in rows]
    least = min(row["S_KL"] / row["S_SG"] for row in rows)
    near = max(ratios) <= SIMILAR and min(ratios) >= 1.0 / SIMILAR
    return Claim(
        "Away from 0 and 1 the two sums may not differ much",
        f"Means from 1/4 to 3/4: S_KL is {min(ratios):.2f} to {max(ratios):.2f} times S_SG. "
        f"With best mean 1 it goes down to {least:.0e} times.",
        "agrees" if near else "differs",
    )
