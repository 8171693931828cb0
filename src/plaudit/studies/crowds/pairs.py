"""Bets on differences, where few items are rated by everyone: a paired race against the default.

Both sides meet raters of the same law: kind and stern ones, as in `Population`. An item that is
out is shown to nobody any more, on either side.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.race import PairedRace
from plaudit.scale import FUNNY
from plaudit.simulation.crowds import Population
from plaudit.simulation.visits import VisitRace
from plaudit.studies.level_laws import three_levels

DELTA = 0.01
BEST, REST = 0.6, 0.5
CHUNK = 64
MOST_RATERS = 50_000
BOTH = ("separation", "differences", "right")

Floats = NDArray[np.float64]


def few_items(items: int, correlation: float, seed: int) -> dict[str, Any]:
    """Votes to a verdict by the default and by a paired race; all rate all that is open."""
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
    """Votes until the verdict of a paired race, and whom it names; -1 where raters run out."""
    generator = np.random.default_rng(seed)
    race = PairedRace(len(below), delta=DELTA, scale=FUNNY, seed=seed)
    for _ in range(MOST_RATERS // CHUNK):
        for row in draw_rows(below, values, correlation, generator, raters=CHUNK).tolist():
            race.tell({item: row[item] for item in race.ask()})
            if race.verdict():
                return race.votes, race.verdict().items[0]
    return race.votes, -1


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
