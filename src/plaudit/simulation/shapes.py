"""Shapes: how good the items of a contest may be, before anyone has voted.

A shape draws the profile of one contest. Races on several draws show how much depends on the luck
of the votes and, where the shape is random, on the luck of the items.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.errors import InvalidInput, UnknownName
from plaudit.scale import FUNNY, THUMBS, Scale
from plaudit.simulation.profiles import Profile, parse_profile

CAPTION = "caption"
MAX_ITEMS = 1_000_000

# The shape `caption`: log-odds of a caption's mean against its normal score z, the best caption
# having the largest. Fitted to seven public contests (553, 558, 653, 686, 729, 776, 831), on means
# shrunk towards the contest's own by a normal prior of moments. Above z = PIVOT, which is the best
# forty-fourth, log-odds are LEVEL + TAIL (1 - exp(-BEND (z - PIVOT))) / BEND: least squares over 25
# ranks from 1 to 500 in equal steps of their logarithm, a LEVEL and TAIL for each contest, one BEND
# for all. What is left varies from contest to contest as the spreads say. Below, a line of slope
# BODY ends at the contests' mean median. Not fitted, and yet met: over the 397 public contests the
# best leads the second by 0.0145 in the median and the tenth the next by 0.0026; here by 0.013 and
# 0.002.
PIVOT = 2.0
LEVEL, LEVEL_SPREAD = -1.190, 0.171
LOG_TAIL, LOG_TAIL_SPREAD = -0.191, 0.441
BEND = 0.648
BODY = 0.455
# The variance of a vote on the three levels, as a share of mean (1 - mean), in the same contests.
VARIANCE_SHARE = 0.62


@dataclass(frozen=True)
class Shape:
    """What a contest is expected to look like: `draw` makes a profile, `note` describes it."""

    name: str
    note: str
    draw: Callable[[np.random.Generator], Profile]

    @classmethod
    def of(cls, profile: Profile, *, name: str = "profile") -> "Shape":
        """The same items in every race."""
        return cls(name, "the same items in every race", lambda generator: profile)


def parse_shape(text: str, items: int, *, scale: Scale | None = None) -> Shape:
    """The shape written as ``caption``, ``power:EXPONENT`` or ``means:0.5,0.4,...``.

    Votes lie on `scale`. Without one they lie on three levels for captions, and are 0 and 1
    otherwise.

    >>> parse_shape("caption", 5000).name
    'caption'
    """
    if not isinstance(items, int | np.integer) or not 2 <= items <= MAX_ITEMS:
        raise InvalidInput(f"items must be a whole number from 2 to {MAX_ITEMS:,}; got {items!r}.")
    if text == CAPTION:
        return caption_shape(int(items), scale=scale or FUNNY)
    if text.partition(":")[0] not in ("power", "means"):
        raise UnknownName("shape", text, (CAPTION, "power:0.5", "power:1", "means:0.9,0.5,0.1"))
    means = parse_profile(text, int(items)).means
    profile = on_scale(means, scale or THUMBS)
    return Shape.of(profile, name=text)


def caption_shape(items: int, *, scale: Scale = FUNNY) -> Shape:
    """Items as good as the captions of past contests, drawn anew for each race."""

    def draw(generator: np.random.Generator) -> Profile:
        return on_scale(caption_means(items, generator), scale)

    return Shape(CAPTION, "items like the captions of seven public contests", draw)


def caption_means(items: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """The means of one made-up contest; contests differ in how many good captions they have."""
    level = LEVEL + LEVEL_SPREAD * generator.standard_normal()
    tail = math.exp(LOG_TAIL + LOG_TAIL_SPREAD * generator.standard_normal())
    above = generator.standard_normal(items) - PIVOT
    high = -tail * np.expm1(-BEND * np.maximum(above, 0.0)) / BEND
    means: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-(level + BODY * np.minimum(above, 0) + high)))
    return means


def on_scale(means: ArrayLike, scale: Scale, *, share: ArrayLike = VARIANCE_SHARE) -> Profile:
    r"""Items of these means, in units of the scale's range, with votes on its levels.

    The variance of a vote is `share` of $m(1-m)$, or as near as the levels allow. An item's votes
    are a mixture: of the two ends of the scale, which give all of $m(1-m)$, and of the two levels
    around the mean, which give the least that any votes can have.

    >>> on_scale([0.5, 0.1], FUNNY).below.round(3)
    array([[0.31 , 0.69 ],
           [0.832, 0.968]])
    """
    centres = np.atleast_1d(np.asarray(means, dtype=np.float64))
    order = np.argsort(scale.values)
    values = np.asarray(scale.values)[order]
    places = (values - values[0]) / (values[-1] - values[0])
    ends, near = np.zeros((2, centres.size, values.size))
    ends[:, 0], ends[:, -1] = 1.0 - centres, centres
    rows = np.arange(centres.size)
    above = np.clip(np.searchsorted(places, centres, side="right"), 1, values.size - 1)
    weight = (centres - places[above - 1]) / (places[above] - places[above - 1])
    near[rows, above - 1], near[rows, above] = 1.0 - weight, weight
    most = centres * (1.0 - centres)
    least = near @ places**2 - centres**2
    room = np.maximum(most - least, 1e-300)
    mixed = np.clip((np.asarray(share) * most - least) / room, 0.0, 1.0)[:, None]
    table = np.empty_like(ends)
    table[:, order] = np.maximum(mixed * ends + (1.0 - mixed) * near, 0.0)
    return Profile.frequencies(table, scale.values)
