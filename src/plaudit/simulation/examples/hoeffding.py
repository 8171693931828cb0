"""Hoeffding races (Maron and Moore, 1994): separate intervals that must come apart; compiled.

After t examples each mean lies within sqrt(ln(2 n N / delta) / (2 t)) of the mean so far, for all n
candidates and all N times at once with probability 1 - delta (Hoeffding's inequality holds without
replacement, too). A candidate whose upper end is below another's lower end is out.
"""

import math
from typing import Any

import numpy as np

from plaudit.compiled import compiled
from plaudit.simulation.examples.finite import Found
from plaudit.simulation.examples.tables import Table


def run_hoeffding(table: Table, *, delta: float) -> Found:
    """A Hoeffding race on the table."""
    examples, candidates = table.shape
    level = math.log(2 * candidates * examples / delta)
    sums, inside = np.zeros(candidates), np.ones(candidates, np.uint8)
    calls = _race(table, level, sums, inside)
    return Found(calls, int(np.argmax(np.where(inside > 0, sums, -1.0))))


@compiled
def _race(table: Any, level: float, sums: Any, inside: Any) -> int:
    calls, left = 0, sums.size
    for place in range(table.shape[0]):
        best = 0.0
        for i in range(sums.size):
            if inside[i]:
                sums[i] += table[place, i]
                best = max(best, sums[i])
        calls += left
        met = place + 1
        reach = 2.0 * math.sqrt(0.5 * level * met)
        for i in range(sums.size):
            if inside[i] and sums[i] + reach < best:
                inside[i] = 0
                left -= 1
        if left == 1:
            break
    return calls
