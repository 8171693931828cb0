"""The cost per vote of a whole lil-KLUCB race, and of the same race in plain NumPy.

Both follow the paper's accounting. First they are shown to be the same race: with the same
votes on n=50 items, each item's k-th vote drawn beforehand, they name the same winners
after about as many votes (ties are broken at random, so not exactly as many).
"""

import statistics
import time
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.plain_race import plain_race
from benchmarks.report import Report
from benchmarks.stopwatch import seconds
from plaudit import Race
from plaudit.simulation import Profile, SimulatedRace

ITEMS = 1000
DELTA = 0.01
SMALL = 50
ROOM = 3000
RATIO_BAR = 1000
VOTES_BAR = 0.05


def run(quick: bool = False) -> Report:
    """Compares votes used at n=50, then cost a vote at n=1,000."""
    report = Report("race", f"whole races of {ITEMS:,} items, against plain NumPy")
    _same_race(report, 4 if quick else 20)
    _cost(report, 0.5, max_steps=500 if quick else None, repeats=5 if quick else 15)
    _cost(report, 1.0, max_steps=500 if quick else 2000, repeats=3 if quick else 7)
    return report


def _same_race(report: Report, seeds: int) -> None:
    ours, theirs = [], []
    same = 0
    for seed in range(seeds):
        table = _table(seed)
        winner, votes = _by_api(table, seed)
        leader, plain_votes, _ = plain_race(
            partial(_looked_up, table), SMALL, delta=DELTA, seed=seed
        )
        ours.append(votes)
        theirs.append(plain_votes)
        same += winner == leader
    report.add(f"n={SMALL}, same votes: plaudit's mean votes", statistics.mean(ours))
    report.add(f"n={SMALL}, same votes: plain race's mean votes", statistics.mean(theirs))
    apart = abs(statistics.mean(ours) / statistics.mean(theirs) - 1)
    report.at_most(f"n={SMALL}: the means apart by", apart, VOTES_BAR)
    report.at_least(f"n={SMALL}: same winner in, of {seeds} races", same, seeds)


def _table(seed: int) -> NDArray[np.float64]:
    """Votes of items with means 1 - (i/n)^(1/2), a row each."""
    means = Profile.power(SMALL, 0.5).means
    draws = np.random.default_rng(seed).random((SMALL, ROOM))
    return (draws < means[:, None]).astype(float)


def _looked_up(table: NDArray[np.float64], item: int, number: int) -> float:
    return float(table[item, number])


def _by_api(table: NDArray[np.float64], seed: int) -> tuple[int, int]:
    """The winner and the votes of a race through `ask` and `tell`."""
    race = Race(SMALL, algorithm="lil-klucb", delta=DELTA, accounting="paper", seed=seed)
    seen = [0] * SMALL
    while not race.verdict():
        for item in race.ask(2 if min(seen) else 1):
            race.tell(item, table[item, seen[item]])
            seen[item] += 1
    return race.verdict().items[0], race.votes


def _cost(report: Report, exponent: float, *, max_steps: int | None, repeats: int) -> None:
    profile = Profile.power(ITEMS, exponent)
    ours = statistics.median(_our_cost(profile, seed) for seed in range(repeats))
    plain, steps = _plain_cost(profile.means, max_steps)
    what = f"n={ITEMS:,}, power:{exponent:g}"
    report.add(f"{what}: plaudit, a vote", ours * 1e6, "µs")
    report.add(f"{what}: plain NumPy, a vote", plain * 1e6, "µs")
    report.at_least(f"{what}: ratio", plain / ours, RATIO_BAR, "times")
    whole = "a whole race" if max_steps is None else "the first steps"
    report.note(f"power:{exponent:g}: plain NumPy ran {whole}, {steps:,} steps of two votes.")


def _our_cost(profile: Profile, seed: int) -> float:
    """Seconds a vote over a whole race, its setting up included."""
    start = time.thread_time()
    race = SimulatedRace(profile, seed=seed, algorithm="lil-klucb", delta=DELTA, accounting="paper")
    votes = race.run().votes
    return (time.thread_time() - start) / votes


def _plain_cost(means: NDArray[np.float64], max_steps: int | None) -> tuple[float, int]:
    """Seconds a vote of the plain race, and the steps that it ran."""
    rng = np.random.default_rng(7)
    used: list[int] = []

    def whole() -> None:
        _, _, steps = plain_race(
            lambda item, k: float(rng.random() < means[item]),
            ITEMS,
            delta=DELTA,
            seed=7,
            max_steps=max_steps,
        )
        used.append(steps)

    spent = seconds(whole)
    return spent / (2 * used[0]), used[0]
