"""The cost of a vote in the default algorithm and in lil-KLUCB, in whole simulated races.

Both run in one process, in turns, on the same profiles: the paper's two, and captions on three
levels. Seconds are processor time of the thread; the best round counts, since noise only adds.
"""

import time
from typing import Any

import numpy as np

from benchmarks.report import Report
from plaudit import bounds
from plaudit.simulation import Profile, SimulatedRace
from plaudit.simulation.shapes import caption_shape

RATIO = 10.0
BOUND_MICROSECONDS = 3.0
VOTES = 60_000
NAMES = ("lil-klucb", "plaudit")


def run(quick: bool = False) -> Report:
    """Times both algorithms on three profiles, and the bound of the default alone."""
    rounds = 3 if quick else 9
    report = Report("default", "cost of a vote, the default over lil-KLUCB")
    for name, profile, epsilon in _profiles():
        spent = _costs(profile, epsilon, rounds)
        for algorithm in NAMES:
            report.add(f"{name}, {algorithm}", spent[algorithm] * 1e6, "µs a vote")
        ratio = spent["plaudit"] / spent["lil-klucb"]
        report.at_most(f"{name}, plaudit over lil-klucb", ratio, RATIO, "times")
    report.at_most("a betting bound", _bound_seconds(rounds) * 1e6, BOUND_MICROSECONDS, "µs")
    report.note(
        "The bound: 20,000 items on three levels with 1 to 10,000 votes, each solved from nothing."
    )
    return report


def _profiles() -> list[tuple[str, Profile, float]]:
    captions = caption_shape(5000).draw(np.random.default_rng(1))
    return [
        ("power 1/2, 1,000 items", Profile.power(1000, 0.5), 0.0),
        ("power 1, 1,000 items", Profile.power(1000, 1.0), 0.0),
        ("captions, 5,000 items", captions, 0.05),
    ]


def _costs(profile: Profile, epsilon: float, rounds: int) -> dict[str, float]:
    best: dict[str, float] = dict.fromkeys(NAMES, np.inf)
    for seed in range(rounds + 1):
        for algorithm in NAMES:
            spent = _one(profile, seed, algorithm=algorithm, epsilon=epsilon, delta=0.01)
            # The first round may compile.
            best[algorithm] = min(best[algorithm], spent if seed else np.inf)
    return best


def _one(profile: Profile, seed: int, **settings: Any) -> float:
    race = SimulatedRace(profile, seed=seed, **settings)
    start = time.thread_time()
    race.run(max_votes=VOTES)
    return (time.thread_time() - start) / race.race.votes


def _bound_seconds(rounds: int) -> float:
    rng = np.random.default_rng(1)
    votes = np.round(10 ** rng.uniform(0, 4, 20_000)).astype(int)
    counts = np.array([rng.multinomial(n, rng.dirichlet((2.0, 1.0, 0.5))) for n in votes])
    bound = bounds.get("betting")
    best = np.inf
    for _ in range(rounds + 1):
        start = time.thread_time()
        bound.upper_from_levels(counts, [0.0, 0.5, 1.0], 0.005)
        best = min(best, time.thread_time() - start)
    return best / votes.size
