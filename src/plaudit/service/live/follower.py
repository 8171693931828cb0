"""The follower: one thread that reads what others wrote to the logs, and does slow chores."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from plaudit.errors import StoreUnavailable
from plaudit.service.contest.races import warm_up_for
from plaudit.service.contest.replay import read_batch
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.loading import load_contest
from plaudit.store.contract import Store

POLL_SECONDS = 0.1
TIDY_SECONDS = 3600.0

log = logging.getLogger("plaudit")


class Follower:
    """Checks the heads of all logs ten times a second, or at once when poked.

    It calls `hand_over(live)` for a new contest and `hand_over(name, batch)` for new entries. It
    only reads `live`; the owner's thread changes it. `tidy` runs at the start and once an hour.
    """

    def __init__(
        self,
        store: Store,
        live: Mapping[str, LiveContest],
        hand_over: Callable[..., Any],
        *,
        tidy: Callable[[], Any] = lambda: None,
    ) -> None:
        self._store = store
        self._live = live
        self._hand_over = hand_over
        self._chores: deque[Callable[[], None]] = deque()
        self._tidy = tidy
        self._tidy_at = 0.0
        self._wake = threading.Event()
        self._stopping = False
        self._seen: dict[str, int] = {}
        self._eager = False
        self._thread = threading.Thread(target=self._run, name="plaudit-follower", daemon=True)
        self.healthy = True

    def start(self) -> None:
        """Starts following."""
        self._thread.start()

    def close(self) -> None:
        """Does the remaining chores, then stops."""
        self._stopping = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def poke(self) -> None:
        """Checks at once, and reads everything that is missing."""
        self._eager = True
        self._wake.set()

    def do(self, chore: Callable[[], None]) -> None:
        """Runs a chore on this thread soon; repeats it while the store is unavailable."""
        self._chores.append(chore)
        self._wake.set()

    def load_new(self) -> list[LiveContest]:
        """Loads the contests that are in the store and not yet live."""
        names = [record.name for record in self._store.contests()]
        found = [load_contest(self._store, name) for name in names if name not in self._live]
        for new in found:
            warm_up_for(new.settings)
        return found

    def _run(self) -> None:
        while not self._stopping:
            self._wake.wait(POLL_SECONDS)
            self._wake.clear()
            self._guarded(self._do_chores)
            self._guarded(self._check)
            self._guarded(self._tidy_up)
        self._guarded(self._do_chores)

    def _guarded(self, step: Callable[[], None]) -> None:
        """Runs a step; if the store is unavailable, the next check tries again."""
        try:
            step()
            self.healthy = True
        except StoreUnavailable:
            self.healthy = False
        except Exception:
            # The thread must go on: without it the worker would not see the votes of others.
            log.exception("The follower could not fold the log.")

    def _do_chores(self) -> None:
        while self._chores:
            chore = self._chores.popleft()
            try:
                chore()
            except StoreUnavailable:
                self._chores.appendleft(chore)
                raise

    def _tidy_up(self) -> None:
        if time.monotonic() >= self._tidy_at:
            self._tidy_at = time.monotonic() + TIDY_SECONDS
            self._tidy()

    def _check(self) -> None:
        eager, self._eager = self._eager, False
        heads = self._store.heads()
        if heads.keys() - self._live.keys():
            for new in self.load_new():
                self._hand_over(new)
        for name, head in heads.items():
            live = self._live.get(name)
            # Entries that this worker wrote arrive by themselves: read only what was missing at
            # the previous check already.
            wanted = head.position if eager else self._seen.get(name, 0)
            if live is not None and live.contest.position < wanted:
                after, items = live.contest.position, len(live.items)
                batch = read_batch(self._store, name, after=after, items_from=items)
                self._hand_over(name, batch)
            self._seen[name] = head.position
