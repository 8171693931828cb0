"""Every bound against its definition in 50-digit arithmetic, and the direction of rounding.

The definitions are those of `tests/support/oracle.py`. Its own bisection takes 0.1 s a value, so
here the root is found by the secant method, started from the value under test, and proven:
the definition changes sign within 1e-45 of it. A sample is solved by the oracle's bisection
as well, and must agree.
"""

import random
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np

from benchmarks.report import Report
from plaudit import bounds

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support import oracle

DIGITS = 70
PROOF = "1e-45"
RADIUS = ("sg1", "sg2", "hoeffding", "elimination", "lil-ucb")

MEANS = (0.0, 1e-9, 1e-6, 1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 1 - 1e-3, 1 - 1e-6, 1 - 1e-9, 1.0)
VOTES = (1, 2, 3, 5, 10, 30, 100, 10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9)
DELTAS = (0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-10, 1e-20, 1e-30)
QUICK_VOTES = (1, 2, 10, 10**3, 10**6, 10**9)
QUICK_DELTAS = (0.5, 0.01, 1e-10, 1e-30)
SCATTERED = 1000
SAMPLE = 8


@dataclass(frozen=True)
class Case:
    """One bound on one side; the race's time is `ahead` times the votes."""

    name: str
    side: int
    N: int = 8
    ahead: int = 1

    def __str__(self) -> str:
        side = "upper" if self.side > 0 else "lower"
        size = f" N={self.N}" if self.name == "lil-kl" else ""
        return f"{self.name}{size}{' time>votes' if self.ahead > 1 else ''} {side}"


@dataclass(frozen=True)
class Finding:
    """The result of a case: values checked, values rounded inward, and the largest distance."""

    values: int
    inward: int
    distance: float
    disagreements: int


def cases() -> Iterator[Case]:
    """All bounds, both sides, with the parameters that each has."""
    for name in bounds.NAMES:
        for side in (1, -1):
            for N in (1, 2, 8, 64) if name == "lil-kl" else (8,):
                yield Case(name, side, N)
            if bounds.get(name).uses_time:
                yield Case(name, side, ahead=1000)


def run(quick: bool = False) -> Report:
    """Checks the whole grid, on all cores."""
    votes, deltas = (QUICK_VOTES, QUICK_DELTAS) if quick else (VOTES, DELTAS)
    everything = list(cases())
    count = len(everything)
    with ProcessPoolExecutor() as pool:
        findings = list(pool.map(check, everything, [votes] * count, [deltas] * count))
    report = Report("accuracy", "distance from the 50-digit solution, over all bounds")
    values = sum(finding.values for finding in findings)
    worst = max(range(count), key=lambda k: findings[k].distance)
    report.add("values compared", values)
    report.at_most("largest distance", findings[worst].distance, 1e-9)
    report.at_most("values rounded inward", sum(f.inward for f in findings), 0)
    report.at_most("disagreements with the bisection", sum(f.disagreements for f in findings), 0)
    report.note(f"Largest distance: {everything[worst]}.")
    for case, finding in zip(everything, findings, strict=True):
        if finding.inward:
            report.note(f"{case}: {finding.inward} of {finding.values} values inward.")
    return report


def check(case: Case, votes: tuple[int, ...], deltas: tuple[float, ...]) -> Finding:
    """Compares one case over the grid of means, votes and deltas, and at points off it."""
    bound = bounds.get(case.name, N=case.N)
    grid = [(mean, t, delta) for mean in MEANS for t in votes for delta in deltas]
    grid += list(scattered(random.Random(str(case)), SCATTERED))
    mean, t, delta = (np.array(column) for column in zip(*grid, strict=True))
    side = bound.upper if case.side > 0 else bound.lower
    values = side(mean, t, delta, time=t.astype(float) * case.ahead)
    sampled = set(random.Random(str(case)).sample(range(len(grid)), SAMPLE))
    inward, distance, disagreements = 0, mp.mpf(0), 0
    with mp.workdps(DIGITS):
        for k, point in enumerate(grid):
            value = mp.mpf(float(values[k]))
            exact = solve(case, value, *point)
            inward += (value - exact) * case.side < 0
            distance = max(distance, abs(value - exact))
            if k in sampled:
                disagreements += abs(exact - by_bisection(case, *point)) > mp.mpf(10) ** -30
    return Finding(len(grid), inward, float(distance), disagreements)


def scattered(rng: random.Random, count: int) -> Iterator[tuple[float, int, float]]:
    """Points off the grid: means of real votes, and means close to 0 and 1."""
    for k in range(count):
        votes = round(10 ** rng.uniform(0, 9))
        small = 10 ** rng.uniform(-12, -0.3)
        mean = (rng.randint(0, votes) / votes, small, 1 - small)[k % 3]
        yield mean, votes, 10 ** rng.uniform(-30, -0.31)


def by_bisection(case: Case, mean: float, votes: int, delta: float) -> Any:
    """The oracle's own solution."""
    return oracle.bound(case.name, case.side, mean, votes, delta, case.N, votes * case.ahead)


def solve(case: Case, value: Any, mean: float, votes: int, delta: float) -> Any:
    """The exact bound: in closed form, at an end of [0, 1], or as a proven root."""
    if case.name in RADIUS:
        return by_bisection(case, mean, votes, delta)
    rate = exact_rate(case, votes, delta)
    end, start = mp.mpf(1 if case.side > 0 else 0), mp.mpf(mean)
    lean = mp.mpf(1) / (case.N + 1) if case.name == "lil-kl" else mp.mpf(0)

    def excess(m: Any) -> Any:
        return oracle.divergence(start + lean * (m - start), m) - rate

    inmost = case.side * mp.mpf(PROOF)
    for edge in (end, end - inmost):
        if excess(edge) <= 0:
            return edge
    root = secant(excess, start, end, value)
    if root is not None and excess(root - inmost) <= 0 <= excess(root + inmost):
        return root
    return by_bisection(case, mean, votes, delta)


def secant(excess: Any, start: Any, end: Any, value: Any) -> Any:
    """The root next to the value under test, or None if the search leaves the interval.

    It runs over the logarithm of the distance to the end, in which the divergence is close
    to linear for roots near 0 and 1.
    """
    side = 1 if end > start else -1
    rest = abs(end - value) or mp.mpf("1e-17")
    here, there = mp.log(rest), mp.log(rest + mp.mpf("1e-10") * abs(end - start - side * rest))
    high, low = excess(end - side * rest), excess(end - side * mp.exp(there))
    for _ in range(30):
        if high == low:
            break
        step = high * (here - there) / (high - low)
        there, low = here, high
        here -= step
        rest = mp.exp(here)
        if not 0 < rest < abs(end - start):
            return None
        high = excess(end - side * rest)
        if abs(step) < mp.mpf("1e-55"):
            break
    return end - side * rest


@cache
def exact_rate(case: Case, votes: int, delta: float) -> Any:
    """The divergence that the definition allows."""
    evidence = oracle.evidence(case.name, votes, delta, case.N, votes * case.ahead)
    if case.name == "lil-kl-2":
        evidence *= mp.mpf(case.N + 1) / (case.N - mp.log(case.N + 1))
    return evidence / votes
