"""Raters who sign in: the way to the provider, and back to the contest as one rater.

Of what the provider says only a keyed hash is used, another one for each contest: it is the rater.
"""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from plaudit.errors import PlauditError
from plaudit.service.contest.settings import SIGN_IN
from plaudit.service.door.openid.errands import VOTE, Subject
from plaudit.service.live.contest import LiveContest
from plaudit.web.errands import browsers_of, keep_errand, required_provider, send_away
from plaudit.web.newcomers import rater_cookie
from plaudit.web.problem import Problem
from plaudit.web.public.pages import for_people
from plaudit.web.site import Site
from plaudit.web.visibility import contest_for, visible_contest
from plaudit.words import _

FRESH = {"cache-control": "no-store"}


async def begin(request: Request) -> Response:
    """Sends a rater to the provider."""
    live = await contest_for(request.scope, _site(request))
    _check_door(live)
    required_provider(request)
    browsers, anew = browsers_of(request), "someone-else" in request.query_params
    if not browsers.is_public(request):
        # The provider sends people back to the public address only, and the cookie must be there.
        return RedirectResponse(f"{browsers.public_url}/c/{live.name}/sign-in", 303, FRESH)
    try:
        address, cookie = await send_away(request, VOTE, live.name, anew=anew)
    except PlauditError as error:
        return await for_people(request, error, again=f"/c/{live.name}")
    response = RedirectResponse(address, 303, FRESH)
    keep_errand(request, response, cookie)
    return response


async def came_back(request: Request, contest: str, subject: Subject) -> Response:
    """Sends a rater on to the contest, as the one rater that this person is there."""
    site = _site(request)
    live = await visible_contest(request.scope, site, contest)
    _check_door(live)
    signer = site.worker.signer(live.name)
    # An issuer has no line breaks, so that no other pair gives the same text.
    rater = signer.signed_in_rater(f"{subject.issuer}\n{subject.subject}")
    response = RedirectResponse(f"/c/{live.name}?signed-in=1", 303, FRESH)
    _set_cookie(request, response, live, signer.token(rater))
    return response


async def sign_out(request: Request) -> Response:
    """Lets somebody else use this browser: it forgets who the rater is."""
    if not is_own_form(request):
        said = _("This form was sent from another site. Use the form on this one.")
        raise Problem(403, "foreign_form", said)
    live = await contest_for(request.scope, _site(request))
    response = RedirectResponse(f"/c/{live.name}?someone-else=1", 303, FRESH)
    _set_cookie(request, response, live, "")
    return response


def is_own_form(request: Request) -> bool:
    """Whether a form came from a page of ours. These pages hide the origin of their forms."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site == "same-origin"
    return origin is None or browsers_of(request).is_ours(request, origin)


def _set_cookie(request: Request, response: Response, live: LiveContest, token: str) -> None:
    cookie = rater_cookie(live, token, secure=request.url.scheme == "https")
    response.headers.append("set-cookie", cookie)


def _check_door(live: LiveContest) -> None:
    if live.settings.door != SIGN_IN:
        said = _("This contest does not ask you to sign in. Open its own page.")
        raise Problem(404, "not_found", said)


def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site
