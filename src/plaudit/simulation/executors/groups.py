"""Groups of parts: how large they are, and how a worker runs one.

A group is one task of the cluster. It ends when its time is up, whether all its parts are
done or not: what is left goes into other groups, so that one slow part delays no others.
"""

import time
import traceback
from dataclasses import dataclass
from typing import Any, NamedTuple

from distributed.protocol.pickle import dumps, loads

from plaudit.simulation.executors.edition import differences, edition
from plaudit.simulation.executors.executor import ClusterError, Work

LEAST_SECONDS = 0.5
# Towards the end: shorter groups would cost more than they spare.
LAST_SECONDS = 0.1
# A group costs client and scheduler some milliseconds of their cores.
MOST_GROUPS_A_SECOND = 100
MOST_PARTS = 1000
# Before anything is known of the parts; a group ends in time, whatever they take.
FIRST_PARTS = 8


@dataclass
class Pace:
    """How many groups should be under way, and how large the next should be."""

    threads: int
    seconds_a_part: float | None = None

    @property
    def groups(self) -> int:
        """Groups under way: one that runs and one that waits, for every thread.

        Dask spreads a family of tasks evenly, wherever their input is, if it has more than
        two a thread.
        """
        return 2 * self.threads + 1

    @property
    def seconds(self) -> float:
        """How long a group may take: longer on many threads, to spare the scheduler."""
        return max(LEAST_SECONDS, self.threads / MOST_GROUPS_A_SECOND)

    def size(self, left: int) -> int:
        """Parts of the next group: fewer towards the end, so that all threads end together.

        >>> Pace(threads=2, seconds_a_part=0.01).size(left=1000)
        50
        >>> Pace(threads=2, seconds_a_part=0.01).size(left=40)
        10
        """
        part = self.seconds_a_part or self.seconds / FIRST_PARTS
        share = max(left / (2 * self.threads), LAST_SECONDS / part)
        return int(min(max(1.0, min(share, self.seconds / part)), MOST_PARTS))

    def learn(self, parts: int, seconds: float) -> None:
        """Takes in how long a group took."""
        latest = max(seconds, 1e-6) / parts
        known = latest if self.seconds_a_part is None else self.seconds_a_part
        self.seconds_a_part = 0.75 * known + 0.25 * latest


class Load(NamedTuple):
    """What all groups of a run need: it is sent once.

    Dask would send arrays apart, and they would begin anywhere in memory: only numba has code for
    that, and every worker would wait for it.
    """

    edition: dict[str, str]
    work: Work
    shared: Any

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (pack(tuple(self)),)


class Done(NamedTuple):
    """The results of a group's first parts, and the error of the next one, if it had one."""

    results: list[Any]
    error: Exception | None
    seconds: float


def pack(content: Any) -> bytes:
    """Bytes that Dask passes on unread: it would look for tasks inside anything else."""
    packed: bytes = dumps(content)
    return packed


def unpack(packed: bytes) -> Any:
    """What was packed."""
    return loads(packed)


def _unpacked(packed: bytes) -> Load:
    return Load(*unpack(packed))


def run_group(load: Load, packed_parts: bytes, seconds: float) -> bytes:
    """What is `Done` of the parts within so many seconds, packed; one of them at least."""
    start = time.perf_counter()
    results: list[Any] = []
    error = None
    try:
        _require_edition(load.edition)
        for part in unpack(packed_parts):
            results.append(load.work(load.shared, part))
            if time.perf_counter() - start > seconds:
                break
    except Exception as caught:
        error = _portable(caught)
    spent = time.perf_counter() - start
    try:
        return pack(Done(results, error, spent))
    except Exception as caught:
        return pack(Done([], _portable(caught), spent))


def _require_edition(wanted: dict[str, str]) -> None:
    """Raises on a worker that joined with other code after the check at the start."""
    if differing := differences(edition(), wanted):
        raise ClusterError(
            f"A worker that joined during the run has {differing}. Install the same Plaudit and "
            "packages there as here, and start the workers again."
        )


def _portable(error: Exception) -> Exception:
    """The error with the worker's traceback as a note, in a form that can be sent."""
    error.add_note("On the worker:\n" + "".join(traceback.format_exception(error)).rstrip())
    try:
        unpack(pack(error))
    except Exception:
        plain = ClusterError(f"A part failed: {type(error).__name__}: {error}")
        plain.__notes__ = error.__notes__
        return plain
    return error
