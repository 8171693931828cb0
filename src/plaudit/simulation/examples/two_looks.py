"""Uniform with a final test: everyone on half of the examples, then one test of the leader.

The leader is tested against every other by a paired t-test with the correction for a finite set,
one-sided, at delta / (n - 1). If all tests are passed the leader is named; otherwise everyone is
scored on the other half, too.
"""

import numpy as np
from scipy.special import stdtrit

from plaudit.simulation.examples.finite import Found
from plaudit.simulation.examples.tables import Table


def run_two_looks(table: Table, *, delta: float) -> Found:
    """Half of the table, and the rest if the test is not passed."""
    examples, candidates = table.shape
    half = examples // 2
    sums = table[:half].sum(axis=0)
    leader = int(np.argmax(sums))
    differences = np.delete(table[:half, [leader]] - table[:half], leader, axis=1)
    means, spread = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    error = spread * np.sqrt((1.0 - half / examples) / half)
    needed = float(stdtrit(half - 1, 1.0 - delta / (candidates - 1)))
    if bool((means > needed * error).all()):
        return Found(half * candidates, leader)
    return Found(examples * candidates, int(np.argmax(table.sum(axis=0))))
