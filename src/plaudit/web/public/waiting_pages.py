"""Waiting instead of working: a plain page for browsers that run no scripts."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from plaudit.service.contest.settings import OPEN_DOOR
from plaudit.service.door.networks import UNKNOWN
from plaudit.service.door.work import Newcomer
from plaudit.web.newcomers import cookie_name, let_in, rater_cookie
from plaudit.web.problem import Problem
from plaudit.web.rendering import page
from plaudit.web.site import Site
from plaudit.web.visibility import contest_for

# A little later than asked for, so that the next request is not a moment too early.
LATER_SECONDS = 1


async def wait_page(request: Request) -> Response:
    """Lets a newcomer in who comes back after the waiting time; tells others how long it is."""
    site: Site = request.app.state.site
    live = await contest_for(request.scope, site)
    if live.settings.door != OPEN_DOOR or not live.taking_answers(site.worker.clock()):
        return RedirectResponse(f"/c/{live.name}", 303)
    contest = {"name": live.name, "title": live.settings.title}
    signer = site.worker.signer(live.name)
    if signer.rater(request.cookies.get(cookie_name(live), "")) is not None:
        return page("public/waiting.html", contest=contest, seconds=0, challenge="")
    address = request.client.host if request.client else UNKNOWN
    site.count_address(address)
    challenge = request.query_params.get("challenge", "")
    try:
        rater = await let_in(site, live, Newcomer(live.name, address), None, challenge=challenge)
    except Problem as problem:
        if problem.work is None:
            raise
        seconds = -(-problem.work.wait_ms // 1000) + LATER_SECONDS
        named = problem.work.challenge
        return page("public/waiting.html", contest=contest, seconds=seconds, challenge=named)
    response = page("public/waiting.html", contest=contest, seconds=0, challenge="")
    cookie = rater_cookie(live, signer.token(rater), secure=request.url.scheme == "https")
    response.headers.append("set-cookie", cookie)
    return response
