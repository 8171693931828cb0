"""Table 1: how the sums S_KL and S_SG grow with n for gaps (i/n)^alpha."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bernoulli import chernoff_information
from plaudit.studies.study import Findings, Options, Record, Study, StudyPlan, StudyTable
from plaudit.studies.table_1.claims import (
    affinity_claim,
    affinity_ratios,
    cell_claim,
    information_claim,
    middle_claim,
    twice_claim,
)
from plaudit.studies.table_1.power_gaps import power_gaps, terms_kl
from plaudit.studies.table_1.sum_growth import (
    COLUMNS,
    CONVERGING,
    SUMS,
    TOLERANCE,
    Growth,
    growths_of,
    table_rows,
)
from plaudit.theory import hardness_kl, hardness_sub_gaussian

SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
QUICK_SIZES = SIZES[:7]
# Inside every column of the table, and close to its ends.
EXPONENTS = (0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0, 1.1, 1.5, 2.0)


def prepare(options: Options) -> StudyPlan:
    """Every exponent at every number of items; nothing is drawn at random."""
    sizes = QUICK_SIZES if options.quick else SIZES
    parts = [{"exponent": a, "items": n} for a in EXPONENTS for n in sizes]
    settings: Record = {
        "exponents": list(EXPONENTS),
        "sizes": list(sizes),
        "tolerance": TOLERANCE,
        "converging": CONVERGING,
    }
    return StudyPlan(settings, parts, weights=[float(part["items"]) for part in parts])


def work(shared: None, part: Record) -> Record:
    """The two sums of one profile, and what the text around the table says of them."""
    gaps = power_gaps(part["items"], part["exponent"])
    terms, squares = terms_kl(gaps), 1.0 / gaps**2
    high = np.append(1.0, 1.0 - gaps)
    middle = 0.25 + high / 2.0
    return {
        "S_KL": float(terms.sum()),
        "S_SG": float(squares.sum()),
        "S_KL_from_2": float(terms[1:].sum()),
        "S_SG_from_2": float(squares[1:].sum()),
        "inverse_gaps": float((1.0 / gaps).sum()),
        "S_KL_of_means": hardness_kl(high),
        "least_information": _least_information(high),
        "middle_S_KL": hardness_kl(middle),
        "middle_S_SG": hardness_sub_gaussian(middle),
        "middle_least_information": _least_information(middle),
    }


def _least_information(means: NDArray[np.float64]) -> float:
    """The smallest D* / (gap^2/2) among the items, the best one first."""
    best = np.full(means.size - 1, means[0])
    # Gaps of 1e-8 and less leave too few digits in the means to judge by.
    clear = best - means[1:] > 1e-8
    ratio = chernoff_information(means[1:], best)[clear] / (0.5 * (best - means[1:])[clear] ** 2)
    return float(ratio.min())


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """Ten cells of the table, and four sentences around it."""
    rows = [{**part, **result} for part, result in zip(plan.parts, results, strict=True)]
    growths = growths_of(rows, plan.settings["sizes"])
    largest = max(plan.settings["sizes"])
    return Findings(
        claims=[
            *(cell_claim(growths, column, name) for name in SUMS for column in COLUMNS),
            affinity_claim(affinity_ratios()),
            twice_claim(rows),
            information_claim(rows),
            middle_claim(rows),
        ],
        tables=[
            StudyTable("growth", table_rows(growths), _table_caption(largest)),
            StudyTable("sums", rows, on_page=False),
        ],
        chart=lambda: _chart(growths),
        figure_caption=(
            "Above: both sums divided by n, so that growth like n is flat. Dashed: the paper's "
            "order times its exact limit. Below: the sum as a share of that line. The share must "
            "tend to 1. It does so slowly where α is close to 1 (S_KL) or to 1/2 (S_SG); there the "
            "lines of 0.9 and 1.1, or of 0.4 and 0.6, cover each other."
        ),
        notes=_notes(rows, growths),
    )


def _table_caption(largest: int) -> str:
    return (
        f"Growth exponents: the slope of ln S against ln n, from n = {largest // 10:,} to "
        f"{largest:,} and over all n. “Of the limit” is S at the largest n, as a share of its "
        "leading term."
    )


def _notes(rows: Sequence[Record], growths: Sequence[Growth]) -> list[str]:
    moved = max(abs(g.slope - g.slope_from_2) for g in growths)
    loss = max(abs(row["S_KL_of_means"] / row["S_KL"] - 1.0) for row in rows)
    fit = max(g.misfit for g in growths)
    return [
        "The table is read as it says: one item has mean 1, and n others have gaps (i/n)^α below "
        "it, i = 1..n. Section 5's means 1-((i-1)/n)^α leave out only the gap 1. Its term is 0 in "
        "S_KL, where D* is infinite, and 1 in S_SG. A sum from i = 2 would leave out the smallest "
        "gap. That changes the limits but no order: the exponents of the last decade move by "
        f"{moved:.3f} at most.",
        "The next term comes from Euler and Maclaurin's formula: S_KL = ζ(α)n^α + Fn + 1/4 and "
        "S_SG = ζ(2α)n^2α + n/(1-2α) + 1/2, up to terms that vanish; the larger power leads. "
        f"From n = 1,000 on these are the sums to within {fit:.0e}. What is left of a sum without "
        "its next term must grow like the paper's order. This is what is checked: its exponent may "
        f"be {TOLERANCE:g} from the order's.",
        "At α = 1 the term in n vanishes: S_KL = n ln n + 1/4.",
        "The sums are computed from the gaps. The means lose digits where a gap is small (10^-12 "
        f"at α = 2); computed from them, S_KL differs by {loss:.0e} at most.",
    ]


def _chart(growths: Sequence[Growth]) -> Any:
    import altair as alt

    from plaudit.charts.growth import figure_title, growth_panel, share_panel
    from plaudit.charts.theme import themed

    names, key = [f"{a:g}" for a in EXPONENTS], "gap exponent α"
    rows = {name: _chart_rows(growths, name) for name in SUMS}
    above = [
        growth_panel(rows[name], title=title, y_title=f"{name} / n", names=names, legend=key)
        for name, title in SUMS.items()
    ]
    below = [
        share_panel(rows[name], y_title=f"{name} / (limit × order)", names=names, legend=key)
        for name in SUMS
    ]
    title = figure_title(
        "Both hardness sums over the number of items",
        "Dashed: the paper's order times its limit. Below: the sum as a share of it, to tend to 1.",
    )
    whole = alt.vconcat(alt.hconcat(*above), alt.hconcat(*below))
    return themed(whole.properties(title=title))


def _chart_rows(growths: Sequence[Growth], name: str) -> list[Record]:
    return [
        {"name": f"{g.exponent:g}", "n": n, "value": value / n, "line": limit / n, "share": share}
        for g in growths
        if g.name == name
        for n, value, limit, share in zip(g.sizes, g.sums, g.limits, g.shares, strict=True)
    ]


STUDY = Study(
    "table-1",
    "Do the two hardness sums grow with the number of items as the paper's table says?",
    prepare,
    work,
    conclude,
)
