"""An errand at the desk: one request, by someone of a role, whose form is our own."""

import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl, quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from plaudit.errors import NotPermitted, PlauditError
from plaudit.service.accounts import Accounts
from plaudit.service.live import LiveContest
from plaudit.service.roles import EDITOR, Actor, actor_of, may
from plaudit.service.sessions import SignedIn
from plaudit.store.people import Account
from plaudit.web import pages
from plaudit.web.door import DEVICE, FORM, SESSION, Door
from plaudit.web.endpoint import read_body
from plaudit.web.problem import Problem
from plaudit.web.site import Site, network_of

HOME, SIGN_IN = "/desk", "/desk/sign-in"
_FORM_BYTES, _FORM_FIELDS = 16 * 1024, 60
# What a page tells after a step that was done; addresses carry the word, never the text.
DONE = {
    "role": "The role was changed.",
    "removed": "The account was removed, and signed out everywhere.",
    "item-withdrawn": "The item was withdrawn: nobody sees it, and its votes do not count.",
    "excluded": "Excluded: none of these votes counts any more.",
    "readmitted": "Readmitted: the votes count again.",
    "erased": "The rater is forgotten.",
    "merged": "The items are one now, and their votes pool.",
    "step-undone": "The step was undone.",
    "let-be": "Noted. It waits below, should you want to look again.",
    "look-again": "It is on the list again.",
    "cancelled": "The link does not work any more.",
    "revoked": "The key was taken back.",
    "password": "Your password was changed, and all other browsers were signed out.",
    "ended": "That browser was signed out.",
    "signed-out": "You are signed out.",
}


class Errand:
    """One request to the desk."""

    def __init__(self, request: Request, door: Door, signed: SignedIn | None) -> None:
        self.request = request
        self.door = door
        self.signed = signed
        self.form: list[tuple[str, str]] = []

    @property
    def site(self) -> Site:
        """The service behind all routes."""
        site: Site = self.request.app.state.site
        return site

    @property
    def accounts(self) -> Accounts:
        """What can be done with accounts."""
        return self.door.accounts

    @property
    def who(self) -> SignedIn:
        """Who is signed in; asked only where someone is."""
        if self.signed is None:
            raise NotPermitted("Sign in first.")
        return self.signed

    @property
    def actor(self) -> Actor:
        """Who takes the step."""
        return actor_of(self.who.account)

    @property
    def address(self) -> str:
        """Where the request comes from, as it is counted."""
        return network_of(self.request.client.host if self.request.client else "unknown")

    def field(self, name: str) -> str:
        """A field of the form, or ""."""
        return next((value for key, value in self.form if key == name), "")

    def fields(self, name: str) -> tuple[str, ...]:
        """All values of a field, such as ticked boxes."""
        return tuple(value for key, value in self.form if key == name)

    def number(self, name: str) -> int:
        """A number in a hidden field; 0, which nobody has, where it is none."""
        text = self.field(name)
        return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else 0

    def hash(self, name: str) -> bytes:
        """A hash in a hidden field, or b""."""
        text = self.field(name)
        return bytes.fromhex(text) if re.fullmatch(r"(?:[0-9a-f]{2}){1,64}", text) else b""

    def page(self, template: str, *, code: int = 200, **given: Any) -> Response:
        """A page of the desk; its forms carry the token."""
        token, cookie = self.door.form_token(self.request, signed_in=self.signed is not None)
        account = self.signed.account if self.signed else None
        shown = {
            "me": account,
            "owns": account is not None and may(account.role, "owner"),
            "form_token": token,
            "done": DONE.get(self.request.query_params.get("done", ""), ""),
            "errors": {},
            "here": self.request.url.path,
        } | given
        response = pages.page(f"desk/{template}", code=code, **shown)
        if cookie:
            self.door.set_cookie(self.request, response, FORM, cookie)
        return response

    @property
    def live(self) -> LiveContest:
        """The contest that the address names."""
        return self.site.contests.get(self.request.path_params["contest"])

    def contest_page(self, template: str, *, code: int = 200, **given: Any) -> Response:
        """A page about the contest that the address names, with the ways to the others."""
        live = self.live
        contest = {"name": live.name, "title": live.settings.title, "state": live.tally.state}
        edits = may(self.who.account.role, EDITOR)
        shown = {"contest": contest, "edits": edits, "epoch": live.tally.epoch}
        return self.page(template, code=code, **(shown | given))

    def go(self, path: str) -> Response:
        """Sends the browser on after a step, so that reloading does not repeat it."""
        return RedirectResponse(path, 303)

    async def welcome(self, account: Account, path: str) -> Response:
        """Begins a session of its own for who has just proved who they are."""
        old = self.door.cookie(self.request, SESSION)
        agent = self.request.headers.get("user-agent", "")

        def work() -> str | None:
            if old:
                self.door.sessions.end(old)
            return self.door.sessions.begin(account, agent=agent)

        token = await self.site.blocking(work)
        if token is None:
            raise Problem(409, "changed_meanwhile", "The password has just changed. Sign in again.")
        response = self.go(path)
        self.door.set_cookie(self.request, response, SESSION, token)
        device = self.door.sign_in.device_of(account)
        self.door.set_cookie(self.request, response, DEVICE, device)
        return response


Handler = Callable[[Errand], Awaitable[Response]]


def desk_route(
    path: str, get: Handler | None = None, post: Handler | None = None, *, role: str = ""
) -> Route:
    """A route of the desk; `role` is the least that may come here, "" for everyone."""

    async def endpoint(request: Request) -> Response:
        try:
            response = await _answer(request, get, post, role)
        except PlauditError as error:
            response = await pages.for_people(request, error)
        response.headers["cache-control"] = "no-store"
        # Without it browsers hide where a form comes from, also from ourselves.
        response.headers["referrer-policy"] = "same-origin"
        return response

    methods = [*(["GET"] if get else []), *(["POST"] if post else [])]
    return Route(path, endpoint, methods=methods)


async def _answer(
    request: Request, get: Handler | None, post: Handler | None, role: str
) -> Response:
    door: Door = request.app.state.door
    site: Site = request.app.state.site
    token = door.cookie(request, SESSION)
    signed = await site.blocking(door.sessions.find, token) if token else None
    errand = Errand(request, door, signed)
    posted = request.method == "POST"
    if role and signed is None:
        back = "" if posted else f"?next={quote(request.url.path, safe='/')}"
        return errand.go(SIGN_IN + back)
    if posted:
        errand.form = await _read_form(request)
        door.check_form(request, errand.field("form_token"), signed_in=signed is not None)
    if role and signed is not None and not may(signed.account.role, role):
        raise NotPermitted(
            f"This page needs the role {role}, and yours is {signed.account.role}. Ask an owner."
        )
    handler = post if posted else get
    if handler is None:
        raise Problem(405, "method_not_allowed", "This address does not take that method.")
    return await handler(errand)


async def _read_form(request: Request) -> list[tuple[str, str]]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Problem(400, "bad_request", "Send this form from its page.")
    body = await read_body(request.receive, _FORM_BYTES)
    try:
        return parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=_FORM_FIELDS,
        )
    except ValueError:
        raise Problem(400, "bad_request", "The form cannot be read. Send it again.") from None


def safe_next(path: str) -> str:
    """Where to go after signing in: a page of the desk, whatever was asked for.

    >>> safe_next("/desk/people"), safe_next("//evil.example/desk"), safe_next("/desk/../x")
    ('/desk/people', '/desk', '/desk')
    """
    return path if re.fullmatch(r"/desk(/[A-Za-z0-9_-]+)*", path) else HOME
