"""Timing on a machine that others use too: repeat, and take the median.

Seconds are those that the processor spent on the calling thread: on an idle machine the same
as those on the wall, on a busy one without the time that others took.
"""

import statistics
import time
from collections.abc import Callable


def seconds(action: Callable[[], object]) -> float:
    """How long one call kept the processor."""
    start = time.thread_time()
    action()
    return time.thread_time() - start


def wall_seconds(action: Callable[[], object]) -> float:
    """How long one call took: for what happens in other processes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def median_seconds(action: Callable[[], object], repeats: int) -> float:
    """The median over several calls, after one that does not count."""
    action()
    return statistics.median(seconds(action) for _ in range(repeats))
