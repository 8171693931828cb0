"""Memory of a service while one stranger pipelines megabytes of requests and reads no answer."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Report

MEGABYTES = 20
MOST_GROWTH_MEGABYTES = 30
REQUEST = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
START_SECONDS = 300.0


def run(quick: bool = False) -> Report:
    """Measures the process before, during and after the flood."""
    report = Report("flood", f"{MEGABYTES} MB of pipelined requests, no answer read")
    with tempfile.TemporaryDirectory() as folder, _serving(Path(folder)) as (pid, port):
        before = _resident(pid)
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            taken, most = _flood(stranger, pid, seconds=10 if quick else 30)
        report.add("the process before", before, "MB")
        report.add("bytes that it took", taken / 2**20, "MB")
        report.add("the process at its largest", most, "MB")
        report.at_most("growth", most - before, MOST_GROWTH_MEGABYTES, "MB")
        time.sleep(1.0)
        report.add("the process after the stranger left", _resident(pid), "MB")
    return report


def _flood(stranger: socket.socket, pid: int, *, seconds: float) -> tuple[int, float]:
    """Sends until all is sent or time is up; the bytes taken, and the most memory seen."""
    stranger.settimeout(0.5)
    part = REQUEST * (2**16 // len(REQUEST))
    taken, most, give_up = 0, _resident(pid), time.monotonic() + seconds
    while taken < MEGABYTES * 2**20 and time.monotonic() < give_up:
        try:
            taken += stranger.send(part[taken % len(part) :])
        except TimeoutError:
            pass
        except ConnectionError:
            break  # the service has had enough of this
        most = max(most, _resident(pid))
    for _ in range(20):
        time.sleep(0.1)
        most = max(most, _resident(pid))
    return taken, most


@contextlib.contextmanager
def _serving(folder: Path) -> Iterator[tuple[int, int]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "plaudit", "serve", "--port", str(port)]
    given = os.environ | {"PLAUDIT_DATABASE": str(folder / "votes.db")}
    said = (folder / "said").open("wb")
    with said, subprocess.Popen(command, env=given, stdout=said, stderr=said) as process:
        try:
            _wait(f"http://127.0.0.1:{port}/readyz")
            yield process.pid, port
        finally:
            process.terminate()
            process.wait()


def _wait(url: str) -> None:
    give_up = time.monotonic() + START_SECONDS
    while time.monotonic() < give_up:
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            urllib.request.urlopen(url).close()
            return
        time.sleep(0.1)
    raise TimeoutError(f"no answer from {url}")


def _resident(pid: int) -> float:
    """The memory of a process, in megabytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1024
