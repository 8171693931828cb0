"""Running parts on a Dask cluster: a few groups at a time, each part exactly once.

What all groups share goes out once, as the result of a task: Dask makes it anew when the
worker that holds it dies, as it does with groups. If several workers die while they run a group,
its parts are tried again one by one, and a part that still kills workers ends the run.
"""

import asyncio
import itertools
import math
import time
from collections import Counter, deque
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any
from uuid import uuid4

import dask
from distributed import Client, Future, KilledWorker

from plaudit.simulation.executors.edition import edition
from plaudit.simulation.executors.executor import ClusterError, Work
from plaudit.simulation.executors.groups import Done, Load, Pace, pack, run_group, unpack

GROUPS_A_FETCH = 32
# Dask tries a group on four workers that die before it gives the group up once.
MOST_STRIKES = 3
SECONDS_BETWEEN_LOOKS = 2.0
SECONDS_WITHOUT_WORKERS = 60.0
GONE = "The connection to the Dask scheduler is lost. Start it and its workers, and run again."


class DaskExecutor:
    """Runs parts on the workers of a Dask cluster."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def run(self, work: Work, shared: Any, parts: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """See `Executor.run`."""
        if not parts:
            return
        run = _Run(self.client, pack(Load(edition(), work, shared)), parts)
        try:
            while run.send_groups():
                yield from run.fetch_results()
        finally:
            run.release()


class _Run:
    """The state of one run: the parts that wait, and the groups under way."""

    def __init__(self, client: Client, packed_load: bytes, parts: Sequence[Any]) -> None:
        self._client, self._packed_load, self._parts = client, packed_load, parts
        self._watch = _Watch(client)
        self._pace = Pace(self._watch.threads())
        self._names = (f"plaudit-{uuid4().hex}", itertools.count())
        self._waiting = deque(range(len(parts)))
        self._suspects: deque[int] = deque()
        self._last_tries: deque[int] = deque()
        self._strikes: Counter[int] = Counter()
        self._under_way: dict[Future, list[int]] = {}
        self._finished: SimpleQueue[Future] = SimpleQueue()
        self._load = self._send_load()

    def send_groups(self) -> bool:
        """Sends groups until enough are under way; whether there are any."""
        self._pace.threads = self._watch.threads()
        if groups := self._next_groups():
            name, numbers = self._names
            futures = self._client.map(
                run_group,
                [self._load] * len(groups),
                [pack([self._parts[index] for index in group]) for group in groups],
                [self._pace.seconds] * len(groups),
                # Keys of one name: Dask then knows that they are many and alike.
                key=[(name, next(numbers)) for _ in groups],
            )
            for future, group in zip(futures, groups, strict=True):
                self._under_way[future] = group
                future.add_done_callback(self._finished.put)
        return bool(self._under_way)

    def fetch_results(self) -> Iterator[tuple[int, Any]]:
        """The results of the groups that finish next."""
        futures = dict(enumerate(self._next_finished()))
        gathered = self._watch.wait_for(
            self._client.gather(futures, errors="skip", asynchronous=True)
        )
        for number, future in futures.items():
            group = self._under_way[future]
            if gathered[number] is None:
                self._try_again(group, future)
            del self._under_way[future]
            future.release()
            if gathered[number] is not None:
                yield from self._results(group, unpack(gathered[number]))

    def release(self) -> None:
        """Cancels the groups under way: those not yet started never are."""
        for future in (*self._under_way, self._load):
            future.release()

    def _send_load(self) -> Future:
        """What all groups need, on some worker."""
        name, numbers = self._names
        # Dask warns of large arguments, since most should not be sent as such; this one should.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            key = f"{name}-load-{next(numbers)}"
            load = self._client.submit(unpack, self._packed_load, key=key)
        count = len(self._parts)
        if count <= 2 * self._pace.threads:
            # Dask sends few groups to where their input is, and would fill that worker first.
            self._watch.wait_for(self._client.replicate([load], n=count, asynchronous=True))
        return load

    def _next_groups(self) -> list[list[int]]:
        """The numbers of the parts to send next, by groups."""
        if self._last_tries:
            # With nothing beside it, so that the blame is certain.
            return [] if self._under_way else [[self._last_tries.popleft()]]
        room = max(0, self._pace.groups - len(self._under_way))
        return list(itertools.islice(iter(self._next_group, []), room))

    def _next_group(self) -> list[int]:
        if self._suspects:
            return [self._suspects.popleft()]
        size = min(self._pace.size(len(self._waiting)), len(self._waiting))
        return [self._waiting.popleft() for _ in range(size)]

    def _next_finished(self) -> list[Future]:
        """Some groups that have finished, one at least."""
        finished: list[Future] = []
        while not finished:
            try:
                finished.append(self._finished.get(timeout=SECONDS_BETWEEN_LOOKS))
            except Empty:
                self._watch.threads()
        with suppress(Empty):
            while len(finished) < GROUPS_A_FETCH:
                finished.append(self._finished.get_nowait())
        return finished

    def _results(self, group: list[int], done: Done) -> Iterator[tuple[int, Any]]:
        """The results of a group; what it left goes back to the parts that wait."""
        self._waiting.extendleft(reversed(group[len(done.results) :]))
        self._pace.learn(max(1, len(done.results)), done.seconds)
        yield from zip(group, done.results, strict=False)
        if done.error is not None:
            raise done.error

    def _try_again(self, group: list[int], future: Future) -> None:
        """Puts the parts of a group that killed its workers back, each to run alone."""
        if future.status != "error":
            raise ClusterError(GONE)
        error = future.exception()
        if not isinstance(error, KilledWorker):
            raise ClusterError(
                f"The workers cannot run the parts: {type(error).__name__}: {error}. What a part "
                "needs must be installed on every worker."
            ) from error
        if self._load.status == "error":
            self._load = self._send_load()
        for index in group:
            self._strike(index, error)

    def _strike(self, index: int, error: KilledWorker) -> None:
        """Decides what becomes of a part whose workers died: they may have died of another."""
        self._strikes[index] += 1
        if self._strikes[index] >= MOST_STRIKES:
            raise ClusterError(
                f"Every worker that ran part {index} died: {self._parts[index]!r:.200}. The usual "
                "cause is too little memory: give the workers more, or run the study without a "
                "cluster to see the error."
            ) from error
        last = self._strikes[index] == MOST_STRIKES - 1
        (self._last_tries if last else self._suspects).append(index)


class _Watch:
    """Makes sure that a run does not wait for a cluster that is gone."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._threads = 0
        self._looked = -math.inf
        self._last_seen = time.monotonic()

    def threads(self) -> int:
        """The threads of all workers; an error when there have been none for long."""
        now = time.monotonic()
        if now - self._looked >= SECONDS_BETWEEN_LOOKS:
            self._threads = self._count()
            self._looked = now
        if self._threads:
            self._last_seen = now
        elif now - self._last_seen > SECONDS_WITHOUT_WORKERS:
            raise ClusterError(
                f"The cluster has had no workers for {SECONDS_WITHOUT_WORKERS:g} seconds. Start "
                "some, and run again."
            )
        return max(1, self._threads)

    def wait_for(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """What the client's coroutine returns, while the cluster is there."""
        asked = asyncio.run_coroutine_threadsafe(coroutine, self._client.loop.asyncio_loop)
        try:
            while not wait([asked], SECONDS_BETWEEN_LOOKS).done:
                self.threads()
            return asked.result()
        except OSError as error:
            raise ClusterError(GONE) from error
        finally:
            asked.cancel()

    def _count(self) -> int:
        if self._client.status != "running":
            raise ClusterError(GONE)
        try:
            return sum(self._client.nthreads().values())
        except OSError as error:
            raise ClusterError(GONE) from error
