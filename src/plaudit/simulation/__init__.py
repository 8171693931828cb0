"""Simulated races: profiles of items, and the compiled runner that the library itself uses."""

from plaudit.simulation.profiles import Profile, parse_profile
from plaudit.simulation.runner import Outcome, SimulatedRace, run_races

__all__ = ["Outcome", "Profile", "SimulatedRace", "parse_profile", "run_races"]
