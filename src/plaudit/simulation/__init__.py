"""Simulations: whole races on items of known means, and walks that test a bound.

A simulated race runs the compiled functions of a live one, through `race.engine`, so what it shows
is what a race does. Results depend on seeds alone, never on threads, machines or their order. This
room imports `race`, `theory` and what those import. It may start threads, `executors` also
processes; it reads and writes no files.
"""

from typing import TYPE_CHECKING

from plaudit.late import late

if TYPE_CHECKING:
    from plaudit.simulation.crossing import Crossing
    from plaudit.simulation.crossing_exact import exact_crossing
    from plaudit.simulation.crossing_walks import simulate_crossing
    from plaudit.simulation.crowds import Population, parse_population
    from plaudit.simulation.executors import ClusterError, LocalExecutor, open_executor
    from plaudit.simulation.forecast import Choice, Forecast, Point, Spread
    from plaudit.simulation.laws import VoteLaw
    from plaudit.simulation.learning import learn
    from plaudit.simulation.oracle import OracleRace, best_bar, information_shares
    from plaudit.simulation.planning import forecast_of, plan
    from plaudit.simulation.profiles import Profile, parse_profile
    from plaudit.simulation.runner import Outcome, SimulatedRace, run_races
    from plaudit.simulation.shapes import Shape, parse_shape
    from plaudit.simulation.visits import VisitRace

__all__ = [
    "Choice",
    "ClusterError",
    "Crossing",
    "Forecast",
    "LocalExecutor",
    "OracleRace",
    "Outcome",
    "Point",
    "Population",
    "Profile",
    "Shape",
    "SimulatedRace",
    "Spread",
    "VisitRace",
    "VoteLaw",
    "best_bar",
    "exact_crossing",
    "forecast_of",
    "information_shares",
    "learn",
    "open_executor",
    "parse_population",
    "parse_profile",
    "parse_shape",
    "plan",
    "run_races",
    "simulate_crossing",
]

# The service needs few of them.
__getattr__ = late(
    __name__,
    {
        "crossing": ("Crossing",),
        "crossing_exact": ("exact_crossing",),
        "crossing_walks": ("simulate_crossing",),
        "crowds": ("Population", "parse_population"),
        "executors": ("ClusterError", "LocalExecutor", "open_executor"),
        "forecast": ("Choice", "Forecast", "Point", "Spread"),
        "laws": ("VoteLaw",),
        "learning": ("learn",),
        "oracle": ("OracleRace", "best_bar", "information_shares"),
        "planning": ("forecast_of", "plan"),
        "profiles": ("Profile", "parse_profile"),
        "runner": ("Outcome", "SimulatedRace", "run_races"),
        "shapes": ("Shape", "parse_shape"),
        "visits": ("VisitRace",),
    },
)
