"""Hard small instances: where a verdict is wrong as often as it can be.

Errors show where delta is large, gaps are small and items few. An instance with several
right answers has slack, or names more than one item.
"""

from dataclasses import dataclass

import numpy as np

from plaudit.simulation.profiles import Profile
from plaudit.studies.level_laws import five_levels, three_levels

DELTA, LARGE_DELTA = 0.1, 0.2


@dataclass(frozen=True)
class Instance:
    """A profile, what is asked of it, and when a race is cut."""

    name: str
    profile: Profile
    delta: float = DELTA
    epsilon: float = 0.0
    top: int = 1
    limit: int = 3000


def _binary(*means: float) -> Profile:
    return Profile.bernoulli(means)


def _levels(*chances: tuple[float, float, float]) -> Profile:
    return Profile.frequencies(chances, (0.0, 0.5, 1.0))


INSTANCES = (
    # Two items, from next to no gap to a wide one.
    Instance("nearly equal: 0.5 and 0.49; binary", _binary(0.5, 0.49)),
    Instance("nearly equal, δ = 0.2; binary", _binary(0.5, 0.49), LARGE_DELTA),
    Instance("two: 0.55 and 0.45; binary", _binary(0.55, 0.45)),
    Instance("two, δ = 0.2; binary", _binary(0.55, 0.45), LARGE_DELTA),
    Instance("two far apart: 0.8 and 0.2; binary", _binary(0.8, 0.2), LARGE_DELTA),
    Instance("two low: 0.06 and 0.03; binary", _binary(0.06, 0.03)),
    Instance("two high: 0.97 and 0.94; binary", _binary(0.97, 0.94)),
    # Means at the ends.
    Instance("1 and 0.95; binary", _binary(1.0, 0.95), LARGE_DELTA),
    Instance("0.05, others 0; binary", _binary(0.05, 0.0, 0.0, 0.0), LARGE_DELTA),
    Instance("1, 0.9 and 0; 3 levels", three_levels([1.0, 0.9, 0.0]), LARGE_DELTA),
    # Equal gaps, and many just below the best.
    Instance("equal gaps of 0.1, five items; binary", Profile.bernoulli(np.linspace(0.7, 0.3, 5))),
    Instance("equal gaps of 0.1, five items; 3 levels",
             three_levels(np.linspace(0.7, 0.3, 5).tolist())),
    Instance("equal gaps of 0.1, five items; 5 levels",
             five_levels(np.linspace(0.7, 0.3, 5).tolist())),
    Instance("eight: 0.55, others 0.45; binary", Profile.bernoulli([0.55] + 7 * [0.45]),
             LARGE_DELTA, limit=5000),
    # Two good items: either is right, and slack lets the race end.
    Instance("two good and two bad, ε = 0.1; binary", _binary(0.6, 0.6, 0.45, 0.45),
             LARGE_DELTA, 0.1),
    Instance("two good, one just too bad, ε = 0.1; 3 levels", three_levels([0.6, 0.59, 0.49]),
             LARGE_DELTA, 0.1),
    Instance("all equal but one bad, ε = 0.1; 5 levels", five_levels([0.5, 0.5, 0.5, 0.39]),
             LARGE_DELTA, 0.1),
    # Three and five levels, and votes that nearly always tie.
    Instance("nearly equal: 0.5 and 0.49; 3 levels", three_levels([0.5, 0.49])),
    Instance("nearly equal: 0.5 and 0.49; 5 levels", five_levels([0.5, 0.49])),
    Instance("heavy ties: nine votes of ten in the middle; 3 levels",
             three_levels([0.52, 0.49], variance_share=0.1)),
    Instance("heavy ties, δ = 0.2; 3 levels", three_levels([0.505, 0.495], variance_share=0.05),
             LARGE_DELTA),
    # One item always gets ½, so that nearly all doubt is about the other.
    Instance("0.505 against votes of ½ alone; 3 levels",
             _levels((0.495, 0.0, 0.505), (0.0, 1.0, 0.0)), LARGE_DELTA, limit=5000),
    Instance("votes of ½ alone against 0.495; 3 levels",
             _levels((0.0, 1.0, 0.0), (0.505, 0.0, 0.495)), LARGE_DELTA, limit=5000),
    # More than one item wanted.
    Instance("top 2 of 4: 0.6, 0.55, 0.45, 0.4; binary", _binary(0.6, 0.55, 0.45, 0.4),
             LARGE_DELTA, top=2),
    Instance("top 3 of 6, ε = 0.05; 3 levels", three_levels([0.7, 0.6, 0.52, 0.46, 0.4, 0.3]),
             LARGE_DELTA, 0.05, 3),
)  # fmt: skip

# An attack needs few instances: what it may gain, it gains on two items or three.
ATTACKED = (
    "nearly equal, δ = 0.2; binary",
    "two, δ = 0.2; binary",
    "1, 0.9 and 0; 3 levels",
    "nearly equal: 0.5 and 0.49; 3 levels",
    "two good, one just too bad, ε = 0.1; 3 levels",
    "heavy ties, δ = 0.2; 3 levels",
    "0.505 against votes of ½ alone; 3 levels",
    "votes of ½ alone against 0.495; 3 levels",
    "top 2 of 4: 0.6, 0.55, 0.45, 0.4; binary",
)
