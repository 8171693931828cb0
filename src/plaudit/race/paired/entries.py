"""The kernels of paired races that Python calls, which are compiled together."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from plaudit.race.paired import bets, ledger


def lists() -> Iterator[list[tuple[Any, tuple[Any, ...]]]]:
    """One list: each kernel with an example of its arguments."""
    kept = ledger.new_ledger(2, level=1.0, epsilon=0.0, tolerance=0, scale=None)
    table, whole = np.zeros((1, 2)), np.zeros((1, 2), dtype=np.int64)
    yield [
        (ledger.tell_levels, (kept, whole)),
        (ledger.tell_values, (kept, table)),
        (ledger.gather, (kept, 0, 0, 0)),
        (ledger.weigh, (kept,)),
        (ledger.lower_of, (kept, 0, 0, 0, 0.0)),
        (ledger.gap_of, (kept, 0, whole)),
        (ledger.pair_of, (0, 0, 0)),
        (bets.log_capital, (table[0], 0.0, 0.0)),
        (bets.most_gained, (0.0, 0.0)),
    ]
