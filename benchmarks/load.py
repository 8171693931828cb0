"""Load on a service from outside: servers in their own processes, and wrk as the client."""

import math
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx2

from benchmarks.processor_time import family_seconds
from plaudit.service.accounts.secret import Secret
from plaudit.service.contest.settings import WORK_OFF, ContestSettings, Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.live.tickets import Signer, Ticket
from plaudit.store import open_store
from plaudit.store.contract import Item

CONTEST = "bench"
SECRET = "a secret for measurements only, not kept"
SCRIPT = """
local requests, place, pause = {}, 0, tonumber(os.getenv("PAUSE_MS") or "0")
function init(args)
  for line in io.lines(args[1]) do
    local token, body = line:match("^(%S+) (.*)$")
    local headers = {["X-Plaudit-Rater"] = token, ["Content-Type"] = "application/json"}
    requests[#requests + 1] = wrk.format("POST", nil, headers, body)
  end
end
function request() place = place % #requests + 1; return requests[place] end
-- Pauses differ as those of people do: equal ones would make all connections send at the same time.
if pause > 0 then
  function delay() return math.floor(-pause * math.log(1 - math.random()) + 0.5) end
end
"""


class Load(NamedTuple):
    """What wrk measured."""

    per_second: float
    p99_ms: float
    errors: int
    slowest_ms: float = math.nan
    # Processor time of the server for a request, if it was measured.
    processor_us: float = math.nan


def make_contest(
    database: str,
    items: int,
    *,
    epsilon: float = 0.01,
    delta: float = 0.01,
    seed: int = 0,
    work: str = WORK_OFF,
) -> None:
    """An open contest with this many items."""
    store = open_store(database)
    scale = (Level("Unfunny", 0.0), Level("Somewhat funny", 0.5), Level("Funny", 1.0))
    settings = ContestSettings(
        title="Measured", scale=scale, lanes=(Lane("plaudit"),), epsilon=epsilon, delta=delta,
        seed=seed, work=work,
    )  # fmt: skip
    texts = [Item(number, f"Caption number {number}") for number in range(items)]
    Desk(store).create(CONTEST, settings, texts, opened=True)
    store.close()


def new_raters(count: int) -> tuple[Signer, list[RaterId]]:
    """Raters of the contest, as the service would make them."""
    signer = Signer(Secret(SECRET.encode()), CONTEST)
    return signer, [signer.new_rater() for _ in range(count)]


def vote_lines(raters: int, each: int, items: int) -> Iterator[str]:
    """Votes that were not sent yet: raters take turns, each on different items."""
    signer, known = new_raters(raters)
    tokens = [signer.token(rater) for rater in known]
    now = time.time_ns() // 1_000_000
    for turn in range(each):
        for place, rater in enumerate(known):
            item = (place * 7919 + turn * 104_729) % items
            ticket = signer.ticket(rater.key, Ticket(item, 0, now))
            level = (item + place) % 3
            yield f'{tokens[place]} {{"ticket":"{ticket}","level":{level},"response_ms":900}}'


def write_lines(folder: Path, name: str, lines: Iterable[str]) -> Path:
    """The requests in a file that wrk reads."""
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class Served(str):
    """The address of a server; `pid` is its process."""

    pid = 0


@contextmanager
def serving(command: list[str], port: int) -> Iterator[Served]:
    """Runs a server in its own process; gives its address once it answers."""
    environment = os.environ | {"PLAUDIT_SECRET": SECRET}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    url = Served(f"http://127.0.0.1:{port}")
    url.pid = process.pid
    try:
        _wait(url, process)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        # A notary that makes the tree of millions of votes for the first time ends that part first.
        process.wait(120)


@contextmanager
def plaudit_serving(database: str, *, workers: int = 1) -> Iterator[Served]:
    """`plaudit serve` on a free port, without limits of rate."""
    port = free_port()
    command = [
        sys.executable, "-m", "plaudit", "serve", "--database", database, "--port", str(port),
        "--workers", str(workers), "--rater-rate", "", "--address-rate", "",
    ]  # fmt: skip
    with serving(command, port) as url:
        yield url


@contextmanager
def bare_serving() -> Iterator[Served]:
    """A bare Starlette app that checks the same bodies and answers, as the floor."""
    port = free_port()
    command = [
        sys.executable, "-m", "uvicorn", "benchmarks.bare_app:app", "--port", str(port),
        "--no-access-log", "--log-level", "warning",
    ]  # fmt: skip
    with serving(command, port) as url:
        yield url


def wrk(url: str, lines: Path, *, seconds: int, connections: int = 64, pause_ms: int = 0) -> Load:
    """Sends the lines in turn, over this many connections; `pause_ms` is the mean of pauses."""
    if shutil.which("wrk") is None:
        raise SystemExit("This benchmark needs wrk: apt-get install wrk.")
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT)
        script.flush()
        command = [
            "wrk", "--latency", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script.name, url,
            "--", str(lines),
        ]  # fmt: skip
        environment = os.environ | {"PAUSE_MS": str(pause_ms)}
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return read_wrk(run.stdout)


def wrk_with_processor(url: Served, path: str, lines: Path, *, seconds: int, **more: int) -> Load:
    """The same, and what a request took of the server's processor time."""
    before = family_seconds(url.pid)
    load = wrk(url + path, lines, seconds=seconds, **more)
    taken = family_seconds(url.pid) - before
    return load._replace(processor_us=1e6 * taken / (load.per_second * seconds))


def read_wrk(text: str) -> Load:
    """The figures in what wrk printed."""
    rate = float(_found(r"Requests/sec:\s+([\d.]+)", text, "nan"))
    # At the start of its line: another share that wrk prints may end with 99 % too.
    p99 = _milliseconds(_found(r"(?m)^\s*99%\s+(\S+)", text, "nans"))
    slowest = _milliseconds(_found(r"Latency\s+\S+\s+\S+\s+(\S+)", text, "nans"))
    bad = int(_found(r"Non-2xx or 3xx responses: (\d+)", text, "0"))
    pattern = r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)"
    sockets = re.search(pattern, text)
    lost = sum(map(int, sockets.groups())) if sockets else 0
    return Load(rate, p99, bad + lost, slowest)


def _milliseconds(text: str) -> float:
    """A time as wrk writes it.

    >>> _milliseconds("13.90ms"), _milliseconds("250.00us"), _milliseconds("1.20s")
    (13.9, 0.25, 1200.0)
    """
    for unit, size in (("us", 1e-3), ("ms", 1.0), ("s", 1e3), ("m", 6e4)):
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * size
    return math.nan


def _found(pattern: str, text: str, otherwise: str) -> str:
    match = re.search(pattern, text)
    return match.group(1) if match else otherwise


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise SystemExit("The server ended before it answered.")
        try:
            httpx2.get(f"{url}/healthz", timeout=1.0)
            return
        except httpx2.TransportError:
            time.sleep(0.1)
    raise SystemExit("The server did not answer within a minute.")


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
