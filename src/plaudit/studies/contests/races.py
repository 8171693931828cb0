"""The races of the study of past contests: what is run for each algorithm, and how long.

An algorithm's races come in two kinds. Those that find run without slack along a grid of
vote counts. Those that certify run with slack to their verdict, or to a cap.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from plaudit import bounds
from plaudit.race.algorithms import ALGORITHMS, PUBLISHED
from plaudit.simulation.curves import follow_races
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace
from plaudit.simulation.seeds import seed_at
from plaudit.studies.finding import vote_grid
from plaudit.studies.study import Record, blocks

NAME = "contests"
FIND, CERTIFY = "find", "certify"
DELTA, EPSILON, SHOWN = 0.01, 0.05, 5
BLOCK = 4
# About the seconds of a million votes; where all bounds move at every round it takes longer.
SECONDS_A_MILLION, MOVING_SECONDS_A_MILLION = 0.5, 5.0


@dataclass(frozen=True)
class Effort:
    """How much is run: races of each kind, and where they are cut."""

    find_races: int
    find_cap: int
    certify_races: int
    certify_cap: int


def can_certify(algorithm: str) -> bool:
    """Whether an algorithm has a verdict within an epsilon: dominance has none."""
    return ALGORITHMS[algorithm].stopping != "dominance"


def race_parts(profiles: Mapping[str, Profile], effort: Effort, seed: int) -> list[Record]:
    """All parts, the longest first, so that none is left running alone at the end."""
    parts = [
        part
        for name, profile in profiles.items()
        for algorithm in PUBLISHED
        for part in _parts_of(name, algorithm, effort)
    ]
    whole = [{**part, "seed": seed, "profile": profiles[part["address"][1]].fingerprint,
              "delta": DELTA} for part in parts]  # fmt: skip
    return sorted(whole, key=seconds_of, reverse=True)


def _parts_of(name: str, algorithm: str, effort: Effort) -> Iterator[Record]:
    for first, end in blocks(effort.find_races, BLOCK):
        yield {"address": [NAME, name, FIND, algorithm], "first": first, "end": end,
               "epsilon": 0.0, "cap": effort.find_cap, "shown": SHOWN}  # fmt: skip
    if can_certify(algorithm):
        for number in range(effort.certify_races):
            yield {"address": [NAME, name, CERTIFY, algorithm], "first": number,
                   "end": number + 1, "epsilon": EPSILON, "cap": effort.certify_cap}  # fmt: skip


def seconds_of(part: Record) -> float:
    """About how long a part takes, at most."""
    moves = bounds.get(ALGORITHMS[part["address"][-1]].bound).uses_time
    votes: int = part["cap"] * (part["end"] - part["first"])
    return (MOVING_SECONDS_A_MILLION if moves else SECONDS_A_MILLION) * votes / 1e6


def work(shared: Mapping[str, Profile], part: Record) -> Record:
    """Runs one part: the summed curve of a block of races, or the outcome of one."""
    _, name, kind, algorithm = part["address"]
    profile = shared[name]
    seeds = [seed_at(part["seed"], *part["address"], k) for k in range(part["first"], part["end"])]
    settings = {"algorithm": algorithm, "delta": part["delta"], "epsilon": part["epsilon"]}
    if kind == FIND:
        grid = vote_grid(len(profile), part["cap"])
        curve = follow_races(profile, seeds, grid, shown=part["shown"], **settings)
        names = ("found", "found_voted", "votes")
        return {name: getattr(curve, name).tolist() for name in names}
    race = SimulatedRace(profile, seed=seeds[0], **settings)
    return asdict(race.run(max_votes=part["cap"]))
