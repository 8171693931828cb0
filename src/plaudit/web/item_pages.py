"""One item at the desk: how it stands, and edit, withdraw or bring it back; and adding items."""

from typing import Any

from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed, UnknownItem
from plaudit.service.contest import DRAFT, RETIRED
from plaudit.service.item_box import MOST_ITEMS, Review, items_of_upload, review_items
from plaudit.service.item_story import Story, levels_of, numbers_of, story_of
from plaudit.service.mistakes import ContestFileError
from plaudit.service.outline import outline_of, payload_of
from plaudit.service.roles import EDITOR, VIEWER
from plaudit.store.contract import Item
from plaudit.store.log import Entry
from plaudit.web.changing import change
from plaudit.web.errand import Errand, desk_route

_PATH = "/desk/contests/{contest}/items"
_ALL_DEEDS = 1_000_000
# A box of the largest number of items, written long, percent-encoded.
_LARGE: dict[str, Any] = {"role": EDITOR, "limit": 16 * 2**20}
REPEATS_SHOWN = 20


def _number(errand: Errand) -> int:
    number: int = errand.request.path_params["number"]
    if not 0 <= number < len(errand.live.items):
        raise UnknownItem(f"There is no item {number} in this contest.")
    return number


def _base(errand: Errand) -> str:
    return f"/desk/contests/{errand.live.name}/items"


async def item_page(errand: Errand) -> Response:
    """An item, how it stands, and what became of it."""
    return await _item_view(errand, _number(errand))


async def _item_view(errand: Errand, number: int, *, code: int = 200, **given: Any) -> Response:
    live, store = errand.live, errand.site.store

    def work() -> Story:
        deeds = store.deeds(contest=live.name, limit=_ALL_DEEDS)
        return story_of(outline_of(store, live.name), deeds, number)

    story = await errand.site.blocking(work)
    levels = levels_of(live, number)
    item = live.items[number]
    shown = {
        "item": item,
        "typed": item.text,
        "chosen": "",
        "there": number not in live.tally.withdrawn,
        "story": story,
        "levels": levels,
        "votes": sum(level["votes"] for level in levels),
        "races": numbers_of(live, number),
        "flags": live.tally.flags.get(number, 0),
        "begun": live.tally.begun,
        "frozen": live.tally.state == RETIRED,
        "problem": "",
    }
    return errand.contest_page("item.html", code=code, **shown | given)


async def edit(errand: Errand) -> Response:
    """Puts a corrected item in the place of one; what was voted on is never changed."""
    live, desk, number = errand.live, errand.site.desk, _number(errand)
    text, keep = errand.field("text"), errand.field("votes")
    votes = sum(level["votes"] for level in levels_of(live, number))
    if votes and keep not in ("keep", "anew"):
        told = {"votes": "Say what becomes of the votes that it has."}
        return await _item_view(errand, number, code=422, typed=text, errors=told)
    made: list[Entry] = []

    def work(epoch: int) -> None:
        given: dict[str, Any] = {"by": errand.actor, "epoch": epoch}
        given |= {"keep_votes": keep == "keep" or not votes}
        made.append(desk.replace(live.name, [number], text, live.items[number].image, **given))

    try:
        moved = await change(errand, work, typed={"text": "The item's text"})
    except (InvalidInput, NotAllowed) as error:
        return await _item_view(
            errand, number, code=422, typed=text, errors={"text": str(error)}, chosen=keep
        )
    return moved or errand.go(f"{_base(errand)}/{payload_of(made[0])['first']}?done=edited")


async def withdraw(errand: Errand) -> Response:
    """Takes an item out."""
    desk, name, number = errand.site.desk, errand.live.name, _number(errand)
    try:
        moved = await change(
            errand, lambda epoch: desk.withdraw(name, [number], by=errand.actor, epoch=epoch)
        )
    except NotAllowed as error:
        return await _item_view(errand, number, code=409, problem=str(error))
    return moved or errand.go(f"{_base(errand)}/{number}?done=withdrawn")


