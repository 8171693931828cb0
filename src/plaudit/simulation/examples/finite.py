"""Plaudit's race on a table of scores, by the kernels of `plaudit.evaluate`."""

import math
from typing import NamedTuple

import numpy as np

from plaudit.race.finite.capital import tell_scores
from plaudit.race.finite.leaders import rank
from plaudit.race.finite.settings import FiniteSettings
from plaudit.race.finite.state import ENDED, INSIDE, ROWS, new_capitals
from plaudit.simulation.examples.tables import Table


class Found(NamedTuple):
    """How many scores were needed, and which candidate was named."""

    calls: int
    winner: int


def run_finite(table: Table, *, delta: float, epsilon: float = 0.0) -> Found:
    """The race for one place. Ties go to whoever comes first."""
    examples, candidates = table.shape
    settings = FiniteSettings(candidates, examples, delta, 1, epsilon, None, 0)
    state = new_capitals(
        candidates,
        examples,
        top=1,
        level=settings.level,
        near_level=settings.near_level if epsilon else math.inf,
        epsilon=epsilon,
        order=np.arange(candidates),
    )
    tell_scores(state, table)
    assert state.clock[ENDED]
    near = state.clock[INSIDE] > 1 and state.clock[ROWS] < examples
    rank(state)
    winner = state.leaders[0] if near else state.chosen[0]
    return Found(int(state.met.sum()), int(winner))
