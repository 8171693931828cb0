"""The cost of one vote: inside the compiled loop as items grow, and through the Python API.

Three stretches of a lil-KLUCB race on the profile 1 - (i/n)^(1/2):
`fresh`, the n votes after every item's first, when very many items are tied;
`settled`, the next 20,000 votes once every item has 100, when few items still compete;
`scattered`, votes on items drawn at random, so that nothing is in the processor's cache.
The first two run in the simulator's loop, which chooses the pair and draws the votes too;
the third is a live race's `tell`, which keeps one tree more.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np

from benchmarks.report import Report
from benchmarks.stopwatch import seconds
from plaudit import Race
from plaudit.race import judge
from plaudit.simulation import Profile, SimulatedRace

SIZES = (10**3, 10**4, 10**5, 10**6)
QUICK_SIZES = (10**3, 10**4, 10**5)
EXPONENT = 0.5
MANY = 20_000
GROWTH_BAR = 4
TELL_BAR_US = 2
VOTE_BAR_US = 8


def run(quick: bool = False) -> Report:
    """Measures the loop at every size, then the API at two."""
    report = Report("tell", "cost of one vote, lil-KLUCB on power:0.5")
    sizes = QUICK_SIZES if quick else SIZES
    for name, stretch in (("fresh", fresh), ("settled", settled), ("scattered", scattered)):
        costs = [_median_ns(stretch, n, quick) for n in sizes]
        for n, cost in zip(sizes, costs, strict=True):
            report.add(f"compiled, {name}, n={n:,}", cost, "ns")
        report.at_most(f"compiled, {name}: largest cost over that at n=1,000",
                       max(costs) / costs[0], GROWTH_BAR, "times")  # fmt: skip
    for n in (10**3, 10**5):
        repeats = 3 if quick else 7
        tell_us = statistics.median(api_tell(n, seed) for seed in range(repeats))
        report.at_most(f"Race.tell, n={n:,}", tell_us, TELL_BAR_US, "µs")
        cycle = statistics.median(api_cycle(n, seed) for seed in range(repeats))
        vote = f"half of ask(2) + 2 tell + verdict: a vote, n={n:,}"
        report.at_most(vote, cycle / 2, VOTE_BAR_US, "µs")
    return report


def _median_ns(stretch: Callable[[int, int], float], n: int, quick: bool) -> float:
    repeats = max(3, min(3 if quick else 25, 10**6 // n))
    stretch(n, 0)
    return statistics.median(stretch(n, seed) for seed in range(repeats)) * 1e9


def fresh(n: int, seed: int) -> float:
    """Seconds a vote over the n votes after every item's first."""
    race = _simulated(n, seed)
    race.advance(n)
    return _seconds_a_vote(race, n)


def settled(n: int, seed: int) -> float:
    """Seconds a vote over up to 20,000 votes once every item has 100."""
    race = _simulated(n, seed)
    totals = np.random.default_rng(seed).binomial(100, race.profile.means)
    race.race.engine.recount(np.full(n, 100), totals.astype(float), None)
    return _seconds_a_vote(race, MANY)


def scattered(n: int, seed: int) -> float:
    """Seconds per vote of a live race with votes on random items, after every item's first."""
    rng = np.random.default_rng(seed)
    means = Profile.power(n, EXPONENT).means
    state = Race(n, algorithm="lil-klucb", seed=seed).engine.state
    _tell_all(state, rng.permutation(n), means, rng)
    items = rng.integers(0, n, MANY)
    return _tell_all(state, items, means, rng) / items.size


def api_tell(n: int, seed: int) -> float:
    """Microseconds a call of `Race.tell`."""
    race, _ = _started(n, seed)
    rng = np.random.default_rng(seed)
    items = rng.integers(0, n, MANY).tolist()
    votes = rng.integers(0, 2, MANY).astype(float).tolist()

    def told() -> None:
        for item, vote in zip(items, votes, strict=True):
            race.tell(item, vote)

    return seconds(told) / MANY * 1e6


def api_cycle(n: int, seed: int) -> float:
    """Microseconds per round of the loop that a user writes, at most until the verdict."""
    race, means = _started(n, seed)
    chances = np.random.default_rng(seed).random(10**4).tolist()
    rounds = 0
    start = time.thread_time()
    while rounds < 4000 and not race.verdict():
        for place, item in enumerate(race.ask(2)):
            race.tell(item, float(chances[2 * rounds + place] < means[item]))
        rounds += 1
    return (time.thread_time() - start) / rounds * 1e6


def _simulated(n: int, seed: int) -> SimulatedRace:
    return SimulatedRace(
        Profile.power(n, EXPONENT), seed=seed, algorithm="lil-klucb", accounting="paper"
    )


def _seconds_a_vote(race: SimulatedRace, votes: int) -> float:
    before = race.race.votes
    spent = seconds(lambda: race.advance(votes))
    return spent / (race.race.votes - before)


def _started(n: int, seed: int) -> tuple[Race, list[float]]:
    """A live race in which every item has its first vote, and the items' means."""
    race = Race(n, algorithm="lil-klucb", seed=seed)
    rng = np.random.default_rng(seed)
    means = Profile.power(n, EXPONENT).means
    _tell_all(race.engine.state, np.arange(n), means, rng)
    return race, means.tolist()


def _tell_all(state: judge.State, items: np.ndarray, means: np.ndarray,
              rng: np.random.Generator) -> float:  # fmt: skip
    votes = (rng.random(items.size) < means[items]).astype(float)
    levels = np.full(items.size, -1)
    return seconds(lambda: judge.tell_all(state, items, votes, levels))
