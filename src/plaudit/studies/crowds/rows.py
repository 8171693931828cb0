"""The numbers of `crowds`: error over delta and votes of each cell, with limits."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from plaudit.studies.crowds.cases import CONTEST, INSTANCES, KINDS
from plaudit.studies.crowds.in_contests import EPSILON
from plaudit.studies.crowds.races import ERRORS, LISTS, MANY, PAIRS, VOTES
from plaudit.studies.entrants import OURS
from plaudit.studies.frequency import exact_limits
from plaudit.studies.ratio import mean_with_limits, ratio_with_limits
from plaudit.studies.study import Record, StudyPlan

Cells = dict[tuple[str, str, str, str], dict[str, Any]]


def cells_of(plan: StudyPlan, results: Sequence[Record]) -> Cells:
    """All blocks of a cell together: numbers added, lists joined; by what, place, crowd and who."""
    cells: Cells = {}
    for part, result in zip(plan.parts, results, strict=True):
        _, what, place, crowd, who = part["address"]
        cell = cells.setdefault((what, place, crowd, who), {})
        for name, value in result.items():
            if isinstance(value, list) or what == ERRORS:
                cell[name] = cell[name] + value if name in cell else value
            else:
                cell.setdefault(name, []).append(value)
    return cells


def error_rows(cells: Cells) -> list[Record]:
    """Error over delta of every algorithm on every crowd, with exact 95 % limits."""
    rows = []
    for (what, place, crowd, who), cell in cells.items():
        if what not in (ERRORS, VOTES):
            continue
        listed = what == VOTES
        races = len(cell["wrong"]) if listed else cell["races"]
        wrong = sum(cell["wrong"]) if listed else cell["wrong"]
        cut = races - sum(cell["stopped"]) if listed else cell["cut"]
        votes = float(np.mean(cell["votes"])) if listed else cell["votes"] / races
        rows.append(_error_row(place, crowd, who, races, wrong, cut, votes))
    places, crowds = list(INSTANCES), list(KINDS)
    # Stable: algorithms stay in the order of the plan.
    return sorted(rows, key=lambda r: (places.index(r["instance"]), crowds.index(r["crowd"])))


def _error_row(
    place: str, crowd: str, who: str, races: int, wrong: int, cut: int, votes: float
) -> Record:
    delta, kind = INSTANCES[place].delta, KINDS[crowd]
    low, high = exact_limits(wrong, races)
    covered = kind.covered and not kind.attacked
    return {
        "instance": place,
        "crowd": crowd,
        "algorithm": who,
        "covered": covered or (kind.attacked and "tolerance" in who),
        "attacked": kind.attacked,
        "delta": delta,
        "races": races,
        "wrong": wrong,
        "cut": cut,
        "over_delta": wrong / races / delta,
        "low": float(low) / delta,
        "high": float(high) / delta,
        "too_often": bool(low > delta),
        "votes": votes,
    }


def vote_rows(cells: Cells) -> list[Record]:
    """Votes on the contest, and as a multiple of the same algorithm's with independent votes."""
    rows = []
    for (what, place, crowd, who), cell in cells.items():
        if what != VOTES:
            continue
        calm = cells.get((VOTES, place, "independent", who)) or cells.get(
            (VOTES, place, "independent", OURS)
        )
        mean = mean_with_limits(cell["votes"])
        rows.append(
            {
                "crowd": crowd,
                "algorithm": who,
                "races": len(cell["votes"]),
                "verdicts": sum(cell["stopped"]),
                "wrong": sum(cell["wrong"]),
                "votes": mean.value,
                "votes_low": mean.low,
                "votes_high": mean.high,
                "of_independent": mean.value / float(np.mean(calm["votes"])) if calm else None,
            }
        )
    return rows


def list_rows(cells: Cells) -> list[Record]:
    """What a list that is fixed when the visit begins costs in votes."""
    rows = []
    for (what, place, crowd, who), cell in cells.items():
        if what == LISTS and who == "fixed":
            other = cells[LISTS, place, crowd, "vote by vote"]
            ratio = ratio_with_limits(cell["votes"], other["votes"])
            rows.append(
                {
                    "instance": f"{place}, visits of {CONTEST.visit}",
                    "crowd": crowd,
                    "races": len(cell["votes"]),
                    "votes, fixed": float(np.mean(cell["votes"])),
                    "votes, vote by vote": float(np.mean(other["votes"])),
                    "ratio": ratio.value,
                    "low": ratio.low,
                    "high": ratio.high,
                }
            )
    return rows


def pair_rows(cells: Cells) -> list[Record]:
    """Votes by bets on differences as a share of the default's, where everyone rates all."""
    rows = []
    for (what, place, crowd, _), cell in cells.items():
        if what == PAIRS:
            ratio = ratio_with_limits(cell["differences"], cell["separation"])
            rows.append(
                {
                    "items": int(place),
                    "correlation": float(crowd),
                    "races": len(cell["separation"]),
                    "votes, separation": float(np.mean(cell["separation"])),
                    "votes, differences": float(np.mean(cell["differences"])),
                    "ratio": ratio.value,
                    "low": ratio.low,
                    "high": ratio.high,
                }
            )
    return sorted(rows, key=lambda row: (row["items"], row["correlation"]))


def contest_pair_rows(cells: Cells) -> list[Record]:
    """Who answers the leader and a rival in a contest, and what differences could save."""
    rows = []
    for (what, place, crowd, _), cell in cells.items():
        if what == MANY:
            means = {name: float(np.mean(values)) for name, values in cell.items()}
            rows.append(
                {
                    "contest": f"{place}, ε = {EPSILON:g}",
                    "correlation": float(crowd),
                    "races": len(cell["votes"]),
                    "raters": means["raters"],
                    "votes": means["votes"],
                    "leader's votes": means["leader_votes"],
                    "raters with both": means["both_of_raters"],
                    "rival's votes in pairs": means["both_of_votes"],
                    "close rivals settled": means["settled_close"],
                    "rivals settled": means["settled"],
                    "votes saved at most": means["saved"],
                }
            )
    return sorted(rows, key=lambda row: (row["contest"], row["correlation"]))
