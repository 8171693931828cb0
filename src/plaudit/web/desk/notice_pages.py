"""Notices at the desk: where those of a contest go, what was sent, and what failed."""

from typing import Any

from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed, UnknownItem, WrongField
from plaudit.service.accounts.roles import EDITOR
from plaudit.service.notices.address_book import AddressBook
from plaudit.service.notices.kinds import KINDS, MAIL, TEST, WEBHOOK
from plaudit.store.notices import FAILED, SENT, WAITING
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.rendering import shown
from plaudit.words import N_, _

STATES = {WAITING: N_("waiting"), SENT: N_("sent"), FAILED: N_("failed")}
# What is ticked in a new form.
USUAL = ("verdict", "closed", "flagged", "stuck")


async def notices_page(request: DeskRequest) -> Response:
    """Where notices go, and the latest of them."""
    return await _view(request)


async def _view(request: DeskRequest, *, code: int = 200, **given: Any) -> Response:
    book, name = _book(request), request.live.name
    destinations = await request.site.blocking(book.destinations, name)
    deliveries = await request.site.blocking(book.deliveries, name)
    parts: dict[str, Any] = {
        "destinations": destinations,
        "places": {one.number: one.address for one in destinations},
        "deliveries": deliveries,
        "kinds": {kind: _(words) for kind, words in KINDS.items()} | {TEST: _("A test")},
        "choices": list(KINDS),
        "states": {state: _(words) for state, words in STATES.items()},
        "sends_mail": book.sends_mail,
        "typed": {"way": WEBHOOK, "address": "", "kinds": USUAL},
        "secret": "",
        "problem": "",
    }
    return request.contest_page("notices.html", code=code, **parts | given)


async def add(request: DeskRequest) -> Response:
    """Adds a destination; the secret of a webhook is shown this once."""
    way = MAIL if request.field("way") == MAIL else WEBHOOK
    address, kinds = request.field("address"), request.fields("kinds")
    given = (request.live.name, way, address, kinds)
    try:
        made = await request.site.blocking(_book(request).add, *given, by=request.actor)
    except (InvalidInput, NotAllowed) as error:
        field = error.field if isinstance(error, WrongField) else "address"
        typed = {"way": way, "address": address, "kinds": kinds}
        return await _view(request, code=422, errors={field: shown(error)}, typed=typed)
    request.http.app.state.courier.poke()
    if not made.secret:
        return request.go(f"{_place(request)}?done=notices-on")
    return await _view(request, secret=made.secret, secret_of=made.destination.address)


async def remove(request: DeskRequest) -> Response:
    """Removes a destination."""
    return await _take(request, _book(request).remove, "notices-off")


async def again(request: DeskRequest) -> Response:
    """Sends a delivery once more."""
    return await _take(request, _book(request).send_again, "sent-again")


async def _take(request: DeskRequest, step: Any, done: str) -> Response:
    try:
        await request.site.blocking(
            step, request.live.name, request.number("number"), by=request.actor
        )
    except UnknownItem as error:
        return await _view(request, code=404, problem=shown(error))
    request.http.app.state.courier.poke()
    return request.go(f"{_place(request)}?done={done}")


def _book(request: DeskRequest) -> AddressBook:
    book: AddressBook = request.http.app.state.address_book
    return book


def _place(request: DeskRequest) -> str:
    return f"/desk/contests/{request.live.name}/notices"


PLACE = "/desk/contests/{contest}/notices"
ROUTES = [
    desk_route(PLACE, notices_page, role=EDITOR),
    desk_route(f"{PLACE}/add", post=add, role=EDITOR),
    desk_route(f"{PLACE}/remove", post=remove, role=EDITOR),
    desk_route(f"{PLACE}/again", post=again, role=EDITOR),
]
