"""Routes of the desk: signed in, role checked, token of the form checked."""

from collections.abc import Awaitable, Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from plaudit.errors import NotPermitted, PlauditError
from plaudit.service.accounts.roles import may
from plaudit.web import rendering
from plaudit.web.browser_sessions import SESSION, BrowserSessions
from plaudit.web.desk.requests.addresses import name_kinds
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.form_body import FORM_BYTES, FORM_FIELDS, MOST_FILES, read_form
from plaudit.web.problem import Problem
from plaudit.web.public import pages
from plaudit.web.site import Site
from plaudit.words import _

SIGN_IN = "/desk/sign-in"
# Before the first route is made.
name_kinds()
Handler = Callable[[DeskRequest], Awaitable[Response]]


def desk_route(
    path: str,
    get: Handler | None = None,
    post: Handler | None = None,
    *,
    role: str = "",
    limit: int = FORM_BYTES,
    most_fields: int = FORM_FIELDS,
    most_files: int = MOST_FILES,
    background: bool = False,
) -> Route:
    """A route of the desk; `role` is the least that may come here, "" for everyone.

    `limit` is how many bytes a form may have, `most_fields` how many fields, `most_files` files.
    What a page asks in the `background` keeps no session alive: nobody need be there.
    """
    most = (limit, most_fields, most_files)

    async def endpoint(request: Request) -> Response:
        try:
            response = await _answer(request, get, post, role, most, background)
        except PlauditError as error:
            response = await pages.for_people(request, error)
        response.headers["cache-control"] = "no-store"
        # Without it browsers hide the origin of a form, even from this service.
        response.headers["referrer-policy"] = "same-origin"
        return response

    methods = [*(["GET"] if get else []), *(["POST"] if post else [])]
    return Route(path, endpoint, methods=methods)


async def _answer(
    http: Request,
    get: Handler | None,
    post: Handler | None,
    role: str,
    most: tuple[int, int, int],
    background: bool,
) -> Response:
    browsers: BrowserSessions = http.app.state.browsers
    site: Site = http.app.state.site
    token = browsers.cookie(http, SESSION)
    find = browsers.sessions.find
    signed = await site.blocking(find, token, noting=not background) if token else None
    request = DeskRequest(http, browsers, signed)
    posted = http.method == "POST"
    if role and signed is None:
        back = "" if posted else f"?next={quote(http.url.path, safe='/')}"
        return request.go(SIGN_IN + back)
    if posted:
        # A large form is read only if its sender may send it.
        allowed = signed is not None and may(signed.account.role, role) if role else True
        request.form, request.uploads = await read_form(http, *(most if allowed else ()))
        browsers.check_form(http, request.field("form_token"), signed_in=signed is not None)
    if role and signed is not None and not may(signed.account.role, role):
        raise NotPermitted(
            _(
                "This page needs the role %(needed)s, and yours is %(role)s. Ask an owner.",
                needed=rendering.role_name(role),
                role=rendering.role_name(signed.account.role),
            )
        )
    handler = post if posted else get
    if handler is None:
        raise Problem(405, "method_not_allowed", _("This address does not take that method."))
    return await handler(request)
