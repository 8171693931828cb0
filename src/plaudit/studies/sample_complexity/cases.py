"""The profiles of the study of sample complexity, with what theory says of each."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from plaudit.simulation.profiles import Profile
from plaudit.theory import (
    hardness_kl,
    hardness_sub_gaussian,
    power_profile,
    sample_bound,
    vote_floor,
)

# The paper runs lil-KLUCB at delta = 0.01, whose total error is twice that (Proposition 1).
PAPER_DELTA, TOTAL_ERROR = 0.01, 0.02
# Exponent and lowest mean: one profile for each column of Table 1, and one away from 0 and 1.
PANELS = {
    "α = 1/4": (0.25, 0.0),
    "α = 1/2": (0.5, 0.0),
    "α = 3/4": (0.75, 0.0),
    "α = 1": (1.0, 0.0),
    "α = 3/2": (1.5, 0.0),
    "α = 1/2, means 1/4 to 3/4": (0.5, 0.25),
}
INNER = "α = 1/2, means 1/4 to 3/4"


@dataclass(frozen=True)
class Case:
    """The profile of one panel with so many items."""

    panel: str
    items: int

    @property
    def key(self) -> str:
        """Its name among the profiles that all parts share."""
        return f"{self.panel}; n = {self.items}"

    @cached_property
    def profile(self) -> Profile:
        """Means 1 - ((i-1)/n)^alpha, or the same shrunk towards 1/2; votes 0 and 1."""
        exponent, lowest = PANELS[self.panel]
        span = 1.0 - 2.0 * lowest
        return Profile.bernoulli(lowest + span * power_profile(self.items, exponent))

    @cached_property
    def floor(self) -> float:
        """What no procedure of this total error can do without, on average."""
        return vote_floor(self.profile.means, TOTAL_ERROR)

    @cached_property
    def bound(self) -> float:
        """The paper's bound on lil-KLUCB's votes, with its constant c0 set to 1."""
        return sample_bound(self.profile.means, PAPER_DELTA)

    @cached_property
    def sum_kl(self) -> float:
        """S_KL."""
        return hardness_kl(self.profile.means)

    @cached_property
    def sum_sub_gaussian(self) -> float:
        """S_SG."""
        return hardness_sub_gaussian(self.profile.means)

    @cached_property
    def pair_kl(self) -> float:
        """1/D* of the two best items."""
        return hardness_kl(np.sort(self.profile.means)[-2:])
