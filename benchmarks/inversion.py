"""Inverting the KL bound for 5,000 items, compared with what a user would use otherwise.

The items' means are those of the paper's power profile, each with its own number of votes,
at the exploration rate of KL-LUCB. SMPyBandits runs in its own interpreter, at the
same time on the same machine, in the way of its documentation: one call per item.
"""

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from benchmarks.report import Report
from benchmarks.smpybandits import environment, plain_environment
from benchmarks.stopwatch import median_seconds
from plaudit import bounds

ITEMS = 5000
AGREEMENT = 2e-6

Floats = NDArray[np.float64]

THEIR_LOOP = """
import json, statistics, sys, time
from SMPyBandits.Policies.kullback import klucbBern
means, rates, repeats = json.load(sys.stdin)
spent = []
for _ in range(repeats):
    start = time.thread_time()
    found = [klucbBern(x, d) for x, d in zip(means, rates)]
    spent.append(time.thread_time() - start)
print(json.dumps([found, statistics.median(spent)]))
"""


def run(quick: bool = False) -> Report:
    """Times the three ways on the same items and compares what they found."""
    repeats = 3 if quick else 7
    report = Report("inversion", f"the KL upper bounds of {ITEMS:,} items")
    means, rates = instance()
    ours = bounds.inverse_upper(means, rates)
    spent = median_seconds(lambda: bounds.inverse_upper(means, rates), 20 * repeats)
    report.add("plaudit, one vectorised call", spent * 1e3, "ms")
    report.add("plaudit, per item", spent / ITEMS * 1e6, "µs")
    theirs = by_brentq(means, rates)
    _compare(report, "SciPy brentq loop", ours, theirs, spent,
             median_seconds(lambda: by_brentq(means, rates), repeats))  # fmt: skip
    python = environment()
    if python is None:
        report.note("SMPyBandits skipped: no Python 3.9 to 3.12 here could install and import it.")
        return report
    found, seconds = by_smpybandits(python, means, rates, repeats)
    _compare(report, "SMPyBandits klucbBern loop", ours, found, spent, seconds)
    report.note("SMPyBandits as `pip install` leaves it, without numba; its precision is 1e-6.")
    return report


def instance() -> tuple[Floats, Floats]:
    """Empirical means and divergences of items in the middle of a race."""
    rng = np.random.default_rng(1)
    means = 1.0 - np.sqrt(np.arange(ITEMS) / ITEMS)
    votes = np.round(10 ** rng.uniform(1, 4, ITEMS))
    empirical = rng.binomial(votes.astype(int), means) / votes
    level = math.log(405.5 * ITEMS * votes.max() ** 1.1 / 0.01)
    return empirical, (level + math.log(level)) / votes


def by_brentq(means: Floats, rates: Floats) -> Floats:
    """One call of SciPy's root finder per item, as a user would write it."""
    return np.array([_root(x, d) for x, d in zip(means.tolist(), rates.tolist(), strict=True)])


def _root(x: float, rate: float) -> float:
    def excess(m: float) -> float:
        left = x * math.log(x / m) if x > 0.0 else 0.0
        return left + (1.0 - x) * math.log((1.0 - x) / (1.0 - m)) - rate

    last = math.nextafter(1.0, 0.0)
    if x >= 1.0 or excess(last) <= 0.0:
        return 1.0
    found: float = brentq(excess, max(x, 1e-300), last)
    return found


def by_smpybandits(
    python: Path, means: Floats, rates: Floats, repeats: int
) -> tuple[Floats, float]:
    """What SMPyBandits finds, and the median of its seconds, timed inside its interpreter."""
    done = subprocess.run(
        [str(python), "-W", "ignore", "-c", THEIR_LOOP],
        input=json.dumps([means.tolist(), rates.tolist(), repeats]),
        capture_output=True,
        text=True,
        check=True,
        env=plain_environment(),
    )
    found, seconds = json.loads(done.stdout.splitlines()[-1])
    return np.array(found), seconds


def _compare(
    report: Report, name: str, ours: Any, theirs: Floats, our_seconds: float, seconds: float
) -> None:
    report.add(name, seconds * 1e3, "ms")
    report.add(f"{name}, over plaudit", seconds / our_seconds, "times")
    difference = float(np.abs(ours - theirs).max())
    report.at_most(f"{name}, largest difference", difference, AGREEMENT)
