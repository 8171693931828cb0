"""Start-up time: import, help, and the first verdict, in fresh processes."""

import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.fresh_process import cold_copy, measure
from benchmarks.report import Report
from benchmarks.stopwatch import wall_seconds

IMPORT_BAR_SECONDS = 0.5
HELP_BAR_SECONDS = 0.3

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
race = plaudit.Race(3, delta=0.05, seed=1)
while not race.verdict():
    for item in race.ask(2):
        race.tell(item, 1.0 if item == 2 else 0.0)
print(json.dumps(time.perf_counter() - start))
"""


def run(quick: bool = False) -> Report:
    """Medians over several processes each; the cold start once."""
    repeats = 5 if quick else 15
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
    warm = statistics.median(measure(VERDICT) for _ in range(max(3, repeats // 3)))
    report.add("first verdict, kernels compiled before", warm, "s")
    with cold_copy() as package:
        report.add(
            "first verdict, kernels not yet compiled", measure(VERDICT, package=package), "s"
        )
    return report


def _median(command: list[str], repeats: int) -> float:
    def once() -> None:
        subprocess.run(command, check=True, capture_output=True)

    return statistics.median(wall_seconds(once) for _ in range(repeats))


def _command() -> str:
    """The `plaudit` of this Python, or else the one on PATH."""
    beside = Path(sys.executable).with_name("plaudit")
    return str(beside) if beside.exists() else shutil.which("plaudit") or "plaudit"
