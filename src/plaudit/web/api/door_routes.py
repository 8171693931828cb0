"""Routes for the door of a contest: codes, the list of ids, the key of links, and figures.

A code or the key lets people vote, so that even reading them needs the scope `manage`.
"""

from typing import Any

from plaudit.service.accounts.roles import Actor
from plaudit.service.contest.guests import MOST_CODES
from plaudit.service.door.code_book import CodeBook, link_of
from plaudit.service.door.doorkeeper import Doorkeeper
from plaudit.service.door.figures import door_figures
from plaudit.service.door.guest_list import checked_ids
from plaudit.store.log import Entry
from plaudit.web.api.contest_routes import CHANGES
from plaudit.web.api.step_routes import take_step
from plaudit.web.endpoint import CONTEST, LARGE, Call, Endpoint
from plaudit.web.wire.door import (
    CodeNames,
    ListChange,
    NewCodes,
    ShownCode,
    ShownCodes,
    ShownDoor,
    ShownLinkKey,
    TurnedAwayLine,
)
from plaudit.web.wire.running import Change, Done

MOST_AT_ONCE = 10_000


async def make_codes(call: Call) -> Done:
    """Makes codes, so many more than there are."""
    return await take_step(call, call.site.desk.make_codes, call.body.count)


async def show_codes(call: Call) -> ShownCodes:
    """The codes of a contest with their links and states."""
    site, name = call.site, call.path["contest"]
    first = call.number("first", 1, least=1, most=MOST_CODES)
    limit = call.number("limit", 1_000, least=1, most=MOST_AT_ONCE)
    history = await site.blocking(site.desk.history, name)
    book = await site.blocking(CodeBook, site.store, name, _door(call), history.contest)
    address = f"{call.scope['app'].state.browsers.public_url}/c/{name}"
    shown = [
        ShownCode(code.number, code.text, link_of(address, code), code.state, code.is_used)
        for code in book.codes(first, first + limit - 1)
    ]
    return ShownCodes(name, history.record.epoch, *book.counts, shown)


async def revoke_codes(call: Call) -> Done:
    """Lets codes get nobody in any more; votes that were given with them stay."""
    return await _with_numbers(call, call.site.desk.revoke_codes)


async def reinstate_codes(call: Call) -> Done:
    """Lets revoked codes work again."""
    return await _with_numbers(call, call.site.desk.reinstate_codes)


async def _with_numbers(call: Call, step: Any) -> Done:
    site, door, body = call.site, _door(call), call.body

    def work(name: str, *, by: Actor, epoch: int | None) -> Entry:
        book = CodeBook(site.store, name, door, site.desk.history(name).contest)
        entry: Entry = step(name, book.numbers_of(body.codes), by=by, epoch=epoch)
        return entry

    return await take_step(call, work)


async def change_list(call: Call) -> Done:
    """Puts ids on the list of those who may vote, or takes them off; only hashes are kept."""
    hashes = _door(call).guest_list.hashes
    body: ListChange = call.body
    added, removed = hashes(checked_ids(body.add)), hashes(checked_ids(body.remove))
    return await take_step(call, call.site.desk.change_list, added=added, removed=removed)


async def show_link_key(call: Call) -> ShownLinkKey:
    """The key with which a site signs its links to the contest."""
    name = call.path["contest"]
    history = await call.site.blocking(call.site.desk.history, name)
    number = history.contest.link_key
    return ShownLinkKey(name, number, _door(call).link_keys.key(number))


async def change_link_key(call: Call) -> Done:
    """Gives the contest another key; links that the old one signed let nobody in any more."""
    return await take_step(call, call.site.desk.change_link_key)


async def show_door(call: Call) -> ShownDoor:
    """The door: who came in how, and what was turned away."""
    site, name = call.site, call.path["contest"]
    history = await site.blocking(site.desk.history, name)
    figures = await site.blocking(door_figures, site.store, name)
    guests = history.contest
    return ShownDoor(
        name,
        history.record.epoch,
        history.settings.door,
        guests.codes,
        len(guests.revoked_codes),
        len(guests.listed),
        {way.word: count for way, count in figures.raters.items()},
        [TurnedAwayLine(one.date, one.reason, one.times) for one in figures.turned_away],
    )


def _door(call: Call) -> Doorkeeper:
    name = call.path["contest"]
    call.site.worker.get(name)
    return call.site.worker.door(name)


def _posts(path: str, handler: Any, takes: Any) -> Endpoint:
    return Endpoint(
        "POST", CONTEST + path, handler, takes=takes, gives=Done, scope="manage", limit=LARGE,
        errors=CHANGES,
    )  # fmt: skip


_READS = (400, 401, 403, 404, 503)
_FIRST = {"type": "integer", "minimum": 1, "maximum": MOST_CODES}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": MOST_AT_ONCE}
ENDPOINTS = (
    _posts("/codes", make_codes, NewCodes),
    _posts("/codes/revoke", revoke_codes, CodeNames),
    _posts("/codes/reinstate", reinstate_codes, CodeNames),
    _posts("/list", change_list, ListChange),
    _posts("/link-key", change_link_key, Change),
    Endpoint(
        "GET", CONTEST + "/codes", show_codes, gives=ShownCodes, scope="manage", errors=_READS,
        query=(("first", "The number of the first code.", _FIRST),
               ("limit", "How many codes.", _LIMIT)),
    ),
    Endpoint("GET", CONTEST + "/link-key", show_link_key, gives=ShownLinkKey, scope="manage",
             errors=_READS),
    Endpoint("GET", CONTEST + "/door", show_door, gives=ShownDoor, scope="read", errors=_READS),
)  # fmt: skip
