"""Who sees which contests: drafts are for those who run contests; for others they do not exist."""

from starlette.requests import Request

from plaudit.errors import UnknownContest
from plaudit.service.accounts.api_keys import SCOPES
from plaudit.service.contest.settings import HIDDEN
from plaudit.service.live.contest import LiveContest
from plaudit.web.browser_sessions import SESSION, BrowserSessions
from plaudit.web.endpoint import Scope
from plaudit.web.language import speak_of_contest
from plaudit.web.newcomers import cookie_name
from plaudit.web.site import Site

# A key that only brings raters may not see drafts.
SEE_DRAFTS = frozenset(SCOPES) - {"raters"}


async def contest_for(scope: Scope, site: Site) -> LiveContest:
    """The contest that the address of a request names.

    `UnknownContest` if there is none, or if it is a draft that the sender may not see.
    """
    return await visible_contest(scope, site, scope["path_params"]["contest"])


async def visible_contest(scope: Scope, site: Site, name: str) -> LiveContest:
    """The contest with a name, for the sender of a request; its language is spoken from here on."""
    live = site.worker.get(name)
    if live.contest.state in HIDDEN and not await _runs_contests(Request(scope), site):
        raise UnknownContest(live.name)
    speak_of_contest(live.settings.language)
    return live


async def sees_results(scope: Scope, site: Site, live: LiveContest) -> bool:
    """Whether the sender may see the results: everybody, or a rater who has finished a visit."""
    now = site.worker.clock()
    if live.shows_results(now) or not live.shows_results(now, finished=True):
        return live.shows_results(now)
    request = Request(scope)
    token = request.headers.get("x-plaudit-rater") or request.cookies.get(cookie_name(live), "")
    rater = site.worker.signer(live.name).rater(token) if token else None
    return rater is not None and live.has_finished(await site.memory(live, rater))


async def _runs_contests(request: Request, site: Site) -> bool:
    """Whether a request has an editor's key, or comes from a browser signed in at the desk."""
    if await site.has_scope(request.headers.get("authorization", ""), SEE_DRAFTS):
        return True
    browsers: BrowserSessions = request.app.state.browsers
    token = browsers.cookie(request, SESSION)
    return bool(token) and await site.blocking(browsers.sessions.find, token) is not None
