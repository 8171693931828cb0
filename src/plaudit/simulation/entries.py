"""The kernels of simulations that many commands call (see `plaudit.compiled`).

All others take a race too: each of them is compiled when it is first called.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from plaudit.race.entries import states
from plaudit.simulation.runner import run


def lists() -> Iterator[list[tuple[Any, tuple[Any, ...]]]]:
    """A list for each kind of state: the kernel with an example of its arguments."""
    for state in states():
        yield [(run, (state, np.zeros(1), np.zeros((1, 1)), np.random.default_rng(0), 0))]
