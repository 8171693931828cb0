"""Shapes like a past contest, for planning a new one."""

from typing import TYPE_CHECKING

import numpy as np

from plaudit.datasets.table import VoteTable
from plaudit.errors import InvalidInput
from plaudit.scale import Scale

if TYPE_CHECKING:
    from plaudit.simulation import Profile
    from plaudit.simulation.shapes import Shape


def contest_shape(
    table: VoteTable, *, name: str, items: int | None = None, scale: Scale | None = None
) -> "Shape":
    """A shape whose items are drawn from those of a past contest: `items` of them, or as many.

    For each race, items are taken from the past contest (each once, while they last), and the
    frequencies of each are drawn given its votes there. So items with few votes move towards the
    others, and none is an exact copy of another. On a scale other than the past one, an item keeps
    its mean and, as far as the levels allow, its share of the variance.
    """
    # The simulation brings the compiler along, which reading votes does not need.
    from plaudit.simulation import Profile
    from plaudit.simulation.posterior import draw_frequencies, fit_prior
    from plaudit.simulation.shapes import Shape

    if table.levels is None or table.scale is None:
        raise InvalidInput(
            f"{name} has no votes at each level of a scale: name a contest with a summary."
        )
    counts = table.levels[table.votes > 0].astype(np.float64)
    if len(counts) < 2:
        raise InvalidInput(f"{name} has {len(counts)} items with votes; at least 2 are needed.")
    wanted = len(counts) if items is None else items
    prior = fit_prior(counts)
    values = list(table.scale.values)
    target = scale or table.scale
    same = target.values == table.scale.values

    def draw(generator: np.random.Generator) -> Profile:
        rounds = -(-wanted // len(counts))
        rows = np.concatenate([generator.permutation(len(counts)) for _ in range(rounds)])[:wanted]
        rates = draw_frequencies(counts[rows], prior, generator)
        profile = Profile.frequencies(rates, values)
        return profile if same else _rescaled(profile, target)

    note = f"{wanted:,} items drawn from the {len(counts):,} of contest {name}, given their votes"
    return Shape(name, note, draw)


def _rescaled(profile: "Profile", scale: Scale) -> "Profile":
    """Items on another scale, with the same means and shares of the variance."""
    from plaudit.simulation.shapes import on_scale

    values = profile.values
    low, high = values.min(), values.max()
    places = (values - low) / (high - low)
    means = np.clip((profile.means - low) / (high - low), 0.0, 1.0)
    chances = np.diff(profile.below, axis=1, prepend=0.0, append=1.0)
    variances = chances @ places**2 - means**2
    return on_scale(means, scale, share=variances / np.maximum(means * (1.0 - means), 1e-300))
