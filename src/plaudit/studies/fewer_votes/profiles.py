"""The profiles of the panel “never worse”: low means and high, few items and many."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.simulation.profiles import Profile
from plaudit.studies.fewer_votes.cases import Case
from plaudit.studies.level_laws import five_levels, three_levels
from plaudit.theory import power_profile

Floats = NDArray[np.float64]


def one_ahead(items: int, best: float, rest: float) -> Floats:
    """One good item among equals.

    >>> one_ahead(3, 0.5, 0.25)
    array([0.5 , 0.25, 0.25])
    """
    means = np.full(items, rest)
    means[0] = best
    return means


def within(items: int, low: float, high: float, exponent: float = 0.5) -> Floats:
    """A power profile between two means."""
    return low + (high - low) * power_profile(items, exponent)


def varied_cases(*, quick: bool) -> list[Case]:
    """All profiles of the panel; the quick run leaves out those that take longest."""
    cases = [*_binary_cases(), *_level_cases(), *_other_goals()]
    return [case for case in cases if not quick or case.guess <= 60_000]


def _binary_cases() -> list[Case]:
    made: dict[str, tuple[ArrayLike, float]] = {
        "2 items, 0.9 and 0.1": ([0.9, 0.1], 90),
        "2 items, 0.6 and 0.4": ([0.6, 0.4], 1_200),
        "2 items, 0.52 and 0.48": ([0.52, 0.48], 30_000),
        "2 items, low: 0.05 and 0.02": ([0.05, 0.02], 5_000),
        "2 items, high: 0.98 and 0.95": ([0.98, 0.95], 5_000),
        "2 items, 1 and 0.9": ([1.0, 0.9], 700),
        "2 items, 0.1 and 0": ([0.1, 0.0], 700),
        "5 items, equal gaps of 0.1": (np.linspace(0.7, 0.3, 5), 8_000),
        "10 items, equal gaps, 0.9 to 0": (np.linspace(0.9, 0.0, 10), 4_000),
        "10 items, low: 0.06, others 0.02": (one_ahead(10, 0.06, 0.02), 10_000),
        "10 items, high: 0.98, others 0.94": (one_ahead(10, 0.98, 0.94), 10_000),
        "100 items, 0.6, others 0.4": (one_ahead(100, 0.6, 0.4), 30_000),
        "100 items, low: 0.1, others 0.02": (one_ahead(100, 0.1, 0.02), 40_000),
        "100 items, high: 0.98, others 0.9": (one_ahead(100, 0.98, 0.9), 40_000),
        "100 items, 1/4 to 3/4": (within(100, 0.25, 0.75), 40_000),
        "1,000 items, 0.3, others 0.1": (one_ahead(1000, 0.3, 0.1), 200_000),
        "1,000 items, low: 0 to 0.1": (within(1000, 0.0, 0.1), 900_000),
        "1,000 items, 1/4 to 3/4": (within(1000, 0.25, 0.75), 150_000),
        "10,000 items, α = 1/2": (power_profile(10_000, 0.5), 120_000),
        "10,000 items, 0.5, others 0.1": (one_ahead(10_000, 0.5, 0.1), 600_000),
    }
    return [Case(f"{name}; binary", Profile.bernoulli(means), guess)
            for name, (means, guess) in made.items()]  # fmt: skip


def _level_cases() -> list[Case]:
    return [
        Case("2 items, 0.52 and 0.48; 3 levels", three_levels([0.52, 0.48]), 30_000),
        Case("2 items, low: 0.05 and 0.02; 3 levels", three_levels([0.05, 0.02]), 5_000),
        Case("2 items, half of all votes in the middle; 3 levels",
             three_levels([0.55, 0.45], variance_share=0.5), 5_000),
        Case("2 items, only 0 and 1; 3 levels",
             three_levels([0.55, 0.45], variance_share=1.0), 5_000),
        Case("10 items, equal gaps, 0.9 to 0; 3 levels",
             three_levels(np.linspace(0.9, 0.0, 10).tolist()), 4_000),
        Case("10 items, nearly all votes in the middle; 3 levels",
             three_levels(one_ahead(10, 0.52, 0.48).tolist(), variance_share=0.1), 100_000),
        Case("100 items, 1/4 to 3/4; 3 levels", three_levels(within(100, 0.25, 0.75).tolist()),
             40_000),
        Case("1,000 items, low: 0 to 0.2; 3 levels", three_levels(within(1000, 0, 0.2).tolist()),
             400_000),
        Case("10,000 items, 0.5, others 0.1; 3 levels",
             three_levels(one_ahead(10_000, 0.5, 0.1).tolist()), 600_000),
        Case("5 items, equal gaps of 0.1; 5 levels",
             five_levels(np.linspace(0.7, 0.3, 5).tolist()), 8_000),
        Case("100 items, high: 0.6 to 0.95; 5 levels",
             five_levels(within(100, 0.6, 0.95).tolist()), 40_000),
    ]  # fmt: skip


def _other_goals() -> list[Case]:
    spread = within(100, 0.2, 0.7)
    return [
        Case("100 items, ε = 0.05; binary", Profile.bernoulli(spread), 30_000, 0.05),
        Case("100 items, top 5, ε = 0.05; binary", Profile.bernoulli(spread), 60_000, 0.05, 5),
        Case("100 items, top 10, ε = 0.05; 3 levels", three_levels(spread.tolist()), 60_000,
             0.05, 10),
        Case("20 items, top 10, ε = 0; binary", Profile.bernoulli(np.linspace(0.95, 0.0, 20)),
             50_000, 0.0, 10),
    ]  # fmt: skip
