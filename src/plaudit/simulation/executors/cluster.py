"""Opening a Dask cluster: one of this machine's processes, or one that is already running.

Results are equal on all machines only where the code is, so a worker with another edition
of Plaudit, Python or the numerical packages is refused.
"""

import asyncio
import logging
import os
import re
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from plaudit.errors import InvalidInput
from plaudit.extras import require
from plaudit.simulation.executors.edition import differences, edition
from plaudit.simulation.executors.executor import ClusterError
from plaudit.simulation.executors.local import usable_cores

if TYPE_CHECKING:
    from plaudit.simulation.executors.cluster_run import DaskExecutor

ADDRESS = re.compile(r"tcp://(\[[0-9a-fA-F:.]+\]|[^/\s:\[\]]+):(\d{1,5})/?")
SECONDS_TO_ANSWER = 10.0
# One that has just died is started anew, which takes a busy machine longer than an answer.
SECONDS_FOR_WORKERS = 30.0
NOISY = ("distributed", "tornado")


@contextmanager
def open_cluster(cluster: str, *, workers: int | None = None) -> Iterator["DaskExecutor"]:
    """An executor on the cluster ``local`` or ``tcp://host:port``; see `open_executor`."""
    if cluster == "local":
        opened = _local_client(workers or usable_cores())
    elif not ADDRESS.fullmatch(cluster):
        raise InvalidInput(
            f"Cannot read the cluster {cluster!r}: write local, for processes of this machine, "
            "or the address of a Dask scheduler, such as tcp://192.0.2.1:8786."
        )
    elif workers is not None:
        raise InvalidInput(
            f"The number of threads ({workers}) cannot be set for {cluster}, whose workers have "
            "their own: leave it out, and set it where the workers are started."
        )
    else:
        opened = _client_of(cluster.rstrip("/"))
    require("cluster", "Clusters", "distributed")
    from plaudit.simulation.executors.cluster_run import DaskExecutor

    with _quiet_logs(), opened as client:
        _require_same_edition(client)
        yield DaskExecutor(client)


@contextmanager
def _local_client(workers: int) -> Iterator[Any]:
    """A client of a cluster of worker processes, which ends with the block."""
    from distributed import Client, LocalCluster

    with _deaf_to_interrupts():
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        )
    try:
        with Client(cluster, set_as_default=False) as client:
            yield client
    finally:
        cluster.close()


@contextmanager
def _client_of(address: str) -> Iterator[Any]:
    """A client of a scheduler that is running."""
    from distributed import Client

    try:
        # On a thread of its own: this one may have a loop already, as in a notebook.
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, _shake_hands(address)).result()
        client = Client(address, timeout=SECONDS_TO_ANSWER, set_as_default=False)
    except Exception as error:  # Another program's greeting, read as Dask's, may be anything.
        raise ClusterError(
            f"No Dask scheduler answered at {address} within {SECONDS_TO_ANSWER:g} seconds "
            f"({type(error).__name__}). Check the address and the firewall, or start one there: "
            "dask scheduler --port 8786."
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=SECONDS_FOR_WORKERS)
        except TimeoutError as error:
            raise ClusterError(
                f"The scheduler at {address} has no workers. Start some, on any machine that "
                f"reaches it: dask worker {address}."
            ) from error
        yield client


async def _shake_hands(address: str) -> None:
    """Raises unless Dask answers there: its client would wait for another program forever."""
    from distributed.comm import connect

    async with asyncio.timeout(SECONDS_TO_ANSWER):
        connection = await connect(address, timeout=SECONDS_TO_ANSWER)
    await connection.close()


def _require_same_edition(client: Any) -> None:
    """Raises unless all workers that are there run what runs here."""
    for worker, theirs in client.run(edition, on_error="return").items():
        if isinstance(theirs, OSError):
            continue  # It is gone; every group checks again.
        if isinstance(theirs, BaseException):
            fault = f"cannot load Plaudit ({theirs})"
        elif differing := differences(theirs, edition()):
            fault = f"has {differing}"
        else:
            continue
        raise ClusterError(
            f"The worker {worker} {fault}, so its results could differ. Install the same Plaudit "
            "and packages there as here, and start the workers again."
        )


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Keeps Dask's own messages off the terminal: what matters is raised as an error."""
    # It sets up its loggers when it is loaded.
    import_module("distributed")

    names = [name for name in logging.root.manager.loggerDict if name.startswith(NOISY)]
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes started here do not hear Ctrl-C, which is for the one that started them."""
    if os.name != "posix":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
