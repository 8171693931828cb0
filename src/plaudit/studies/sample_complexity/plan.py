"""Which races the study of sample complexity runs: when one is given up, and how many.

How many races a cell gets, and how many make a part, follow from a rough guess at how long
one takes. The guess decides nothing else.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from plaudit.race.algorithms import PUBLISHED
from plaudit.studies.sample_complexity.cases import PANELS, PAPER_DELTA, TOTAL_ERROR, Case
from plaudit.studies.study import Options, Record, StudyPlan, blocks

NAME = "sample-complexity"
OWN = "lil-klucb"
# lil-KLUCB's cells bear the paper's claims, and so get more time than the others.
OWN_SHARE = 10.0
# Bounds that use the race's time: a vote takes long, and longer with n.
TIMED = ("lucb", "kl-lucb")
# Given up sooner: where a vote takes long, or no verdict ever comes.
LOW_CAPPED, LOW_SHARE = (*TIMED, "ucb"), 0.1
HOPELESS_RACES = 2
PART_SECONDS, MOST_IN_PART = 1.0, 50


@dataclass(frozen=True)
class Effort:
    """How much is run: sizes, the votes of a race, the most and the fewest races of a cell."""

    sizes: tuple[int, ...]
    cap: int
    races: int
    fewest: int
    cell_seconds: float


FULL = Effort((10, 30, 100, 300, 1000), 10_000_000, 200, 5, 2.0)
QUICK = Effort((10, 30, 100), 500_000, 20, 3, 0.05)

# Votes of a race, about, from trial runs.
GUESSES: dict[str, Callable[[Case], float]] = {
    "lil-klucb": lambda case: 0.9 * case.bound,
    "kl-lucb": lambda case: 1.5 * case.bound,
    "lucb": lambda case: 90.0 * case.sum_sub_gaussian,
    "lucb++": lambda case: 35.0 * case.sum_sub_gaussian,
    "lil-ucb": lambda case: 500.0 * case.sum_sub_gaussian,
    "lil-ucb-heuristic": lambda case: 10.0 * case.sum_sub_gaussian,
    "successive-elimination": lambda case: 150.0 * case.sum_sub_gaussian,
    # Every item gets as many votes as the two best need.
    "uniform": lambda case: 25.0 * case.items * case.pair_kl,
    "ucb": lambda case: math.inf,
}


def effort_of(options: Options) -> Effort:
    """What the options ask for."""
    return QUICK if options.quick else FULL


def plan_races(options: Options) -> StudyPlan:
    """All parts: blocks of races of one algorithm on one profile."""
    effort = effort_of(options)
    cases = [Case(panel, n) for panel in PANELS for n in effort.sizes]
    parts: list[Record] = []
    weights: list[float] = []
    for case in cases:
        for algorithm in PUBLISHED:
            seconds = race_seconds(case, algorithm, effort)
            cell = _cell_parts(case, algorithm, options, size=int(PART_SECONDS / seconds))
            parts += cell
            weights += [seconds * (part["end"] - part["first"]) for part in cell]
    settings: Record = {
        "total_error": TOTAL_ERROR,
        "paper_delta": PAPER_DELTA,
        "sizes": list(effort.sizes),
        "panels": {name: list(numbers) for name, numbers in PANELS.items()},
        "caps": {name: cap_of(name, effort) for name in PUBLISHED},
        "most_races": options.repetitions or effort.races,
    }
    return StudyPlan(settings, parts, {case.key: case.profile for case in cases}, weights)


def cap_of(algorithm: str, effort: Effort) -> int:
    """The votes after which a race is given up."""
    return int(effort.cap * LOW_SHARE) if algorithm in LOW_CAPPED else effort.cap


def guess_votes(case: Case, algorithm: str) -> float:
    """About how many votes a race takes to its verdict."""
    guess = GUESSES.get(algorithm)
    return guess(case) if guess else 100.0 * case.sum_sub_gaussian


def race_seconds(case: Case, algorithm: str, effort: Effort) -> float:
    """About how long a race takes."""
    microseconds = 1.5 + case.items / 80.0 if algorithm in TIMED else 0.5
    votes = min(guess_votes(case, algorithm), cap_of(algorithm, effort))
    return 1e-6 * votes * microseconds + 5e-4


def races_of(case: Case, algorithm: str, options: Options) -> int:
    """How many races a cell gets: fewer where they take long, to one digit that counts."""
    effort = effort_of(options)
    most = options.repetitions or effort.races
    seconds = effort.cell_seconds * most / effort.races
    seconds *= OWN_SHARE if algorithm == OWN else 1.0
    affordable = seconds / race_seconds(case, algorithm, effort)
    hopeless = guess_votes(case, algorithm) > 1.5 * cap_of(algorithm, effort)
    races = min(most, max(affordable, effort.fewest))
    if hopeless:
        races = min(most, HOPELESS_RACES)
    digit = 10 ** math.floor(math.log10(races))
    return int(races // digit * digit)


def _cell_parts(case: Case, algorithm: str, options: Options, *, size: int) -> list[Record]:
    return [
        {
            "address": [NAME, case.panel, case.items, algorithm],
            "seed": options.seed,
            "delta": TOTAL_ERROR,
            "first": first,
            "end": end,
            "cap": cap_of(algorithm, effort_of(options)),
            "profile": case.profile.fingerprint,
        }
        for first, end in blocks(
            races_of(case, algorithm, options), max(1, min(MOST_IN_PART, size))
        )
    ]
