"""The parts that the tests of executors run, in a module that workers can import."""

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from plaudit.errors import UnknownName
from plaudit.simulation import Profile, SimulatedRace
from plaudit.simulation.executors.groups import FIRST_PARTS

SEEDS = tuple({"seed": seed, "delta": (0.1, 0.01)[seed % 2]} for seed in range(40))


def race(profile: Profile, part: dict[str, Any]) -> tuple[Any, ...]:
    """The complete result of a simulated race, floats to the last bit."""
    run = SimulatedRace(profile, seed=part["seed"], delta=part["delta"])
    outcome = run.run()
    return outcome, outcome.gap.hex(), run.race.votes


def needs_numba(profile: Profile, part: dict[str, Any]) -> bool:
    """Whether a race had to be compiled here."""
    race(profile, part)
    return "numba" in sys.modules


def slow_race(profile: Profile, part: dict[str, Any]) -> tuple[Any, ...]:
    """The same, after a while."""
    time.sleep(0.05)
    return race(profile, part)


def double(_: Any, part: Any) -> Any:
    return 2 * part


def lend(_: Any, part: float) -> float:
    """Takes this many seconds."""
    time.sleep(part)
    return part


def mark(folder: Path, part: int) -> int:
    """Leaves a file for every part that was started."""
    (folder / f"{part}-{time.time_ns()}").touch()
    time.sleep(0.02)
    return part


def wait_for_word(folder: Path, part: int) -> int:
    """Parts of the first group end at once, others when there is a file named `go`.

    Dask decides which group is first.
    """
    group = str(part // FIRST_PARTS)
    with suppress(FileExistsError), (folder / "first").open("x") as first:
        first.write(group)
    (folder / f"started-{part}").touch()
    while (folder / "first").read_text() not in ("", group) and not (folder / "go").exists():
        time.sleep(0.01)
    return part


def fail_at_3(kind: str, part: int) -> int:
    if part != 3:
        return part
    if kind == "value":
        raise ValueError("three is too many")
    raise UnknownName("bound", "three", ["one", "two"])


def unsendable(_: Any, part: int) -> Any:
    return threading.Lock()


def kill_worker_once(folder: Path, part: int) -> int:
    """Part 3 takes its process down, the first time."""
    if part == 3 and not (folder / "killed").exists():
        (folder / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return part


def kill_worker(_: Any, part: int) -> int:
    """Part 3 takes its process down, every time."""
    if part == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return part
