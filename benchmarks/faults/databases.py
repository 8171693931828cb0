"""The two databases, and what can happen to them: locked, killed, paused, full.

Both live on a small disk in memory (a tmpfs) where root may mount one, and a file fills it up.
Elsewhere the size of the files that the service writes is limited (`RLIMIT_FSIZE`, SQLite only).
"""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks.faults.service import Service, children

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

# PostgreSQL refuses connections while it recovers.
RECOVERY_SECONDS = 2.0
DISK_MEGABYTES = {"sqlite": 64, "postgres": 512}


class Away:
    """Whether a database cannot be used now, and whether it could always since some time."""

    def __init__(self) -> None:
        self._now, self._until = False, 0.0

    def set(self) -> None:
        """It cannot be used from now on."""
        self._now = True

    def clear(self) -> None:
        """It can be used again, after a moment."""
        self._now, self._until = False, time.monotonic()

    def since(self, moment: float) -> bool:
        """Whether it could not be used at some time since then; a crash takes a moment to end."""
        return self._now or self._until + RECOVERY_SECONDS > moment


class Disk:
    """A folder on a small disk of its own, if one can be mounted; `is_small` says so."""

    def __init__(self, megabytes: int) -> None:
        # Short, since sockets lie in it; open to the user that runs PostgreSQL.
        self.folder = Path(tempfile.mkdtemp(prefix="plaudit-f-"))
        self.folder.chmod(0o755)
        self._ballast = self.folder / "ballast"
        size = ["-o", f"size={megabytes}m,mode=755"]
        mount = ["mount", "-t", "tmpfs", *size, "tmpfs", str(self.folder)]
        done = subprocess.run(mount, capture_output=True, check=False) if _is_root() else None
        self.is_small = done is not None and done.returncode == 0

    def fill(self) -> None:
        """Leaves no byte free."""
        with self._ballast.open("wb", buffering=0) as file:
            for size in (2**20, 4096):
                with suppress(OSError):
                    while file.write(b"x" * size) == size:
                        pass

    def make_room(self) -> None:
        """Frees the space again."""
        self._ballast.unlink(missing_ok=True)

    def close(self) -> None:
        """Unmounts and removes the folder."""
        if self.is_small:
            subprocess.run(["umount", "-l", str(self.folder)], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def _is_root() -> bool:
    return os.geteuid() == 0


class Sqlite:
    """One file a round, locked or short of room now and then."""

    engine = "sqlite"

    def __init__(self) -> None:
        self.disk = Disk(DISK_MEGABYTES["sqlite"])
        self.away = Away()
        self.file = self.disk.folder / "votes.db"

    def new_database(self) -> str:
        """The path of a new file; that of the round before is removed."""
        for old in self.disk.folder.glob("votes*"):
            old.unlink()
        self.file = self.disk.folder / f"votes-{time.monotonic_ns()}.db"
        return str(self.file)

    @contextmanager
    def locked(self, contest: str) -> Iterator[None]:
        """Another program holds the file's lock."""
        other = sqlite3.connect(self.file, timeout=30, isolation_level=None)
        try:
            other.execute("BEGIN EXCLUSIVE")
            self.away.set()
            yield
        finally:
            self.away.clear()
            other.close()

    @contextmanager
    def full(self, service: Service) -> Iterator[None]:
        """There is no room for another page."""
        self.away.set()
        try:
            if self.disk.is_small:
                self.disk.fill()
            else:
                largest = max(f.stat().st_size for f in self.disk.folder.glob("votes*"))
                _limit(service.pid, largest)
            yield
        finally:
            self.disk.make_room()
            if not self.disk.is_small:
                _limit(service.pid, resource.RLIM_INFINITY)
            self.away.clear()

    def close(self) -> None:
        """Removes everything."""
        self.disk.close()


def _limit(pid: int, size: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


class Postgres:
    """A server of our own, with a new database a round."""

    engine = "postgres"

    def __init__(self) -> None:
        from support.postgres_server import PostgresServer

        self.disk = Disk(DISK_MEGABYTES["postgres"])
        self.away = Away()
        self.url = ""
        folder = self.disk.folder / "pg"
        folder.mkdir()
        self._server = PostgresServer(folder)
        self._server.start()

    def new_database(self) -> str:
        """The URL of a new database; that of the round before is removed."""
        if self.url:
            self._server.drop_database(self.url)
        self.url = self._server.new_database()
        return self.url

    def processes(self) -> list[int]:
        """The server and its children."""
        pid = self._server.pid
        return [pid, *children(pid)]

    @contextmanager
    def killed(self, how: str) -> Iterator[None]:
        """The server is gone: killed at once, or told to crash, or to stop in order."""
        self.away.set()
        try:
            if how == "kill":
                self._kill()
            else:
                self._server.stop()
            yield
        finally:
            self._start()
            self.away.clear()

    def _kill(self) -> None:
        pids = self.processes()
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in pids:
            until(lambda p=pid: not _runs(p), 30)

    def _start(self) -> None:
        for _ in range(20):
            try:
                self._server.start()
                return
            except AssertionError:
                # Shared memory of the one that was killed may take a moment to be free.
                time.sleep(0.2)
        self._server.start()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """The server and its children stand still."""
        pids = self.processes()
        self.away.set()
        try:
            for pid in pids:
                _send(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in pids:
                _send(pid, signal.SIGCONT)
            self.away.clear()

    def _connected(self) -> Any:
        """A connection of our own, once the server has recovered from whatever it was."""
        import psycopg

        for _ in range(100):
            with suppress(psycopg.OperationalError):
                return psycopg.connect(self.url, autocommit=True, connect_timeout=5)
            time.sleep(0.1)
        return psycopg.connect(self.url, autocommit=True, connect_timeout=5)

    def end_backends(self) -> None:
        """Ends every connection of the service."""
        with self._connected() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        self.away.clear()

    def kill_backend(self, place: float) -> None:
        """Kills one process that serves a connection: the server then restarts by itself."""
        with self._connected() as connection:
            found = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE application_name = 'plaudit' ORDER BY pid"
            ).fetchall()
        if found:
            _send(found[int(place * len(found))][0], signal.SIGKILL)
        self.away.clear()

    @contextmanager
    def locked(self, contest: str) -> Iterator[None]:
        """Another session holds the contest's row."""
        import psycopg

        with self._connected() as other:
            other.execute("BEGIN")
            other.execute("SELECT id FROM contests WHERE name = %s FOR UPDATE", [contest])
            self.away.set()
            try:
                yield
            finally:
                self.away.clear()
                with suppress(psycopg.Error):
                    other.execute("ROLLBACK")

    @contextmanager
    def full(self, service: Service) -> Iterator[None]:
        """There is no room on the server's disk; it may stop until there is some."""
        self.away.set()
        try:
            if self.disk.is_small:
                self.disk.fill()
            yield
        finally:
            self.disk.make_room()
            if not self._answers():
                self._start()
            self.away.clear()

    def _answers(self) -> bool:
        import psycopg

        def once() -> bool:
            with suppress(psycopg.Error):
                psycopg.connect(self.url, connect_timeout=2).close()
                return True
            return False

        return until(once, 5)

    def close(self) -> None:
        """Stops the server and removes everything."""
        with suppress(AssertionError, OSError):
            self._server.stop()
        self.disk.close()


Database = Sqlite | Postgres


def until(happened: Callable[[], bool], seconds: float, *, pause: float = 0.02) -> bool:
    """Waits until something is true; whether it became so in time."""
    give_up = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > give_up:
            return False
        time.sleep(pause)
    return True


def _runs(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
