"""The numbers of the study of past contests: a row for each contest and algorithm."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from plaudit.race.algorithms import PUBLISHED
from plaudit.studies.contests.races import CERTIFY, FIND, can_certify
from plaudit.studies.finding import votes_to
from plaudit.studies.frequency import exact_limits
from plaudit.studies.study import Record, StudyPlan

# The best item counts as found where so many races have it among their first five.
LEVEL = 0.9
MEASURED, MORE, CANNOT, NOT_RUN = "measured", "more than", "cannot", "not run"

Row = dict[str, Any]


def algorithm_rows(plan: StudyPlan, results: Sequence[Record]) -> list[Row]:
    """What every algorithm needed on every contest, also where it was not run."""
    found: dict[tuple[str, ...], list[tuple[Record, Record]]] = defaultdict(list)
    for part, result in zip(plan.parts, results, strict=True):
        _, contest, kind, algorithm = part["address"]
        found[contest, kind, algorithm].append((part, result))
    return [
        {"contest": contest, "algorithm": algorithm}
        | _find_row(found[contest, FIND, algorithm])
        | _certify_row(found[contest, CERTIFY, algorithm], able=can_certify(algorithm))
        for contest in plan.shared
        for algorithm in PUBLISHED
    ]


def _find_row(blocks: Sequence[tuple[Record, Record]]) -> Row:
    row: Row = dict.fromkeys(("find_votes", "find_low", "find_high", "find_votes_ties_random"))
    if not blocks:
        return {"find": NOT_RUN, **row, "find_cap": None, "find_races": 0}
    races = sum(part["end"] - part["first"] for part, _ in blocks)
    summed = {
        name: np.sum([result[name] for _, result in blocks], axis=0)
        for name in ("found", "found_voted", "votes")
    }
    votes = summed["votes"] / races
    low, high = exact_limits(summed["found_voted"], races)
    row["find_votes"] = votes_to(votes, summed["found_voted"] / races, LEVEL)
    row["find_low"] = votes_to(votes, high, LEVEL)
    row["find_high"] = votes_to(votes, low, LEVEL)
    row["find_votes_ties_random"] = votes_to(votes, summed["found"] / races, LEVEL)
    state = MORE if row["find_votes"] is None else MEASURED
    return {"find": state, **row, "find_cap": blocks[0][0]["cap"], "find_races": races}


def _certify_row(races: Sequence[tuple[Record, Record]], *, able: bool) -> Row:
    names = ("certify_votes", "certify_least", "certify_most", "certify_cap")
    row: Row = dict.fromkeys(names)
    row |= {"certify_races": len(races), "certify_stopped": 0, "certify_right": 0}
    if not races:
        return {"certify": NOT_RUN if able else CANNOT, **row}
    outcomes = [result for _, result in races]
    # A race that was cut needs more than any other.
    votes = [one["votes"] if one["stopped"] else math.inf for one in outcomes]
    row["certify_votes"] = _finite(median(votes))
    row["certify_least"], row["certify_most"] = _finite(min(votes)), _finite(max(votes))
    row["certify_cap"] = races[0][0]["cap"]
    row["certify_stopped"] = sum(one["stopped"] for one in outcomes)
    row["certify_right"] = sum(one["stopped"] and one["correct"] for one in outcomes)
    return {"certify": MORE if row["certify_votes"] is None else MEASURED, **row}


def _finite(votes: float) -> float | None:
    return float(votes) if math.isfinite(votes) else None


def least_votes(row: Mapping[str, Any], kind: str) -> float | None:
    """The votes that an algorithm needed, or the cap that it needed more than; None if not run."""
    votes: float | None = row[f"{kind}_votes"] if row[kind] == MEASURED else row[f"{kind}_cap"]
    return votes


def say(row: Mapping[str, Any], kind: str) -> str:
    """The votes in words, to three digits.

    >>> say({"find": "measured", "find_votes": 446_851.0, "find_cap": 1_000_000}, "find")
    '447,000'
    >>> say({"find": "more than", "find_votes": None, "find_cap": 1_000_000}, "find")
    '> 1,000,000'
    """
    votes = least_votes(row, kind)
    if votes is None:
        return str(row[kind])
    return f"{'> ' if row[kind] == MORE else ''}{float(f'{votes:.3g}'):,.0f}"


def matrix(rows: Sequence[Row], kind: str) -> list[Row]:
    """A row for each contest and a column for each algorithm, in words."""
    table: dict[str, Row] = {}
    for row in rows:
        table.setdefault(row["contest"], {"contest": row["contest"]})
        table[row["contest"]][row["algorithm"]] = say(row, kind)
    return list(table.values())
