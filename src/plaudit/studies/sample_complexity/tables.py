"""The tables of the study of sample complexity, for its page."""

from typing import Any

from plaudit.race.algorithms import PUBLISHED
from plaudit.studies.sample_complexity.cases import PANELS
from plaudit.studies.sample_complexity.cells import Cells, fit_growth, full_row, row_of
from plaudit.studies.sample_complexity.plan import OWN
from plaudit.studies.study import StudyTable

VOTES_CAPTION = (
    "Mean votes to the verdict; “>” where some races were given up. Standard errors, numbers of "
    "races and wrong verdicts are in cells.csv."
)
GROWTH_CAPTION = (
    "Growth exponents of both hardness sums, the paper's bound, the floor and each algorithm's "
    "votes, over the last decade of n, or over the last in which all races finished."
)


def tables_of(cells: Cells) -> list[StudyTable]:
    """All tables; `cells` holds every number and is not shown on the page."""
    return [
        StudyTable("votes", vote_rows(cells), VOTES_CAPTION),
        StudyTable(
            "lil-klucb", own_rows(cells), "lil-KLUCB's votes beside the floor and the bound."
        ),
        StudyTable("growth", growth_rows(cells), GROWTH_CAPTION),
        StudyTable("cells", [full_row(cell) for cell in cells.values()], on_page=False),
    ]


def vote_rows(cells: Cells) -> list[dict[str, Any]]:
    """Mean votes of all algorithms, a row a profile."""
    rows = []
    for panel, items in dict.fromkeys((panel, items) for panel, items, _ in cells):
        case = cells[panel, items, OWN].case
        row: dict[str, Any] = {
            "profile": panel,
            "n": items,
            "floor": case.floor,
            "bound": case.bound,
        }
        row |= {name: cells[panel, items, name].text for name in PUBLISHED}
        rows.append(row)
    return rows


def own_rows(cells: Cells) -> list[dict[str, Any]]:
    """lil-KLUCB's votes against the floor and the bound."""
    return [
        {
            "profile": cell.case.panel,
            "n": cell.case.items,
            "races": cell.races,
            "votes": cell.text,
            "±": cell.standard_error,
            "95 % of races": cell.high,
            "times the floor": cell.over_floor,
            "times the bound": cell.constant,
            "95 %, times the bound": cell.high and cell.high / cell.case.bound,
            "wrong": cell.wrong,
        }
        for (_, _, algorithm), cell in cells.items()
        if algorithm == OWN
    ]


def growth_rows(cells: Cells) -> list[dict[str, Any]]:
    """Growth exponents, a row a panel."""
    rows = []
    for panel in PANELS:
        whole = fit_growth(row_of(cells, panel, OWN))
        if whole is None:
            continue
        row: dict[str, Any] = {"profile": panel, "n": whole.range}
        row |= {"S_KL": f"{whole.sum_kl:.2f}", "S_SG": f"{whole.sum_sub_gaussian:.2f}"}
        row |= {"bound": f"{whole.bound:.2f}", "floor": f"{whole.floor:.2f}"}
        row |= {name: _exponent(cells, panel, name, whole.range) for name in PUBLISHED}
        rows.append(row)
    return rows


def _exponent(cells: Cells, panel: str, name: str, usual: str) -> str:
    fit = fit_growth(row_of(cells, panel, name))
    if fit is None:
        return "–"
    return f"{fit.votes:.2f}" + ("" if fit.range == usual else f" (n = {fit.range})")
