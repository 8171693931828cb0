"""Makes the calls of an evaluation in threads, for functions that wait."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from threading import Event
from typing import Any

from plaudit.evaluation.grid import Cell
from plaudit.evaluation.progress import Progress
from plaudit.evaluation.retrying import Answer, CallFailed, Retrying
from plaudit.evaluation.session import Session

Running = dict[Future[Answer], Cell]
LISTEN_SECONDS = 0.2


def run_threads(
    session: Session,
    score: Callable[..., Any],
    *,
    concurrency: int,
    retrying: Retrying,
    progress: Progress,
) -> None:
    """Calls `score` until the session needs no more.

    If a call fails for good, those under way are waited for, since they are paid.
    """
    running: Running = {}
    ending = Event()
    pool = ThreadPoolExecutor(concurrency, thread_name_prefix="plaudit-evaluate")
    try:
        _drive(session, score, pool, running, concurrency, retrying, ending, progress)
    except Exception:
        ending.set()
        _drain(session, running)
        raise
    finally:
        ending.set()
        pool.shutdown(wait=False, cancel_futures=True)


def _drive(
    session: Session,
    score: Callable[..., Any],
    pool: ThreadPoolExecutor,
    running: Running,
    concurrency: int,
    retrying: Retrying,
    ending: Event,
    progress: Progress,
) -> None:
    while True:
        for cell in session.take(concurrency - len(running), len(running)):
            arguments = session.arguments(cell)
            running[pool.submit(_call, score, cell, arguments, retrying, ending)] = cell
        if not running:
            return
        # Ctrl-C is heard only where this thread runs, and may be sent to another one.
        ready = wait(running, timeout=LISTEN_SECONDS, return_when=FIRST_COMPLETED)
        for done in ready.done:
            session.settle(running.pop(done), done.result())
        progress.show(session)


def _drain(session: Session, running: Running) -> None:
    """Keeps what the calls under way return, if they do."""
    for call, cell in running.items():
        with suppress(Exception):
            session.settle(cell, call.result())


def _call(
    score: Callable[..., Any],
    cell: Cell,
    arguments: tuple[Any, ...],
    retrying: Retrying,
    ending: Event,
) -> Answer:
    for pause in retrying.pauses():
        try:
            return Answer(score(*arguments))
        except Exception as problem:
            if pause is None and retrying.failed is not None:
                return Answer(retrying.failed, to_keep=False)
            if pause is None or ending.wait(pause):
                raise CallFailed(cell) from problem
    raise AssertionError
