"""The door of a contest at the desk: codes, the list, the key of links, who came in and who not.

Codes and the key let people vote, so that only editors see them; viewers see the figures.
"""

from collections.abc import Callable, Iterable
from typing import Any

from starlette.responses import Response, StreamingResponse

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.service.accounts.roles import EDITOR, VIEWER
from plaudit.service.contest.grounds import DOOR
from plaudit.service.contest.guests import MOST_CODES
from plaudit.service.contest.settings import CODES, FROZEN, LINKS, LIST
from plaudit.service.door.code_book import CodeBook, as_csv, link_of
from plaudit.service.door.doorkeeper import Doorkeeper
from plaudit.service.door.figures import door_figures
from plaudit.service.door.guest_list import read_ids
from plaudit.store.log import Entry
from plaudit.web.desk.desk_steps import change
from plaudit.web.desk.door_words import came_in, door_sentence, turned_away
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.reach import reach_of
from plaudit.web.rendering import page, shown
from plaudit.words import _

A_PAGE, A_SHEET = 100, 300
LIST_BYTES = 4 * 1024 * 1024


async def door_page(request: DeskRequest) -> Response:
    """The door as it is now."""
    return await door_view(request)


async def door_view(request: DeskRequest, *, code: int = 200, **given: Any) -> Response:
    """The page, also with what is wrong (`errors` by field, or `problem`) and what was typed."""
    live, site = request.live, request.site
    figures = await site.blocking(door_figures, site.store, live.name)
    book = await _book(request)
    kept, guests = live.settings.door, live.contest
    first = _first(request, book.made)
    last = min(book.made, first + A_PAGE - 1)
    parts = {
        "kept": kept,
        "sentence": door_sentence(kept),
        "counts": book.counts,
        "codes": [(code, code.number in book.raters) for code in book.codes(first, last)],
        "first": first,
        "last": last,
        "before": max(1, first - A_PAGE),
        "left": _still_counted(book, guests.excluded),
        "listed": len(guests.listed),
        "link_key": request.site.worker.door(live.name).link_keys.key(guests.link_key),
        "link": _address(request),
        "came": came_in(figures),
        "away": turned_away(figures, today=site.worker.clock()),
        "most_codes": MOST_CODES,
        "a_sheet": A_SHEET,
        "shows": {CODES: bool(book.made), LIST: bool(guests.listed), LINKS: guests.link_key > 0},
        "fixed": live.contest.state in FROZEN,
        "typed": {},
        "problem": "",
    }
    return request.contest_page("door.html", code=code, **parts | given)


def _first(request: DeskRequest, made: int) -> int:
    """The first code to show, from the address: a number, or any text of a code."""
    wanted = request.http.query_params.get("from", "").strip()
    if not wanted:
        return 1
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 7 else None
    number = number or _door(request).codes.number(wanted)
    return min(max(1, number or 1), max(1, made))


def _still_counted(book: CodeBook, excluded: Iterable[int]) -> list[int]:
    """The revoked codes whose votes count: somebody used them before they were revoked."""
    out = {*excluded}
    return sorted(code for code in book.revoked if book.raters.get(code, -1) not in {*out, -1})


def _door(request: DeskRequest) -> Doorkeeper:
    return request.site.worker.door(request.live.name)


async def _book(request: DeskRequest) -> CodeBook:
    """The codes with their states; read off the event loop, from a copy of what the log says."""
    live, site = request.live, request.site
    guests = live.snapshot(races=False).contest
    return await site.blocking(CodeBook, site.store, live.name, _door(request), guests)


def _address(request: DeskRequest) -> str:
    return f"{request.browsers.public_url}/c/{request.live.name}"


# Steps


async def _take(
    request: DeskRequest, work: Callable[[int], Entry], done: str, *, field: str = ""
) -> Response:
    """Takes a step and comes back; what is wrong is shown at its field."""
    place = f"/desk/contests/{request.live.name}/door"
    try:
        return await change(request, work, then=lambda _: f"{place}?done={done}")
    except (InvalidInput, NotAllowed) as error:
        wrong: dict[str, Any] = {"errors": {field: shown(error)}} if field else {}
        return await door_view(request, code=422, **wrong or {"problem": shown(error)})


async def make_codes(request: DeskRequest) -> Response:
    """Makes codes."""
    count, name = request.number("count"), request.live.name

    def work(epoch: int) -> Entry:
        return request.desk.make_codes(name, count, by=request.actor, epoch=epoch)

    return await _take(request, work, "codes-made", field="count")


