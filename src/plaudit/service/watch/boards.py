"""The boards of all contests that somebody watches: each computed once, however many look."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from plaudit.service.live.contest import LiveContest
from plaudit.service.watch.answer_columns import AllColumns
from plaudit.service.watch.board import Board, make_board, stilled
from plaudit.service.watch.forecasts import Forecasts
from plaudit.service.watch.time_bins import MINUTE
from plaudit.store.contract import LogStore

# A board is not begun more often than a dashboard asks, nor takes more than this share of the time.
LEAST_SECONDS = 2.4
TIMES_ITS_COST = 8.0
# Who comes to an old board waits for a new one; who watches gets the last at once.
OLD_SECONDS = 10.0
# So many new entries are read on the way; more are read aside, and the board comes without.
READ_AT_ONCE = 5_000

log = logging.getLogger("plaudit")
D = TypeVar("D")


@dataclass(frozen=True)
class Dressed(Generic[D]):
    """A board, and what was made from it once for all who look."""

    board: Board
    dress: D
    at: float


@dataclass
class _Place(Generic[D]):
    """What is known of one contest's board."""

    latest: Dressed[D] | None = None
    seen: tuple[object, ...] = ()
    due: float = 0.0
    under_way: "Future[Dressed[D]] | None" = None
    is_reading: bool = False
    readings: int = 0


class Boards(Generic[D]):
    """The boards of a worker. `dress` turns a new one into what is shown, on the same thread."""

    def __init__(
        self,
        store: LogStore,
        *,
        clock: Callable[[], int],
        dress: Callable[[Board], D],
        forecasts: Forecasts | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self.columns = AllColumns()
        self.forecasts = Forecasts() if forecasts is None else forecasts
        self.computed = 0
        self._store = store
        self._clock = clock
        self._timer = timer
        self._dress = dress
        self._places: dict[str, _Place[D]] = {}
        self._computing = ThreadPoolExecutor(1, thread_name_prefix="plaudit-board")
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="plaudit-reading")

    def close(self) -> None:
        """Ends what is under way, and lets the threads go."""
        self.forecasts.close()
        self.columns.stop()
        self._computing.shutdown(cancel_futures=True)
        self._reading.shutdown(cancel_futures=True)

    def known(self, name: str) -> Board | None:
        """The latest board of a contest, if anyone looked at it; costs nothing."""
        place = self._places.get(name)
        return place.latest.board if place is not None and place.latest is not None else None

    def look(self, live: LiveContest) -> "Future[Dressed[D]]":
        """The board of a contest, done or under way; on the owner's thread.

        Whoever looks while it is computed gets the same one. A board that is a moment old is
        given at once, and the next begun where there is something new to see.
        """
        place = self._places.setdefault(live.name, _Place())
        now = self._timer()
        if place.under_way is not None and place.under_way.done():
            place.under_way = None
        if place.under_way is None and (now >= place.due or place.latest is None):
            seen = self._state_of(live, place)
            if seen != place.seen:
                place.seen = seen
                place.under_way = self._computing.submit(self._make, stilled(live), place)
        latest, under_way = place.latest, place.under_way
        if latest is not None and (under_way is None or now - latest.at < OLD_SECONDS):
            done: Future[Dressed[D]] = Future()
            done.set_result(latest)
            return done
        # Without a board there is always one under way: nothing was seen yet.
        assert under_way is not None
        return under_way

    def _state_of(self, live: LiveContest, place: _Place[D]) -> tuple[object, ...]:
        """What a board depends on: where this is the same, so is the board."""
        contest = live.contest
        minute = self._clock() // MINUTE if contest.state == "open" else 0
        share = self.columns.of(live.name).position * 20 // max(contest.position, 1)
        reading = (place.is_reading, place.readings, share if place.is_reading else 0)
        return (contest.position, contest.state, minute, self.forecasts.count, *reading)

    def _make(self, still: LiveContest, place: _Place[D]) -> Dressed[D]:
        begun = self._timer()
        try:
            self._read_on(still, place)
            columns = self.columns.of(still.name)
            board = make_board(still, columns, self.forecasts, now=self._clock())
            self.computed += 1
            made = place.latest = Dressed(board, self._dress(board), self._timer())
            self._forecast(still)
        except Exception:
            log.exception("The board of %s failed.", still.name)
            place.seen = ()
            raise
        finally:
            now = self._timer()
            place.due = begun + max(LEAST_SECONDS, TIMES_ITS_COST * (now - begun))
        return made

    def _read_on(self, still: LiveContest, place: _Place[D]) -> None:
        columns = self.columns.of(still.name)
        missing = still.contest.position - columns.position
        if missing <= 0 or place.is_reading:
            return
        if missing <= READ_AT_ONCE:
            columns.read_on(self._store, still.name)
        else:
            place.is_reading = True
            self._reading.submit(self._read_all, still.name, place)

    def _read_all(self, name: str, place: _Place[D]) -> None:
        try:
            self.columns.of(name).read_on(self._store, name)
        except Exception:
            log.exception("The votes of %s could not be read.", name)
        finally:
            place.readings += 1
            place.is_reading = False

    def _forecast(self, still: LiveContest) -> None:
        for lane, race in enumerate(still.races):
            if not still.is_decided(lane):
                self.forecasts.consider(still.name, lane, race, epoch=still.contest.epoch)
