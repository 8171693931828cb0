"""Which share of the full grid's calls `plaudit.evaluate` needs, and how often it is wrong."""

from collections.abc import Mapping, Sequence

from plaudit.simulation.examples import BENCHMARKS, Benchmark
from plaudit.simulation.seeds import seed_at
from plaudit.studies.evaluate.page import share_chart, share_notes, share_tables
from plaudit.studies.evaluate.rows import error_claim, fewest_claim, pruner_claim, rows_of
from plaudit.studies.evaluate.ways import DELTA, EPSILON, WAYS
from plaudit.studies.study import Findings, Options, Record, Study, StudyPlan, blocks

NAME = "evaluate"
RUNS, QUICK_RUNS = 10_000, 40
BLOCK = 50


def prepare(options: Options) -> StudyPlan:
    """Every benchmark, in blocks of tables; all ways get the same tables."""
    runs = options.repeat(RUNS, QUICK_RUNS)
    parts = [
        benchmark.record()
        | {"delta": DELTA, "epsilon": EPSILON, "seed": options.seed, "first": first, "end": end}
        for benchmark in BENCHMARKS
        for first, end in blocks(runs, BLOCK)
    ]
    settings: Record = {"delta": DELTA, "epsilon": EPSILON, "runs": runs, "ways": list(WAYS)}
    shared = {benchmark.name: benchmark for benchmark in BENCHMARKS}
    return StudyPlan(settings, parts, shared)


def work(shared: Mapping[str, Benchmark], part: Record) -> Record:
    """Runs all ways on a block of tables: for each, shares of the grid's calls, and errors."""
    benchmark = shared[part["name"]]
    sums: dict[str, Record] = {
        name: {"runs": 0, "share": 0.0, "squares": 0.0, "wrong": 0, "off": 0.0} for name in WAYS
    }
    for run in range(part["first"], part["end"]):
        table = benchmark.draw(seed_at(part["seed"], NAME, benchmark.name, run))
        totals = table.sum(axis=0)
        for name, way in WAYS.items():
            found = way.run(table, benchmark.levels)
            share = found.calls / table.size
            # By how much the winner is behind the best, on the mean over all examples.
            off = float(totals.max() - totals[found.winner]) / len(table)
            one = sums[name]
            one["runs"] += 1
            one["share"] += share
            one["squares"] += share * share
            one["wrong"] += int(off > way.slack + 1e-9)
            one["off"] += off
    return sums


def conclude(plan: StudyPlan, results: Sequence[Record]) -> Findings:
    """Shares and error rates with their limits."""
    rows = rows_of(plan, results)
    return Findings(
        claims=[error_claim(rows), fewest_claim(rows), pruner_claim(rows)],
        tables=share_tables(rows),
        chart=lambda: share_chart(rows),
        figure_caption=(
            "The share of the full grid's calls that each way needs, and the share of runs in "
            f"which it names a candidate that is not the best. δ = {DELTA:g}, dashed."
        ),
        notes=list(share_notes()),
    )


STUDY = Study(
    NAME,
    "Which share of the full grid's calls does `plaudit.evaluate` need, and how often is it wrong?",
    prepare,
    work,
    conclude,
    claims_heading="wanted",
)
