"""The parts of `fewer-votes`: which races are run, how many, and what one part does.

All entrants run on the same seeds: a race's seed names its panel, its case and its number,
and not the entrant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plaudit.simulation.curves import follow_races
from plaudit.simulation.oracle import OracleRace
from plaudit.simulation.runner import SimulatedRace
from plaudit.simulation.seeds import seed_at
from plaudit.simulation.visits import VisitRace
from plaudit.studies.entrants import OURS, PAPERS, Entrant, entrants
from plaudit.studies.fewer_votes.cases import DELTA, RATERS, SHOWN, Case
from plaudit.studies.fewer_votes.floor import vote_floor_of
from plaudit.studies.finding import vote_grid
from plaudit.studies.study import Record, blocks

NAME = "fewer-votes"
CERTIFY, FIND, NO_REPEAT, VARIED, FLOOR = "certify", "find", "no-repeat", "never-worse", "floor"
GRID_POINTS = 160
PART_VOTES = 1_500_000.0
FLOOR_SECONDS = 5.0
# Asking takes longer under no-repeat: it skips what a rater has seen.
NO_REPEAT_COST = 25.0


@dataclass(frozen=True)
class Effort:
    """How many races of each panel, and where they are cut."""

    items: int
    certify_races: int
    certify_cap: int
    find_races: int
    find_others: int
    find_cap: int
    no_repeat_races: int
    varied_races: int

    def record(self) -> Record:
        """The numbers by name, for the record of a run."""
        return dict(vars(self))


# When nine races in ten have found the best depends on the slowest few: 60 races give the share
# of lil-KLUCB's votes up to a factor of 1.5 either way, 400 races up to 1.2.
FULL = Effort(1000, 24, 10_000_000, 400, 18, 300_000, 1, 20)
QUICK = Effort(1000, 4, 1_500_000, 20, 6, 120_000, 1, 6)
# Races that find run to the cap, so slow entrants of which nothing is claimed get fewer.
SLOW_SHARE, SLOW = 2 / 3, 4.0


def certify_parts(cases: Sequence[Case], effort: Effort) -> Iterator[Record]:
    """Races to the verdict, by every entrant that can; and the floor of each case."""
    for case in cases:
        yield _part(case, FLOOR, None, 0, 1, 0)
        for entrant in entrants():
            if case.epsilon and not entrant.knows_epsilon:
                continue
            if len(case.profile) > entrant.most_items:
                continue
            races = _share(effort.certify_races, entrant.patience)
            yield from _blocks(case, CERTIFY, entrant, races, effort.certify_cap)


def varied_parts(cases: Sequence[Case], effort: Effort) -> Iterator[Record]:
    """Races to the verdict on many profiles, ours and the paper's alone."""
    for case in cases:
        for entrant in entrants((PAPERS, OURS)):
            yield from _blocks(case, VARIED, entrant, effort.varied_races, effort.certify_cap)


def find_parts(cases: Sequence[Case], effort: Effort) -> Iterator[Record]:
    """Races along a grid of vote counts, by those made to find."""
    for case in cases:
        for entrant in entrants():
            if entrant.finds and len(case.profile) <= entrant.most_items:
                for first, end in blocks(find_races(entrant, effort), 2):
                    yield _part(case, FIND, entrant, first, end, effort.find_cap)


def find_races(entrant: Entrant, effort: Effort) -> int:
    """How many races that find an entrant gets."""
    if entrant.name in (PAPERS, OURS):
        return effort.find_races
    return _share(effort.find_others, SLOW_SHARE if entrant.cost >= SLOW else 1.0)


def no_repeat_parts(cases: Sequence[Case], effort: Effort) -> Iterator[Record]:
    """One race a part, ours and the paper's; the cap is what the contest collected."""
    for case in cases:
        for entrant in entrants((PAPERS, OURS)):
            for number in range(effort.no_repeat_races):
                cap = int(case.guess)
                yield _part(case, NO_REPEAT, entrant, number, number + 1, cap)


def _share(races: int, patience: float) -> int:
    return max(1, round(races * patience)) if patience else 0


