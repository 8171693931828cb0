"""What each kind of fault does to the service and its database."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.faults import armed
from benchmarks.faults.contests import LONG
from benchmarks.faults.databases import Database, Postgres, until
from benchmarks.faults.plan import Planned
from benchmarks.faults.service import Service

# A point that no vote passes in this time is given up.
POINT_SECONDS = 4.0
# A stop must end the service within this time: five seconds are for answers under way, and ten
# more for a database that does not answer.
STOP_SECONDS = 25.0
JUMPS = (-7 * 86400.0, -3600.0, -40.0, 40.0, 3600.0, 7 * 86400.0)


class Missed(Exception):
    """The fault did not happen, such as a point that nothing passed."""


class Faults:
    """The faults of one round. Each method ends when what it broke may work again."""

    def __init__(self, service: Service, database: Database) -> None:
        self._service, self._database = service, database
        self._nested: Callable[[], None] = lambda: None

    def do(self, planned: Planned) -> str:
        """Lets a fault happen; returns what else there is to say of it. `Missed` if it did not."""
        if planned.nested:
            nested = planned._replace(kind=planned.nested, nested="")
            self._nested = lambda: self._on_top(nested)
        try:
            action = getattr(self, "_" + planned.kind.replace(" ", "_"))
            return str(action(planned) or "")
        finally:
            self._nested = lambda: None

    def _on_top(self, planned: Planned) -> None:
        with suppress(Missed):
            self.do(planned)

    def _last(self, seconds: float) -> None:
        """Lets a fault last, with another one in its middle if that is planned."""
        time.sleep(seconds / 2)
        nested, self._nested = self._nested, lambda: None
        nested()
        time.sleep(seconds / 2)

    # The service

    def _kill_service(self, planned: Planned) -> None:
        time.sleep(0.02 * planned.chance)
        self._service.signal(signal.SIGKILL, group=True)

    def _kill_parent(self, planned: Planned) -> None:
        self._service.signal(signal.SIGKILL)

    def _stop_service(self, planned: Planned) -> str:
        pid = self._service.pid
        self._service.signal(signal.SIGTERM)
        if not until(lambda: self._service.pid != pid, STOP_SECONDS):
            self._service.signal(signal.SIGKILL, group=True)
            return f"still there after {STOP_SECONDS:g} seconds"
        return ""

    def _pause_service(self, planned: Planned) -> None:
        with self._stopped(self._service.pid):
            self._last(planned.seconds)

    def _kill_worker(self, planned: Planned) -> None:
        time.sleep(0.02 * planned.chance)
        _send(self._worker(planned), signal.SIGKILL)

    def _kill_all_workers(self, planned: Planned) -> None:
        for pid in self._service.processes():
            _send(pid, signal.SIGKILL)

    def _pause_worker(self, planned: Planned) -> None:
        with self._stopped(self._worker(planned)):
            self._last(planned.seconds)

    def _worker(self, planned: Planned) -> int:
        workers = self._service.processes()
        if not workers:
            raise Missed("no worker runs")
        return workers[int(planned.chance * len(workers))]

    @contextmanager
    def _stopped(self, pid: int) -> Iterator[None]:
        _send(pid, signal.SIGSTOP)
        began = time.monotonic()
        try:
            yield
        finally:
            self._go_on(pid, began)

    def _go_on(self, pid: int, began: float) -> None:
        self._service.note_held(pid, began)
        _send(pid, signal.SIGCONT)

    # Points in the code

    def _kill_at_a_point(self, planned: Planned) -> str:
        return self._at_point(planned, signal.SIGKILL).name

    def _pause_at_a_point(self, planned: Planned) -> str:
        taken = self._at_point(planned, signal.SIGSTOP)
        began = time.monotonic()
        self._last(planned.seconds)
        self._go_on(int(taken.name.rpartition("-")[2]), began)
        # The process lives on: what becomes of it later has nothing to do with the point.
        taken.unlink()
        return taken.name

    def _at_point(self, planned: Planned, number: int) -> Path:
        """Lets a signal wait at a point of the votes; the file of whoever has taken it."""
        folder = self._service.folder
        point = armed.VOTE_POINTS[int(planned.chance * len(armed.VOTE_POINTS))]
        known = set(folder.glob(f"taken-{point}-*"))
        armed.set_point(folder, point, number)
        if not until(lambda: not (folder / point).exists(), POINT_SECONDS, pause=0.005):
            with suppress(FileNotFoundError):
                (folder / point).unlink()
                raise Missed(point)
        (taken,) = set(folder.glob(f"taken-{point}-*")) - known
        return taken

    # The database and the machine

    def _lock_database(self, planned: Planned) -> None:
        with self._database.locked(LONG):
            self._last(planned.seconds)

    def _full_disk(self, planned: Planned) -> None:
        with self._database.full(self._service):
            self._last(planned.seconds)

    def _kill_database(self, planned: Planned) -> None:
        with self._postgres.killed("kill"):
            self._last(planned.seconds)

    def _crash_database(self, planned: Planned) -> None:
        with self._postgres.killed("crash"):
            self._last(planned.seconds)

    def _pause_database(self, planned: Planned) -> None:
        with self._postgres.paused():
            self._last(planned.seconds)

    def _end_connections(self, planned: Planned) -> None:
        self._postgres.end_backends()

    def _kill_a_backend(self, planned: Planned) -> None:
        self._postgres.kill_backend(planned.chance)

    @property
    def _postgres(self) -> Postgres:
        assert isinstance(self._database, Postgres)
        return self._database

    def _clock_jump(self, planned: Planned) -> str:
        """The clock is wrong for a while, then right again: two jumps."""
        jump = JUMPS[int(planned.chance * len(JUMPS))]
        armed.set_clock(self._service.folder, jump)
        self._last(min(planned.seconds, 2.0))
        armed.set_clock(self._service.folder, 0.0)
        return f"{jump:+g} s"


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
