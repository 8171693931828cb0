"""The ways to find the best candidate that the study compares."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plaudit.simulation.examples import (
    run_finite,
    run_hoeffding,
    run_two_looks,
    run_wilcoxon,
)
from plaudit.simulation.examples.finite import Found
from plaudit.simulation.examples.tables import Table

DELTA, EPSILON = 0.05, 0.01
OURS, SLACK = "evaluate", f"evaluate, epsilon {EPSILON:g}"
# The pruner at its default threshold, and at stricter ones.
THRESHOLDS = (0.1, 0.05, 0.01)
PRUNERS = {f"WilcoxonPruner, p < {threshold:g}": threshold for threshold in THRESHOLDS}
GRID = "the full grid"


@dataclass(frozen=True)
class Way:
    """`run` gets a table and its levels. With `slack` a winner may be so much below the best.

    `promises` is true if an error of at most DELTA is promised.
    """

    run: Callable[[Table, int], Found]
    promises: bool
    slack: float = 0.0


def _grid(table: Table, _levels: int) -> Found:
    return Found(table.size, int(np.argmax(table.sum(axis=0))))


def _pruner(threshold: float) -> Callable[[Table, int], Found]:
    return lambda table, levels: run_wilcoxon(table, levels=levels, threshold=threshold)


WAYS = {
    OURS: Way(lambda table, _: run_finite(table, delta=DELTA), True),
    SLACK: Way(lambda table, _: run_finite(table, delta=DELTA, epsilon=EPSILON), True, EPSILON),
    "Hoeffding race": Way(lambda table, _: run_hoeffding(table, delta=DELTA), True),
    "uniform, one test": Way(lambda table, _: run_two_looks(table, delta=DELTA), True),
    **{name: Way(_pruner(threshold), False) for name, threshold in PRUNERS.items()},
    GRID: Way(_grid, True),
}
