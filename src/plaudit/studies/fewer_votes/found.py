"""How soon each entrant has the best item among its first five, with probability 0.9."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.simulation.seeds import seed_at
from plaudit.studies.entrants import PAPERS
from plaudit.studies.fewer_votes.cases import LEVEL
from plaudit.studies.fewer_votes.cells import EXACT, LESS, MORE
from plaudit.studies.fewer_votes.joining import Pairs, join_blocks
from plaudit.studies.fewer_votes.races import FIND, NAME
from plaudit.studies.finding import votes_to
from plaudit.studies.frequency import CONFIDENCE, exact_limits
from plaudit.studies.study import Record, StudyPlan

RESAMPLES = 500


@dataclass(frozen=True)
class Finding:
    """For each race and vote count of the grid whether the best item was shown."""

    case: str
    algorithm: str
    found: NDArray[np.float64]
    votes: NDArray[np.float64]
    cap: int

    @property
    def needed(self) -> float | None:
        """The votes that it takes; None where the cap is too low."""
        return votes_to(self.votes, self.found.mean(axis=0), LEVEL)

    def resampled(self, races: NDArray[np.int64]) -> float:
        """The same of some of its races; the cap where that is too low."""
        votes = votes_to(self.votes, self.found[races].mean(axis=0), LEVEL)
        return float(self.cap) if votes is None else votes


Findings = Mapping[tuple[str, str], Finding]


def collect_found(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """The curves of all races by case and entrant."""
    blocks = join_blocks(plan, results, FIND)
    return {key[1:]: _finding(*key[1:], pairs) for key, pairs in blocks.items()}


def _finding(case: str, algorithm: str, pairs: Pairs) -> Finding:
    lines = [line for _, result in pairs for line in result["found"]]
    found = np.array([[float(mark) for mark in line] for line in lines])
    votes = np.sum([result["votes"] for _, result in pairs], axis=0) / len(lines)
    return Finding(case, algorithm, found, votes, pairs[0][0]["cap"])


def find_rows(findings: Findings) -> list[Record]:
    """Votes to find, with exact limits, and as a share of lil-KLUCB's."""
    return [
        _row(finding, findings[case, PAPERS]) for (case, _), finding in findings.items()
    ]  # fmt: skip


def _row(finding: Finding, paper: Finding) -> Record:
    races = len(finding.found)
    low, high = exact_limits(finding.found.sum(axis=0), races)
    needed, theirs = finding.needed, paper.needed
    state = MORE if needed is None else LESS if theirs is None else EXACT
    ratio = (needed or finding.cap) / (theirs or paper.cap)
    limits = ratio_limits(finding, paper) if state == EXACT else (None, None)
    both_cut = needed is None and theirs is None
    return {
        "case": finding.case,
        "algorithm": finding.algorithm,
        "races": races,
        "cap": finding.cap,
        "votes": needed,
        "votes_low": votes_to(finding.votes, high, LEVEL),
        "votes_high": votes_to(finding.votes, low, LEVEL),
        "state": state,
        "ratio": None if both_cut else ratio,
        "ratio_low": limits[0],
        "ratio_high": limits[1],
    }


def ratio_limits(finding: Finding, paper: Finding) -> tuple[float, float]:
    """95 % limits by resampling races, the same of both."""
    if finding is paper:
        return 1.0, 1.0
    generator = np.random.default_rng(seed_at(0, NAME, finding.case, finding.algorithm))
    races = min(len(finding.found), len(paper.found))
    ratios = []
    for _ in range(RESAMPLES):
        some = generator.integers(races, size=races)
        ratios.append(finding.resampled(some) / paper.resampled(some))
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(ratios, [tail, 1.0 - tail])
    return float(low), float(high)


def curve_rows(findings: Findings) -> list[dict[str, Any]]:
    """All points of all curves."""
    rows = []
    for (case, algorithm), finding in findings.items():
        hits = finding.found.sum(axis=0)
        low, high = exact_limits(hits, len(finding.found))
        columns = zip(finding.votes, hits / len(finding.found), low, high, strict=True)
        rows += [
            {"case": case, "algorithm": algorithm, "votes": float(votes), "share": float(share),
             "low": float(bottom), "high": float(top)}
            for votes, share, bottom, top in columns
        ]  # fmt: skip
    return rows
