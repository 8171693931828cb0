"""Start-up time: import, help, first races and the service, in fresh processes.

Seconds depend on the machine. So what a first race takes is divided by what `import numba` takes in
a fresh process of the same run, one after the other.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.fresh_process import cold_copy, environment, measure
from benchmarks.load import make_contest
from benchmarks.report import Report
from benchmarks.service_items import seconds_to_start
from benchmarks.stopwatch import wall_seconds

IMPORT_BAR_SECONDS = 0.5
HELP_BAR_SECONDS = 0.3
RACE_BAR, COMMAND_BAR = 1.2, 1.4
COLD_BAR_SECONDS, RARE_BAR_SECONDS, SERVICE_BAR_SECONDS = 6.0, 3.0, 2.0
PAUSE_SECONDS = 20.0
# About 6,500 votes.
RACE_COMMAND = ("race", "--profile", "power:0.5", "--items", "1000")

IMPORT = """
import json, time
start = time.perf_counter()
import plaudit
print(json.dumps(time.perf_counter() - start))
"""

VERDICT = """
import json, time
start = time.perf_counter()
import plaudit
race = plaudit.Race(3, delta=0.05, seed=1, algorithm="plaudit")
while not race.verdict():
    for item in race.ask(2):
        race.tell(item, 1.0 if item == 2 else 0.0)
print(json.dumps(time.perf_counter() - start))
"""

# A race that is too long for Python, which waits for machine code.
LONG = """
import json, time
start = time.perf_counter()
import numpy as np, plaudit
random = np.random.default_rng(1)
race = plaudit.Race(1000, delta=0.05, seed=1)
for _ in range(3250):
    race.verdict()
    for item in race.ask(2):
        race.tell(item, float(random.random() < item / 1000))
print(json.dumps(time.perf_counter() - start))
"""

RARE_VERDICT = VERDICT.replace('"plaudit"', '"kl-lucb"')

# What `evaluate` takes before it first calls a judge, and at its end.
EVALUATE = (
    "import plaudit; plaudit.evaluate(['a', 'b'], range(12), lambda name, row: float(name == 'b'))"
)


def run(quick: bool = False) -> Report:
    """Medians over several processes each; the cold start once."""
    repeats = 5 if quick else 15
    # Whoever starts Plaudit twice has its byte code.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    report = Report("startup", "seconds until Plaudit is there")
    imported = statistics.median(measure(IMPORT) for _ in range(repeats))
    report.at_most("import plaudit", imported, IMPORT_BAR_SECONDS, "s")
    bare = _median([sys.executable, "-c", "pass"], repeats)
    whole = _median([sys.executable, "-c", "import plaudit"], repeats)
    report.at_most("a process that imports plaudit", whole, IMPORT_BAR_SECONDS, "s")
    report.at_most(
        "plaudit --help", _median([_command(), "--help"], repeats), HELP_BAR_SECONDS, "s"
    )
    report.add("for comparison: a process that does nothing", bare, "s")
    measure(VERDICT)
    _against_numba(report, max(3, repeats // 2))
    warm = statistics.median(measure(VERDICT) for _ in range(max(3, repeats // 3)))
    report.add("first verdict, kernels compiled before", warm, "s")
    _cold(report)
    if not quick:
        _long(report)
        _shipped(report)
    _service(report, max(3, repeats // 3))
    return report


def _against_numba(report: Report, repeats: int) -> None:
    """First races over `import numba`: each pair of processes side by side, then the median."""
    race, command, evaluated = [], [], []
    _wall([_command(), *RACE_COMMAND])
    _wall([sys.executable, "-c", EVALUATE])
    for _ in range(repeats):
        numba = _wall([sys.executable, "-c", "import numba"])
        race.append(_wall([sys.executable, "-c", "import plaudit; plaudit.Race(3)"]) / numba)
        command.append(_wall([_command(), *RACE_COMMAND]) / numba)
        evaluated.append(_wall([sys.executable, "-c", EVALUATE]) / numba)
    first = "first Race() of a process, kernels compiled before, over `import numba`"
    report.at_most(first, statistics.median(race), RACE_BAR, "times")
    name = f"`plaudit {' '.join(RACE_COMMAND)}` likewise"
    report.at_most(name, statistics.median(command), COMMAND_BAR, "times")
    report.add("first `evaluate`, of 24 scores, likewise", statistics.median(evaluated), "times")


def _cold(report: Report) -> None:
    """A package without any compiled kernels: its first verdict, then one of rarer kernels."""
    with cold_copy() as package:
        first = measure(VERDICT, package=package)
        name = "first verdict from sources, kernels not yet compiled"
        report.at_most(name, first, COLD_BAR_SECONDS, "s")
        # The first process left others behind, which make its kernels, and then the rarer ones.
        time.sleep(PAUSE_SECONDS)
        rare = measure(RARE_VERDICT, package=package)
        said = f"a rarer algorithm's first verdict, {PAUSE_SECONDS:g} s later"
        report.at_most(said, rare, RARE_BAR_SECONDS, "s")


def _long(report: Report) -> None:
    """A first race of many votes, which waits for its kernels."""
    with cold_copy() as package:
        spent = measure(LONG, package=package)
    report.add("6,500 votes of a first race of 1,000 items likewise", spent, "s")


def _shipped(report: Report) -> None:
    """A package as `make wheel` builds it: kernels come along, and are translated at first use."""
    with cold_copy() as package:
        ship = [sys.executable, "-P", "-m", "plaudit.compiled", "ship"]
        subprocess.run(ship, check=True, env=environment(package))
        first = measure(VERDICT, package=package)
        report.at_most("first verdict of a wheel with kernels", first, COLD_BAR_SECONDS, "s")
        rare = measure(RARE_VERDICT, package=package)
        report.at_most("a rarer algorithm's first verdict there", rare, RARE_BAR_SECONDS, "s")


def _service(report: Report, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "empty.db")
        make_contest(database, 10)
        seconds_to_start(database)
        spent = statistics.median(seconds_to_start(database) for _ in range(repeats))
    report.at_most("the service until ready, one small contest", spent, SERVICE_BAR_SECONDS, "s")


def _wall(command: list[str]) -> float:
    return wall_seconds(lambda: subprocess.run(command, check=True, capture_output=True))


def _median(command: list[str], repeats: int) -> float:
    return statistics.median(_wall(command) for _ in range(repeats))


def _command() -> str:
    """The `plaudit` of this Python, or else the one on PATH."""
    beside = Path(sys.executable).with_name("plaudit")
    return str(beside) if beside.exists() else shutil.which("plaudit") or "plaudit"
