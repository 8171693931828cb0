"""Races of few items that the same raters rate: evidence from the differences of one rater's votes.

`race` has `PairedRace`: ask, tell a rater's row, verdict. `bets` is the list of bets and what they
have won, `ledger` keeps what the bets need to know of the differences, `standing` says who is in,
out and open, `withstanding` how many dishonest raters a verdict withstands, `difference` what an
interval says, `saving` what a file holds. docs/theory/paired.md has the theorems. It imports what
the rest of `race` imports, and no room imports it that does not use it: its kernels are compiled
when a paired race is first told something.
"""

from plaudit.race.paired.difference import Difference
from plaudit.race.paired.race import PairedRace

__all__ = ["Difference", "PairedRace"]
