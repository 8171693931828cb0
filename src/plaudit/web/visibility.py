"""Drafts are for those who run contests: to all others, a contest that is one does not exist."""

from starlette.requests import Request

from plaudit.errors import UnknownContest
from plaudit.service.accounts.api_keys import SCOPES
from plaudit.service.contest.settings import DRAFT
from plaudit.service.live.contest import LiveContest
from plaudit.web.browser_sessions import SESSION, BrowserSessions
from plaudit.web.endpoint import Scope
from plaudit.web.site import Site

# Keys that bring raters are not those of an editor.
SEE_DRAFTS = frozenset(SCOPES) - {"raters"}


async def contest_for(scope: Scope, site: Site) -> LiveContest:
    """The contest that the address of a request names.

    `UnknownContest` where there is none, or a draft that whoever asks may not see.
    """
    live = site.worker.get(scope["path_params"]["contest"])
    if live.contest.state == DRAFT and not await _runs_contests(Request(scope), site):
        raise UnknownContest(live.name)
    return live


async def _runs_contests(request: Request, site: Site) -> bool:
    """Whether a request comes with a key of an editor, or from a browser signed in at the desk."""
    if await site.has_scope(request.headers.get("authorization", ""), SEE_DRAFTS):
        return True
    browsers: BrowserSessions = request.app.state.browsers
    token = browsers.cookie(request, SESSION)
    return bool(token) and await site.blocking(browsers.sessions.find, token) is not None
