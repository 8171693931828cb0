"""Timing on a machine that others use too: repeat, and take the median.

Seconds are processor time of the calling thread: on an idle machine the same as wall-clock time,
on a busy one without the time of other processes.
"""

import statistics
import time
from collections.abc import Callable


def seconds(action: Callable[[], object]) -> float:
    """The processor time of one call."""
    start = time.thread_time()
    action()
    return time.thread_time() - start


def wall_seconds(action: Callable[[], object]) -> float:
    """The wall-clock time of one call, for work in other processes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def median_seconds(action: Callable[[], object], repeats: int) -> float:
    """The median over several calls, after one that is not counted."""
    action()
    return statistics.median(seconds(action) for _ in range(repeats))
