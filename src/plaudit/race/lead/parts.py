"""The parts of a race whose leaders are appointed: what they go with, error budget, book."""

from typing import TYPE_CHECKING, Any

import numpy as np

from plaudit.bounds.error_budget import Budget
from plaudit.errors import InvalidInput
from plaudit.race.algorithms import Algorithm
from plaudit.race.lead.afresh import ALL_VOTES, UPPER
from plaudit.race.lead.evidence import LEADER, RIVAL
from plaudit.race.state import LEAD

if TYPE_CHECKING:
    from plaudit.bounds.bound import Bound
    from plaudit.race.settings import Settings

LEAD_NAME, FRESH_NAME = "lead", "fresh"
# The stoppings that appoint leaders, with the rule that each goes with.
APPOINTING = {LEAD_NAME: "lead", FRESH_NAME: "balance"}


def appointing_algorithm(settings: "Settings", bound: str, choosing: float | None) -> Algorithm:
    """The algorithm of a race whose leaders are appointed; `InvalidInput` where it cannot be."""
    name = settings.stopping
    if name not in APPOINTING or settings.rule not in (None, APPOINTING[name]):
        raise InvalidInput(
            "The stopping 'lead' goes with the rule 'lead', and 'fresh' with 'balance'; got the "
            f"rule {settings.rule!r} and the stopping {name!r}. Give the stopping alone."
        )
    if bound != "betting":
        raise InvalidInput(
            f"The stopping {name!r} counts what bets have won: it needs the bound 'betting', got "
            f"{bound!r}. Use 'separation' with other bounds."
        )
    if settings.top != 1:
        raise InvalidInput(
            f"The stopping {name!r} names one item: it needs top=1, got top={settings.top}. Use "
            "'separation' for more."
        )
    if settings.reserve:
        raise InvalidInput(
            f"The stopping {name!r} is proven for a fixed set of items: leave reserve out, or give "
            f"0; got {settings.reserve!r}. Use 'separation' where items may join or leave."
        )
    if settings.accounting != "total":
        raise InvalidInput(
            f"The stopping {name!r} has one way to share delta: leave accounting out."
        )
    if name == LEAD_NAME and settings.choosing_delta is not None:
        raise InvalidInput("The stopping 'lead' has its own rule: leave choosing_delta out.")
    rule = APPOINTING[name]
    source = f"Plaudit's own: docs/theory/{name}.md"
    return Algorithm(
        "betting/lead" if rule == name else f"betting/{rule}/{name}",
        bound, rule, name, name, source, choosing if name == FRESH_NAME else None,
    )  # fmt: skip


def appointing_budget(settings: "Settings") -> Budget:
    """The errors of upper bounds and lower bounds; those of appointed items depend on ranks."""
    delta, others = settings.delta, settings.items - 1
    if settings.stopping == FRESH_NAME:
        return Budget(delta, ALL_VOTES * delta / others, UPPER * delta, 0.0, 1, 1, others)
    # Of the first leader, alone.
    return Budget(delta, LEADER * delta / 2.0, RIVAL * delta, 0.0, 1, 1, others)


def open_book(state: Any, bound: "Bound", delta: float) -> None:
    """Puts the level into an empty book."""
    state.rare.lead.book["level"] = bound.level(delta)
    state.rare.lead.book["epsilon"] = state.header["epsilon"]
    if state.header["stopping"] == LEAD:
        # No item has a lower bound from all of its votes.
        state.items["lower_level"] = np.inf
