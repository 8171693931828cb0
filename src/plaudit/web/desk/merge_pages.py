"""Duplicates at the desk: items that say the same become one, and their votes are added up.

These pages show no votes. Editors must decide by what items say: if they chose by the votes, a
merger could make a winner, and the guarantee would not hold.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed, UnknownItem
from plaudit.phrase import item_id
from plaudit.service.accounts.roles import EDITOR, VIEWER
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.moderation.reviewed import group_of, reviewed
from plaudit.store.contract import Item
from plaudit.store.log import Entry
from plaudit.web.desk.moderate_steps import (
    base_of,
    given_numbers,
    moderation_of,
    note,
    positions_in,
    seen_of,
    take,
    undoable,
)
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.rendering import shown
from plaudit.words import _

SHOWN = 30
_LONGEST = 5_000


async def duplicates_page(request: DeskRequest) -> Response:
    """Groups of items that are alike, and a form to merge any others."""
    return await _page(request)


async def _page(request: DeskRequest, *, code: int = 200, **given: Any) -> Response:
    seen = seen_of(request)

    moderation = moderation_of(request)
    key = ("alike", len(seen.items), frozenset(seen.contest.withdrawn))
    found = await request.heavy_work(key, lambda: partial(moderation.alike, seen))

    def work() -> dict[str, Any]:
        apart = reviewed(request.site.store, seen.name)
        numbers = [[item.number for item in group] for group in found]
        left = [not apart.until(group_of(group)) for group in numbers]
        return {
            "groups": [g for g, is_open in zip(found, left, strict=True) if is_open],
            "apart": [g for g, is_open in zip(found, left, strict=True) if not is_open],
        }

    shown = await request.site.blocking(work)
    shown = {
        "groups": shown["groups"][:SHOWN],
        "more": max(0, len(shown["groups"]) - SHOWN),
        "apart": shown["apart"][:SHOWN],
        "typed": "",
        "problem": "",
    }
    return request.contest_page(
        "moderate_duplicates.html",
        code=code,
        base=base_of(request),
        step=undoable(request),
        **(shown | given),
    )


async def merge_page(request: DeskRequest) -> Response:
    """Some items side by side, to merge them by id."""
    typed = request.http.query_params.get("numbers", "")
    try:
        group = _chosen(seen_of(request), positions_in(typed))
    except (InvalidInput, NotAllowed, UnknownItem) as error:
        return await _page(request, code=422, errors={"numbers": shown(error)}, typed=typed)
    return request.contest_page("moderate_merge.html", base=base_of(request), group=group, step="")


def _chosen(seen: ContestSnapshot, numbers: Sequence[int]) -> list[Item]:
    """The items of these numbers, if they are in the race and more than one."""
    if len(numbers) < 2:
        raise InvalidInput(_("Give the ids of at least two items, such as i3, i12."))
    for number in numbers:
        if not 0 <= number < len(seen.items):
            raise UnknownItem(
                _(
                    "There is no item %(number)s: items are %(first)s to %(last)s.",
                    number=item_id(number),
                    first=item_id(0),
                    last=item_id(len(seen.items) - 1),
                )
            )
        if number in seen.contest.withdrawn:
            raise NotAllowed(
                _(
                    "Item %(number)s is withdrawn: only items in the contest can be merged.",
                    number=item_id(number),
                )
            )
    return [seen.items[number] for number in numbers]


async def merge(request: DeskRequest) -> Response:
    """Puts one item in the place of several, with the votes of all of them."""
    numbers = given_numbers(request, "items")
    text = request.field("text")[:_LONGEST]
    try:
        group = _chosen(seen_of(request), numbers)
    except (InvalidInput, NotAllowed, UnknownItem) as error:
        return await _page(request, code=409, problem=shown(error))
    chosen = {str(item.number): item for item in group}.get(request.field("keep"), group[0])
    new = text.strip() or chosen.text
    desk, name, by = request.desk, request.live.name, request.actor

    def work(epoch: int) -> Entry:
        given = (name, numbers, new, chosen.image)
        return desk.replace(*given, keep_votes=True, by=by, epoch=epoch)

    return await take(request, work, done="merged", again=_again, typed={"text": _("New text")})


async def _again(request: DeskRequest, problem: str) -> Response:
    return await _page(request, code=409, problem=problem)


async def keep_apart(request: DeskRequest) -> Response:
    """Marks items that look alike as different."""
    subject = group_of(given_numbers(request, "items"))
    return await note(request, subject)


async def look_again(request: DeskRequest) -> Response:
    """Lists them as possible duplicates again."""
    subject = group_of(given_numbers(request, "items"))
    return await note(request, subject, again=True)


_BASE = "/desk/contests/{contest}/moderate"
ROUTES = [
    desk_route(f"{_BASE}/duplicates", duplicates_page, role=VIEWER),
    desk_route(f"{_BASE}/merge", merge_page, merge, role=EDITOR),
    desk_route(f"{_BASE}/duplicates/apart", post=keep_apart, role=EDITOR),
    desk_route(f"{_BASE}/duplicates/again", post=look_again, role=EDITOR),
]
