"""The processor time of processes and all that they started, as the system counts it."""

import os
import time
from contextlib import suppress
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


def family_seconds(*pids: int) -> float:
    """Seconds of processor time of processes and their children, those that have ended too."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(name))
            # Its own time and that of children that have ended, in the system and outside.
            ticks[int(name)] = sum(map(int, fields[11:15]))
    total, left = 0, list(pids)
    while left:
        pid = left.pop()
        total += ticks.get(pid, 0)
        left += children.get(pid, [])
    return total / _TICK


def until_idle(*pids: int, most: float = 60.0) -> None:
    """Returns once processes and their children have hardly worked for half a second."""
    give_up = time.monotonic() + most
    while time.monotonic() < give_up:
        before = family_seconds(*pids)
        time.sleep(0.5)
        if family_seconds(*pids) - before < 0.05:
            return
    raise SystemExit(f"The processes {pids} were not idle within {most:g} s.")
