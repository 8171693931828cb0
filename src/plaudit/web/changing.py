"""How a form of the desk changes a contest: on what its sender saw, and never unseen by another.

A page about a contest knows the `epoch` that it shows (`Errand.contest_page` gives it), and every
form that changes the contest carries it in a hidden field of that name. The handler hands over
what to do:

    moved = await change(
        errand, lambda epoch: desk.withdraw(name, items, by=errand.actor, epoch=epoch)
    )
    return moved or errand.go(f"/desk/contests/{name}/items?done=withdrawn")

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
from plaudit.service.contest_form import TIMES, in_utc
from plaudit.service.trail import trail_since
from plaudit.web.errand import Errand

# A worker hears of its own steps at once; one that is behind is not waited for longer.
PATIENCE_SECONDS = 10.0
_OWN = ("form_token", "epoch")


async def change(
    errand: Errand,
    work: Callable[[int], Any],
    *,
    typed: Mapping[str, str] | None = None,
) -> Response | None:
    """None once the step is taken, or the page that says what was changed meanwhile."""
    name = errand.live.name
    epoch = errand.number("epoch")
    try:
        await errand.site.change(work, epoch)
    except EpochMoved:
        return await _moved(errand, epoch, typed or {})
    head = (await errand.site.blocking(errand.site.store.heads))[name]
    await caught_up(errand, head.position)
    return None


async def caught_up(errand: Errand, position: int) -> None:
    """Returns once this worker has folded the log up to a position, or soon after."""
    live = errand.live
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while live.tally.position < position:
                await asyncio.sleep(0.01)
    except TimeoutError:
        pass


async def _moved(errand: Errand, epoch: int, typed: Mapping[str, str]) -> Response:
    store, name = errand.site.store, errand.live.name
    steps = (await errand.site.blocking(trail_since, store, name, epoch)).steps
    now = (await errand.site.blocking(store.heads))[name]
    await caught_up(errand, now.position)
    kept = [
        (key, in_utc(value) if key in TIMES else value)
        for key, value in errand.form
        if key not in _OWN
    ]
    return errand.contest_page(
        "moved.html",
        code=409,
        steps=steps,
        epoch=now.epoch,
        times=TIMES,
        shown=[(key, typed[key], value) for key, value in kept if key in typed],
        hidden=[(key, value) for key, value in kept if key not in typed],
    )
