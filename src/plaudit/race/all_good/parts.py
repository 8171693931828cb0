"""The parts of a race for all good items: its algorithm, its error budget, its levels."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.error_budget import GoodBudget, split_for_all_good
from plaudit.errors import InvalidInput
from plaudit.race.algorithms import ALGORITHMS, Algorithm
from plaudit.race.goals import ALL_GOOD_GOAL

if TYPE_CHECKING:
    from plaudit.bounds.bound import Bound
    from plaudit.race.settings import Settings

# An algorithm with one of these rules and stoppings can give its bound to this goal, which
# replaces both.
RULES_FOR_ALL_GOOD = ("balance", "pair", "fewest-votes")
STOPPINGS_FOR_ALL_GOOD = ("evidence", "separation")


def all_good_algorithm(settings: "Settings") -> Algorithm:
    """The parts of a race for all good items: the bound of the algorithm, and its own judge.

    Its own rule takes the place of those that compare a leading set with the rest; only
    "fewest-votes" stays what it is.
    """
    named = ALGORITHMS[settings.algorithm]
    rule, stopping = settings.rule or named.rule, settings.stopping or named.stopping
    if rule not in RULES_FOR_ALL_GOOD or stopping not in STOPPINGS_FOR_ALL_GOOD:
        raise InvalidInput(
            f"The goal 'all-good' has its own rule and stopping and takes only the bound of an "
            f"algorithm; {settings.algorithm} with {rule!r} and {stopping!r} does not go with it. "
            "Use plaudit, lil-klucb or uniform."
        )
    _check(settings)
    bound = settings.bound or named.bound
    source = "Mason, Jain, Tripathy and Nowak (2020), with a step-down split of our own"
    name = f"{bound}/all-good" if rule != "fewest-votes" else f"{bound}/fewest-votes/all-good"
    return Algorithm(name, bound, rule, stopping, ALL_GOOD_GOAL, source)


def _check(settings: "Settings") -> None:
    if settings.epsilon <= 0.0:
        raise InvalidInput(
            "The goal 'all-good' asks for all items within epsilon of the best: epsilon must be "
            f"above 0, such as 0.05; got {settings.epsilon!r}."
        )
    if settings.top != 1:
        raise InvalidInput(
            "The goal 'all-good' finds out itself how many items are good: leave top out; got "
            f"{settings.top}."
        )
    if settings.accounting != "total" or settings.choosing_delta is not None:
        raise InvalidInput(
            "The goal 'all-good' has one way to share delta and chooses as it judges: leave "
            "accounting and choosing_delta out."
        )


def all_good_budget(settings: "Settings", reserve: float) -> GoodBudget:
    """The budget of a race for all good items."""
    return split_for_all_good(settings.delta, items=settings.items, reserve=reserve)


def step_levels(bound: "Bound", budget: GoodBudget) -> NDArray[np.float64]:
    """The levels of upper bounds while n, n/2, n/4, … 1 items are not out."""
    numbers = [budget.items]
    while numbers[-1] > 1:
        numbers.append((numbers[-1] + 1) // 2)
    return np.array([bound.level(budget.upper_among(number)) for number in numbers])
