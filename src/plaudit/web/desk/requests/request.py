"""One request to the desk: who sent it, what it says, and the pages that answer it."""

import re
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from plaudit.errors import NotPermitted
from plaudit.service.accounts.accounts import Accounts
from plaudit.service.accounts.roles import EDITOR, Actor, actor_of, may
from plaudit.service.accounts.sessions import SignedIn
from plaudit.service.contest.proposals import OFF
from plaudit.service.desk.desk import Desk
from plaudit.service.door.networks import network_of
from plaudit.service.live.contest import LiveContest
from plaudit.store.people import Account
from plaudit.web import rendering
from plaudit.web.browser_sessions import DEVICE, FORM, SESSION, BrowserSessions
from plaudit.web.desk.requests.said import STATE_NAMES, done
from plaudit.web.errands import provider_of
from plaudit.web.form_body import Upload
from plaudit.web.heavy_work import HeavyWork
from plaudit.web.problem import Problem
from plaudit.web.public import pages
from plaudit.web.reach import nearby, reach_of
from plaudit.web.site import Site
from plaudit.words import _

R = TypeVar("R")
# The field by which a form agrees that a verdict is taken back.
REVOKE = "revoke_verdict"
HOME = "/desk"


class DeskRequest:
    """One request to the desk."""

    def __init__(self, http: Request, browsers: BrowserSessions, signed: SignedIn | None) -> None:
        self.http = http
        self.browsers = browsers
        self.signed = signed
        self.form: list[tuple[str, str]] = []
        self.uploads: list[tuple[str, Upload]] = []

    @property
    def site(self) -> Site:
        """The service behind all routes."""
        site: Site = self.http.app.state.site
        return site

    @property
    def desk(self) -> Desk:
        """The desk for the step of a form; it may take back verdicts once the sender agreed."""
        return self.site.desk.revoking(self.field(REVOKE) == "yes")

    @property
    def accounts(self) -> Accounts:
        """What can be done with accounts."""
        return self.browsers.accounts

    @property
    def who(self) -> SignedIn:
        """Who is signed in; an error if nobody is."""
        if self.signed is None:
            raise NotPermitted(_("Sign in first."))
        return self.signed

    @property
    def actor(self) -> Actor:
        """Who takes the step."""
        return actor_of(self.who.account)

    @property
    def address(self) -> str:
        """Where the request comes from, as it is counted."""
        return network_of(self.http.client.host if self.http.client else "unknown")

    def field(self, name: str) -> str:
        """A field of the form, or ""."""
        return next((value for key, value in self.form if key == name), "")

    def fields(self, name: str) -> tuple[str, ...]:
        """All values of a field, such as ticked boxes."""
        return tuple(value for key, value in self.form if key == name)

    def put(self, name: str, *values: str) -> None:
        """Lets a field have these values, as if they had been sent."""
        rest = [(key, value) for key, value in self.form if key != name]
        self.form = [*rest, *((name, value) for value in values)]

    @property
    def files(self) -> dict[str, Upload]:
        """The files of the form, one a field."""
        return dict(self.uploads)

    def number(self, name: str) -> int:
        """A number in a hidden field; 0, which nothing has, if there is none."""
        text = self.field(name)
        return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else 0

    def hash(self, name: str) -> bytes:
        """A hash in a hidden field, or b""."""
        text = self.field(name)
        return bytes.fromhex(text) if re.fullmatch(r"(?:[0-9a-f]{2}){1,64}", text) else b""

    def page(self, template: str, *, code: int = 200, **given: Any) -> Response:
        """A page of the desk; its forms carry the token."""
        token, cookie = self.browsers.form_token(self.http, signed_in=self.signed is not None)
        account = self.signed.account if self.signed else None
        shown = {
            "me": account,
            "owns": account is not None and may(account.role, "owner"),
            "form_token": token,
            "done": done(self.http.query_params.get("done", "")),
            "errors": {},
            "here": self.http.url.path,
            "provider": provider.name if (provider := provider_of(self.http)) else "",
            "elsewhere": "" if self.browsers.is_public(self.http) else self.browsers.public_url,
        } | given
        response = rendering.page(f"desk/{template}", code=code, **shown)
        if cookie:
            self.browsers.set_cookie(self.http, response, FORM, cookie)
        return response

    @property
    def live(self) -> LiveContest:
        """The contest that the address names."""
        return self.site.worker.get(self.http.path_params["contest"])

    def contest_page(self, template: str, *, code: int = 200, **given: Any) -> Response:
        """A page about the contest that the address names, with the ways to the others."""
        live = self.live
        contest: dict[str, Any] = {"name": live.name, "title": live.settings.title}
        contest["state"] = live.contest.state
        contest["badge"] = pages.state_for_raters(live, self.site.worker.clock())
        contest["badge_words"] = _(STATE_NAMES[contest["badge"]])
        contest["proposals"] = live.settings.proposals != OFF or bool(live.contest.proposals)
        contest["proposals_waiting"] = len(live.contest.proposals_waiting)
        edits = may(self.who.account.role, EDITOR)
        shown = {"contest": contest, "edits": edits, "epoch": live.contest.epoch}
        shown |= {"reach": reach_of(self.browsers.public_url)}
        shown |= {"nearby": nearby(self.browsers.public_url)}
        return self.page(template, code=code, **(shown | given))

    async def heavy_work(self, key: Hashable, prepare: Callable[[], Callable[[], R]]) -> R:
        """What heavy work finds out about this contest; see `HeavyWork.look`."""
        heavy_work: HeavyWork = self.http.app.state.heavy_work
        return await heavy_work.look((self.live.name, key), prepare)

    def go(self, path: str) -> Response:
        """Sends the browser on after a step, so that reloading does not repeat it."""
        return RedirectResponse(path, 303)

    async def welcome(self, account: Account, path: str, *, subject: bytes = b"") -> Response:
        """Starts a new session after sign-in; `subject` is by which subject, if by one."""
        old = self.browsers.cookie(self.http, SESSION)
        agent = self.http.headers.get("user-agent", "")

        def work() -> str | None:
            if old:
                self.browsers.sessions.end(old)
            return self.browsers.sessions.begin(account, agent=agent, subject=subject)

        token = await self.site.blocking(work)
        if token is None:
            said = _("The account has just changed. Sign in again.")
            raise Problem(409, "changed_meanwhile", said)
        response = self.go(path)
        self.browsers.set_cookie(self.http, response, SESSION, token)
        device = self.browsers.sign_in.device_of(account)
        self.browsers.set_cookie(self.http, response, DEVICE, device)
        return response


def safe_next(path: str) -> str:
    """Where to go after signing in: a page of the desk, whatever was asked for.

    >>> safe_next("/desk/people"), safe_next("//evil.example/desk"), safe_next("/desk/../x")
    ('/desk/people', '/desk', '/desk')
    """
    return path if re.fullmatch(r"/desk(/[A-Za-z0-9_-]+)*", path) else HOME
