"""The desk's pages for owners: people with their roles and links, and API keys."""

from typing import Any

from starlette.responses import Response

from plaudit.errors import LastOwner, LastWayIn, NotAllowed, SubjectTaken, WrongField
from plaudit.service.accounts.api_keys import SCOPES, issue_key, revoke_key
from plaudit.service.accounts.roles import ROLES
from plaudit.store.people import INVITE, OWNER, RESET
from plaudit.web.desk.requests.request import HOME, DeskRequest
from plaudit.web.desk.requests.route import SIGN_IN, desk_route
from plaudit.web.rendering import shown
from plaudit.words import N_, _

_DEEDS = 50
# What each role and each scope allows, for people.
ROLE_WORDS = {
    "viewer": N_("sees all contests and their results, but not who voted what"),
    "editor": N_("creates, runs and moderates contests"),
    "owner": N_("also invites people and makes API keys"),
}
_INVITED = {"viewer": N_("New viewer"), "editor": N_("New editor"), "owner": N_("New owner")}
SCOPE_WORDS = {
    "read": N_("see all contests and results"),
    "manage": N_("create contests, change their settings, start and close them, add items"),
    "moderate": N_("withdraw, edit and merge items, exclude raters, undo steps"),
    "erase": N_("erase raters for good, which cannot be undone"),
    "export": N_("download votes and items"),
    "raters": N_("make raters and vote for them"),
}


async def people_page(request: DeskRequest) -> Response:
    """Who has an account, which links are out, and who did what."""
    return await _people_page(request)


async def _people_page(request: DeskRequest, *, code: int = 200, **given: Any) -> Response:
    def work() -> dict[str, Any]:
        store, now = request.browsers.store, request.browsers.clock()
        accounts = store.accounts()
        names = {account.number: account.name for account in accounts}
        links = [
            {
                "id": found.hash.hex(),
                "what": _link_words(found.kind, found.role, names.get(found.account, "")),
                "by": names.get(found.made_by, _("the command line")),
                "expires": found.expires_at,
            }
            for found in store.invitations()
            if found.expires_at > now and found.kind in (INVITE, RESET)
        ]
        deeds = store.deeds(limit=_DEEDS, contest="")
        return {"people": accounts, "links": links, "deeds": deeds, "linked": store.subjects()}

    shown: dict[str, Any] = {"roles": ROLES, "fresh": "", "problem": ""}
    shown["role_words"] = {role: _(words) for role, words in ROLE_WORDS.items()}
    shown |= await request.site.blocking(work)
    return request.page("people.html", code=code, **shown | given)


def _link_words(kind: str, role: str, name: str) -> str:
    if kind == RESET:
        return _("New password of %(name)s", name=name)
    return _(_INVITED[role])


async def invite(request: DeskRequest) -> Response:
    """Makes an invitation, and shows its link this once."""
    try:
        token = await request.site.blocking(
            request.accounts.invite, request.actor, request.field("role")
        )
    except WrongField as error:
        return await _people_page(request, code=422, errors={error.field: shown(error)})
    return await _people_page(request, fresh=_link(request, token), fresh_for=_("An invitation"))


async def reset(request: DeskRequest) -> Response:
    """Makes a link to a new password, and shows it this once."""
    return await try_step(request, _reset)


async def _reset(request: DeskRequest) -> Response:
    number = request.number("account")
    token = await request.site.blocking(request.accounts.reset, request.actor, number)
    name = await request.site.blocking(request.accounts.name_of, number)
    return await _people_page(
        request,
        fresh=_link(request, token),
        fresh_for=_("A password reset link for %(name)s", name=name),
    )


def _link(request: DeskRequest, token: str) -> str:
    return f"{request.browsers.public_url}/desk/welcome/{token}"


async def set_role(request: DeskRequest) -> Response:
    """Gives someone another role."""

    async def step(request: DeskRequest) -> Response:
        given = request.actor, request.number("account"), request.field("role")
        await request.site.blocking(request.accounts.set_role, *given)
        # Someone who gave up the role of owner may not open this page again.
        own = request.number("account") == request.who.account.number
        lost = own and request.field("role") != OWNER
        return request.go(HOME if lost else "/desk/people?done=role")

    return await try_step(request, step)


async def remove(request: DeskRequest) -> Response:
    """Takes an account away."""

    async def step(request: DeskRequest) -> Response:
        number = request.number("account")
        await request.site.blocking(request.accounts.remove, request.actor, number)
        own = number == request.who.account.number
        return request.go(SIGN_IN if own else "/desk/people?done=removed")

    return await try_step(request, step)


async def cancel(request: DeskRequest) -> Response:
    """Takes a link back."""

    async def step(request: DeskRequest) -> Response:
        await request.site.blocking(request.accounts.cancel, request.actor, request.hash("link"))
        return request.go("/desk/people?done=cancelled")

    return await try_step(request, step)


async def try_step(request: DeskRequest, step: Any) -> Response:
    """Takes a step; if it is refused, the page says why."""
    try:
        response: Response = await step(request)
    except (LastOwner, LastWayIn, NotAllowed, SubjectTaken, WrongField) as error:
        return await _people_page(request, code=409, problem=shown(error))
    return response


async def keys_page(request: DeskRequest) -> Response:
    """API keys by name, with what each may do."""
    return await _keys_page(request)


async def _keys_page(request: DeskRequest, *, code: int = 200, **given: Any) -> Response:
    keys = await request.site.blocking(request.browsers.store.keys)
    shown: dict[str, Any] = {"keys": keys, "fresh": "", "name": "", "ticked": ()}
    shown["scopes"] = {scope: _(words) for scope, words in SCOPE_WORDS.items()}
    return request.page("keys.html", code=code, **shown | given)


async def make_key(request: DeskRequest) -> Response:
    """Makes a key, and shows its text this once."""
    name, scopes = request.field("name"), tuple(s for s in SCOPES if s in request.fields("scopes"))
    try:
        text = await request.site.blocking(
            issue_key, request.browsers.store, request.actor, name, scopes
        )
    except WrongField as error:
        errors = {error.field: shown(error)}
        return await _keys_page(request, code=422, errors=errors, name=name, ticked=scopes)
    return await _keys_page(request, fresh=text, fresh_for=" ".join(name.split()))


async def drop_key(request: DeskRequest) -> Response:
    """Takes a key back."""
    await request.site.blocking(
        revoke_key, request.browsers.store, request.actor, request.field("key")
    )
    return request.go("/desk/keys?done=revoked")


ROUTES = [
    desk_route("/desk/people", people_page, role=OWNER),
    desk_route("/desk/people/invite", post=invite, role=OWNER),
    desk_route("/desk/people/reset", post=reset, role=OWNER),
    desk_route("/desk/people/role", post=set_role, role=OWNER),
    desk_route("/desk/people/remove", post=remove, role=OWNER),
    desk_route("/desk/people/cancel", post=cancel, role=OWNER),
    desk_route("/desk/keys", keys_page, role=OWNER),
    desk_route("/desk/keys/make", post=make_key, role=OWNER),
    desk_route("/desk/keys/drop", post=drop_key, role=OWNER),
]
