"""Executors: where the independent parts of a study run, on threads here or on a Dask cluster.

Every executor gives the same results. This folder is no part of the kernels' fingerprint, since it
must not matter to a result where it was computed. It imports nothing of races or studies.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from plaudit.errors import InvalidInput
from plaudit.simulation.executors.executor import ClusterError, Executor
from plaudit.simulation.executors.local import LocalExecutor

__all__ = ["ClusterError", "Executor", "LocalExecutor", "open_executor"]


@contextmanager
def open_executor(cluster: str | None = None, *, threads: int | None = None) -> Iterator[Executor]:
    """An executor, closed at the end of the block.

    No cluster: threads of this process. ``local``: processes of this machine, started and
    stopped here; `threads` is their number. ``tcp://host:port``: a Dask scheduler that is
    already running, with as many threads as its workers have.

    >>> with open_executor(threads=2) as executor:
    ...     sorted(executor.run(pow, 2, [3, 4, 5]))
    [(0, 8), (1, 16), (2, 32)]
    """
    if threads is not None and threads < 1:
        raise InvalidInput(f"The number of threads must be at least 1; got {threads}.")
    if cluster is None:
        yield LocalExecutor(threads)
        return
    from plaudit.simulation.executors.cluster import open_cluster

    with open_cluster(cluster, workers=threads) as executor:
        yield executor
