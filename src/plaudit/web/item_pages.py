"""One item at the desk: how it stands, and edit, withdraw or bring it back; and adding items."""

from typing import Any, NamedTuple

from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed, UnknownItem
from plaudit.service.contest import DRAFT, RETIRED
from plaudit.service.desk_words import told
from plaudit.service.item_box import MOST_ITEMS, Review, items_of_upload, review_items
from plaudit.service.item_story import Story, levels_of, numbers_of, story_of
from plaudit.service.mistakes import ContestFileError
from plaudit.service.outline import outline_of, payload_of
from plaudit.service.picture_files import Row
from plaudit.service.roles import EDITOR, VIEWER
from plaudit.store.contract import Item
from plaudit.store.log import Entry
from plaudit.web.board_words import meanings
from plaudit.web.changing import change
from plaudit.web.contest_forms import MOST_BYTES, take_drawing
from plaudit.web.errand import Errand, desk_route
from plaudit.web.picture_rows import LARGE, LIMITS, items_of, take_pictures, with_texts

_PATH = "/desk/contests/{contest}/items"
_ALL_DEEDS = 1_000_000


class Repeat(NamedTuple):
    """A line or a file that repeats something: its place, its text, and what it repeats."""

    place: str
    text: str
    what: str


def _number(errand: Errand) -> int:
    number: int = errand.request.path_params["number"]
    if not 0 <= number < len(errand.live.items):
        raise UnknownItem(f"There is no item {number + 1} in this contest.")
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
        "before": live.items[story.members[0]] if len(story.members) == 1 else None,
        "typed": item.text,
        "image": item.image,
        "image_name": "",
        "chosen": "",
        "there": number not in live.tally.withdrawn,
        "story": story,
        "levels": levels,
        "votes": sum(level["votes"] for level in levels),
        "races": numbers_of(live, number),
        "meanings": meanings(live.settings),
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
    form = {"image": errand.field("image")}
    errors = await take_drawing(errand, form)
    votes = sum(level["votes"] for level in levels_of(live, number))
    given = {"typed": text, "chosen": keep, **form}
    if errors or errand.files:
        # A new picture is looked at first, beside the old one.
        code = 422 if errors else 200
        return await _item_view(errand, number, code=code, errors=errors, **given)
    if votes and keep not in ("keep", "anew"):
        errors = {"votes": "Say what becomes of the votes that it has."}
        return await _item_view(errand, number, code=422, errors=errors, **given)
    made: list[Entry] = []

    def work(epoch: int) -> None:
        whose: dict[str, Any] = {"by": errand.actor, "epoch": epoch}
        kept = keep == "keep" or not votes
        made.append(
            desk.replace(live.name, [number], text, form["image"], keep_votes=kept, **whose)
        )

    try:
        moved = await change(errand, work, typed={"text": "The item's text"})
    except (InvalidInput, NotAllowed) as error:
        errors = {"text": told(str(error))}
        return await _item_view(errand, number, code=422, errors=errors, **given)
    return moved or errand.go(f"{_base(errand)}/{payload_of(made[0])['first']}?done=edited")


async def withdraw(errand: Errand) -> Response:
    """Takes an item out."""
    desk, name, number = errand.site.desk, errand.live.name, _number(errand)
    try:
        moved = await change(
            errand, lambda epoch: desk.withdraw(name, [number], by=errand.actor, epoch=epoch)
        )
    except NotAllowed as error:
        return await _item_view(errand, number, code=409, problem=told(str(error)))
    return moved or errand.go(f"{_base(errand)}/{number}?done=withdrawn")


async def restore(errand: Errand) -> Response:
    """Brings an item back."""
    desk, name, number = errand.site.desk, errand.live.name, _number(errand)
    try:
        moved = await change(
            errand, lambda epoch: desk.restore(name, [number], by=errand.actor, epoch=epoch)
        )
    except NotAllowed as error:
        return await _item_view(errand, number, code=409, problem=told(str(error)))
    return moved or errand.go(f"{_base(errand)}/{number}?done=restored")


async def add_page(errand: Errand) -> Response:
    """A box for new items."""
    return _add_view(errand, "")


