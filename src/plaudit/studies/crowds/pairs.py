"""Bets on differences, where few items are rated by everyone: do they pay?

One rater's votes X and Y on two items enter as X - Y. For every bet b in (0, 1) the product of
1 + b (X - Y) over the raters is fair or worse if the second item is at least as good, whatever the
dependence of X and Y. A mean over a fixed list of bets is so, too. Item j is out once some item
has a capital of (n - 1)/delta against it: the best item is out with probability at most delta.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.simulation.crowds import Population
from plaudit.simulation.visits import VisitRace
from plaudit.studies.level_laws import three_levels

DELTA = 0.01
BEST, REST = 0.6, 0.5
BETS = np.geomspace(0.01, 0.95, 24)
CHUNK = 64
MOST_RATERS = 50_000
BOTH = ("separation", "differences", "right")

Floats = NDArray[np.float64]


def few_items(items: int, correlation: float, seed: int) -> dict[str, Any]:
    """Votes to a verdict by the default and by bets on differences, every rater rating all.

    An item that is out is shown to nobody any more, on either side.
    """
    profile = three_levels([BEST] + (items - 1) * [REST])
    people = Population(kind_stern=correlation)
    race = VisitRace(
        profile, people=people, votes_per_rater=items, seed=seed, delta=DELTA, reserve=0.0
    )
    outcome = race.run(max_votes=MOST_RATERS * items)
    votes, named = by_differences(profile.below, profile.values, correlation, seed)
    return {
        "separation": outcome.votes,
        "differences": votes,
        "right": int(outcome.correct) + int(named == 0),
    }


def by_differences(below: Floats, values: Floats, correlation: float, seed: int) -> tuple[int, int]:
    """Votes until one item is left, and which; kind and stern raters as in `Population`."""
    generator = np.random.default_rng(seed)
    items = len(below)
    level = np.log((items - 1) / DELTA)
    alive = np.ones(items, dtype=bool)
    gains = np.zeros((items, items, BETS.size))
    votes = 0
    for _ in range(MOST_RATERS // CHUNK):
        rows = draw_rows(below, values, correlation, generator, raters=CHUNK)
        differences = rows[:, :, None] - rows[:, None, :]
        path = gains + np.cumsum(np.log1p(differences[..., None] * BETS), axis=0)
        capital = log_mean(path)
        for rater in range(CHUNK):
            votes += int(alive.sum())
            beaten = (capital[rater] >= level)[alive].any(axis=0)
            alive &= ~beaten
            if alive.sum() <= 1:
                return votes, int(np.argmax(alive)) if alive.any() else -1
        gains = path[-1]
    return votes, -1


def draw_rows(
    below: Floats,
    values: Floats,
    correlation: float,
    generator: np.random.Generator,
    *,
    raters: int,
) -> Floats:
    """Votes of so many raters on all items, one row each."""
    places = generator.random((raters, len(below)))
    own = np.broadcast_to(generator.random((raters, 1)), places.shape)
    places = np.where(generator.random(places.shape) < np.sqrt(correlation), own, places)
    levels = (places[:, :, None] >= below[None]).sum(axis=2)
    drawn: Floats = values[levels]
    return drawn


def log_mean(logs: Floats) -> Floats:
    """The logarithm of the mean capital over all bets (last axis)."""
    most = logs.max(axis=-1)
    mean: Floats = most + np.log(np.exp(logs - most[..., None]).mean(axis=-1))
    return mean
