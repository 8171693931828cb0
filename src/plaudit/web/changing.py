"""A change of a contest from a form, made on what the editor saw of it."""

import asyncio
from collections.abc import Callable

from starlette.responses import Response

from plaudit.errors import EpochMoved
from plaudit.web.errand import Errand

PATIENCE_SECONDS = 20.0


async def change(errand: Errand, work: Callable[[], object]) -> Response | None:
    """Takes a step; None once this worker knows of it, or the page that says what came between."""
    live = errand.live
    try:
        entry = await errand.site.change(work)
    except EpochMoved as error:
        return errand.contest_page("moved.html", code=409, message=str(error))
    position = getattr(entry, "position", 0)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while live.tally.position < position:
            await asyncio.sleep(0.01)
    return None
