"""What is attacked: small races in which one false vote does much, and one of 200 items."""

from dataclasses import dataclass

import numpy as np

from plaudit.simulation.profiles import Profile
from plaudit.studies.level_laws import three_levels


@dataclass(frozen=True)
class Target:
    """A profile and what is asked of it.

    `numbers` says how many dishonest raters are tried, `share` which part of the study's races are
    run here; races are cut at `limit` votes.
    """

    name: str
    profile: Profile
    delta: float
    epsilon: float
    numbers: tuple[int, ...] = (1, 3, 10, 30)
    share: float = 1.0
    limit: int = 50_000


# The others are a little more than epsilon below the best, where a wrong verdict is likeliest.
# Honest votes on the best are rarely 0, so that a false vote of 0 weighs most.
MAIN = Target(
    "eight items: 0.92, others 0.815; 3 levels",
    three_levels([0.92] + 7 * [0.815], variance_share=0.3),
    delta=0.1,
    epsilon=0.1,
)
BINARY = Target(
    "six items: 0.95, others 0.84; binary",
    Profile.bernoulli([0.95] + 5 * [0.84]),
    delta=0.05,
    epsilon=0.1,
    share=0.2,
)
# A contest in which four false votes break a race without tolerance.
LARGE = Target(
    "200 items: 0.75, others 0.62 to 0.2; binary",
    Profile.bernoulli([0.75, *np.linspace(0.62, 0.2, 199)]),
    delta=0.05,
    epsilon=0.05,
    numbers=(3,),
    share=0.05,
    limit=400_000,
)
TARGETS = (MAIN, BINARY, LARGE)
