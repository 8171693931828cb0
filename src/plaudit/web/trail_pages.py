"""The audit trail of a contest at the desk: who did what and when, and undoing it."""

import re

from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.service.desk_words import told
from plaudit.service.roles import EDITOR, VIEWER
from plaudit.service.trail import trail_of
from plaudit.service.undoing import UNDONE
from plaudit.web.changing import change
from plaudit.web.errand import Errand, desk_route

SHOWN = 100
_PATH = "/desk/contests/{contest}/trail"


async def trail_page(errand: Errand) -> Response:
    """The steps, latest first, a page at a time."""
    return await _view(errand)


async def _view(errand: Errand, *, code: int = 200, problem: str = "") -> Response:
    live = errand.live
    steps = (await errand.site.blocking(trail_of, errand.site.store, live.name)).steps
    text = errand.request.query_params.get("page", "")
    pages = max(1, -(-len(steps) // SHOWN))
    page = min(pages, max(1, int(text))) if re.fullmatch(r"[0-9]{1,6}", text) else 1
    last = max((step.position for step in steps), default=0)
    return errand.contest_page(
        "trail.html",
        code=code,
        steps=steps[(page - 1) * SHOWN : page * SHOWN],
        since=live.tally.position - last if page == 1 else 0,
        page=page,
        pages=pages,
        problem=problem,
        undone=UNDONE,
    )


async def undo(errand: Errand) -> Response:
    """Undoes a step by its opposite."""
    desk, name, position = errand.site.desk, errand.live.name, errand.number("position")
    try:
        moved = await change(
            errand, lambda epoch: desk.undo(name, position, by=errand.actor, epoch=epoch)
        )
    except (InvalidInput, NotAllowed) as error:
        return await _view(errand, code=409, problem=told(str(error)))
    return moved or errand.go(f"/desk/contests/{name}/trail?done=undone")


ROUTES = [
    desk_route(_PATH, trail_page, role=VIEWER),
    desk_route(f"{_PATH}/undo", post=undo, role=EDITOR),
]
