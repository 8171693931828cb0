"""Where revision 1e40f27 had what the tasks use."""

from importlib import import_module
from typing import Any

from benchmarks.before_after.content import CONTEST, SECRET


def _found(module: str, name: str) -> Any:
    return getattr(import_module(f"plaudit.{module}"), name)


ContestSettings = _found("service.contest", "ContestSettings")
Lane = _found("service.contest", "Lane")
Level = _found("service.contest", "Level")
Desk = _found("service.desk", "Desk")
Ticket = _found("service.tickets", "Ticket")
Worker = _found("service.contests", "Contests")
now_ms = _found("service.clock", "now_ms")


def secret() -> Any:
    """The secret that the service signs with."""
    return _found("service.secret", "Secret")(SECRET.encode())


def signer() -> Any:
    """What signs for the contest."""
    return _found("service.tickets", "Signer")(secret(), CONTEST)


def recall(worker: Any, live: Any, rater: Any) -> Any:
    """What is known of a rater, from the store if need be."""
    memory = worker.memory(live, rater)
    if memory is None:
        strangers = live.book.strangers
        number, answers = worker.read_rater(live.name, rater.key)
        memory = live.remember(rater.key, number, answers, strangers=strangers)
    return memory


def keep_snapshot(store: Any, live: Any) -> None:
    """Keeps the state of a contest, so that the next start need not read the log."""
    _found("service.loading", "put_snapshot")(store, live.name, live.tally)


def results(live: Any) -> Any:
    """The public results now."""
    return _found("service.results", "make_results")(live)


class Dashboard:
    """Updates of a dashboard, without the limit on how often and without forecasts."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self._columns = _found("service.answer_columns", "AnswerColumns")()
        self._forecasts = _found("service.forecasts", "Forecasts")()
        self._render = _found("web.board_pages", "Renderer")()
        self._still = _found("service.board", "stilled")
        self._make = _found("service.board", "make_board")

    def update(self, live: Any) -> Any:
        """What all viewers are shown now."""
        still = self._still(live)
        self._columns.read_on(self._store, still.name)
        return self._render(self._make(still, self._columns, self._forecasts, now=now_ms()))