def _add_view(errand: Errand, text: str, *, code: int = 200, **given: Any) -> Response:
    live = errand.live
    shown = {
        "text": text,
        "rows": [],
        "mistakes": [],
        "picture_mistakes": [],
        "fresh": 0,
        "repeats": [],
        "count": 0,
        "begun": live.tally.begun,
        "draft": live.tally.state == DRAFT,
        "frozen": live.tally.state == RETIRED,
        "most": MOST_ITEMS,
        "limits": LIMITS,
        "problem": "",
    }
    return errand.contest_page("items_add.html", code=code, **shown | given)


async def add(errand: Errand) -> Response:
    """Lets items join; mistakes are named by line, and what repeats others is asked about."""
    live, desk = errand.live, errand.site.desk
    taken = await take_pictures(errand)
    shown: dict[str, Any] = {"rows": taken.rows, "fresh": taken.fresh}
    try:
        text = with_texts(await _box(errand), taken)
    except ContestFileError as error:
        shown |= {"mistakes": error.mistakes, "picture_mistakes": taken.mistakes}
        return _add_view(errand, errand.field("items"), code=422, **shown)
    errand.put("items", text)
    review = await errand.site.blocking(review_items, text)
    pictures, wrong = await items_of(errand, taken.rows)
    wrong = [*taken.mistakes, *wrong]
    if review.mistakes or wrong or not (review.items or pictures):
        problem = "" if review.mistakes or wrong else "There is no item yet: write one a line."
        shown |= {"mistakes": review.mistakes, "picture_mistakes": wrong, "problem": problem}
        return _add_view(errand, text, code=422, **shown)
    repeats = [*_repeats(review, _present(errand)), *_repeated(taken.rows, _present(errand))]
    choice = errand.field("repeats")
    if taken.fresh or (repeats and choice not in ("leave", "keep")):
        count = len(review.items) + len(pictures)
        return _add_view(errand, text, repeats=repeats, count=count, **shown)
    gone = {place for place, _, _ in repeats} if choice == "leave" else set()
    rows = zip(review.items, review.lines, strict=True)
    items = [item for item, line in rows if f"Line {line}" not in gone]
    left = [place for place, row in _places(taken.rows) if not row.gone]
    items += [item for item, place in zip(pictures, left, strict=True) if place not in gone]
    try:
        moved = await change(
            errand,
            lambda epoch: desk.add_items(live.name, items, by=errand.actor, epoch=epoch),
            typed={"items": "Items, one a line"},
        )
    except (InvalidInput, NotAllowed) as error:
        return _add_view(errand, text, code=409, problem=str(error), **shown)
    return moved or errand.go(f"{_base(errand)}?done=added")


async def _box(errand: Errand) -> str:
    """What is to be added: the file's items where there is one, or what was typed."""
    upload = errand.files.get("items_file")
    if upload is None:
        return errand.field("items")
    return await errand.site.blocking(items_of_upload, upload.name, upload.body)


def _present(errand: Errand) -> list[Item]:
    """The items of the contest that are there, the last first."""
    gone = errand.live.tally.withdrawn
    return [item for item in reversed(errand.live.items) if item.number not in gone]


def _repeats(review: Review, present: list[Item]) -> list[Repeat]:
    """The lines that repeat an item of the contest, or a line before."""
    seen = {_folded(item.text): f"item {item.number + 1}" for item in present if not item.image}
    found = []
    for item, line in zip(review.items, review.lines, strict=True):
        key = _folded(item.text)
        if key in seen:
            found.append(Repeat(f"Line {line}", item.text, seen[key]))
        else:
            seen[key] = f"line {line}"
    return found


def _repeated(rows: list[Row], present: list[Item]) -> list[Repeat]:
    """The pictures that an item of the contest has."""
    seen = {item.image: f"item {item.number + 1}" for item in present}
    return [
        Repeat(place, row.text, seen[row.image])
        for place, row in _places(rows)
        if row.image in seen and not row.gone
    ]


def _places(rows: list[Row]) -> list[tuple[str, Row]]:
    return [(f"Picture {n} ({row.name})", row) for n, row in enumerate(rows, start=1)]


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


ROUTES = [
    desk_route(f"{_PATH}/add", add_page, add, **LARGE),
    desk_route(f"{_PATH}/{{number:small}}", item_page, role=VIEWER),
    desk_route(f"{_PATH}/{{number:small}}/edit", post=edit, role=EDITOR, limit=MOST_BYTES),
    desk_route(f"{_PATH}/{{number:small}}/withdraw", post=withdraw, role=EDITOR),
    desk_route(f"{_PATH}/{{number:small}}/restore", post=restore, role=EDITOR),
]
