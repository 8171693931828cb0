"""Signing in at the desk through the provider; linking accounts to it, and unlinking them."""

import hmac
from collections.abc import Awaitable, Callable

from starlette.responses import Response

from plaudit.errors import (
    ErrandRefused,
    NotPermitted,
    PlauditError,
    SignInRefused,
    TooManyGuesses,
    WrongField,
)
from plaudit.service.accounts.roles import VIEWER
from plaudit.service.accounts.tokens import token_hash
from plaudit.service.door.openid.errands import DESK, JOIN, LINK, RETURN, VOTE, Errand, Subject
from plaudit.store.people import OWNER, Account
from plaudit.web.browser_sessions import SESSION
from plaudit.web.desk import account_pages, people_pages
from plaudit.web.desk.requests.request import HOME, DeskRequest, safe_next
from plaudit.web.desk.requests.route import SIGN_IN, desk_route
from plaudit.web.errands import errand_of, keep_errand, required_provider, send_away, who_came_back
from plaudit.web.public import pages, sign_in
from plaudit.web.rendering import shown
from plaudit.words import _

ACCOUNT = "/desk/account"


async def _leave(
    request: DeskRequest, purpose: str, target: str, *, bound: str = "", name: str = ""
) -> Response:
    """A page that goes on to the provider by itself.

    A form must not be answered with a redirect there: the policy of our pages lets forms lead to
    this service only, and browsers apply it to every address on the way.
    """
    address, cookie = await send_away(request.http, purpose, target, bound=bound, name=name)
    response = request.page("leaving.html", address=address)
    keep_errand(request.http, response, cookie)
    return response


async def begin(request: DeskRequest) -> Response:
    """Sends someone to the provider who wants to open the desk."""
    return await _leave(request, DESK, safe_next(request.field("next")))


async def begin_with_link(request: DeskRequest) -> Response:
    """Sends someone to the provider who has a link to an account."""
    link = token_hash(request.http.path_params["token"])
    try:
        name = await request.site.blocking(
            request.browsers.subjects.check_link, link, name=request.field("name")
        )
    except WrongField as error:
        given = request.field("name")
        return await account_pages.welcome_again(request, name=given, errors=_wrong(error))
    return await _leave(request, JOIN, link.hex(), name=name)


async def begin_linking(request: DeskRequest) -> Response:
    """Sends someone to the provider whose own account it shall lead to; the password is checked."""
    who = request.who.account

    def check() -> Account:
        return request.browsers.sign_in.confirm(
            who, request.field("password"), address=request.address
        )

    try:
        await request.browsers.slowly(check)
    except SignInRefused as error:
        code = 429 if isinstance(error, TooManyGuesses) else 422
        return await account_pages.account_again(request, code=code, errors=_wrong(error))
    return await _leave(request, LINK, str(who.number), bound=_session(request))


def _wrong(error: PlauditError) -> dict[str, str]:
    return {error.field if isinstance(error, WrongField) else "link-password": shown(error)}


def _session(request: DeskRequest) -> str:
    return token_hash(request.browsers.cookie(request.http, SESSION)).hex()


async def come_back(request: DeskRequest) -> Response:
    """Where the provider sends browsers; what happens then depends on the errand."""
    required_provider(request.http)
    errand = errand_of(request.http)
    try:
        subject = await who_came_back(request.http, errand)
        assert errand is not None
        response = await ARRIVALS[errand.purpose](request, errand, subject)
    except PlauditError as error:
        again = AGAIN[errand.purpose] if errand is not None else ""
        if errand is not None and errand.purpose == VOTE:
            again += errand.target
        response = await pages.for_people(request.http, error, again=again)
    if errand is not None:
        # An errand is run once, whatever came of it.
        keep_errand(request.http, response, "")
    return response


async def _open_desk(request: DeskRequest, errand: Errand, subject: Subject) -> Response:
    subjects = request.browsers.subjects
    hash = subjects.hash(*subject)
    account = await request.site.blocking(subjects.account, hash)
    if account is None:
        said = _(
            "%(provider)s knows you, but no account here is linked to you. Ask an owner for an "
            "invitation. If you have an account with a password, sign in with it, and link it "
            "under Account.",
            provider=required_provider(request.http).name,
        )
        raise NotPermitted(said)
    return await request.welcome(account, safe_next(errand.target), subject=hash)


async def _use_link(request: DeskRequest, errand: Errand, subject: Subject) -> Response:
    subjects = request.browsers.subjects
    hash, link = subjects.hash(*subject), bytes.fromhex(errand.target)
    account = await request.site.blocking(subjects.use_link, link, hash, name=errand.name)
    return await request.welcome(account, HOME, subject=hash)


async def _link(request: DeskRequest, errand: Errand, subject: Subject) -> Response:
    """Links the account that is signed in, if it is the one that set out, in the same session."""
    same = hmac.compare_digest(errand.bound, _session(request))
    if not same or str(request.who.account.number) != errand.target:
        raise ErrandRefused
    subjects = request.browsers.subjects
    hash = subjects.hash(*subject)
    await request.site.blocking(subjects.link, request.who.account, hash)
    return request.go(f"{ACCOUNT}?done=linked")


async def _vote(request: DeskRequest, errand: Errand, subject: Subject) -> Response:
    return await sign_in.came_back(request.http, errand.target, subject)


Arrival = Callable[[DeskRequest, Errand, Subject], Awaitable[Response]]
ARRIVALS: dict[str, Arrival] = {DESK: _open_desk, JOIN: _use_link, LINK: _link, VOTE: _vote}
# Where one starts again after an errand that failed.
AGAIN = {DESK: SIGN_IN, JOIN: "", LINK: ACCOUNT, VOTE: "/c/"}


async def unlink(request: DeskRequest) -> Response:
    """Unlinks one's own account; a new session begins, since all others end."""
    who = request.who.account
    try:
        await request.site.blocking(request.accounts.unlink, request.actor, who.number)
    except PlauditError as error:
        return await account_pages.account_again(
            request, code=409, errors={"link-password": shown(error)}
        )
    return await request.welcome(who, f"{ACCOUNT}?done=unlinked")


async def name_subject(request: DeskRequest) -> Response:
    """Lets an owner say who somebody is at the provider."""

    async def step(request: DeskRequest) -> Response:
        issuer = required_provider(request.http).issuer
        given = request.number("account"), issuer, request.field("subject")
        await request.site.blocking(request.browsers.subjects.name, request.actor, *given)
        return request.go("/desk/people?done=named")

    return await people_pages.try_step(request, step)


async def unlink_other(request: DeskRequest) -> Response:
    """Lets an owner unlink somebody's account."""

    async def step(request: DeskRequest) -> Response:
        number = request.number("account")
        await request.site.blocking(request.accounts.unlink, request.actor, number)
        own = number == request.who.account.number
        return request.go(SIGN_IN if own else "/desk/people?done=unlinked-other")

    return await people_pages.try_step(request, step)


ROUTES = [
    desk_route("/desk/sign-in/provider", post=begin),
    desk_route("/desk/welcome/{token}/provider", post=begin_with_link),
    desk_route("/desk/account/link", post=begin_linking, role=VIEWER),
    desk_route("/desk/account/unlink", post=unlink, role=VIEWER),
    desk_route("/desk/people/subject", post=name_subject, role=OWNER),
    desk_route("/desk/people/unlink", post=unlink_other, role=OWNER),
    desk_route(RETURN, come_back),
]
