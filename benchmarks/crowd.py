"""Votes to a verdict with a thousand raters at once, over those with one vote at a time."""

import statistics
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.load import CONTEST, make_contest, plaudit_serving
from benchmarks.report import Report
from plaudit import Race
from plaudit.client import Client
from plaudit.crowd import Crowd
from plaudit.scale import FUNNY
from plaudit.service.accounts.api_keys import new_key
from plaudit.store import open_store

ITEMS = 300
RATERS = 1_000
EPSILON = 0.05
DELTA = 0.01
BAR = 1.15


def run(quick: bool = False) -> Report:
    """Runs the crowd over HTTP once or a few times, and races of one vote at a time many times."""
    repeats = 1 if quick else 3
    report = Report("crowd", f"{RATERS:,} raters at once, {ITEMS} items, three items ahead each")
    qualities = _qualities()
    alone = [_sequential(qualities, seed) for seed in range(10 if quick else 40)]
    together = [_crowd(qualities, seed) for seed in range(repeats)]
    report.add("votes to the verdict, one vote at a time", statistics.mean(alone))
    report.add("votes to the verdict, the crowd over HTTP", statistics.mean(together))
    report.at_most(
        "crowd over one at a time", statistics.mean(together) / statistics.mean(alone), BAR
    )
    spread = statistics.stdev(alone)
    report.notes.append(
        f"one at a time: {len(alone)} races, standard deviation {spread:,.0f}; the crowd: "
        f"{', '.join(f'{votes:,}' for votes in together)}"
    )
    return report


def _qualities() -> dict[int, float]:
    """The means of the items: most are near 0, and one is the best."""
    random = np.random.default_rng(11)
    means = 0.05 + 0.5 * random.random(ITEMS) ** 3
    means[17] = 0.7
    return dict(enumerate(means.tolist()))


def _sequential(qualities: dict[int, float], seed: int) -> int:
    race = Race(ITEMS, delta=DELTA, epsilon=EPSILON, scale=FUNNY, seed=seed)
    random = np.random.default_rng(seed)
    while not race.verdict():
        for item in race.ask(1):
            race.tell(item, FUNNY.values[random.binomial(2, qualities[item])])
    return race.votes


def _crowd(qualities: dict[int, float], seed: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "crowd.db")
        make_contest(database, ITEMS, epsilon=EPSILON, delta=DELTA, seed=seed)
        store = open_store(database)
        key = new_key(store, "crowd", ("raters", "read"))
        store.close()
        with plaudit_serving(database) as url, Client(url, key=key) as client:
            crowd = Crowd(
                client, CONTEST, raters=RATERS, qualities=qualities, think_seconds=0.5, seed=seed
            )
            crowd.run()
            return int(client.results(CONTEST)["votes"])
