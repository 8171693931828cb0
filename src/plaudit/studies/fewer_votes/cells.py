"""The races to the verdict of one entrant on one case, beside lil-KLUCB's and the floor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.studies.entrants import PAPERS
from plaudit.studies.fewer_votes.cases import Case
from plaudit.studies.fewer_votes.joining import Pairs, join_blocks
from plaudit.studies.fewer_votes.races import CERTIFY, FLOOR, VARIED
from plaudit.studies.ratio import Estimate, mean_with_limits, ratio_with_limits
from plaudit.studies.study import Record, StudyPlan

EXACT, MORE, LESS = "measured", "more than", "less than"


@dataclass(frozen=True)
class Cell:
    """Votes of each race, whether it came to a verdict, and whether that was right."""

    case: Case
    algorithm: str
    votes: NDArray[np.int64]
    stopped: NDArray[np.bool_]
    right: NDArray[np.bool_]

    @property
    def finished(self) -> bool:
        """Whether every race came to a verdict; else the mean votes are a lower limit."""
        return bool(self.stopped.all())

    @property
    def wrong(self) -> int:
        """How many verdicts were wrong."""
        return int((self.stopped & ~self.right).sum())

    @property
    def mean(self) -> Estimate:
        """Mean votes with 95 % limits."""
        return mean_with_limits(self.votes)


Cells = Mapping[tuple[str, str, str], Cell]


def collect_cells(plan: StudyPlan, results: Sequence[Record]) -> Cells:
    """The cells by panel, case and entrant."""
    blocks = join_blocks(plan, results, CERTIFY, VARIED)
    return {key: _cell(plan.shared[key[:2]], key[2], pairs) for key, pairs in blocks.items()}


def _cell(case: Case, algorithm: str, pairs: Pairs) -> Cell:
    def joined(name: str) -> list[Any]:
        return [value for _, result in pairs for value in result[name]]

    return Cell(
        case,
        algorithm,
        np.array(joined("votes"), dtype=np.int64),
        np.array(joined("stopped"), dtype=np.bool_),
        np.array(joined("right"), dtype=np.bool_),
    )


def collect_floors(plan: StudyPlan, results: Sequence[Record]) -> dict[str, float | None]:
    """The floor of each case of the first panel."""
    return {
        part["address"][2]: result["floor"]
        for part, result in zip(plan.parts, results, strict=True)
        if part["address"][1] == FLOOR
    }


def ratio_to(cell: Cell, paper: Cell) -> tuple[str, Estimate]:
    """A cell's votes over lil-KLUCB's on the same seeds, and whether that is only a limit."""
    ratio = ratio_with_limits(cell.votes, paper.votes)
    if cell.finished and paper.finished:
        return EXACT, ratio
    state = LESS if cell.finished else MORE
    return state, Estimate(ratio.value, None, None)


def cell_rows(cells: Cells, kind: str, floors: Mapping[str, float | None]) -> list[Record]:
    """All numbers of a panel, a row a cell."""
    rows = []
    for (panel, case, algorithm), cell in cells.items():
        if panel != kind:
            continue
        paper = cells[kind, case, PAPERS]
        state, ratio = ratio_to(cell, paper)
        mean, floor = cell.mean, floors.get(case)
        rows.append({
            "case": case, "role": cell.case.role, "algorithm": algorithm,
            "items": len(cell.case.profile), "epsilon": cell.case.epsilon, "top": cell.case.top,
            "races": int(cell.votes.size), "cut": int((~cell.stopped).sum()), "wrong": cell.wrong,
            "votes": mean.value, "votes_low": mean.low, "votes_high": mean.high,
            "state": state, "ratio": ratio.value, "ratio_low": ratio.low, "ratio_high": ratio.high,
            "floor": floor, "over_floor": mean.value / floor if floor else None,
        })  # fmt: skip
    return rows
