"""Races on a finite set of examples that items meet in the same random order.

`race` has `FiniteRace`: ask, tell the scores on one example, verdict. `capital` is the bets that an
item is not among the best and `leaders` whom they are against, both compiled, on the arrays of
`state`; `settings` checks what a race is started with.
docs/theory/finite.md has the theorems. It imports what the rest of `race` imports, and no room
imports it that does not use it.
"""

from plaudit.race.finite.race import FiniteRace

__all__ = ["FiniteRace"]
