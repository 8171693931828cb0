"""What a vote, an ask, a start and more cost now, over what they cost in an earlier revision.

Both codes run in one run, each in processes of its own. In every round each process does the
same work once, in an order that changes from round to round. A third process runs the earlier
code again: its ratio to the first shows how much noise there is.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.before_after.code_trees import ROOT, names_of, source_of
from benchmarks.before_after.plan import QUICK, WHOLE, Planned, Size, chosen
from benchmarks.before_after.postgres import new_databases
from benchmarks.before_after.processes import SideProcess, running
from benchmarks.before_after.ratios import Ratio, ratio_of
from benchmarks.report import Report, Row

# The last revision before the code was divided into rooms.
BEFORE = "1e40f27"
BAR = 1.03
# Seconds of all rounds: launch, round, process, and processor or wall.
Times = NDArray[np.float64]


def run(quick: bool = False, *, before: str = BEFORE, tasks: str = "") -> Report:
    """Measures all tasks in several launches of the processes."""
    plan, size = chosen(tasks), QUICK if quick else WHOLE
    report = Report("before_after", f"costs now over those of {before}, {size.votes:,} votes")
    with (
        source_of(before) as source,
        tempfile.TemporaryDirectory() as folder,
        new_databases() as new_database,
    ):
        if new_database is None:
            plan = tuple(planned for planned in plan if not planned.task.startswith("Postgres"))
            report.note("PostgreSQL is left out: the server of the tests is not installed.")
        sources = {"before": source, "again": source, "now": ROOT / "src"}
        sides = [(names_of(code), code, Path(folder) / place) for place, code in sources.items()]
        _make_databases(sides, size.votes)
        found: dict[str, list[Times]] = {planned.task: [] for planned in plan}
        for launch in range(1, size.launches + 1):
            with running(sides) as processes:
                for planned in plan:
                    print(f"launch {launch} of {size.launches}: {planned.title}", file=sys.stderr)
                    times = _measure(processes, planned, size, new_database)
                    found[planned.task].append(times)
    for planned in plan:
        _add_rows(report, planned, np.array(found[planned.task]))
    report.note(
        "Milliseconds are those of a round. In brackets: 95 % of resampled rounds. Noise: the code "
        "before, run again, over itself."
    )
    return report


def _make_databases(sides: list[tuple[str, Path, Path]], votes: int) -> None:
    """Each code writes the log that it will read."""
    for _, _, folder in sides:
        folder.mkdir()
    first, again, now = sides
    for side in (first, now):
        with running([side]) as (process,):
            process.make(votes)
    shutil.copytree(first[2], again[2], dirs_exist_ok=True)


def _measure(
    processes: list[SideProcess],
    planned: Planned,
    size: Size,
    new_database: Callable[[], str] | None,
) -> Times:
    """The times of one task in one launch; the first round warms up and does not count."""
    for process in processes:
        is_remote = planned.task.startswith("Postgres")
        process.begin(planned.task, new_database() if is_remote and new_database else "")
    rounds = max(3, round(size.rounds * planned.share))
    times = np.empty((rounds + 1, len(processes), 2))
    for number in range(rounds + 1):
        for step in range(len(processes)):
            place = (number + step if number % 2 else number - step) % len(processes)
            times[number, place] = processes[place].round()
    for process in processes:
        process.end()
    return times[1:]


def _add_rows(report: Report, planned: Planned, times: Times) -> None:
    for place, clock in enumerate(("processor", "wall")):
        before, again, now = (times[:, :, side, place] for side in range(3))
        ratio, noise = ratio_of(now, before), ratio_of(again, before)
        report.rows.append(
            Row(
                f"{planned.title}, {clock} ({1e3 * np.median(before):,.0f} ms before)",
                ratio.value,
                asked=f"at most {BAR}",
                holds=_holds(ratio, noise),
                remark=f"{_bracket(ratio)}; noise {noise.value:.3f} {_bracket(noise)}",
            )
        )


def _holds(ratio: Ratio, noise: Ratio) -> bool | None:
    """Whether a cost stayed below the bar; None where the noise leaves both open."""
    if ratio.high <= BAR:
        return True
    return False if ratio.low > BAR and ratio.value > noise.high else None


def _bracket(ratio: Ratio) -> str:
    return f"({ratio.low:.3f} to {ratio.high:.3f})"
