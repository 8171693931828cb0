"""Races: state, rules, stopping and verdict, all of it in O(log n) a vote."""

from plaudit.race.algorithms import ALGORITHMS, RULES, STOPPINGS, Algorithm, get_algorithm
from plaudit.race.race import Race
from plaudit.race.standing import standings
from plaudit.race.verdict import Intervals, Verdict

__all__ = [
    "ALGORITHMS",
    "RULES",
    "STOPPINGS",
    "Algorithm",
    "Intervals",
    "Race",
    "Verdict",
    "get_algorithm",
    "standings",
]
