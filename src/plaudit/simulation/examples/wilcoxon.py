"""Optuna's WilcoxonPruner, its rule written anew for many runs; compiled.

Candidates come one after another. The first is scored on all examples. Each later one is compared,
after every example from the second on, with the best so far by Wilcoxon's signed-rank test on the
examples that both met: if its p-value is below the threshold, and its mean so far is below the
best's, it is given up. Nothing is paid for testing again and again.

The p-value is the one that SciPy gives with zero_method="zsplit": exact over all signs for up to 13
differences, and for up to 50 that are all different and not 0; else by the normal approximation.
Scores lie on `levels` equal steps, so that counting differences is enough to rank them.
"""

import math
from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined
from plaudit.simulation.examples.finite import Found
from plaudit.simulation.examples.tables import Table

P_THRESHOLD = 0.1
# Up to here SciPy tries all signs; up to there it may.
ALL_SIGNS, EXACT = 13, 50
LARGEST_SUM = EXACT * (EXACT + 1)


def run_wilcoxon(table: Table, *, levels: int, threshold: float = P_THRESHOLD) -> Found:
    """Candidates in the order of the columns, each until it is given up."""
    steps = np.round(table * levels).astype(np.int64)
    counts = np.zeros((2, levels + 1), np.int64)
    chances = np.zeros(LARGEST_SUM + 1)
    calls, best = steps.shape[0], 0
    for candidate in range(1, steps.shape[1]):
        ahead = steps[:, best].sum()
        met = _compare(steps, candidate, best, float(ahead), threshold, counts, chances)
        calls += met
        if met == steps.shape[0] and steps[:, candidate].sum() > ahead:
            best = candidate
    return Found(int(calls), best)


@compiled
def _compare(
    steps: Any, candidate: int, best: int, ahead: float, threshold: float, counts: Any, chances: Any
) -> int:
    """How many examples a candidate is scored on: all, or until it is given up.

    `counts` has, for each size of difference, how often the candidate was ahead and behind.
    """
    counts[:] = 0
    examples: int = steps.shape[0]
    total = 0.0
    for place in range(examples):
        difference = steps[place, candidate] - steps[place, best]
        total += steps[place, candidate]
        counts[0 if difference > 0 else 1, abs(difference)] += 1
        met = place + 1
        behind = total * examples < ahead * met
        if met >= 2 and behind and p_value(counts, met, chances) < threshold:
            return met
    return examples


@compiled
def p_value(counts: Any, met: int, chances: Any) -> float:
    """The chance of so few ranks where the candidate is ahead, if signs were tossed."""
    ahead, below, ties, tied = 0.0, 0.0, 0.0, counts[1, 0] > 0
    for size in range(counts.shape[1]):
        number = float(counts[0, size] + counts[1, size])
        if number == 0.0:
            continue
        rank = below + 0.5 * (number + 1.0)
        ahead += rank * (0.5 * number if size == 0 else counts[0, size])
        tied |= number > 1.0
        ties += number * number * number - number
        below += number
    if met <= ALL_SIGNS or (met <= EXACT and not tied):
        return _exact(counts, ahead, chances)
    middle = 0.25 * met * (met + 1.0)
    error = math.sqrt((met * (met + 1.0) * (2.0 * met + 1.0) - 0.5 * ties) / 24.0)
    return 0.5 * math.erfc((middle - ahead) / error / math.sqrt(2.0))


@inlined
def _exact(counts: Any, ahead: float, chances: Any) -> float:
    """Over all signs of the differences that are not 0; ranks are counted in halves."""
    chances[:] = 0.0
    chances[0] = 1.0
    below, largest, fixed = 0, 0, 0.0
    for size in range(counts.shape[1]):
        number = counts[0, size] + counts[1, size]
        doubled = 2 * below + number + 1
        if size == 0:
            fixed = 0.5 * number * doubled
        else:
            for _ in range(number):
                largest += doubled
                for total in range(largest, -1, -1):
                    without = chances[total]
                    with_it = chances[total - doubled] if total >= doubled else 0.0
                    chances[total] = 0.5 * (without + with_it)
        below += number
    found = 0.0
    for total in range(largest + 1):
        if total + fixed <= 2.0 * ahead + 1e-9:
            found += chances[total]
    return found
