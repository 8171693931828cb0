"""`plaudit serve` as it is, but with a clock that can be moved, and points at which it can die.

`python -m benchmarks.faults.armed serve …` is `plaudit serve …`, and so are its workers. The
folder named by `PLAUDIT_FAULTS` tells it what to do: `clock` holds the seconds that its clock is
ahead, and a file named after a point has the signal that the next process to pass it sends itself.
Nothing of this is in Plaudit: names are wrapped from outside, and a name that is gone is an error.
"""

import mmap
import os
import random
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

FOLDER = "PLAUDIT_FAULTS"
CLOCK = "clock"
LINES = "lines-"
CLOCK_BYTES = struct.Struct("<d")
# The next group: while it is being written it dies after at most this time.
INSIDE_SECONDS = 0.006

# Where each point is: the module, the class and the method, and whether before or after it.
POINTS: dict[str, tuple[str, str, str, str]] = {
    "before-commit": ("plaudit.service.live.writer", "Lane", "_commit", "before"),
    "inside-commit": ("plaudit.service.live.writer", "Lane", "_commit", "inside"),
    "after-commit": ("plaudit.service.live.writer", "Lane", "_commit", "after"),
    "before-fold": ("plaudit.service.live.worker", "Worker", "_delivered", "before"),
    "after-fold": ("plaudit.service.live.worker", "Worker", "_delivered", "after"),
    "before-verdict": ("plaudit.service.live.verdicts", "Verdicts", "_record", "before"),
    "inside-verdict": ("plaudit.service.live.verdicts", "Verdicts", "_record", "inside"),
    "after-verdict": ("plaudit.service.live.verdicts", "Verdicts", "_record", "after"),
}
VERDICT_POINTS = tuple(point for point in POINTS if point.endswith("verdict"))
VOTE_POINTS = tuple(point for point in POINTS if point not in VERDICT_POINTS)


def pass_point(folder: Path, point: str, *, within: float = 0.0) -> None:
    """Sends this process the signal that waits at a point, if one does; only one process takes it.

    With `within` it comes at a random moment of the next seconds, while the work goes on.
    """
    taken = folder / f"taken-{point}-{os.getpid()}"
    try:
        (folder / point).rename(taken)
    except OSError:
        return
    number = int(taken.read_text())
    if not within:
        os.kill(os.getpid(), number)
        return

    def later() -> None:
        time.sleep(random.uniform(0.0, within))
        os.kill(os.getpid(), number)

    threading.Thread(target=later, daemon=True).start()


def arm(folder: Path) -> None:
    """Wraps the methods that the points are at, and those that say who serves whom."""
    from importlib import import_module

    note_connections(folder)
    for point, (module, kind, name, where) in POINTS.items():
        owner = getattr(import_module(module), kind, None)
        if not hasattr(owner, name):
            raise SystemExit(
                f"There is no {module}.{kind}.{name} for the point {point}: say in "
                "benchmarks/faults/armed.py where it is now."
            )
        setattr(owner, name, _wrapped(getattr(owner, name), folder, point, where))


def note_connections(folder: Path) -> None:
    """Makes each process note when it begins to serve, and the ports that connect to it."""
    from plaudit.web.http.protocol import BoundedHttp
    from plaudit.web.server import Server

    startup, connection_made = Server.startup, BoundedHttp.connection_made

    def note(port: int) -> None:
        with (folder / f"{LINES}{os.getpid()}").open("a") as file:
            file.write(f"{time.monotonic()} {port}\n")

    async def starting(server: Server, *given: Any, **named: Any) -> None:
        await startup(server, *given, **named)
        note(0)

    def connecting(protocol: BoundedHttp, transport: Any) -> None:
        note(transport.get_extra_info("peername")[1])
        connection_made(protocol, transport)

    Server.startup, BoundedHttp.connection_made = starting, connecting  # type: ignore[method-assign]


def connections(folder: Path) -> Iterator[tuple[int, float, int]]:
    """What the processes of a folder noted: process, time, and port; 0 when it began to serve."""
    for path in folder.glob(f"{LINES}*"):
        for line in path.read_text().splitlines():
            at, port = line.split()
            yield int(path.name.removeprefix(LINES)), float(at), int(port)


def _wrapped(method: Callable[..., Any], folder: Path, point: str, where: str) -> Any:
    def passing(*given: Any, **named: Any) -> Any:
        if where != "after":
            pass_point(folder, point, within=INSIDE_SECONDS if where == "inside" else 0.0)
        result = method(*given, **named)
        if where == "after":
            pass_point(folder, point)
        return result

    return passing


def move_clock(folder: Path) -> None:
    """Makes `time.time` and `time.time_ns` add the seconds in the clock's file."""
    with (folder / CLOCK).open("rb") as file:
        ahead = mmap.mmap(file.fileno(), CLOCK_BYTES.size, prot=mmap.PROT_READ)
    real, real_ns = time.time, time.time_ns
    time.time = lambda: real() + CLOCK_BYTES.unpack_from(ahead)[0]
    time.time_ns = lambda: real_ns() + round(1e9 * CLOCK_BYTES.unpack_from(ahead)[0])


def set_clock(folder: Path, seconds: float) -> None:
    """Moves the clock of the processes of a folder."""
    with (folder / CLOCK).open("r+b" if (folder / CLOCK).exists() else "wb") as file:
        file.write(CLOCK_BYTES.pack(seconds))


def set_point(folder: Path, point: str, number: int = signal.SIGKILL) -> None:
    """Lets a signal wait at a point."""
    waiting = folder / f"new-{point}"
    waiting.write_text(str(int(number)))
    waiting.rename(folder / point)


def serve(arguments: list[str]) -> None:
    """Runs the command line with these arguments; it ends by `SystemExit`."""
    from plaudit.cli import main

    sys.argv = ["plaudit", *arguments]
    main()


# A worker process of several imports this module under another name before it serves.
if __name__ in ("__main__", "__mp_main__"):
    _folder = Path(os.environ[FOLDER])
    move_clock(_folder)
    arm(_folder)
if __name__ == "__main__":
    serve(sys.argv[1:])
