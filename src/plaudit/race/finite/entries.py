"""The kernels of races on a finite set of examples that Python calls, compiled together."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from plaudit.race.finite import capital, leaders
from plaudit.race.finite.state import new_capitals


def lists() -> Iterator[list[tuple[Any, tuple[Any, ...]]]]:
    """One list: each kernel with an example of its arguments."""
    order = np.zeros(2, dtype=np.int64)
    state = new_capitals(2, 3, top=1, level=1.0, near_level=1.0, epsilon=0.0, order=order)
    yield [(capital.tell_scores, (state, np.zeros((1, 2)))), (leaders.rank, (state,))]
