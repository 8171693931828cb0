"""A race and a service far larger than any contest so far: what an item and a vote cost there.

Races of 10⁴ to 10⁶ items run in fresh processes, one after the other; what matters is how the cost
of an item or a vote grows from the smallest race to the largest. A service is started on logs of
many items and votes. docs/scaling.md calculates from these numbers what a billion votes take.
"""

import tempfile
import time
from pathlib import Path

from benchmarks.dashboard import PAGE, signed_in
from benchmarks.fresh_process import measure
from benchmarks.load import CONTEST, plaudit_serving
from benchmarks.report import Report
from benchmarks.service_start import write_log
from benchmarks.stopwatch import wall_seconds
from plaudit.service.contest.replay import load_state
from plaudit.store import open_store

SIZES = (10**4, 10**5, 10**6)
# Items and votes of the contests that a service is started on.
SERVED = ((10**5, 5 * 10**5), (10**6, 5 * 10**6))
# The costs of an item or a vote may grow by the depth of the trees, and by what a cache misses.
GROWTH_BAR = 4.0

# Every step of a race on many items, in processor time; a small race first loads the kernels.
STEPS = """
import io, json, time
import numpy as np
import plaudit
from plaudit.scale import FUNNY
from plaudit.simulation import Profile, SimulatedRace

def timed(action):
    start = time.process_time()
    found = action()
    return time.process_time() - start, found

def steps(items):
    rng = np.random.default_rng(1)
    votes = np.array(FUNNY.values)[rng.choice(3, items, p=[0.7, 0.2, 0.1])]
    cost = {{}}
    cost["start, an item"], race = timed(lambda: plaudit.Race(items, scale=FUNNY, epsilon=0.05))
    spent, _ = timed(lambda: race.tell_many(np.arange(items), votes))
    cost["first votes, each"] = spent
    def visits():
        for _ in range(200):
            for item in race.ask(20):
                race.tell(item, 0.0)
    cost["visit of 20 by ask and tell, a vote"] = timed(visits)[0] * items / 4000
    cost["verdict"] = timed(lambda: [race.verdict() for _ in range(1000)])[0] * items / 1000
    cost["all intervals, an item"], _ = timed(race.intervals)
    cost["standings, an item"], _ = timed(race.standings)
    cost["shortlists, an item"], _ = timed(race.shortlists)
    file = io.BytesIO()
    cost["save, an item"], _ = timed(lambda: race.save(file))
    size = file.tell() / items
    file.seek(0)
    cost["restore, an item"], again = timed(lambda: plaudit.Race.restore(file))
    assert again.votes == race.votes
    rates = rng.dirichlet([7.0, 2.0, 1.0], items)
    simulated = SimulatedRace(Profile.frequencies(rates, FUNNY.values), epsilon=0.05)
    cost["simulated race, a vote"] = timed(lambda: simulated.run(max_votes=5 * items))[0] / 5
    return {{what: 1e9 * spent / items for what, spent in cost.items()}}, size

steps(10)
print(json.dumps(steps({items})))
"""


def run(quick: bool = False) -> Report:
    """Measures races of each size, then a service on many items."""
    sizes = SIZES[:2] if quick else SIZES
    report = Report("scale", f"races of {sizes[0]:,} to {sizes[-1]:,} items, and a service")
    measured = [measure(STEPS.format(items=items)) for items in sizes]
    report.grid.append(["processor time, ns", *(f"{items:,}" for items in sizes), "growth"])
    for what in measured[0][0]:
        costs = [cost[what] for cost, _ in measured]
        growth = max(costs) / costs[0]
        report.grid.append([what, *(f"{cost:,.0f}" for cost in costs), f"{growth:.2f}"])
        report.at_most(f"{what}: growth", growth, GROWTH_BAR, "times")
    report.add("a saved race, an item", measured[-1][1], "bytes")
    for items, votes in ((10**4, 10**4),) if quick else SERVED:
        _serve(report, items, votes)
    return report


def _serve(report: Report, items: int, votes: int) -> None:
    """A service on a log: its size, how long reading it takes, a start, the dashboard."""
    import httpx2

    with tempfile.TemporaryDirectory() as folder:
        database, small = str(Path(folder) / "many.db"), Path(folder) / "small.db"
        write_log(database, small, votes, items)
        named = f"service, {items:,} items, {votes:,} votes"
        size = Path(database).stat().st_size - small.stat().st_size
        report.add(f"{named}: the database, a vote", size / votes, "bytes")
        report.add(f"{named}: the database, an item", small.stat().st_size / items, "bytes")
        store = open_store(database)
        whole = wall_seconds(lambda: load_state(store, CONTEST))
        report.add(f"{named}: reading the log, a vote", 1e6 * whole / votes, "µs")
        if (snapshot := store.snapshot(CONTEST)) is not None:
            report.add(f"{named}: the snapshot, an item", len(snapshot.body) / items, "bytes")
        store.close()
        cookie = signed_in(database)
        start = time.perf_counter()
        with (
            plaudit_serving(database) as url,
            httpx2.Client(base_url=url, cookies=cookie, timeout=300.0) as client,
        ):
            report.add(f"{named}: until the service answers", time.perf_counter() - start, "s")
            for what, path in (("first dashboard", PAGE), ("an update of it", f"{PAGE}/board")):
                seconds = wall_seconds(lambda path=path: client.get(path).raise_for_status())
                report.add(f"{named}: {what}", seconds, "s")
            report.add(f"{named}: memory", _resident(url.pid) / 2**20, "MB")


def _resident(pid: int) -> int:
    """The memory of a process and of those that it started, in bytes."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        except OSError:
            continue
        if pid in (int(status.parent.name), int(fields["PPid"])) and "VmRSS" in fields:
            total += int(fields["VmRSS"].split()[0]) * 1024
    return total
