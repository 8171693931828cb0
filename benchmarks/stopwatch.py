"""Timing on a machine that others use too: repeat, and take the median."""

import statistics
import time
from collections.abc import Callable


def seconds(action: Callable[[], object]) -> float:
    """How long one call took."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def median_seconds(action: Callable[[], object], repeats: int) -> float:
    """The median over several calls, after one that does not count."""
    action()
    return statistics.median(seconds(action) for _ in range(repeats))
