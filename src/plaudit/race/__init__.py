"""Races: which item to show next, when to stop, and what is certain, in O(log n) for each vote.

`Race` is the interface for people and services: ask, tell, verdict. `PairedRace` is for few items
that the same raters rate, `FiniteRace` for items that are scored on one finite set of examples.
`engine.Engine` is the interface for simulations, which run the same compiled functions without
Python between votes. This room imports `bounds`, `scale`, `compiled` and `errors`. It reads no
clock and draws no random
numbers, and it touches files only to save and restore a race.
"""

from typing import TYPE_CHECKING

from plaudit.late import late
from plaudit.race.algorithms import ALGORITHMS, RULES, STOPPINGS, Algorithm
from plaudit.race.race import Race
from plaudit.race.shortlist import Shortlists
from plaudit.race.standing import standings
from plaudit.race.verdict import Intervals, Verdict

if TYPE_CHECKING:
    from plaudit.race.finite import FiniteRace
    from plaudit.race.paired import Difference, PairedRace

__all__ = [
    "ALGORITHMS",
    "RULES",
    "STOPPINGS",
    "Algorithm",
    "Difference",
    "FiniteRace",
    "Intervals",
    "PairedRace",
    "Race",
    "Shortlists",
    "Verdict",
    "standings",
]

# Most races are of the other kind.
__getattr__ = late(__name__, {"finite": ["FiniteRace"], "paired": ["Difference", "PairedRace"]})
