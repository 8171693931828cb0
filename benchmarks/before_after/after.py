"""Where the code now has what the tasks use."""

from typing import Any

from benchmarks.before_after.content import CONTEST, SECRET
from plaudit.service.accounts.secret import Secret
from plaudit.service.clock import now_ms
from plaudit.service.contest.replay import put_snapshot
from plaudit.service.contest.settings import ContestSettings, Lane, Level
from plaudit.service.desk.desk import Desk
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.rater_memory import Memory
from plaudit.service.live.recall import Recall
from plaudit.service.live.tickets import Signer, Ticket
from plaudit.service.live.worker import Worker
from plaudit.service.watch.answer_columns import AnswerColumns
from plaudit.service.watch.dashboard import make_dashboard
from plaudit.service.watch.results import make_results
from plaudit.service.watch.running_forecasts import RunningForecasts
from plaudit.store.contract import Store
from plaudit.web.desk.dashboard_pages import Renderer

__all__ = [
    "ContestSettings", "Dashboard", "Desk", "Lane", "Level", "Ticket", "Worker",
    "keep_snapshot", "now_ms", "recall", "results", "secret", "signer",
]  # fmt: skip


def secret() -> Secret:
    """The secret that the service signs with."""
    return Secret(SECRET.encode())


def signer() -> Signer:
    """What signs for the contest."""
    return Signer(secret(), CONTEST)


def recall(worker: Worker, live: LiveContest, rater: RaterId) -> Memory:
    """What is known of a rater, from the store if need be."""
    found = worker.recall(live, rater)
    if isinstance(found, Recall):
        found.read()
        return found.remember()
    return found


def keep_snapshot(store: Store, live: LiveContest) -> None:
    """Keeps the state of a contest, so that the next start need not read the log."""
    put_snapshot(store, live.name, live.contest)


def results(live: LiveContest) -> Any:
    """The public results now."""
    return make_results(live.snapshot())


class Dashboard:
    """Updates of a dashboard, without the limit on how often and without forecasts."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._columns = AnswerColumns()
        self._forecasts = RunningForecasts()
        self._render = Renderer()

    def update(self, live: LiveContest) -> Any:
        """What all viewers are shown now."""
        snapshot = live.snapshot()
        self._columns.read_on(self._store, snapshot.name)
        made = make_dashboard(snapshot, self._columns, self._forecasts, now=now_ms())
        return self._render(made)
