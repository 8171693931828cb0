"""Memory of a race over a million items, and how soon it starts, in fresh processes."""

import statistics

from benchmarks.fresh_process import cold_copy, measure
from benchmarks.report import Report

ITEMS = 10**6
BYTES_BAR = 200
START_BAR_SECONDS = 10

SCALES = {
    "no scale": "None",
    "3-level scale": "plaudit.Scale.parse('Unfunny=0,Somewhat funny=0.5,Funny=1')",
}

# A small race first: what it loads (NumPy, numba, kernels) is not a cost per item. Then every
# item gets a vote, so that all memory pages of the large race are really in use.
MEMORY = """
import json
from pathlib import Path
import numpy as np
import plaudit
from plaudit.race import judge

# The kernel's own books of this process: getrusage also counts what the parent once held.
def kilobytes(name):
    lines = Path('/proc/self/status').read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name + ':'))

def resident():
    return kilobytes('VmRSS') * 1024

def peak():
    return kilobytes('VmHWM') * 1024

def fill(race):
    count = len(race)
    levels = np.full(count, 2 if race.settings.scale else -1)
    judge.tell_all(race.engine.state, np.arange(count), np.ones(count), levels)
    race.ask(2)

scale = {scale}
fill(plaudit.Race(10, scale=scale))
before = resident()
race = plaudit.Race({items}, scale=scale)
highest = peak() - before
held = sum(array.nbytes for array in race.engine.arrays())
fill(race)
grown = resident() - before
print(json.dumps([held / {items}, grown / {items}, highest / {items}]))
"""

START = """
import json, time
start = time.perf_counter()
import plaudit
race = plaudit.Race({items})
print(json.dumps(time.perf_counter() - start))
"""


def run(quick: bool = False) -> Report:
    """Measures a race without and with a scale, then how soon one starts."""
    report = Report("memory", f"a race of {ITEMS:,} items")
    for name, scale in SCALES.items():
        held, grown, highest = measure(MEMORY.format(scale=scale, items=ITEMS))
        report.at_most(f"{name}: arrays, an item", held, BYTES_BAR, "bytes")
        report.at_most(f"{name}: growth of the process, an item", grown, BYTES_BAR, "bytes")
        report.add(f"{name}: its peak while starting, an item", highest, "bytes")
    start = START.format(items=ITEMS)
    warm = statistics.median(measure(start) for _ in range(3 if quick else 7))
    report.at_most("import and start, kernels compiled before", warm, START_BAR_SECONDS, "s")
    with cold_copy() as package:
        cold = measure(start, package=package)
    report.at_most("import and start, kernels compiled on the way", cold, START_BAR_SECONDS, "s")
    return report
