"""Figure 1 as the paper ran it: both panels, three bounds, 250 races a curve, two threads.

Wall-clock time with compiled kernels: what a user waits for. Beside it the whole study, which
also runs LUCB pairs, and how much the second thread gains.
"""

from benchmarks.report import Report
from benchmarks.stopwatch import wall_seconds
from plaudit.simulation.executors import open_executor
from plaudit.studies.figure_1 import STUDY
from plaudit.studies.study import Options, Record

MINUTE = 60.0
THREADS = 2
QUICK_REPETITIONS = 20


def run(quick: bool = False) -> Report:
    """Times the races of Figure 1."""
    report = Report("figure_1", "the races of Figure 1 on two cores")
    plan = STUDY.prepare(Options(repetitions=QUICK_REPETITIONS if quick else None))
    paper = [part for part in plan.parts if part["address"][2] == "UCB sampling"]
    pairs = [part for part in plan.parts if part["address"][2] == "LUCB pairs"]
    _seconds(plan.shared, [paper[0], pairs[0]], THREADS)
    two = _seconds(plan.shared, paper, THREADS)
    report.at_most("as the paper ran it, share of a minute", two / MINUTE, 1.0)
    report.add("the same", two, "s")
    report.add("LUCB pairs beside it", _seconds(plan.shared, pairs, THREADS), "s")
    alone = _seconds(plan.shared, paper, 1)
    report.add("one thread over two", alone / two, "times")
    votes = sum(part["horizon"] * (part["end"] - part["first"]) for part in paper)
    report.add("votes as the paper ran it", votes)
    report.note(f"{plan.settings['repetitions']} races a curve; writing the files is not counted.")
    return report


def _seconds(shared: object, parts: list[Record], threads: int) -> float:
    with open_executor(threads=threads) as executor:
        return wall_seconds(lambda: list(executor.run(STUDY.work, shared, parts)))
