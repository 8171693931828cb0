"""Crowds of raters who differ: kind and stern, of two camps, moody, tired, careless, or fakes.

A `Population` says in a few words who comes; `plaudit.simulation.visits` lets them vote in a
simulated race, and `Person` is one of them for a rehearsal of a live contest. Both draw votes by
the same function. Compiled functions here are handed the arrays of a race and change nothing else.
"""

from plaudit.simulation.crowds.attacks import ATTACKS, targets_of
from plaudit.simulation.crowds.people import TRAITS, Population, parse_population
from plaudit.simulation.crowds.person import Person

__all__ = [
    "ATTACKS",
    "TRAITS",
    "Person",
    "Population",
    "parse_population",
    "targets_of",
]
