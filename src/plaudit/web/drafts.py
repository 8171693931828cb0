"""Drafts are for those who run contests: to all others, a contest that is one does not exist."""

from starlette.requests import Request

from plaudit.errors import UnknownContest
from plaudit.service.contest import DRAFT
from plaudit.service.keys import SCOPES
from plaudit.service.live import LiveContest
from plaudit.web.door import SESSION, Door
from plaudit.web.endpoint import Scope
from plaudit.web.site import Site

# Keys that bring raters are not those of an editor.
SEE_DRAFTS = frozenset(SCOPES) - {"raters"}


async def contest_for(scope: Scope, site: Site) -> LiveContest:
    """The contest that the address of a request names.

    `UnknownContest` where there is none, or a draft that whoever asks may not see.
    """
    live = site.contests.get(scope["path_params"]["contest"])
    if live.tally.state == DRAFT and not await _runs_contests(Request(scope), site):
        raise UnknownContest(live.name)
    return live


async def _runs_contests(request: Request, site: Site) -> bool:
    """Whether a request comes with a key of an editor, or from a browser signed in at the desk."""
    if await site.has_scope(request.headers.get("authorization", ""), SEE_DRAFTS):
        return True
    door: Door = request.app.state.door
    token = door.cookie(request, SESSION)
    return bool(token) and await site.blocking(door.sessions.find, token) is not None
