"""Browsers that are sent to the provider and come back; the cookie of their errand."""

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from plaudit.errors import ErrandRefused
from plaudit.phrase import Phrase
from plaudit.service.door.openid.errands import Errand, Subject
from plaudit.web.browser_sessions import ERRAND, BrowserSessions
from plaudit.web.problem import Problem
from plaudit.web.site import Site
from plaudit.words import N_

if TYPE_CHECKING:
    # It needs packages that a service without a provider does not have.
    from plaudit.service.door.openid.provider import OpenIdProvider


def provider_of(request: Request) -> "OpenIdProvider | None":
    """The provider that the service is connected to, if there is one."""
    found: OpenIdProvider | None = request.app.state.provider
    return found


def required_provider(request: Request) -> "OpenIdProvider":
    """The provider; an error if the service has none."""
    found = provider_of(request)
    if found is None:
        told = N_(
            "This service is not connected to a provider that people sign in with. Those who run "
            "it can change that: see the documentation, Signing in."
        )
        raise Problem(404, "no_provider", Phrase(told))
    return found


async def send_away(
    request: Request,
    purpose: str,
    target: str,
    *,
    bound: str = "",
    name: str = "",
    anew: bool = False,
) -> tuple[str, str]:
    """The address at the provider where the browser goes, and the errand that it must keep.

    With `anew`, the provider asks who it is even if it knows.
    """
    provider, browsers = required_provider(request), browsers_of(request)
    if not browsers.is_public(request):
        # The provider sends browsers to the public address only, and cookies stay where they are.
        told = N_("Signing in works at {address} only. Open this page there.")
        raise Problem(409, "other_address", Phrase(told, address=browsers.public_url))
    errand = provider.errands.new(purpose, target, now=browsers.clock(), bound=bound, name=name)
    return await provider.way_there(errand, anew=anew), provider.errands.cookie(errand)


def errand_of(request: Request) -> Errand | None:
    """The errand of the browser that comes back, if it is the one that the state belongs to."""
    provider, browsers = required_provider(request), browsers_of(request)
    cookie = browsers.cookie(request, ERRAND)
    found = provider.errands.read(cookie, now=browsers.clock()) if cookie else None
    state = request.query_params.get("state", "")
    return found if found is not None and provider.errands.is_state(found, state) else None


async def who_came_back(request: Request, errand: Errand | None) -> Subject:
    """Who the browser of an errand is; `ErrandRefused` if that is not proven."""
    query = request.query_params
    if errand is None or len(query.multi_items()) != len(query):
        raise ErrandRefused
    site: Site = request.app.state.site
    site.count_address(request.client.host if request.client else "unknown")
    return await required_provider(request).who_came_back(errand, query)


def keep_errand(request: Request, response: Response, cookie: str) -> None:
    """Gives the browser its errand; "" takes it away."""
    browsers_of(request).set_cookie(request, response, ERRAND, cookie)


def browsers_of(request: Request) -> BrowserSessions:
    """What all requests to the desk share in a worker."""
    browsers: BrowserSessions = request.app.state.browsers
    return browsers
