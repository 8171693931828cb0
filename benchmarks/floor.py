"""What the bounds cost: a whole lil-KLUCB race over the same loop with constant bounds.

The floor is the very same compiled loop, from a copy of the package in which the distance of
every bound from its mean is the constant 1: the random draw, the choice of the pair, the
updates of the trees and the stopping test are left, and no race ever stops. It runs for as many
votes as the race of the same seed took. Bounds that are all equal, or at a distance 1/votes,
make slower floors: equal ones tie everywhere, and the others spread the votes over all items,
where the constant keeps to the few of largest mean. The lowest is the one to compare with.

Both run in processes of their own, in turns, timed by the processor's clock, without setting
up. Then the same whole races, cut at a few votes an item, as the items grow.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.fresh_process import cold_copy, environment
from benchmarks.report import Report

ITEMS = 1000
EXPONENTS = (0.5, 1.0)
FLOOR_BAR = 3
GROWTH_BAR = 4
# More votes than any race of 1,000 items here needs.
ALL_VOTES = 10**7
SIZES = (10**3, 10**4, 10**5, 10**6)
VOTES_AN_ITEM = 5

CONSTANT_BOUNDS = """

@inlined
def distance_up(formula: Formula, level: float, mean: float, votes: float, time: float) -> float:
    return 1.0


@compiled
def lower_kernel(formula: Formula, level: float, mean: float, votes: float, time: float) -> float:
    return 0.0
"""

WORK = """
import json, sys, time
from plaudit.simulation import Profile, SimulatedRace

for line in sys.stdin:
    items, exponent, seed, limit, settings = json.loads(line)
    profile = Profile.power(items, exponent)
    settings = {"algorithm": "lil-klucb"} | settings
    race = SimulatedRace(profile, seed=seed, accounting="paper", delta=0.01, **settings)
    start = time.thread_time()
    race.advance(limit)
    print(json.dumps([time.thread_time() - start, race.race.votes]), flush=True)
"""


class Worker:
    """A fresh process that runs races of one copy of the package."""

    def __init__(self, package: Path | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", WORK],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(package),
        )

    def __enter__(self) -> "Worker":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()

    def race(
        self, items: int, exponent: float, seed: int, limit: int, **settings: Any
    ) -> tuple[float, int]:
        """Nanoseconds per vote, and the number of votes, of one race."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([items, exponent, seed, limit, settings]) + "\n")
        self._process.stdin.flush()
        spent, votes = json.loads(self._process.stdout.readline())
        return spent / votes * 1e9, votes


def run(quick: bool = False) -> Report:
    """Runs the race and its floor in turns, then the race alone with more and more items."""
    report = Report("floor", f"a lil-KLUCB race of {ITEMS:,} items over the loop without bounds")
    with cold_copy() as package:
        with (package / "bounds" / "kernels.py").open("a") as source:
            source.write(CONSTANT_BOUNDS)
        with Worker() as race, Worker(package) as floor:
            for exponent in EXPONENTS:
                _compare(report, race, floor, exponent, repeats=5 if quick else 25)
            _grow(report, race, SIZES[: 3 if quick else 4])
    return report


def _compare(report: Report, race: Worker, floor: Worker, exponent: float, repeats: int) -> None:
    for worker in (race, floor):
        worker.race(ITEMS, exponent, 0, 3 * ITEMS)
    whole, least = [], []
    for seed in range(repeats):
        cost, votes = race.race(ITEMS, exponent, seed, ALL_VOTES)
        whole.append(cost)
        least.append(floor.race(ITEMS, exponent, seed, votes)[0])
    what = f"power:{exponent:g}"
    report.add(f"{what}: race, a vote", statistics.median(whole), "ns")
    report.add(f"{what}: floor, a vote", statistics.median(least), "ns")
    ratio = statistics.median(whole) / statistics.median(least)
    report.at_most(f"{what}: race over floor", ratio, FLOOR_BAR, "times")


def _grow(report: Report, race: Worker, sizes: tuple[int, ...]) -> None:
    costs = []
    for items in sizes:
        repeats = range(max(1, min(25, 10**6 // items // 3)))
        limit = VOTES_AN_ITEM * items
        cost = statistics.median(race.race(items, 0.5, seed, limit)[0] for seed in repeats)
        report.add(f"power:0.5, {limit:,} votes of {items:,} items: a vote", cost, "ns")
        costs.append(cost)
    growth = max(costs) / costs[0]
    report.at_most("largest cost over that of 1,000 items", growth, GROWTH_BAR, "times")
