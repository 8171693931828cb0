"""Plaudit finds the crowd's favourites with the fewest votes, and proves how sure it is.

>>> import plaudit
>>> race = plaudit.Race(3, delta=0.05)
>>> race.ask(1)[0] in range(3)
True

Names are loaded at first use, so that `import plaudit` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plaudit import bounds, datasets, simulation, theory
    from plaudit.bounds import Bets
    from plaudit.errors import (
        ArchiveDamaged,
        ContestExists,
        DataUnavailable,
        EpochMoved,
        EvaluationFailed,
        InvalidInput,
        LiveError,
        MissingExtra,
        NotAllowed,
        NotOpen,
        PlauditError,
        StoreFull,
        StoreUnavailable,
        TicketExpired,
        TicketRefused,
        UnknownContest,
        UnknownItem,
        UnknownName,
        VoteFileError,
    )
    from plaudit.evaluation import Evaluation, evaluate, evaluate_async
    from plaudit.race import (
        Difference,
        FiniteRace,
        Intervals,
        PairedRace,
        Race,
        Shortlists,
        Verdict,
    )
    from plaudit.scale import Scale
    from plaudit.simulation import Forecast, forecast_of, learn, plan

__version__ = "0.1.0"

_HOMES = {
    "plaudit.bounds": ("Bets",),
    "plaudit.errors": (
        "ArchiveDamaged",
        "ContestExists",
        "DataUnavailable",
        "EpochMoved",
        "EvaluationFailed",
        "InvalidInput",
        "LiveError",
        "MissingExtra",
        "NotAllowed",
        "NotOpen",
        "PlauditError",
        "StoreFull",
        "StoreUnavailable",
        "TicketExpired",
        "TicketRefused",
        "UnknownContest",
        "UnknownItem",
        "UnknownName",
        "VoteFileError",
    ),
    "plaudit.evaluation": ("Evaluation", "evaluate", "evaluate_async"),
    "plaudit.race": (
        "Difference",
        "FiniteRace",
        "Intervals",
        "PairedRace",
        "Race",
        "Shortlists",
        "Verdict",
    ),
    "plaudit.scale": ("Scale",),
    "plaudit.simulation": ("Forecast", "forecast_of", "learn", "plan"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_ROOMS = ("bounds", "datasets", "simulation", "theory")

__all__ = [
    "ArchiveDamaged",
    "Bets",
    "ContestExists",
    "DataUnavailable",
    "Difference",
    "EpochMoved",
    "Evaluation",
    "EvaluationFailed",
    "FiniteRace",
    "Forecast",
    "Intervals",
    "InvalidInput",
    "LiveError",
    "MissingExtra",
    "NotAllowed",
    "NotOpen",
    "PairedRace",
    "PlauditError",
    "Race",
    "Scale",
    "Shortlists",
    "StoreFull",
    "StoreUnavailable",
    "TicketExpired",
    "TicketRefused",
    "UnknownContest",
    "UnknownItem",
    "UnknownName",
    "Verdict",
    "VoteFileError",
    "bounds",
    "datasets",
    "evaluate",
    "evaluate_async",
    "forecast_of",
    "learn",
    "plan",
    "simulation",
    "theory",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"plaudit.{name}")
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'plaudit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
