"""The desk's own pages: sign in, welcome, one's account."""

from starlette.responses import Response

from plaudit.errors import AccountExists, SignInRefused, TooManyGuesses, WrongField
from plaudit.service.accounts.accounts import tidy_name
from plaudit.service.accounts.passwords import LEAST
from plaudit.service.accounts.roles import VIEWER
from plaudit.service.deeds import did
from plaudit.store.people import RESET, Account, Deed
from plaudit.web.browser_sessions import DEVICE, SESSION
from plaudit.web.desk.requests.request import HOME, DeskRequest, safe_next
from plaudit.web.desk.requests.route import SIGN_IN, desk_route
from plaudit.web.rendering import shown
from plaudit.words import _


async def sign_in_page(request: DeskRequest) -> Response:
    """Name and password."""
    wanted = safe_next(request.http.query_params.get("next", ""))
    if request.signed is not None:
        return request.go(wanted)
    empty = not await request.site.blocking(request.browsers.store.accounts)
    return request.page("sign_in.html", name="", next=wanted, empty=empty)


async def sign_in(request: DeskRequest) -> Response:
    """Checks name and password; the answer does not tell which of them is wrong."""
    name, password = request.field("name"), request.field("password")
    wanted = safe_next(request.field("next"))
    device = request.browsers.cookie(request.http, DEVICE)

    def work() -> Account:
        return request.browsers.sign_in.account(
            name, password, address=request.address, device=device
        )

    try:
        account = await request.browsers.slowly(work)
    except SignInRefused as error:
        code = 429 if isinstance(error, TooManyGuesses) else 401
        given = {"name": tidy_name(name), "next": wanted, "empty": False}
        response = request.page(
            "sign_in.html", code=code, errors={"sign-in": shown(error)}, **given
        )
        if isinstance(error, TooManyGuesses):
            response.headers["retry-after"] = str(error.seconds)
        return response
    return await request.welcome(account, wanted)


async def sign_out(request: DeskRequest) -> Response:
    """Ends the session of this browser."""
    token = request.browsers.cookie(request.http, SESSION)
    await request.site.blocking(request.browsers.sessions.end, token)
    response = request.go(f"{SIGN_IN}?done=signed-out")
    request.browsers.set_cookie(request.http, response, SESSION, "")
    return response


async def welcome_page(request: DeskRequest) -> Response:
    """What a link is for; looking at it does not use it up."""
    return await welcome_again(request, name="")


async def welcome_again(
    request: DeskRequest, *, name: str, errors: dict[str, str] | None = None
) -> Response:
    """The page of a link, with what is wrong about its form."""

    def work() -> tuple[str, str, str]:
        found = request.accounts.link(request.http.path_params["token"])
        return found.kind, found.role, request.accounts.name_of(found.account)

    kind, role, whose = await request.site.blocking(work)
    given = {"kind": kind, "role": role, "name": whose if kind == RESET else name}
    code = 422 if errors else 200
    given["link"] = request.http.path_params["token"]
    return request.page("welcome.html", code=code, least=LEAST, errors=errors or {}, **given)


async def welcome(request: DeskRequest) -> Response:
    """Makes the account, or sets the password, that a link is for; the link is used up."""
    token, name = request.http.path_params["token"], request.field("name")
    password = request.field("password")

    def work() -> Account:
        _check_same(password, request.field("again"))
        if request.accounts.link(token).kind == RESET:
            return request.accounts.renew(token, password=password)
        return request.accounts.welcome(token, name=name, password=password)

    try:
        account = await request.browsers.slowly(work)
    except WrongField as error:
        return await welcome_again(
            request, name=tidy_name(name), errors={error.field: shown(error)}
        )
    except AccountExists as error:
        return await welcome_again(request, name=tidy_name(name), errors={"name": shown(error)})
    return await request.welcome(account, HOME)


def _check_same(password: str, again: str) -> None:
    if password != again:
        raise WrongField("again", _("The two passwords differ. Type the same password twice."))


async def account_page(request: DeskRequest) -> Response:
    """The password, and the browsers that are signed in."""
    return await account_again(request)


async def account_again(
    request: DeskRequest, *, code: int = 200, errors: dict[str, str] | None = None
) -> Response:
    """The same page, with what is wrong about a form of it."""
    account = request.who.account
    found = await request.site.blocking(request.browsers.sessions.of, account)
    subjects = await request.site.blocking(request.browsers.store.subjects)
    own = request.who.session.hash
    shown = [
        {
            "id": one.hash.hex(),
            "browser": one.agent,
            "begun": one.created_at,
            "seen": one.seen_at,
            "own": one.hash == own,
        }
        for one in found
    ]
    return request.page(
        "account.html",
        code=code,
        sessions=shown,
        least=LEAST,
        errors=errors or {},
        linked_at=subjects.get(account.number, 0),
    )


async def change_password(request: DeskRequest) -> Response:
    """Sets a new password, ends all sessions, and begins a new one for this browser."""
    who, new = request.who.account, request.field("password")

    def work() -> Account:
        _check_same(new, request.field("again"))
        return request.browsers.sign_in.change_password(
            request.accounts, who, old=request.field("old"), new=new, address=request.address
        )

    try:
        account = await request.browsers.slowly(work)
    except TooManyGuesses as error:
        return await account_again(request, code=429, errors={"old": shown(error)})
    except SignInRefused as error:
        return await account_again(request, code=422, errors={"old": shown(error)})
    except WrongField as error:
        return await account_again(request, code=422, errors={error.field: shown(error)})
    return await request.welcome(account, "/desk/account?done=password")


async def end_session(request: DeskRequest) -> Response:
    """Signs out one other browser, or all others if none is named."""
    sessions, who, hash = request.browsers.sessions, request.who, request.hash("session")

    def work() -> None:
        if hash:
            sessions.end_one(who.account, hash)
        elif ended := sessions.end_others(who):
            what = did("signed-out", count=ended)
            request.browsers.store.note(Deed(request.browsers.clock(), who.account.name, what))

    await request.site.blocking(work)
    return request.go("/desk/account?done=ended")


ROUTES = [
    desk_route(SIGN_IN, sign_in_page, sign_in),
    desk_route("/desk/sign-out", post=sign_out, role=VIEWER),
    desk_route("/desk/welcome/{token}", welcome_page, welcome),
    desk_route("/desk/account", account_page, role=VIEWER),
    desk_route("/desk/account/password", post=change_password, role=VIEWER),
    desk_route("/desk/account/sessions", post=end_session, role=VIEWER),
]
