"""The parts of a race that stops by a fresh lead: what it goes with, its error budget, its book."""

from typing import TYPE_CHECKING, Any

import numpy as np

from plaudit.bounds.error_budget import Budget
from plaudit.errors import InvalidInput
from plaudit.race.algorithms import Algorithm
from plaudit.race.lead.evidence import LEADER, RIVAL

if TYPE_CHECKING:
    from plaudit.bounds.bound import Bound
    from plaudit.race.settings import Settings

NAME = "lead"


def check_lead(settings: "Settings", bound: str) -> Algorithm:
    """The algorithm of a race that stops by a fresh lead; `InvalidInput` where it cannot be."""
    if settings.stopping != NAME or settings.rule not in (None, NAME):
        raise InvalidInput(
            f"The rule and the stopping 'lead' need each other; got the rule {settings.rule!r} and "
            f"the stopping {settings.stopping!r}. Give stopping='lead' alone."
        )
    if bound != "betting":
        raise InvalidInput(
            "The stopping 'lead' multiplies what bets have won: it needs the bound 'betting', got "
            f"{bound!r}. Use 'separation' with other bounds."
        )
    if settings.top != 1:
        raise InvalidInput(
            f"The stopping 'lead' names one item: it needs top=1, got top={settings.top}. Use "
            "'separation' or 'evidence' for more."
        )
    if settings.reserve:
        raise InvalidInput(
            "The stopping 'lead' is proven for a fixed set of items: leave reserve out, or give 0; "
            f"got {settings.reserve!r}. Use 'separation' where items may join or leave."
        )
    if settings.accounting != "total" or settings.choosing_delta is not None:
        raise InvalidInput(
            "The stopping 'lead' has one way to share delta and its own rule: leave accounting and "
            "choosing_delta out."
        )
    return Algorithm("betting/lead", bound, NAME, NAME, NAME, "Plaudit's own: docs/theory/lead.md")


def lead_budget(settings: "Settings") -> Budget:
    """The error of an upper bound, and of the lower bound of the first leader, alone."""
    delta = settings.delta
    return Budget(delta, LEADER * delta / 2.0, RIVAL * delta, 0.0, 1, 1, settings.items - 1)


def open_book(state: Any, bound: "Bound", delta: float) -> None:
    """Puts the level into an empty book. No item has a lower bound from all of its votes."""
    state.rare.lead.book["level"] = bound.level(delta)
    state.rare.lead.book["epsilon"] = state.header["epsilon"]
    state.items["lower_level"] = np.inf
