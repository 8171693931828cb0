"""The desk's pages for owners: people with their roles and links, and API keys."""

from typing import Any

from starlette.responses import Response

from plaudit.errors import LastOwner, NotAllowed, WrongField
from plaudit.service.keys import SCOPES, issue_key, revoke_key
from plaudit.service.roles import ROLES
from plaudit.store.people import INVITE, OWNER, RESET
from plaudit.web.errand import HOME, SIGN_IN, Errand, desk_route

_DEEDS = 50
# What each role and each scope is for, in words for people.
ROLE_WORDS = {
    "viewer": "sees all contests and their results, not who voted what",
    "editor": "creates, runs and moderates contests",
    "owner": "also lets people in and makes API keys",
}
SCOPE_WORDS = {
    "read": "see all contests and results",
    "manage": "create contests, change their settings, open and close them, add items",
    "moderate": "withdraw, edit and merge items, exclude raters, undo steps",
    "erase": "forget raters for good, which cannot be undone",
    "export": "download votes and items",
    "raters": "make raters and vote for them",
}


async def people_page(errand: Errand) -> Response:
    """Who has an account, which links are out, and who did what."""
    return await _people_page(errand)


async def _people_page(errand: Errand, *, code: int = 200, **given: Any) -> Response:
    def work() -> dict[str, Any]:
        store, now = errand.door.store, errand.door.clock()
        accounts = store.accounts()
        names = {account.number: account.name for account in accounts}
        links = [
            {
                "id": found.hash.hex(),
                "what": _link_words(found.kind, found.role, names.get(found.account, "")),
                "by": names.get(found.made_by, "the command line"),
                "expires": found.expires_at,
            }
            for found in store.invitations()
            if found.expires_at > now and found.kind in (INVITE, RESET)
        ]
        return {"people": accounts, "links": links, "deeds": store.deeds(limit=_DEEDS, contest="")}

    shown: dict[str, Any] = {"roles": ROLES, "role_words": ROLE_WORDS, "fresh": "", "problem": ""}
    shown |= await errand.site.blocking(work)
    return errand.page("people.html", code=code, **shown | given)


def _link_words(kind: str, role: str, name: str) -> str:
    if kind == RESET:
        return f"New password of {name}"
    return f"New {role}"


async def invite(errand: Errand) -> Response:
    """Makes an invitation, and shows its link this once."""
    try:
        token = await errand.site.blocking(
            errand.accounts.invite, errand.actor, errand.field("role")
        )
    except WrongField as error:
        return await _people_page(errand, code=422, errors={error.field: str(error)})
    return await _people_page(errand, fresh=_link(errand, token), fresh_for="An invitation")


async def reset(errand: Errand) -> Response:
    """Makes a link to a new password, and shows it this once."""
    return await _try(errand, _reset)


async def _reset(errand: Errand) -> Response:
    number = errand.number("account")
    token = await errand.site.blocking(errand.accounts.reset, errand.actor, number)
    name = await errand.site.blocking(errand.accounts.name_of, number)
    return await _people_page(
        errand, fresh=_link(errand, token), fresh_for=f"A link to a new password for {name}"
    )


def _link(errand: Errand, token: str) -> str:
    return f"{errand.door.public_url}/desk/welcome/{token}"


async def set_role(errand: Errand) -> Response:
    """Gives someone another role."""

    async def step(errand: Errand) -> Response:
        given = errand.actor, errand.number("account"), errand.field("role")
        await errand.site.blocking(errand.accounts.set_role, *given)
        # Who gave up the role of an owner may not come back to this page.
        own = errand.number("account") == errand.who.account.number
        lost = own and errand.field("role") != OWNER
        return errand.go(HOME if lost else "/desk/people?done=role")

    return await _try(errand, step)


async def remove(errand: Errand) -> Response:
    """Takes an account away."""

    async def step(errand: Errand) -> Response:
        number = errand.number("account")
        await errand.site.blocking(errand.accounts.remove, errand.actor, number)
        own = number == errand.who.account.number
        return errand.go(SIGN_IN if own else "/desk/people?done=removed")

    return await _try(errand, step)


async def cancel(errand: Errand) -> Response:
    """Takes a link back."""

    async def step(errand: Errand) -> Response:
        await errand.site.blocking(errand.accounts.cancel, errand.actor, errand.hash("link"))
        return errand.go("/desk/people?done=cancelled")

    return await _try(errand, step)


async def _try(errand: Errand, step: Any) -> Response:
    """Takes a step; the page says why where it cannot be taken."""
    try:
        response: Response = await step(errand)
    except (LastOwner, NotAllowed, WrongField) as error:
        return await _people_page(errand, code=409, problem=str(error))
    return response


async def keys_page(errand: Errand) -> Response:
    """API keys by name, with what each may do."""
    return await _keys_page(errand)


async def _keys_page(errand: Errand, *, code: int = 200, **given: Any) -> Response:
    keys = await errand.site.blocking(errand.door.store.keys)
    shown = {"keys": keys, "scopes": SCOPE_WORDS, "fresh": "", "name": "", "ticked": ()}
    return errand.page("keys.html", code=code, **shown | given)


async def make_key(errand: Errand) -> Response:
    """Makes a key, and shows its text this once."""
    name, scopes = errand.field("name"), tuple(s for s in SCOPES if s in errand.fields("scopes"))
    try:
        text = await errand.site.blocking(issue_key, errand.door.store, errand.actor, name, scopes)
    except WrongField as error:
        errors = {error.field: str(error)}
        return await _keys_page(errand, code=422, errors=errors, name=name, ticked=scopes)
    return await _keys_page(errand, fresh=text, fresh_for=" ".join(name.split()))


async def drop_key(errand: Errand) -> Response:
    """Takes a key back."""
    await errand.site.blocking(revoke_key, errand.door.store, errand.actor, errand.field("key"))
    return errand.go("/desk/keys?done=revoked")


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