async def restore(errand: Errand) -> Response:
    """Brings an item back."""
    desk, name, number = errand.site.desk, errand.live.name, _number(errand)
    try:
        moved = await change(
            errand, lambda epoch: desk.restore(name, [number], by=errand.actor, epoch=epoch)
        )
    except NotAllowed as error:
        return await _item_view(errand, number, code=409, problem=str(error))
    return moved or errand.go(f"{_base(errand)}/{number}?done=restored")


async def add_page(errand: Errand) -> Response:
    """A box for new items."""
    return _add_view(errand, "")


def _add_view(errand: Errand, text: str, *, code: int = 200, **given: Any) -> Response:
    live = errand.live
    shown = {
        "text": text,
        "mistakes": [],
        "repeats": [],
        "count": 0,
        "begun": live.tally.begun,
        "draft": live.tally.state == DRAFT,
        "frozen": live.tally.state == RETIRED,
        "most": MOST_ITEMS,
        "problem": "",
    }
    return errand.contest_page("items_add.html", code=code, **shown | given)


async def add(errand: Errand) -> Response:
    """Lets items join; mistakes are named by line, and what repeats others is asked about."""
    live, desk = errand.live, errand.site.desk
    try:
        text = await _box(errand)
    except ContestFileError as error:
        return _add_view(errand, errand.field("items"), code=422, mistakes=error.mistakes)
    review = await errand.site.blocking(review_items, text)
    if review.mistakes or not review.items:
        told = "" if review.mistakes else "There is no item yet: write one a line."
        return _add_view(errand, text, code=422, mistakes=review.mistakes, problem=told)
    repeats = _repeats(review, [live.items[n] for n in _present(errand)])
    choice = errand.field("repeats")
    if repeats and choice not in ("leave", "keep"):
        return _add_view(errand, text, repeats=repeats, count=len(review.items))
    gone = {line for line, _, _ in repeats} if choice == "leave" else set()
    rows = zip(review.items, review.lines, strict=True)
    items = [item for item, line in rows if line not in gone]
    try:
        moved = await change(
            errand,
            lambda epoch: desk.add_items(live.name, items, by=errand.actor, epoch=epoch),
            typed={"items": "Items, one a line"},
        )
    except (InvalidInput, NotAllowed) as error:
        return _add_view(errand, text, code=409, problem=str(error))
    return moved or errand.go(f"{_base(errand)}?done=added")


async def _box(errand: Errand) -> str:
    """What is to be added: the file's items where there is one, or what was typed."""
    upload = errand.files.get("items_file")
    if upload is None:
        return errand.field("items")
    text = await errand.site.blocking(items_of_upload, upload.name, upload.body)
    # A page that sends the form again has no file any more.
    errand.put("items", text)
    return text


def _present(errand: Errand) -> list[int]:
    gone = errand.live.tally.withdrawn
    return [number for number in range(len(errand.live.items)) if number not in gone]


def _repeats(review: Review, present: list[Item]) -> list[tuple[int, str, str]]:
    """The lines that repeat an item of the contest, or a line before: line, text, and what."""
    seen = {_folded(item.text): f"item {item.number}" for item in reversed(present) if item.text}
    found = []
    for item, line in zip(review.items, review.lines, strict=True):
        key = _folded(item.text)
        if key in seen:
            found.append((line, item.text, seen[key]))
        else:
            seen[key] = f"line {line}"
    return found


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


ROUTES = [
    desk_route(f"{_PATH}/add", add_page, add, **_LARGE),
    desk_route(f"{_PATH}/{{number:small}}", item_page, role=VIEWER),
    desk_route(f"{_PATH}/{{number:small}}/edit", post=edit, role=EDITOR),
    desk_route(f"{_PATH}/{{number:small}}/withdraw", post=withdraw, role=EDITOR),
    desk_route(f"{_PATH}/{{number:small}}/restore", post=restore, role=EDITOR),
]
