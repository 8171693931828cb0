"""Candidates scored on a set of examples: made-up tables of scores, and ways to find the best.

`tables` draws tables shaped like real benchmarks. `finite` runs Plaudit's race on them by the same
kernels as `plaudit.evaluate`; `hoeffding`, `two_looks` and `wilcoxon` are what else people use.
Each way gets a table, a line an example in random order, and says how many scores it needed and
whom it named. Results depend on seeds alone.
"""

from plaudit.simulation.examples.finite import run_finite
from plaudit.simulation.examples.hoeffding import run_hoeffding
from plaudit.simulation.examples.tables import BENCHMARKS, Benchmark
from plaudit.simulation.examples.two_looks import run_two_looks
from plaudit.simulation.examples.wilcoxon import run_wilcoxon

__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "run_finite",
    "run_hoeffding",
    "run_two_looks",
    "run_wilcoxon",
]
