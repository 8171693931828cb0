"""The audit trail of a contest at the desk: who did what and when, and undoing it."""

import re

from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.service.accounts.roles import EDITOR, VIEWER
from plaudit.service.desk.trail import trail_of
from plaudit.web.desk.desk_steps import change
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.rendering import shown

SHOWN = 100
_PATH = "/desk/contests/{contest}/trail"


async def trail_page(request: DeskRequest) -> Response:
    """The steps, latest first, a page at a time."""
    return await _view(request)


async def _view(request: DeskRequest, *, code: int = 200, problem: str = "") -> Response:
    live = request.live
    steps = (await request.site.blocking(trail_of, request.site.store, live.name)).steps
    text = request.http.query_params.get("page", "")
    pages = max(1, -(-len(steps) // SHOWN))
    page = min(pages, max(1, int(text))) if re.fullmatch(r"[0-9]{1,6}", text) else 1
    last = max((step.position for step in steps), default=0)
    return request.contest_page(
        "trail.html",
        code=code,
        steps=steps[(page - 1) * SHOWN : page * SHOWN],
        since=live.contest.position - last if page == 1 else 0,
        page=page,
        pages=pages,
        problem=problem,
    )


async def undo(request: DeskRequest) -> Response:
    """Undoes a step by its opposite."""
    desk, name, position = request.desk, request.live.name, request.number("position")
    try:
        return await change(
            request,
            lambda epoch: desk.undo(name, position, by=request.actor, epoch=epoch),
            then=lambda entry: f"/desk/contests/{name}/trail?done=undone",
        )
    except (InvalidInput, NotAllowed) as error:
        return await _view(request, code=409, problem=shown(error))


ROUTES = [
    desk_route(_PATH, trail_page, role=VIEWER),
    desk_route(f"{_PATH}/undo", post=undo, role=EDITOR),
]
