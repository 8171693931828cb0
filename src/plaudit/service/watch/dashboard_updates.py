"""Updates of dashboards: computed once from a snapshot, and shared by all viewers."""

import logging
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from plaudit.service.contest.settings import OPEN
from plaudit.service.cores import roam
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.watch.answer_columns import MOST, AllColumns, AnswerColumns
from plaudit.service.watch.dashboard import Dashboard, make_dashboard
from plaudit.service.watch.rater_sample import Extent, extent_of
from plaudit.service.watch.running_forecasts import RunningForecasts
from plaudit.service.watch.shared_result import Limits, SharedResult
from plaudit.service.watch.time_bins import MINUTE
from plaudit.store.contract import LogStore

# An update does not begin more often than a page asks, and takes at most an eighth of the time.
# Whoever comes to an old dashboard waits for a new one; whoever watches gets the last at once.
LEAST_SECONDS, STALE_SECONDS = 2.4, 10.0
LIMITS = Limits(least_seconds=LEAST_SECONDS, times_its_cost=8.0, stale_seconds=STALE_SECONDS)
# Up to so many new entries are read as part of an update, and more if that takes no longer than the
# rest of it: reading an entry takes less than listing an item, and as long as sixteen answers in
# charts. Still more are read on another thread, and the update comes without them.
READ_AT_ONCE = 5_000
ANSWERS_AN_ENTRY = 16

log = logging.getLogger("plaudit")
R = TypeVar("R")


@dataclass(frozen=True)
class Update(Generic[R]):
    """A dashboard, and what pages show of it, rendered once for all viewers."""

    dashboard: Dashboard
    rendered: R


@dataclass
class _Reading:
    """How far a long log is read: whether it is being read now, and how often that ended."""

    is_under_way: bool = False
    ended: int = 0


class DashboardUpdates(Generic[R]):
    """The dashboards of a worker; `render` makes what is shown, on the thread that computes.

    Charts of all votes are made from at most `most_answers`.
    """

    def __init__(
        self,
        store: LogStore,
        *,
        clock: Callable[[], int],
        render: Callable[[Dashboard], R],
        forecasts: RunningForecasts | None = None,
        timer: Callable[[], float] = time.monotonic,
        most_answers: int = MOST,
    ) -> None:
        self.columns = AllColumns(most_answers=most_answers)
        self.forecasts = RunningForecasts() if forecasts is None else forecasts
        self._store = store
        self._clock = clock
        self._render = render
        self._readings: dict[str, _Reading] = {}
        self._shared: SharedResult[Update[R]] = SharedResult("dashboard", LIMITS, timer=timer)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="plaudit-reading", initializer=roam)

    @property
    def computed(self) -> int:
        """How many updates were computed."""
        return self._shared.computed

    def close(self) -> None:
        """Ends what is under way, and lets the threads go."""
        self.forecasts.close()
        self.columns.stop()
        self._shared.close()
        self._reader.shutdown(cancel_futures=True)

    def latest(self, name: str) -> Dashboard | None:
        """The latest dashboard of a contest, if anyone has viewed it; costs nothing."""
        kept = self._shared.kept(name)
        return kept.value.dashboard if kept is not None else None

    def ask(self, live: LiveContest) -> Future[Update[R]]:
        """The dashboard of a contest, done or under way; on the thread that owns the contest."""
        return self._shared.ask(
            live.name, self._version(live), lambda: partial(self._make, live.snapshot())
        )

    def _version(self, live: LiveContest) -> Hashable:
        """What a dashboard depends on: where this is the same, so is the dashboard."""
        contest, reading = live.contest, self._reading(live.name)
        minute = self._clock() // MINUTE if contest.state == OPEN else 0
        share = int(20 * self.columns.of(live.name).share(contest.position))
        read = (reading.is_under_way, reading.ended, share if reading.is_under_way else 0)
        return (contest.position, contest.state, minute, self.forecasts.count, *read)

    def _reading(self, name: str) -> _Reading:
        return self._readings.setdefault(name, _Reading())

    def _make(self, snapshot: ContestSnapshot) -> Update[R]:
        try:
            self._read_on(snapshot)
            columns = self.columns.of(snapshot.name)
            made = make_dashboard(snapshot, columns, self.forecasts, now=self._clock())
            update = Update(made, self._render(made))
            self._forecast(snapshot)
        except Exception:
            log.exception("The dashboard of %s failed.", snapshot.name)
            raise
        return update

    def _read_on(self, snapshot: ContestSnapshot) -> None:
        columns, reading = self.columns.of(snapshot.name), self._reading(snapshot.name)
        missing = snapshot.contest.position - columns.position
        if missing <= 0 or reading.is_under_way:
            return
        if missing <= _at_once(snapshot, columns):
            columns.read_on(self._store, snapshot.name, extent_of(snapshot))
        else:
            reading.is_under_way = True
            extent = extent_of(snapshot)
            self._reader.submit(self._read_all, snapshot.name, extent, reading)

    def _read_all(self, name: str, extent: Extent, reading: _Reading) -> None:
        try:
            self.columns.of(name).read_on(self._store, name, extent)
        except Exception:
            log.exception("The votes of %s could not be read.", name)
        finally:
            reading.ended += 1
            reading.is_under_way = False

    def _forecast(self, snapshot: ContestSnapshot) -> None:
        for lane, race in enumerate(snapshot.races):
            if lane not in snapshot.contest.verdicts:
                self.forecasts.consider(snapshot.name, lane, race, epoch=snapshot.contest.epoch)


def _at_once(snapshot: ContestSnapshot, columns: AnswerColumns) -> int:
    """How many new entries an update of a contest reads."""
    return max(READ_AT_ONCE, len(snapshot.items), len(columns) // ANSWERS_AN_ENTRY)