def _blocks(case: Case, kind: str, entrant: Entrant, races: int, cap: int) -> Iterator[Record]:
    size = max(1, min(10, int(PART_VOTES / (case.guess * entrant.cost))))
    for first, end in blocks(races, size):
        yield _part(case, kind, entrant, first, end, cap)


def _part(case: Case, kind: str, entrant: Entrant | None, first: int, end: int, cap: int) -> Record:
    return {
        "address": [NAME, kind, case.name, entrant.name if entrant else ""],
        "settings": dict(entrant.settings) if entrant else {},
        "oracle": entrant.oracle if entrant else False,
        "first": first,
        "end": end,
        "cap": cap,
        "delta": DELTA,
        "epsilon": case.epsilon,
        "top": case.top,
        "profile": case.profile.fingerprint,
    }


def seconds_of(part: Record, cases: Mapping[tuple[str, str], Case]) -> float:
    """About how long a part takes."""
    _, kind, name, algorithm = part["address"]
    if kind == FLOOR:
        return FLOOR_SECONDS
    (entrant,) = entrants((algorithm,))
    votes = float(part["cap"]) if kind in (FIND, NO_REPEAT) else cases[kind, name].guess
    cost = NO_REPEAT_COST if kind == NO_REPEAT else entrant.cost
    return 1e-6 * votes * cost * int(part["end"] - part["first"])


def work(shared: Mapping[tuple[str, str], Case], part: Record) -> Record:
    """Runs one part: the floor of a case, or a block of races."""
    _, kind, name, _ = part["address"]
    case = shared[CERTIFY if kind == FLOOR else kind, name]
    if kind == FLOOR:
        floor = vote_floor_of(case.profile, part["delta"], epsilon=part["epsilon"])
        return {"floor": floor if floor < float("inf") else None}
    # The entrant is not in the address: all race on the same seeds.
    seeds = [
        seed_at(part["seed"], *part["address"][:3], k) for k in range(part["first"], part["end"])
    ]
    # No share of delta is kept for items that join later: all entrants get all of it.
    settings = part["settings"] | {name: part[name] for name in ("delta", "epsilon", "top")}
    settings["reserve"] = 0.0
    if kind == FIND:
        return _find(case, seeds, part["cap"], settings)
    if kind == NO_REPEAT:
        return _no_repeat(case, seeds[0], part["cap"], settings)
    racer = OracleRace if part["oracle"] else SimulatedRace
    return _certify(racer, case, seeds, part["cap"], settings)


def _certify(
    racer: type[SimulatedRace], case: Case, seeds: list[int], cap: int, settings: dict[str, Any]
) -> Record:
    outcomes = [racer(case.profile, seed=seed, **settings).run(max_votes=cap) for seed in seeds]
    return {
        "votes": [outcome.votes for outcome in outcomes],
        "stopped": [outcome.stopped for outcome in outcomes],
        "right": [outcome.correct for outcome in outcomes],
    }


def _find(case: Case, seeds: list[int], cap: int, settings: dict[str, Any]) -> Record:
    grid = vote_grid(len(case.profile), cap, points=GRID_POINTS)
    curves = [follow_races(case.profile, [seed], grid, shown=SHOWN, **settings) for seed in seeds]
    return {
        "found": ["".join(map(str, curve.found_voted.tolist())) for curve in curves],
        "votes": [sum(votes) for votes in zip(*(curve.votes.tolist() for curve in curves),
                                              strict=True)],
    }  # fmt: skip


def _no_repeat(case: Case, seed: int, cap: int, settings: dict[str, Any]) -> Record:
    """A race whose raters come once each and give an even share of the votes collected."""
    share = -(-cap // RATERS)
    race = VisitRace(case.profile, votes_per_rater=share, raters=RATERS, seed=seed, **settings)
    race.advance(cap)
    outcome, most = race.outcome(), int(race.race.intervals().votes.max())
    return {
        "stopped": outcome.stopped,
        "votes": outcome.votes,
        "correct": outcome.correct,
        "gap": outcome.gap,
        "most_votes": most,
    }
