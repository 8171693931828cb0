"""What it costs in votes to divide the raters of a contest over contests that share nothing.

Each part asks what its own votes make it ask, and the counts of all are added for the verdict. So
an item is ruled out once in each part before all stop asking for it. How many votes more that takes
is measured on simulated races: of one contest, and of its raters divided over two and four.
"""

from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Report
from plaudit import Race
from plaudit.scale import FUNNY
from plaudit.simulation import Profile

PARTS = (1, 2, 4)
# Verdicts are looked for after so many votes in every part together.
LOOK = 200


def run(quick: bool = False) -> Report:
    """Votes to the verdict by the number of parts, on two profiles."""
    report = Report("divided", "one contest's raters divided over several contests, counts added")
    items, races = (60, 2) if quick else (300, 5)
    for exponent in (0.5, 1.0):
        means = Profile.power(items, exponent).means
        votes = {
            parts: mean(_votes(means, parts, seed) for seed in range(races)) for parts in PARTS
        }
        for parts in PARTS:
            name = f"power {exponent:g}, {items} items, {parts} part{'s' if parts > 1 else ''}"
            report.add(f"{name}: votes", votes[parts])
            if parts > 1:
                report.add(f"{name}: votes over those of one", votes[parts] / votes[1])
    return report


def _votes(means: NDArray[np.float64], parts: int, seed: int) -> int:
    """The votes until the counts of all parts, added, give a verdict."""
    settings: dict[str, Any] = {"delta": 0.05, "epsilon": 0.1}
    races = [Race(len(means), scale=FUNNY, seed=seed + 1000 * p, **settings) for p in range(parts)]
    levels = np.zeros((len(means), 3), dtype=np.int64)
    chance = np.random.default_rng([seed, parts])
    while True:
        for turn in range(LOOK):
            race = races[turn % parts]
            # A part that has its own verdict goes on by chance: the whole has none yet.
            item = chance.integers(len(means)) if race.verdict() else race.ask(1)[0]
            level = 2 if chance.random() < means[item] else 0
            race.tell(int(item), FUNNY.values[level])
            levels[item, level] += 1
        votes = levels.sum(axis=1)
        totals = levels @ np.array(FUNNY.values)
        whole = Race.from_votes(votes, totals, levels=levels, scale=FUNNY, **settings)
        if whole.verdict():
            return int(votes.sum())
