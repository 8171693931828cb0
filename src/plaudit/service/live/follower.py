"""The follower: one thread that reads what others wrote to the log, and does slow chores."""

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
    """Looks at the heads of all logs ten times a second, or at once when poked.

    `hand_over(live)` gets a contest that is new, `hand_over(name, batch)` the entries that
    follow those folded. `live` is read here and written by the owner only. `tidy` is done once
    an hour, and at the start.
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
        """Begins to follow."""
        self._thread.start()

    def close(self) -> None:
        """Does the chores that are left, then stops."""
        self._stopping = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def poke(self) -> None:
        """Looks at once, and reads whatever is missing."""
        self._eager = True
        self._wake.set()

    def do(self, chore: Callable[[], None]) -> None:
        """Does something slow on this thread, soon; again while the store is away."""
        self._chores.append(chore)
        self._wake.set()

    def load_new(self) -> list[LiveContest]:
        """The contests that are in the store and not yet live."""
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
            self._guarded(self._look)
            self._guarded(self._tidy_up)
        self._guarded(self._do_chores)

    def _guarded(self, step: Callable[[], None]) -> None:
        """Runs a step; a store that is away is tried again at the next look."""
        try:
            step()
            self.healthy = True
        except StoreUnavailable:
            self.healthy = False
        except Exception:
            # The thread must live on: without it no worker would see the others' votes.
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

    def _look(self) -> None:
        eager, self._eager = self._eager, False
        heads = self._store.heads()
        if heads.keys() - self._live.keys():
            for new in self.load_new():
                self._hand_over(new)
        for name, head in heads.items():
            live = self._live.get(name)
            # What this worker wrote itself is on its way: only read what stays missing.
            wanted = head.position if eager else self._seen.get(name, 0)
            if live is not None and live.contest.position < wanted:
                after, items = live.contest.position, len(live.items)
                batch = read_batch(self._store, name, after=after, items_from=items)
                self._hand_over(name, batch)
            self._seen[name] = head.position
