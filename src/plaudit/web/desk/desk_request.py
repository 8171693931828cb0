"""A request to the desk: signed in, role checked, CSRF checked."""

import re
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar
from urllib.parse import quote

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from plaudit.errors import NotPermitted, PlauditError
from plaudit.phrase import item_id
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
from plaudit.web.errands import provider_of
from plaudit.web.form_body import FORM_BYTES, FORM_FIELDS, MOST_FILES, Upload, read_form
from plaudit.web.heavy_work import HeavyWork
from plaudit.web.problem import Problem
from plaudit.web.public import pages
from plaudit.web.reach import nearby, reach_of
from plaudit.web.site import Site
from plaudit.words import N_, _

R = TypeVar("R")


class Small(Convertor[int]):
    """A number in an address that is no longer than any can be: Python refuses the longest."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """The number as an address has it."""
        return str(value)


class ItemInAddress(Convertor[int]):
    """An item in an address by its id; a number is a position, as in links of before."""

    regex = "[iI]?[0-9]{1,9}"

    def convert(self, value: str) -> int:
        """The position of the item in the log."""
        return int(value) if value[0].isdigit() else int(value[1:]) - 1

    def to_string(self, value: int) -> str:
        """The id of the item."""
        return item_id(value)


register_url_convertor("small", Small())
register_url_convertor("item", ItemInAddress())

# The field by which a form agrees that a verdict is taken back.
REVOKE = "revoke_verdict"
HOME, SIGN_IN = "/desk", "/desk/sign-in"
# What a page says after a step; the address carries the key, never the text.
DONE = {
    "edited": N_("The item was replaced. This is the new one; the trail keeps the old one."),
    "withdrawn": N_("The item was withdrawn: nobody sees it, and its votes do not count."),
    "restored": N_("The item is back, with its votes."),
    "added": N_("The items were added."),
    "undone": N_("The step was undone."),
    "role": N_("The role was changed."),
    "removed": N_("The account was removed and signed out everywhere."),
    "excluded": N_("Excluded: these votes no longer count."),
    "readmitted": N_("Readmitted: the votes count again."),
    "erased": N_("The rater was erased."),
    "merged": N_("The items were merged, and their votes added up."),
    "let-be": N_("Reviewed. You find it below if you want to review it again."),
    "look-again": N_("It is on the list again."),
    "cancelled": N_("The link no longer works."),
    "revoked": N_("The key was revoked."),
    "password": N_("Your password was changed, and all other browsers were signed out."),
    "linked": N_("Your account is linked. You can sign in without a password from now on."),
    "unlinked": N_("Your account is no longer linked, and all other browsers were signed out."),
    "named": N_("The account is linked."),
    "unlinked-other": N_("The account is no longer linked, and was signed out everywhere."),
    "ended": N_("Signed out."),
    "signed-out": N_("You are signed out."),
    "saved": N_("The settings were changed."),
    "same": N_("No changes."),
    "open": N_("The contest is running."),
    "pause": N_("The contest is paused."),
    "close": N_("The contest is closed."),
    "reopen": N_("The contest is running again."),
    "retire": N_("The contest is retired."),
    "unretire": N_("The contest is back, and closed."),
    "delete": N_("The draft was deleted. It is under Deleted drafts, if you want it back."),
    "undelete": N_("The draft is back."),
    "scheduled": N_("The times were set."),
    "published": N_("Saved when the results are public."),
    "codes-made": N_("The codes were made. Download or print them below."),
    "codes-revoked": N_("Revoked: these codes get nobody in any more. Votes given with them stay."),
    "codes-reinstated": N_("These codes work again."),
    "listed": N_("The ids are on the list."),
    "unlisted": N_("The ids are off the list."),
    "link-key": N_("The key was changed. Links that the old one signed let nobody in any more."),
    "proposals-taken": N_("Taken: the items are in the contest."),
    "proposals-refused": N_("Refused: whoever proposed them reads why."),
    "notices-on": N_("Notices go there from now on. A test is on its way."),
    "notices-off": N_("Nothing goes there any more."),
    "sent-again": N_("It is sent again."),
    "created": N_("Draft created. Check it, then start it."),
}
# What a contest's state is called at the desk.
STATE_NAMES = {
    "open": N_("Running"),
    "paused": N_("Paused"),
    "closed": N_("Closed"),
    "draft": N_("Draft"),
    "decided": N_("Decided"),
    "retired": N_("Retired"),
    "deleted": N_("Deleted"),
    "scheduled": N_("Scheduled"),
    "ended": N_("Time is over"),
}


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
            "done": _done(self.http.query_params.get("done", "")),
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


def _done(key: str) -> str:
    return _(DONE[key]) if key in DONE else ""


def safe_next(path: str) -> str:
    """Where to go after signing in: a page of the desk, whatever was asked for.

    >>> safe_next("/desk/people"), safe_next("//evil.example/desk"), safe_next("/desk/../x")
    ('/desk/people', '/desk', '/desk')
    """
    return path if re.fullmatch(r"/desk(/[A-Za-z0-9_-]+)*", path) else HOME
