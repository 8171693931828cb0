"""The service under faults: started again whenever it ends, as a supervisor would do."""

import os
import random
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx2

from benchmarks.faults import armed
from benchmarks.faults.records import Ended, Held, History, Took, Trouble, Up
from benchmarks.faults.zygote import Zygote

SECRET = "a secret for runs of faults only, not kept"
# A start that failed is tried again after this time.
AGAIN_SECONDS = 0.3
# Workers finish their answers, for five seconds at most, when their parent is gone.
ORPHAN_SECONDS = 15.0


class Service:
    """`plaudit serve`, kept running; `away(since)` says whether its database was away."""

    def __init__(
        self,
        zygote: Zygote,
        folder: Path,
        database: str,
        history: History,
        *,
        port: int,
        workers: int,
        away: Callable[[float], bool],
        is_fresh: Callable[[], bool],
    ) -> None:
        self.port = port
        self.workers_wanted = workers
        self.folder = folder
        self.log = folder / "service.log"
        self.starts = self.fresh_starts = 0
        self.expected: set[int] = set()
        self.pid = 0
        self._history = history
        self._zygote = zygote
        self._away = away
        self._is_fresh = is_fresh
        self._closing = False
        self._ready: set[int] = set()
        self._lock = threading.RLock()
        self._arguments = [
            "serve", "--database", database, "--port", str(port), "--workers", str(workers),
            "--rater-rate", "", "--address-rate", "",
        ]  # fmt: skip

    @property
    def url(self) -> str:
        """Where it serves."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts the process; returns at once."""
        with self._lock:
            if self._closing:
                return
            fresh = self._is_fresh()
            self._began = time.monotonic()
            self.starts += 1
            self.fresh_starts += fresh
            variables = {armed.FOLDER: str(self.folder), "PLAUDIT_SECRET": SECRET}
            self.pid = self._zygote.start(self._arguments, self.log, variables, fresh)

    def note_ready(self) -> None:
        """Notes that the process that runs now has answered."""
        self._ready.add(self.pid)

    def ended(self, pid: int, code: int) -> None:
        """Notes that a process has ended, and starts the next."""
        with self._lock:
            if pid != self.pid:
                return
            wanted = self._closing or pid in self.expected or self._was_at_point(pid)
            ready = pid in self._ready
            self._history.add(
                Ended(time.monotonic(), code, wanted, ready, self._away(self._began), self._said())
            )
            if not wanted:
                time.sleep(AGAIN_SECONDS)
            self._wait_for_orphans(pid)
            self.start()

    def _wait_for_orphans(self, pid: int) -> None:
        """Returns when all workers of a process that has ended are gone, and the port is free."""
        give_up = time.monotonic() + ORPHAN_SECONDS
        while (left := in_session(pid)) or not is_free(self.port):
            if time.monotonic() > give_up:
                text = f"workers {left} held the port {ORPHAN_SECONDS:g} s after their parent"
                give_up += ORPHAN_SECONDS
                self._history.add(Trouble("orphan", text, time.monotonic()))
                with suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
            time.sleep(0.02)

    def _was_at_point(self, pid: int) -> bool:
        return any(self.folder.glob(f"taken-*-{pid}"))

    def _said(self) -> str:
        with suppress(OSError):
            return self.log.read_text(errors="replace")[-1000:]
        return ""

    def workers(self) -> list[int]:
        """The processes that have begun to serve: not the scribe."""
        serving = {pid for pid, _, _ in armed.connections(self.folder)}
        return [pid for pid in self.processes() if self.workers_wanted == 1 or pid in serving]

    def processes(self) -> list[int]:
        """The processes that serve or write: the children, or the only one there is."""
        if self.workers_wanted == 1:
            return [self.pid]
        return [pid for pid in children(self.pid) if "resource_tracker" not in _command(pid)]

    def signal(self, number: int, *, group: bool = False) -> None:
        """Sends a signal to the process, or to all of its session; its end is expected."""
        with self._lock:
            if number in (signal.SIGKILL, signal.SIGTERM):
                self.expected.add(self.pid)
            with suppress(ProcessLookupError):
                (os.killpg if group else os.kill)(self.pid, number)

    def note_held(self, pid: int, began: float) -> None:
        """Notes that a process was stopped until now."""
        self._history.add(Held(pid, began, time.monotonic()))

    def note_connections(self) -> None:
        """Notes when each process began to serve, and which connections it took."""
        for pid, at, port in armed.connections(self.folder):
            self._history.add(Took(pid, port, at) if port else Up(pid, at))

    def is_ready(self) -> bool:
        """Whether it answers that it can take votes."""
        with suppress(httpx2.HTTPError):
            if httpx2.get(f"{self.url}/readyz", timeout=5).status_code == 200:
                self.note_ready()
                return True
        return False

    def close(self) -> None:
        """Ends all processes and starts no more."""
        with self._lock:
            self._closing = True
            if self.pid:
                with suppress(ProcessLookupError):
                    os.killpg(self.pid, signal.SIGKILL)


def children(parent: int) -> list[int]:
    """The processes that a process started, and that still run."""
    return [pid for pid, fields in _processes() if int(fields[1]) == parent]


def in_session(leader: int) -> list[int]:
    """The processes of a session that still run."""
    return [pid for pid, fields in _processes() if int(fields[3]) == leader]


def _processes() -> Iterator[tuple[int, list[str]]]:
    """All processes that run, with what the system says of them: state, parent, group, session."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
                if fields[0] != "Z":
                    yield int(name), fields


def _command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


def free_port() -> int:
    """A port that nobody listens on now.

    It is below those that the system gives to clients: one that connects to nobody from the very
    port that it wants to reach would be connected to itself, and hold the port.
    """
    return next(port for port in iter(partial(random.randint, 15_000, 32_000), 0) if is_free(port))


def is_free(port: int) -> bool:
    """Whether a service could listen on a port now."""
    with socket.socket() as probe, suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return True
    return False


def worker_of(service: Service, local: int) -> int:
    """The worker that holds the other end of a connection from a local port; 0 if none does."""
    inode = next(
        (fields[9] for fields in _connections() if _ports(fields) == (service.port, local)), ""
    )
    for pid in service.workers():
        with suppress(OSError):
            for name in os.listdir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    if os.readlink(f"/proc/{pid}/fd/{name}") == f"socket:[{inode}]":
                        return pid
    return 0


def _connections() -> list[list[str]]:
    return [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]


def _ports(fields: list[str]) -> tuple[int, int]:
    local, remote = (int(end.rpartition(":")[2], 16) for end in fields[1:3])
    return local, remote
