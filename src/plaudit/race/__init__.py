"""Races: state, rules, stopping and verdict, all of it in O(log n) a vote."""

from plaudit.race.algorithms import ALGORITHMS, RULES, STOPPINGS, Algorithm
from plaudit.race.race import Race
from plaudit.race.shortlist import Shortlists
from plaudit.race.standing import standings
from plaudit.race.verdict import Intervals, Verdict

__all__ = [
    "ALGORITHMS",
    "RULES",
    "STOPPINGS",
    "Algorithm",
    "Intervals",
    "Race",
    "Shortlists",
    "Verdict",
    "standings",
]
