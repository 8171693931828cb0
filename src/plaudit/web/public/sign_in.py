"""Raters who sign in: the way to the provider, and back to the contest as one rater."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from plaudit.service.contest.settings import SIGN_IN
from plaudit.service.door.openid.errands import VOTE, Subject
from plaudit.service.live.contest import LiveContest
from plaudit.web.errands import browsers_of, keep_errand, required_provider, send_away
from plaudit.web.problem import Problem
from plaudit.web.site import Site
from plaudit.web.visibility import contest_for
from plaudit.words import _


async def begin(request: Request) -> Response:
    """Sends a rater to the provider."""
    live = await contest_for(request.scope, _site(request))
    _check_door(live)
    browsers = browsers_of(request)
    required_provider(request)
    if not browsers.is_public(request):
        return RedirectResponse(f"{browsers.public_url}/c/{live.name}/sign-in", 303)
    address, cookie = await send_away(request, VOTE, live.name)
    response = RedirectResponse(address, 303, {"cache-control": "no-store"})
    keep_errand(request, response, cookie)
    return response


async def came_back(request: Request, contest: str, subject: Subject) -> Response:
    """Sends a rater on to the contest, as the one rater that this person is there."""
    raise NotImplementedError


def _check_door(live: LiveContest) -> None:
    if live.settings.door != SIGN_IN:
        said = _("This contest does not ask you to sign in. Open its own page.")
        raise Problem(404, "not_found", said)


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site
