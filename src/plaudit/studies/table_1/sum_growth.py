"""The growth of a hardness sum, beside the order that the paper's Table 1 gives it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.studies.growth import Order, growth_exponent, last_decade
from plaudit.studies.study import Record
from plaudit.studies.table_1.power_gaps import Term, expand_kl, expand_sub_gaussian

SUMS = {"S_KL": "S_KL: sum of 1/D*", "S_SG": "S_SG: sum of 1/gap²"}
EXPANSIONS = {"S_KL": expand_kl, "S_SG": expand_sub_gaussian}
# Table 1 of the paper, column by column.
COLUMNS: dict[str, dict[str, str]] = {
    "0 < α < 1/2": {"S_KL": "n", "S_SG": "n"},
    "α = 1/2": {"S_KL": "n", "S_SG": "n log n"},
    "1/2 < α < 1": {"S_KL": "n", "S_SG": "n^2α"},
    "α = 1": {"S_KL": "n log n", "S_SG": "n²"},
    "α > 1": {"S_KL": "n^α", "S_SG": "n^2α"},
}
# How far an exponent may be off the order's, without the sum's next term and with it.
TOLERANCE, CONVERGING = 0.005, 0.02


def column_of(exponent: float) -> str:
    """The column of the table that an exponent belongs to.

    >>> column_of(0.5), column_of(1.1)
    ('α = 1/2', 'α > 1')
    """
    if exponent in (0.5, 1.0):
        return "α = 1/2" if exponent == 0.5 else "α = 1"
    return "0 < α < 1/2" if exponent < 0.5 else "1/2 < α < 1" if exponent < 1.0 else "α > 1"


def paper_order(exponent: float, name: str) -> Order:
    """The order in the cell of the table that an exponent and a sum belong to."""
    return {
        "n": Order(1.0),
        "n log n": Order(1.0, 1),
        "n²": Order(2.0),
        "n^α": Order(exponent),
        "n^2α": Order(2.0 * exponent),
    }[COLUMNS[column_of(exponent)][name]]


@dataclass(frozen=True)
class Growth:
    """One sum at one exponent, over n; `tail` is the sum without the smallest gap."""

    name: str
    exponent: float
    sizes: NDArray[np.float64]
    sums: NDArray[np.float64]
    tail: NDArray[np.float64]

    @cached_property
    def order(self) -> Order:
        """The paper's."""
        return paper_order(self.exponent, self.name)

    @cached_property
    def terms(self) -> list[Term]:
        """The sum for large n, leading term first."""
        return EXPANSIONS[self.name](self.exponent)

    def _slope(self, values: NDArray[np.float64]) -> float:
        places = last_decade(self.sizes.tolist())
        return growth_exponent(self.sizes[places], values[places])

    @property
    def slope(self) -> float:
        """The exponent over the last decade of n."""
        return self._slope(self.sums)

    @property
    def slope_from_2(self) -> float:
        """The same for the sum without the smallest gap."""
        return self._slope(self.tail)

    @property
    def slope_over_all(self) -> float:
        """The exponent over all n."""
        return growth_exponent(self.sizes, self.sums)

    @property
    def order_slope(self) -> float:
        """The exponent of the paper's order, over the same last decade."""
        return self._slope(self.order(self.sizes))

    @property
    def slope_without_next(self) -> float:
        """The exponent of the sum without all terms but the leading one."""
        rest = sum((term(self.sizes) for term in self.terms[1:]), np.zeros_like(self.sums))
        return self._slope(self.sums - rest)

    @property
    def agrees(self) -> bool:
        """Whether the sum has the paper's order."""
        return abs(self.slope_without_next - self.order_slope) <= TOLERANCE

    @property
    def converging(self) -> bool:
        """Whether the largest n is still too small for the sum itself to show its order."""
        return self.agrees and abs(self.slope - self.order_slope) > CONVERGING

    @property
    def limits(self) -> NDArray[np.float64]:
        """The leading term."""
        return self.terms[0](self.sizes)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The sum over its leading term."""
        return self.sums / self.limits

    @property
    def drift(self) -> float:
        """By what share sum / order moved over the last decade."""
        ratios = self.sums / self.order(self.sizes)
        return float(ratios[-1] / ratios[last_decade(self.sizes.tolist())[0]] - 1.0)

    @property
    def misfit(self) -> float:
        """The largest relative difference from all terms, from n = 1,000."""
        whole = sum((term(self.sizes) for term in self.terms), np.zeros_like(self.sums))
        return float(np.abs(whole / self.sums - 1.0)[self.sizes >= 1000].max(initial=0.0))


def growths_of(rows: Sequence[Record], sizes: Sequence[int]) -> list[Growth]:
    """Both sums at every exponent, in the order of the rows."""
    found = {(row["exponent"], row["items"]): row for row in rows}
    return [
        Growth(
            name,
            exponent,
            np.array(sizes, dtype=np.float64),
            np.array([found[exponent, n][name] for n in sizes]),
            np.array([found[exponent, n][f"{name}_from_2"] for n in sizes]),
        )
        for name in SUMS
        for exponent in dict.fromkeys(row["exponent"] for row in rows)
    ]


def table_rows(growths: Sequence[Growth]) -> list[Mapping[str, Any]]:
    """A row for each sum and exponent, for the page."""
    return [
        {
            "sum": g.name,
            "α": g.exponent,
            "paper's order": str(g.order),
            "its exponent": f"{g.order_slope:.3f}",
            "measured": f"{g.slope:.3f}",
            "without next term": f"{g.slope_without_next:.3f}",
            "over all n": f"{g.slope_over_all:.3f}",
            "S / order": float(g.sums[-1] / g.order(g.sizes)[-1]),
            "change over the decade": f"{100 * g.drift:+.1f} %",
            "of the limit": f"{100 * g.shares[-1]:.1f} %",
        }
        for g in growths
    ]
