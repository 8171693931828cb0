"""Trials as good as the best, and worse ones: who prunes them, after how many instances.

Beside `PlauditPruner` stands Wilcoxon's test as Optuna's pruner applies it: after every instance,
at its default of 0.1, and only where the mean is worse as well. A table of differences is put into
many random orders; both see the same ones.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wilcoxon

from benchmarks.report import Report
from plaudit.adapters.optuna import PlauditPruner, _Look

INSTANCES, TRIALS, ORDERS = 100, 100, 200
P_THRESHOLD, DELTA = 0.1, 0.05

Table = NDArray[np.float64]


def run(quick: bool) -> Report:
    report = Report("pruners", f"Trials of {INSTANCES} instances: pruned, and after how many")
    each = PlauditPruner(INSTANCES, delta=DELTA, split=False).level(0)
    split = PlauditPruner(INSTANCES, delta=DELTA, trials=TRIALS).level(0)
    stops: dict[str, Callable[[Table], int]] = {
        "Wilcoxon, p 0.1": _by_ranks,
        "delta 0.05 for each trial": lambda table: _by_bets(table, each),
        f"delta 0.05 for {TRIALS} trials together": lambda table: _by_bets(table, split),
    }
    rng = np.random.default_rng(11)
    for name, table in _tables(rng).items():
        orders = [rng.permutation(table) for _ in range(20 if quick else ORDERS)]
        for way, stop in stops.items():
            found = np.array([stop(order) for order in orders])
            wrong = float(100 * (found < INSTANCES).mean())
            if table.mean() < 1e-9 and way.startswith("delta"):
                report.at_most(f"{name}: {way}", wrong, 100 * DELTA, "% pruned")
            else:
                report.add(f"{name}: {way}", wrong, "% pruned")
            report.add(f"{name}: {way}", float(found.mean()), "instances")
    return report


def _tables(rng: np.random.Generator) -> dict[str, Table]:
    """How much worse a trial is on each instance; on average exactly so much."""

    def with_mean(values: Table, mean: float) -> Table:
        return values - values.mean() + mean

    few = np.concatenate([rng.normal(0.1, 0.02, 90), rng.normal(-0.8, 0.02, 10)])
    tables = {
        "as good": with_mean(rng.normal(0.0, 0.2, INSTANCES), 0.0),
        "as good, much better on few": with_mean(few, 0.0),
    }
    for mean in (0.05, 0.1, 0.2):
        tables[f"worse by {mean}"] = with_mean(rng.normal(0.0, 0.2, INSTANCES), mean)
    return tables


def _by_bets(table: Table, level: float) -> int:
    look = _Look({})
    for place, worse in enumerate(table[:-1]):
        look.bet(worse, INSTANCES - place, 0.0)
        if look.log_capital >= level:
            return place + 1
    return INSTANCES


def _by_ranks(table: Table) -> int:
    for seen in range(2, INSTANCES):
        part = table[:seen]
        p = wilcoxon(part, alternative="greater", zero_method="zsplit").pvalue
        if p < P_THRESHOLD and part.mean() > 0.0:
            return seen
    return INSTANCES
