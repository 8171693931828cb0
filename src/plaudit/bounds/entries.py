"""The kernels of bounds that Python calls, which are compiled together (see `plaudit.compiled`)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from plaudit.bounds import bernoulli, bound
from plaudit.bounds.in_order import lower_in_order
from plaudit.bounds.kernels import Formula


def lists() -> Iterator[list[tuple[Any, tuple[Any, ...]]]]:
    """Each kernel with an example of its arguments; bounds in order have a list of their own."""
    numbers = np.zeros(1)
    counts, logs = np.zeros((1, 1), dtype=np.int32), np.zeros((1, 1, 1))
    formula = Formula(0, 0, 0.0, 0.0, 0.0)
    five = (numbers,) * 5
    yield [
        (bernoulli.fill_divergence, five[:3]),
        (bernoulli.fill_chernoff, five[:3]),
        (bernoulli.fill_inverse, (numbers, numbers, True, numbers)),
        (bound.fill_bounds, (formula, *five[:4], True, numbers)),
        (bound.fill_betting, (counts, logs, *five[:3], True, numbers)),
        (bound.fill_levels, (formula, counts, *five[:4], True, numbers)),
    ]
    yield [(lower_in_order, (numbers, 0.0, 0.0))]
