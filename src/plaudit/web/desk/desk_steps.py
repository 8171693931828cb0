"""How a form of the desk changes a contest: on what its sender saw, and never unseen by another.

A page about a contest knows the `epoch` that it shows (`DeskRequest.contest_page` gives it), and
every form that changes the contest carries it in a hidden field of that name. The handler hands
over what to do:

    moved = await change(
        request, lambda epoch: desk.withdraw(name, items, by=request.actor, epoch=epoch)
    )
    return moved or request.go(f"/desk/contests/{name}/items?done=withdrawn")

- None comes back once the step is in the log and this worker has folded it, so that the page
  which follows shows it.
- If somebody else changed the contest meanwhile, nothing is written and the answer is a page (409)
  that says who did what since. It keeps all that was typed, with the epoch of now: one button
  sends it again. `typed` names the fields to show, with their labels; they can be changed there.
- Whatever else is wrong (`NotAllowed`, `InvalidInput`) is raised, for the handler to show at its
  field.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from starlette.responses import Response

from plaudit.errors import EpochMoved
from plaudit.service.desk.trail import trail_since
from plaudit.service.intake.contest_form import TIMES, in_utc
from plaudit.web.desk.desk_request import DeskRequest

# A worker hears of its own steps at once; one that is behind is not waited for longer.
PATIENCE_SECONDS = 10.0
_OWN = ("form_token", "epoch")


async def change(
    request: DeskRequest,
    work: Callable[[int], Any],
    *,
    typed: Mapping[str, str] | None = None,
) -> Response | None:
    """None once the step is taken, or the page that says what was changed meanwhile."""
    name = request.live.name
    epoch = request.number("epoch")
    try:
        await request.site.change(work, epoch)
    except EpochMoved:
        return await _moved(request, epoch, typed or {})
    head = (await request.site.blocking(request.site.store.heads))[name]
    await caught_up(request, head.position)
    return None


async def caught_up(request: DeskRequest, position: int) -> None:
    """Returns once this worker has folded the log up to a position, or soon after."""
    live = request.live
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while live.contest.position < position:
                await asyncio.sleep(0.01)
    except TimeoutError:
        pass


async def _moved(request: DeskRequest, epoch: int, typed: Mapping[str, str]) -> Response:
    store, name = request.site.store, request.live.name
    steps = (await request.site.blocking(trail_since, store, name, epoch)).steps
    now = (await request.site.blocking(store.heads))[name]
    await caught_up(request, now.position)
    kept = [
        (key, in_utc(value) if key in TIMES else value)
        for key, value in request.form
        if key not in _OWN
    ]
    return request.contest_page(
        "moved.html",
        code=409,
        steps=steps,
        epoch=now.epoch,
        times=TIMES,
        shown=[(key, typed[key], value) for key, value in kept if key in typed],
        hidden=[(key, value) for key, value in kept if key not in typed],
    )
