"""How an honest rater votes: where a vote falls among all votes on its item.

The two functions are arithmetic alone: whoever calls them draws the random numbers. So a compiled
race and a rater in plain Python vote alike.
"""

import math
from typing import Any

from plaudit.compiled import compiled

# Random numbers are multiples of this, from 0 to 1 - GRAIN.
GRAIN = 2.0**-53


@compiled
def tilt_of(traits: Any, rater: int, item: int, place: int, length: int) -> float:
    """How much kinder than usual a vote is, from -1 to 1; 0 on average, over days and visits."""
    tilt = 0.0
    if traits.mood + traits.drift > 0.0:
        hour = math.cos(2.0 * math.pi * (rater % traits.day) / traits.day)
        tilt += hour * traits.mood
        tilt += hour * (traits.drift if item % 2 == 1 else -traits.drift)
    if traits.fatigue > 0.0:
        tilt += traits.fatigue * (1.0 - (2.0 * place + 1.0) / length)
    return tilt


@compiled
def place_of(
    traits: Any, own: float, camp: float, item: int, tilt: float,
    fresh: float, pick: float, again: float, tilted: float,
) -> float:  # fmt: skip
    """Where a vote falls among all votes on its item, uniform on [0, 1) if the tilt is 0.

    `own` and `camp` are the rater's; `fresh`, `pick`, `again` and `tilted` are uniform and new for
    every vote. A tilt t gives the place the density 1 + t (2u - 1).
    """
    place = fresh
    if pick < traits.alike:
        place = own
    elif pick < traits.alike + traits.camps:
        place = camp if item % 2 == 0 else 1.0 - GRAIN - camp
    if tilted < abs(tilt):
        place = max(place, again) if tilt > 0.0 else min(place, again)
    return place