async def change_codes(request: DeskRequest) -> Response:
    """Revokes the ticked codes, or lets them work again; or lets no vote of theirs count."""
    name, step = request.live.name, request.field("step")
    numbers = [int(text) for text in request.fields("code") if text.isascii() and text.isdigit()]
    book = await _book(request)

    def work(epoch: int) -> Entry:
        if step == "exclude":
            raters = [book.raters[number] for number in numbers if number in book.raters]
            return request.desk.exclude(name, *raters, grounds=DOOR, by=request.actor, epoch=epoch)
        steps = {"revoke": request.desk.revoke_codes, "reinstate": request.desk.reinstate_codes}
        return steps.get(step, request.desk.revoke_codes)(
            name, numbers, by=request.actor, epoch=epoch
        )

    done = {"exclude": "excluded", "reinstate": "codes-reinstated"}.get(step, "codes-revoked")
    return await _take(request, work, done)


async def change_list(request: DeskRequest) -> Response:
    """Puts the ids that were typed or uploaded on the list, or takes them off it."""
    name, off = request.live.name, request.field("step") == "remove"
    guest_list = _door(request).guest_list

    def work(epoch: int) -> Entry:
        hashes = guest_list.hashes(_sent_ids(request))
        given = {"removed" if off else "added": hashes}
        return request.desk.change_list(name, **given, by=request.actor, epoch=epoch)

    return await _take(request, work, "unlisted" if off else "listed", field="ids")


def _sent_ids(request: DeskRequest) -> list[str]:
    body = request.files["file"].body if "file" in request.files else b""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(_("The file is not UTF-8. Save it as UTF-8, one id a line.")) from None
    ids = [*read_ids(text), *read_ids(request.field("ids"))]
    if not ids:
        raise InvalidInput(_("Type the ids, one a line, or choose a file."))
    return ids


async def change_link_key(request: DeskRequest) -> Response:
    """Gives the contest another key for links."""
    name = request.live.name

    def work(epoch: int) -> Entry:
        return request.desk.change_link_key(name, by=request.actor, epoch=epoch)

    return await _take(request, work, "link-key")


# Files


async def codes_file(request: DeskRequest) -> Response:
    """All codes as CSV, for spreadsheets and mail merges."""
    book = await _book(request)
    named = f'attachment; filename="{request.live.name}-codes.csv"'
    rows = as_csv(book.codes(), _address(request))
    return StreamingResponse(
        rows, media_type="text/csv; charset=utf-8", headers={"content-disposition": named}
    )


async def sheet(request: DeskRequest) -> Response:
    """Codes to print and cut apart, each with its QR code; revoked ones are left out."""
    book = await _book(request)
    first = _first(request, book.made)
    last = min(book.made, first + A_SHEET - 1)
    title, address = request.live.settings.title, _address(request)

    def cards() -> list[dict[str, Any]]:
        return [
            {"number": code.number, "text": code.text, "qr": qr_inline(link_of(address, code))}
            for code in book.codes(first, last)
            if not code.is_revoked
        ]

    drawn = await request.site.blocking(cards)
    contest = {"name": request.live.name, "title": title}
    more = last + 1 if last < book.made else 0
    return page(
        "desk/code_sheet.html", contest=contest, cards=drawn, address=address, more=more,
        first=first, last=last, reach=reach_of(address),
    )  # fmt: skip


def qr_inline(link: str) -> str:
    """A QR code as SVG to stand in a page, black on white."""
    import segno

    code = segno.make(link, error="m", micro=False)
    return code.svg_inline(border=4, omitsize=True, dark="#000", light="#fff")


PLACE = "/desk/contests/{contest}/door"
ROUTES = [
    desk_route(PLACE, door_page, role=VIEWER),
    desk_route(f"{PLACE}/make", post=make_codes, role=EDITOR),
    desk_route(f"{PLACE}/codes", post=change_codes, role=EDITOR),
    desk_route(f"{PLACE}/list", post=change_list, role=EDITOR, limit=LIST_BYTES, most_files=1),
    desk_route(f"{PLACE}/link-key", post=change_link_key, role=EDITOR),
    desk_route(f"{PLACE}/codes.csv", codes_file, role=EDITOR),
    desk_route(f"{PLACE}/sheet", sheet, role=EDITOR),
]
