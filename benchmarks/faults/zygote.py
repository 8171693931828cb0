"""Starts services quickly: a process that has imported everything forks one for each start.

An import costs 2.5 seconds of a core, and a thousand restarts would spend an hour on it. A forked
service runs the same code from `plaudit serve` on. Some starts are fresh all the same: those are
`python -m benchmarks.faults.armed`, with workers that are spawned as ever.
"""

import gc
import json
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.faults import armed

ROOT = Path(__file__).resolve().parents[2]


class Zygote:
    """The process that forks; `ended(pid, code)` is called on a thread for each that ends."""

    def __init__(self) -> None:
        self.ended: Callable[[int, int], None] = lambda pid, code: None
        self._started: dict[int, int] = {}
        self._news = threading.Condition()
        self._number = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.faults.zygote"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=_environment(),
            start_new_session=True,
        )  # fmt: skip
        threading.Thread(target=self._read, daemon=True).start()

    def start(self, arguments: list[str], log: Path, variables: dict[str, str], fresh: bool) -> int:
        """Starts a service in a session of its own; returns its process."""
        with self._news:
            self._number += 1
            number = self._number
            order = {
                "number": number, "arguments": arguments, "log": str(log), "variables": variables,
                "fresh": fresh,
            }  # fmt: skip
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
            self._process.stdin.flush()
            if not self._news.wait_for(lambda: number in self._started, timeout=120):
                raise SystemExit("No service was started within two minutes.")
            return self._started.pop(number)

    def close(self) -> None:
        """Ends the process, and all that it started."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told = json.loads(line)
            if "code" in told:
                # A thread of its own: it may start the next service, which is told here.
                threading.Thread(
                    target=self.ended, args=(told["pid"], told["code"]), daemon=True
                ).start()
                continue
            with self._news:
                self._started[told["number"]] = told["pid"]
                self._news.notify_all()


def _environment() -> dict[str, str]:
    source = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return os.environ | {"PYTHONPATH": source, "OPENBLAS_NUM_THREADS": "1"}


def main() -> None:
    """Reads orders from standard input until it ends; writes what was started and has ended."""
    _import_all()
    wake, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    alive: set[int] = set()
    orders = b""
    while True:
        ready, _, _ = select.select([0, wake], [], [])
        if wake in ready:
            os.read(wake, 4096)
            _reap(alive)
        if 0 in ready:
            more = os.read(0, 65536)
            if not more:
                break
            orders += more
            *lines, orders = orders.split(b"\n")
            for line in lines:
                order = json.loads(line)
                pid = os.fork()
                if pid == 0:
                    _become(order)
                alive.add(pid)
                _tell({"number": order["number"], "pid": pid})
    for pid in alive:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def _import_all() -> None:
    import plaudit.cli.serve  # noqa: F401
    from plaudit.service.contest.races import warm_up
    from plaudit.web.processes import supervisor

    warm_up()
    # Workers of forked services are forked too.
    supervisor._spawning = Forking()
    gc.freeze()


class Forking:
    """Starts workers by a fork; they begin with the signals of a new process all the same."""

    def __init__(self) -> None:
        self._context = multiprocessing.get_context("fork")
        self.Pipe = self._context.Pipe

    def Process(  # noqa: N802 (the name that multiprocessing has)
        self, target: Callable[..., None], args: tuple[Any, ...], name: str
    ) -> Any:
        """A process that will call the target."""
        return self._context.Process(target=_as_new, args=(target, args), name=name)


def _as_new(target: Callable[..., None], args: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    target(*args)


def _reap(alive: set[int]) -> None:
    for pid in list(alive):
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            alive.discard(pid)
            _tell({"pid": pid, "code": os.waitstatus_to_exitcode(status)})


def _tell(what: dict[str, Any]) -> None:
    os.write(1, json.dumps(what).encode() + b"\n")


def _become(order: dict[str, Any]) -> None:
    """Turns this process into a service; never returns."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.environ.update(order["variables"])
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    null = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, null), (1, log), (2, log)):
        os.dup2(source, target)
    os.closerange(3, 256)
    if order["fresh"]:
        os.execv(
            sys.executable,
            [sys.executable, "-m", "benchmarks.faults.armed", *order["arguments"]],
        )
    folder = Path(os.environ[armed.FOLDER])
    armed.move_clock(folder)
    armed.arm(folder)
    armed.serve(order["arguments"])
    raise SystemExit(0)


if __name__ == "__main__":
    main()
