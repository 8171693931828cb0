"""What the races of one algorithm on one profile came to, beside what theory says.

A race that was given up counts with the votes that it got, and its cell then says "more
than". Leaving such races out would keep only the lucky ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.studies.frequency import exact_limits
from plaudit.studies.growth import growth_exponent, last_decade
from plaudit.studies.sample_complexity.cases import Case
from plaudit.studies.study import Record, StudyPlan

Cells = Mapping[tuple[str, int, str], "Cell"]


@dataclass(frozen=True)
class Cell:
    """The races of one algorithm in one case: votes, whether given up, whether right."""

    case: Case
    algorithm: str
    votes: NDArray[np.int64]
    stopped: NDArray[np.bool_]
    right: NDArray[np.bool_]

    @property
    def races(self) -> int:
        """How many races there were."""
        return self.votes.size

    @property
    def given_up(self) -> int:
        """How many had no verdict within the votes that they were allowed."""
        return int((~self.stopped).sum())

    @property
    def finished(self) -> bool:
        """Whether all races came to their verdict."""
        return self.given_up == 0

    @property
    def wrong(self) -> int:
        """How many verdicts named another item than the best."""
        return int((self.stopped & ~self.right).sum())

    @property
    def mean(self) -> float:
        """The mean votes; too low where races were given up."""
        return float(self.votes.mean())

    @property
    def standard_error(self) -> float | None:
        """Of the mean; None where it is only a lower limit."""
        if not self.finished or self.races < 2:
            return None
        return float(self.votes.std(ddof=1) / np.sqrt(self.races))

    @property
    def high(self) -> float | None:
        """The votes that 95 % of the races did with; None where too few tell."""
        if not self.finished or self.races < 20:
            return None
        return float(np.quantile(self.votes, 0.95, method="higher"))

    @property
    def constant(self) -> float:
        """Mean votes over the paper's bound: the constant c0 that it would need."""
        return self.mean / self.case.bound

    @property
    def over_floor(self) -> float:
        """Mean votes over the floor."""
        return self.mean / self.case.floor

    @cached_property
    def text(self) -> str:
        """The mean as people read it."""
        return f"{'' if self.finished else '> '}{self.mean:,.0f}"


def collect_cells(plan: StudyPlan, results: Sequence[Record]) -> Cells:
    """The cells by panel, number of items and algorithm."""
    joined: dict[tuple[str, int, str], list[Record]] = {}
    for part, result in zip(plan.parts, results, strict=True):
        joined.setdefault(tuple(part["address"][1:]), []).append(result)
    cases: dict[tuple[str, int], Case] = {}
    return {
        (panel, items, algorithm): Cell(
            cases.setdefault((panel, items), Case(panel, items)),
            algorithm,
            np.array([v for block in blocks for v in block["votes"]], dtype=np.int64),
            np.array([v for block in blocks for v in block["stopped"]], dtype=np.bool_),
            np.array([v for block in blocks for v in block["right"]], dtype=np.bool_),
        )
        for (panel, items, algorithm), blocks in joined.items()
    }


def row_of(cells: Cells, panel: str, algorithm: str) -> list[Cell]:
    """The finished cells of an algorithm in a panel, by number of items."""
    found = [c for (p, _, a), c in cells.items() if (p, a) == (panel, algorithm) and c.finished]
    return sorted(found, key=lambda cell: cell.case.items)


@dataclass(frozen=True)
class Fit:
    """How the votes of an algorithm grow in a panel, and what grows with them."""

    first: int
    last: int
    votes: float
    sum_kl: float
    sum_sub_gaussian: float
    bound: float
    floor: float

    @property
    def range(self) -> str:
        """The numbers of items that it is fitted to."""
        return f"{self.first:,} to {self.last:,}"


def fit_growth(cells: Sequence[Cell]) -> Fit | None:
    """Exponents over the last decade of finished cells; None where there is only one."""
    sizes = [cell.case.items for cell in cells]
    used = [cells[place] for place in last_decade(sizes)] if sizes else []
    if len(used) < 2:
        return None
    n = [cell.case.items for cell in used]
    return Fit(
        n[0],
        n[-1],
        growth_exponent(n, [cell.mean for cell in used]),
        growth_exponent(n, [cell.case.sum_kl for cell in used]),
        growth_exponent(n, [cell.case.sum_sub_gaussian for cell in used]),
        growth_exponent(n, [cell.case.bound for cell in used]),
        growth_exponent(n, [cell.case.floor for cell in used]),
    )


def full_row(cell: Cell) -> dict[str, Any]:
    """All numbers of a cell; its ratios are lower limits where races were given up."""
    low, high = exact_limits(cell.wrong, cell.races)
    return {
        "panel": cell.case.panel,
        "n": cell.case.items,
        "algorithm": cell.algorithm,
        "races": cell.races,
        "given_up": cell.given_up,
        "mean_votes": cell.mean,
        "standard_error": cell.standard_error,
        "votes_95": cell.high,
        "most_votes": int(cell.votes.max()),
        "floor": cell.case.floor,
        "over_floor": cell.over_floor,
        "bound": cell.case.bound,
        "c0": cell.constant,
        "S_KL": cell.case.sum_kl,
        "S_SG": cell.case.sum_sub_gaussian,
        "wrong": cell.wrong,
        "wrong_low": float(low),
        "wrong_high": float(high),
    }
