"""Makes the calls of an evaluation in asyncio tasks, for coroutine functions."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from plaudit.evaluation.grid import Cell
from plaudit.evaluation.progress import Progress
from plaudit.evaluation.retrying import Answer, CallFailed, Retrying
from plaudit.evaluation.session import Session


async def run_tasks(
    session: Session,
    score: Callable[..., Any],
    *,
    concurrency: int,
    retrying: Retrying,
    progress: Progress,
) -> None:
    """Awaits calls of `score` until the session needs no more.

    Where it is cancelled, calls under way are cancelled too; what was answered is kept.
    """
    running: dict[asyncio.Task[Answer], Cell] = {}
    try:
        while True:
            for cell in session.take(concurrency - len(running), len(running)):
                call = _call(score, cell, session.arguments(cell), retrying)
                running[asyncio.ensure_future(call)] = cell
            if not running:
                return
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                session.settle(running.pop(task), task.result())
            progress.show(session)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _call(
    score: Callable[..., Any], cell: Cell, arguments: tuple[Any, ...], retrying: Retrying
) -> Answer:
    for pause in retrying.pauses():
        try:
            if is_async(score):
                return Answer(await score(*arguments))
            return Answer(await asyncio.to_thread(score, *arguments))
        except Exception as problem:
            if pause is not None:
                await asyncio.sleep(pause)
            elif retrying.failed is not None:
                return Answer(retrying.failed, to_keep=False)
            else:
                raise CallFailed(cell) from problem
    raise AssertionError


def is_async(score: Any) -> bool:
    """Whether calling it gives something to await."""
    return any(map(inspect.iscoroutinefunction, (score, type(score).__call__)))
