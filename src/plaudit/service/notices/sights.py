"""How the courier sees contests: snapshots from the thread that owns them, and the log."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from plaudit.errors import UnknownContest
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.live.worker import Worker
from plaudit.service.moderation.docket import Moderation
from plaudit.service.notices.news import Sight
from plaudit.store.contract import Store

PATIENCE_SECONDS = 10.0


class Sights:
    """Looks at the live contests of a worker; `post` runs a function on the owner's thread."""

    def __init__(
        self, store: Store, worker: Worker, moderation: Moderation, post: Callable[..., Any]
    ) -> None:
        self._store = store
        self._worker = worker
        self._moderation = moderation
        self._post = post
        # By contest: the latest snapshot, and when its last entry was made.
        self._kept: dict[str, tuple[ContestSnapshot, int]] = {}
        self._examined: dict[str, int] = {}

    def of(self, name: str, *, epoch: int, suspects: bool) -> Sight | None:
        """A contest now, with the events after an epoch; None if this worker is not there yet.

        `suspects` looks for suspicious raters too, if there are answers that were not looked at.
        """
        seen = self._snapshot(name)
        if seen is None or seen.contest.epoch < epoch:
            return None
        kept = self._kept.get(name)
        if kept is None or kept[0].contest.position != seen.contest.position:
            position = seen.contest.position
            (last,) = self._store.entries(name, after=position - 1, limit=1)
            kept = self._kept[name] = (seen, last.at)
        count = seen.contest.epoch - epoch
        events = self._store.events(name)[epoch : epoch + count] if count > 0 else []
        found = None
        if suspects and self._examined.get(name) != seen.contest.position:
            self._examined[name] = seen.contest.position
            found = self._moderation.examined(seen)[1]
        return Sight(seen, events, kept[1], found)

    def _snapshot(self, name: str) -> ContestSnapshot | None:
        taken: Future[ContestSnapshot | None] = Future()

        def take() -> None:
            try:
                taken.set_result(self._worker.get(name).snapshot(races=False))
            except UnknownContest:
                taken.set_result(None)
            except Exception as error:
                taken.set_exception(error)

        self._post(take)
        return taken.result(PATIENCE_SECONDS)
