"""The desk's own pages: sign in, welcome, the list of contests, one's account."""

from starlette.responses import Response

from plaudit.errors import AccountExists, SignInRefused, TooManyGuesses, WrongField
from plaudit.service.accounts import tidy_name
from plaudit.service.contest import CLOSED, DRAFT, OPEN, PAUSED, RETIRED
from plaudit.service.live import LiveContest
from plaudit.service.passwords import LEAST
from plaudit.service.roles import EDITOR, VIEWER, may
from plaudit.store.people import RESET, Account, Deed
from plaudit.web.board_pages import boards_of
from plaudit.web.board_words import home_words
from plaudit.web.door import DEVICE, SESSION
from plaudit.web.errand import HOME, SIGN_IN, Errand, desk_route, safe_next
from plaudit.web.pages import DECIDED, ENDED, SCHEDULED, contest_card

GROUPS = (
    ("live", "Live", (OPEN, PAUSED, DECIDED, SCHEDULED)),
    ("drafts", "Drafts", (DRAFT,)),
    ("closed", "Closed", (CLOSED, ENDED)),
    ("retired", "Retired", (RETIRED,)),
)


async def home(errand: Errand) -> Response:
    """All contests, those in the making too, by what is to be done with them."""
    now = errand.door.clock()
    shown = [
        contest_card(live, now)
        | {"told": home_words(boards_of(errand).known(live.name)), "times": _times(live, now)}
        for live in errand.site.contests.all
    ]
    groups = [
        (word, title, [one for one in shown if one["state"] in states])
        for word, title, states in GROUPS
    ]
    edits = may(errand.who.account.role, EDITOR)
    return errand.page("home.html", groups=[one for one in groups if one[2]], edits=edits)


def _times(live: LiveContest, now: int) -> list[tuple[str, int]]:
    """The times that matter for a contest of this state."""
    opens, closes = live.settings.opens, live.settings.closes
    if live.tally.state in (CLOSED, RETIRED):
        return []
    coming = opens is not None and opens > now
    times = [("opens", opens)] if coming and opens is not None else []
    if closes is not None:
        times.append(("closes" if closes > now else "took votes until", closes))
    return times


async def sign_in_page(errand: Errand) -> Response:
    """Name and password."""
    wanted = safe_next(errand.request.query_params.get("next", ""))
    if errand.signed is not None:
        return errand.go(wanted)
    empty = not await errand.site.blocking(errand.door.store.accounts)
    return errand.page("sign_in.html", name="", next=wanted, empty=empty)


async def sign_in(errand: Errand) -> Response:
    """Checks name and password; the answer to a wrong one tells nothing of the other."""
    name, password = errand.field("name"), errand.field("password")
    wanted = safe_next(errand.field("next"))
    device = errand.door.cookie(errand.request, DEVICE)

    def work() -> Account:
        return errand.door.sign_in.account(name, password, address=errand.address, device=device)

    try:
        account = await errand.door.slowly(work)
    except SignInRefused as error:
        code = 429 if isinstance(error, TooManyGuesses) else 401
        shown = {"name": tidy_name(name), "next": wanted, "empty": False}
        response = errand.page("sign_in.html", code=code, errors={"sign-in": str(error)}, **shown)
        if isinstance(error, TooManyGuesses):
            response.headers["retry-after"] = str(error.seconds)
        return response
    return await errand.welcome(account, wanted)


async def sign_out(errand: Errand) -> Response:
    """Ends the session of this browser."""
    token = errand.door.cookie(errand.request, SESSION)
    await errand.site.blocking(errand.door.sessions.end, token)
    response = errand.go(f"{SIGN_IN}?done=signed-out")
    errand.door.set_cookie(errand.request, response, SESSION, "")
    return response


async def welcome_page(errand: Errand) -> Response:
    """What a link is for; looking at it does not use it up."""
    return await _welcome_page(errand, name="")


async def _welcome_page(
    errand: Errand, *, name: str, errors: dict[str, str] | None = None
) -> Response:
    def work() -> tuple[str, str, str]:
        found = errand.accounts.link(errand.request.path_params["token"])
        return found.kind, found.role, errand.accounts.name_of(found.account)

    kind, role, whose = await errand.site.blocking(work)
    given = {"kind": kind, "role": role, "name": whose if kind == RESET else name}
    code = 422 if errors else 200
    return errand.page("welcome.html", code=code, least=LEAST, errors=errors or {}, **given)


async def welcome(errand: Errand) -> Response:
    """Makes the account, or sets the password, that a link is for; the link is used up."""
    token, name = errand.request.path_params["token"], errand.field("name")
    password = errand.field("password")

    def work() -> Account:
        _check_same(password, errand.field("again"))
        if errand.accounts.link(token).kind == RESET:
            return errand.accounts.renew(token, password=password)
        return errand.accounts.welcome(token, name=name, password=password)

    try:
        account = await errand.door.slowly(work)
    except WrongField as error:
        return await _welcome_page(errand, name=tidy_name(name), errors={error.field: str(error)})
    except AccountExists as error:
        return await _welcome_page(errand, name=tidy_name(name), errors={"name": str(error)})
    return await errand.welcome(account, HOME)


def _check_same(password: str, again: str) -> None:
    if password != again:
        raise WrongField("again", "The two passwords differ. Type the same one twice.")


async def account_page(errand: Errand) -> Response:
    """One's password, and the browsers that are signed in."""
    return await _account_page(errand)


async def _account_page(
    errand: Errand, *, code: int = 200, errors: dict[str, str] | None = None
) -> Response:
    found = await errand.site.blocking(errand.door.sessions.of, errand.who.account)
    own = errand.who.session.hash
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
    return errand.page("account.html", code=code, sessions=shown, least=LEAST, errors=errors or {})


async def change_password(errand: Errand) -> Response:
    """Sets a new password, ends all sessions, and begins a new one for this browser."""
    who, new = errand.who.account, errand.field("password")

    def work() -> Account:
        _check_same(new, errand.field("again"))
        return errand.door.sign_in.change_password(
            errand.accounts, who, old=errand.field("old"), new=new, address=errand.address
        )

    try:
        account = await errand.door.slowly(work)
    except TooManyGuesses as error:
        return await _account_page(errand, code=429, errors={"old": str(error)})
    except SignInRefused as error:
        return await _account_page(errand, code=422, errors={"old": str(error)})
    except WrongField as error:
        return await _account_page(errand, code=422, errors={error.field: str(error)})
    return await errand.welcome(account, "/desk/account?done=password")


async def end_session(errand: Errand) -> Response:
    """Signs another browser out; without one named, all others."""
    sessions, who, hash = errand.door.sessions, errand.who, errand.hash("session")

    def work() -> None:
        if hash:
            sessions.end_one(who.account, hash)
        elif ended := sessions.end_others(who):
            what = f"signed out {ended} other browser{'' if ended == 1 else 's'}"
            errand.door.store.note(Deed(errand.door.clock(), who.account.name, what))

    await errand.site.blocking(work)
    return errand.go("/desk/account?done=ended")


ROUTES = [
    desk_route(HOME, home, role=VIEWER),
    desk_route(SIGN_IN, sign_in_page, sign_in),
    desk_route("/desk/sign-out", post=sign_out, role=VIEWER),
    desk_route("/desk/welcome/{token}", welcome_page, welcome),
    desk_route("/desk/account", account_page, role=VIEWER),
    desk_route("/desk/account/password", post=change_password, role=VIEWER),
    desk_route("/desk/account/sessions", post=end_session, role=VIEWER),
]
