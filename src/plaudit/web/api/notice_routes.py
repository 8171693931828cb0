"""Routes for notices: where those of a contest go, and what was sent. All need the scope `manage`.

None of it is an event: the log of a contest is for everyone, and an address is not.
"""

import msgspec

from plaudit.service.notices.address_book import SHOWN, AddressBook
from plaudit.store.notices import Delivery, Destination
from plaudit.web.endpoint import CONTEST, Call, Endpoint
from plaudit.web.wire.notices import (
    MadeDestination,
    NewDestination,
    OneNumber,
    ShownDeliveries,
    ShownDelivery,
    ShownDestination,
    ShownDestinations,
)

MOST = 1_000


async def show_destinations(call: Call) -> ShownDestinations:
    """Where the notices of a contest go."""
    name = call.path["contest"]
    found = await call.site.blocking(_book(call).destinations, name)
    return ShownDestinations(name, [_destination(one) for one in found])


async def add_destination(call: Call) -> MadeDestination:
    """Sends notices somewhere from now on, a test first; the secret is shown this once."""
    body: NewDestination = call.body
    given = (call.path["contest"], body.way, body.address, body.kinds)
    added = await call.site.blocking(_book(call).add, *given, by=call.actor)
    _poke(call)
    return MadeDestination(_destination(added.destination), added.secret)


async def remove_destination(call: Call) -> ShownDestinations:
    """Sends nothing to a destination any more."""
    name = call.path["contest"]
    await call.site.blocking(_book(call).remove, name, call.body.number, by=call.actor)
    return await show_destinations(call)


async def show_deliveries(call: Call) -> ShownDeliveries:
    """The notices that were sent or wait, latest first."""
    limit = call.number("limit", SHOWN, least=1, most=MOST)
    name = call.path["contest"]
    found = await call.site.blocking(_book(call).deliveries, name, limit=limit)
    return ShownDeliveries(name, [_delivery(one) for one in found])


async def send_again(call: Call) -> ShownDeliveries:
    """Sends a notice once more, under the same id."""
    name = call.path["contest"]
    await call.site.blocking(_book(call).send_again, name, call.body.number, by=call.actor)
    _poke(call)
    return await show_deliveries(call)


def _book(call: Call) -> AddressBook:
    book: AddressBook = call.scope["app"].state.address_book
    return book


def _poke(call: Call) -> None:
    call.scope["app"].state.courier.poke()


def _destination(one: Destination) -> ShownDestination:
    return ShownDestination(one.number, one.way, one.address, list(one.kinds), one.made_at)


def _delivery(one: Delivery) -> ShownDelivery:
    return ShownDelivery(**one._asdict() | {"body": msgspec.json.decode(one.body)})


_READS = (400, 401, 403, 404, 503)
_STEPS = (400, 401, 403, 404, 409, 413, 503)
_LIMIT = {"type": "integer", "minimum": 1, "maximum": MOST}
ENDPOINTS = (
    Endpoint("GET", CONTEST + "/destinations", show_destinations, gives=ShownDestinations,
             scope="manage", errors=_READS),
    Endpoint("POST", CONTEST + "/destinations", add_destination, takes=NewDestination,
             gives=MadeDestination, scope="manage", errors=_STEPS),
    Endpoint("POST", CONTEST + "/destinations/remove", remove_destination, takes=OneNumber,
             gives=ShownDestinations, scope="manage", errors=_STEPS),
    Endpoint("GET", CONTEST + "/deliveries", show_deliveries, gives=ShownDeliveries,
             scope="manage", errors=_READS, query=(("limit", "How many, the latest.", _LIMIT),)),
    Endpoint("POST", CONTEST + "/deliveries/again", send_again, takes=OneNumber,
             gives=ShownDeliveries, scope="manage", errors=_STEPS),
)  # fmt: skip
