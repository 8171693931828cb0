"""The cost of running parts: threads and worker processes, tiny parts and real ones, memory.

A real part is a few whole lil-KLUCB races of 1,000 items. The ways of running them take turns,
so that other work on the machine slows all of them equally, and medians are compared. Processor
seconds of all processes together show the cost on a busy machine too.
"""

import logging
import statistics
import time
from collections import defaultdict
from contextlib import ExitStack
from typing import Any

from benchmarks.fresh_process import measure
from benchmarks.report import Report
from benchmarks.stopwatch import wall_seconds
from plaudit.simulation import Profile, SimulatedRace, open_executor
from plaudit.simulation.executors import groups
from plaudit.simulation.executors.cluster_run import DaskExecutor

RACES_A_PART = 5
WAYS = {
    "1 thread": {"threads": 1},
    "2 threads": {"threads": 2},
    "1 worker process": {"cluster": "local", "threads": 1},
    "2 worker processes": {"cluster": "local", "threads": 2},
}
TINY_BAR_MS = 1.0
MEMORY_BAR = 1.05

# The peak memory that the operating system reports for a process, after some races.
PEAK = """
import json
from pathlib import Path
from plaudit.simulation import Profile, SimulatedRace, open_executor

def race(profile, seed):
    return SimulatedRace(profile, seed=seed, algorithm="lil-klucb", delta=0.01).run().votes

if __name__ == '__main__':
    with open_executor({settings}) as executor:
        profile = Profile.power(1000, 0.5)
        votes = sum(done for _, done in executor.run(race, profile, range({races})))
    lines = Path('/proc/self/status').read_text().splitlines()
    print(json.dumps(next(int(line.split()[1]) for line in lines if line.startswith('VmHWM:'))))
"""


def run(quick: bool = False) -> Report:
    """Overhead of tiny parts, throughput of real ones, many threads, peak memory."""
    report = Report("scaling", "parts of a study on threads and on worker processes")
    with ExitStack() as stack:
        ways = {
            name: stack.enter_context(open_executor(**settings)) for name, settings in WAYS.items()
        }
        _tiny(report, ways["2 threads"], ways["2 worker processes"], 2000 if quick else 20_000)
        _groups(report, ways["2 worker processes"], 300 if quick else 2000)
        _real(report, ways, parts=20 if quick else 300, repeats=2 if quick else 5)
    _rehearse(report, 1000 if quick else 20_000)
    _memory(report, 100 if quick else 1000)
    return report


def echo(_: object, part: object) -> object:
    """The smallest part."""
    return part


def races(profile: Profile, part: int) -> int:
    """A real part: the votes of some whole races."""
    seeds = range(RACES_A_PART * part, RACES_A_PART * (part + 1))
    return sum(
        SimulatedRace(profile, seed=seed, algorithm="lil-klucb", delta=0.01).run().votes
        for seed in seeds
    )


def rest(seconds: float, _: object) -> None:
    """A part that takes time but no processor."""
    time.sleep(seconds)


class Cost:
    """Wall-clock seconds, and processor seconds in this process and in the workers."""

    def __init__(self, executor: Any, work: Any, shared: object, parts: int) -> None:
        here, there = time.process_time(), _workers_seconds(executor)
        self.wall = wall_seconds(lambda: [None for _ in executor.run(work, shared, range(parts))])
        self.here = time.process_time() - here
        self.there = _workers_seconds(executor) - there


def _workers_seconds(executor: Any) -> float:
    if not isinstance(executor, DaskExecutor):
        return 0.0
    return float(sum(executor.client.run(time.process_time).values()))


def _tiny(report: Report, threads: Any, processes: Any, parts: int) -> None:
    """The cost of a part that does nothing."""
    shared = Profile.power(1000, 0.5)
    for name, executor in (("2 threads", threads), ("2 worker processes", processes)):
        Cost(executor, echo, shared, 100)
        cost = statistics.median(Cost(executor, echo, shared, parts).wall for _ in range(3))
        report.at_most(f"tiny parts, {name}: a part", cost / parts * 1e3, TINY_BAR_MS, "ms")


def _groups(report: Report, processes: Any, parts: int) -> None:
    """The cost of a group: the same with one part per group."""
    before = groups.MOST_PARTS
    groups.MOST_PARTS = 1
    try:
        cost = Cost(processes, echo, None, parts)
    finally:
        groups.MOST_PARTS = before
    name = "groups of one tiny part"
    report.add(f"{name}: a group", cost.wall / parts * 1e3, "ms")
    report.add(f"{name}: processor of client and scheduler", cost.here / parts * 1e3, "ms")
    report.add(f"{name}: processor of the worker", cost.there / parts * 1e3, "ms")


def _real(report: Report, ways: dict[str, Any], *, parts: int, repeats: int) -> None:
    """How much faster than on one thread, and at what cost."""
    profile = Profile.power(1000, 0.5)
    costs = defaultdict(list)
    for executor in ways.values():
        Cost(executor, races, profile, 4)
    for _ in range(repeats):
        for name, executor in ways.items():
            costs[name].append(Cost(executor, races, profile, parts))
    alone = costs["1 thread"]
    part_seconds = statistics.median(cost.here for cost in alone) / parts
    report.add(f"a real part ({RACES_A_PART} races), 1 thread, processor", part_seconds * 1e3, "ms")
    for name in ways:
        pairs = list(zip(alone, costs[name], strict=True))
        faster = statistics.median(one.wall / other.wall for one, other in pairs)
        dearer = statistics.median((other.here + other.there) / one.here for one, other in pairs)
        report.add(f"real parts, {name}: throughput", faster, "times 1 thread")
        report.add(f"real parts, {name}: processor", dearer, "times 1 thread")


def _rehearse(report: Report, parts: int) -> None:
    """The overhead of client and scheduler: a thousand threads that sleep instead of working."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=4,
        threads_per_worker=250,
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
        silence_logs=logging.CRITICAL,
    )
    with cluster, Client(cluster, set_as_default=False) as client:
        executor = DaskExecutor(client)
        Cost(executor, rest, 0.0, 1000)
        cost = Cost(executor, rest, 1.0, parts)
    name = f"1,000 sleeping threads, {parts:,} parts of 1 s"
    report.add(f"{name}: of the best time", cost.wall / (parts / 1000), "times")
    report.add(f"{name}: client and scheduler busy", cost.here / cost.wall, "of the time")
    report.add(f"{name}: workers busy beside sleeping", cost.there / cost.wall, "cores")


def _memory(report: Report, races: int) -> None:
    """Peak memory of fresh processes that run some races, and eight times as many."""
    ways = {"2 threads": "threads=2", "a client of 2 workers": "'local', threads=2"}
    for name, settings in ways.items():
        few, many = (
            measure(PEAK.format(settings=settings, races=count)) / 1024
            for count in (races, 8 * races)
        )
        report.add(f"peak memory, {name}, {races:,} races", few, "MB")
        report.add(f"peak memory, {name}, {8 * races:,} races", many, "MB")
        report.at_most(f"peak memory, {name}, more over less", many / few, MEMORY_BAR, "times")
