"""Forecasts of running contests: one at a time, on a thread of its own, and not too often."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from plaudit.errors import PlauditError
from plaudit.race import ALGORITHMS, Race
from plaudit.race.goals import TOP_GOAL
from plaudit.service.watch.chart import LINE, Axis, Chart, Row
from plaudit.simulation.forecast import Forecast, Spread

LEAST_SECONDS = 60.0
# A forecast takes no more than this share of a processor.
TIMES_ITS_COST = 10.0
GROWTH = 1.1

log = logging.getLogger("plaudit")


@dataclass(frozen=True)
class _Made:
    """What came of a forecast, which may be that there is none."""

    forecast: Forecast | None
    votes: int
    epoch: int
    due: float


class _Stopped(Exception):
    """The service ends."""


class Forecasts:
    """The latest forecast of each race that somebody watches."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._made: dict[tuple[str, int], _Made] = {}
        self._busy = threading.Lock()
        self._stopping = False
        self.count = 0

    def get(self, name: str, lane: int) -> Forecast | None:
        """The latest forecast of a race, or None."""
        made = self._made.get((name, lane))
        return made.forecast if made is not None else None

    def consider(self, name: str, lane: int, race: Race, *, epoch: int) -> None:
        """Begins a forecast where one is due and no other is under way.

        The race is the caller's own copy, which nobody tells anything any more.
        """
        if self._stopping or not self._is_due(name, lane, race, epoch):
            return
        if self._busy.acquire(blocking=False):
            thread = threading.Thread(
                target=self._run, args=(name, lane, race, epoch), name="plaudit-forecast",
                daemon=True,
            )  # fmt: skip
            thread.start()

    def close(self) -> None:
        """Lets a forecast that is under way end early."""
        self._stopping = True

    def _is_due(self, name: str, lane: int, race: Race, epoch: int) -> bool:
        if race.settings.goal != TOP_GOAL:
            return False
        if not race.votes or ALGORITHMS[race.settings.algorithm].stopping == "never":
            return False
        made = self._made.get((name, lane))
        if made is None:
            return True
        grown = race.votes >= GROWTH * made.votes or epoch != made.epoch
        return grown and self._clock() >= made.due

    def _run(self, name: str, lane: int, race: Race, epoch: int) -> None:
        begun = self._clock()
        forecast = None
        try:
            # Simulation is a heavy import, and most workers never forecast.
            from plaudit.simulation.planning import forecast_of

            forecast = forecast_of(race, threads=1, progress=self._go_on)
        except _Stopped:
            return
        except PlauditError:
            # An algorithm whose course cannot be simulated: there is no forecast then.
            log.info("No forecast of %s.", name, exc_info=True)
        except Exception:
            log.exception("The forecast of %s failed.", name)
        finally:
            now = self._clock()
            due = now + max(LEAST_SECONDS, TIMES_ITS_COST * (now - begun))
            self._made[name, lane] = _Made(forecast, race.votes, epoch, due)
            self.count += 1
            self._busy.release()

    def _go_on(self, share: float) -> None:
        if self._stopping:
            raise _Stopped


def forecast_chart(forecast: Forecast, suffix: str, of: str) -> Chart:
    """The slack that will be certified after so many votes."""
    rows: list[Row] = [
        (point.votes, *(_rounded(value) for value in _points(point.epsilon)))
        for point in forecast.curve
    ]
    return Chart(
        f"forecast{suffix}", LINE, f"{of}Forecast",
        "The slack (epsilon) that the verdict could promise after so many votes in all, in the "
        f"middle of {forecast.races} simulated contests that go on from here; 8 of 10 lie in "
        "the band.",
        Axis("votes in all"), Axis("slack (epsilon)", low=0.0),
        ("votes", "epsilon", "low", "high"), rows, has_band=True,
    )  # fmt: skip


def _points(spread: Spread) -> tuple[float | None, float | None, float | None]:
    return spread.median, spread.low, spread.high


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 5)
