"""Forecasts of running contests: one at a time, on a thread of its own, and not too often."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from plaudit.errors import PlauditError
from plaudit.race import ALGORITHMS, Race
from plaudit.race.goals import TOP_GOAL
from plaudit.service.contest.claims import NEVER
from plaudit.service.watch.chart import LINE, Axis, Chart, Row
from plaudit.service.watch.shared_result import Limits, SharedResult, TooBusy
from plaudit.simulation.forecast import Forecast, Spread

LEAST_SECONDS = 60.0
# A forecast takes at most a tenth of a processor, and no two are made at the same time.
LIMITS = Limits(least_seconds=LEAST_SECONDS, times_its_cost=10.0, most_under_way=1)
# So many times more votes call for a new forecast.
GROWTH = 1.1

log = logging.getLogger("plaudit")


class _Version(NamedTuple):
    """What a forecast was made from."""

    epoch: int
    votes: int


class _Stopped(Exception):
    """The service ends."""


class RunningForecasts:
    """The latest forecast of each race that somebody watches."""

    def __init__(self, timer: Callable[[], float] = time.monotonic) -> None:
        # A forecast that cannot be made is kept as None, so that it is not tried all the time.
        self._shared: SharedResult[Forecast | None] = SharedResult("forecast", LIMITS, timer=timer)
        self._stopping = False

    @property
    def count(self) -> int:
        """How many forecasts were made."""
        return self._shared.computed

    def get(self, name: str, lane: int) -> Forecast | None:
        """The latest forecast of a race, or None."""
        kept = self._shared.kept((name, lane))
        return kept.value if kept is not None else None

    def consider(self, name: str, lane: int, race: Race, *, epoch: int) -> None:
        """Begins a forecast where one is due and no other is under way.

        The race belongs to a snapshot: nobody tells it anything any more.
        """
        if self._stopping or not _has_forecast(race):
            return
        kept = self._shared.kept((name, lane))
        version = _Version(epoch, race.votes)
        if kept is not None and isinstance(kept.version, _Version):
            known = kept.version
            if known.epoch == epoch and race.votes < GROWTH * known.votes:
                version = known
        with suppress(TooBusy):
            self._shared.ask((name, lane), version, lambda: partial(self._make, name, race))

    def close(self) -> None:
        """Lets a forecast that is under way end early."""
        self._stopping = True
        self._shared.close(wait=False)

    def _make(self, name: str, race: Race) -> Forecast | None:
        try:
            # Simulation is a heavy import, and most workers never forecast.
            from plaudit.simulation.planning import forecast_of

            return forecast_of(race, threads=1, progress=self._go_on)
        except _Stopped:
            raise
        except PlauditError:
            # An algorithm whose course cannot be simulated: there is no forecast then.
            log.info("No forecast of %s.", name, exc_info=True)
        except Exception:
            log.exception("The forecast of %s failed.", name)
        return None

    def _go_on(self, share: float) -> None:
        if self._stopping:
            raise _Stopped


def _has_forecast(race: Race) -> bool:
    """Whether the course of a race can be forecast now."""
    stops = ALGORITHMS[race.settings.algorithm].stopping != NEVER
    return race.settings.goal == TOP_GOAL and bool(race.votes) and stops


def forecast_chart(forecast: Forecast, lane: int, algorithm: str) -> Chart:
    """The slack that will be certified after so many votes."""
    rows: list[Row] = [
        (point.votes, *(_rounded(value) for value in _points(point.epsilon)))
        for point in forecast.curve
    ]
    return Chart(
        "forecast", LINE, Axis(), Axis(low=0.0), ("votes", "epsilon", "low", "high"), rows,
        lane=lane, algorithm=algorithm, facts={"races": forecast.races}, has_band=True,
    )  # fmt: skip


def _points(spread: Spread) -> tuple[float | None, float | None, float | None]:
    return spread.median, spread.low, spread.high


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)
