"""One item at the desk: how it stands, and edit, withdraw or bring it back; and adding items."""

from typing import Any, NamedTuple

from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed, UnknownItem
from plaudit.phrase import item_id
from plaudit.service.accounts.roles import EDITOR, VIEWER
from plaudit.service.contest.history import history_of
from plaudit.service.contest.settings import DRAFT, FROZEN
from plaudit.service.desk.step import first_item
from plaudit.service.intake.item_box import MOST_ITEMS, Review, items_of_upload, review_items
from plaudit.service.intake.mistakes import ContestFileError
from plaudit.service.intake.picture_files import Row
from plaudit.service.watch.item_history import ItemHistory, item_history, levels_of, numbers_of
from plaudit.store.contract import Item
from plaudit.store.log import Entry
from plaudit.web.desk.contest_forms import MOST_BYTES, take_drawing
from plaudit.web.desk.dashboard_words import meanings
from plaudit.web.desk.desk_steps import change
from plaudit.web.desk.picture_rows import LARGE, LIMITS, items_of, take_pictures, with_texts
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.rendering import shown
from plaudit.words import _

_PATH = "/desk/contests/{contest}/items"
_ALL_DEEDS = 1_000_000


class Repeat(NamedTuple):
    """A line or a picture that repeats something: which, in words, its text, what it repeats."""

    key: tuple[str, int]
    place: str
    text: str
    what: str


def _number(request: DeskRequest) -> int:
    number: int = request.http.path_params["number"]
    if not 0 <= number < len(request.live.items):
        there_is_none = _("There is no item %(number)s in this contest.", number=item_id(number))
        raise UnknownItem(there_is_none)
    return number


def _base(request: DeskRequest) -> str:
    return f"/desk/contests/{request.live.name}/items"


async def item_page(request: DeskRequest) -> Response:
    """An item: its text, its standing and its history."""
    return await _item_view(request, _number(request))


async def _item_view(
    request: DeskRequest, number: int, *, code: int = 200, **given: Any
) -> Response:
    live, store = request.live, request.site.store

    def work() -> ItemHistory:
        deeds = store.deeds(contest=live.name, limit=_ALL_DEEDS)
        return item_history(history_of(store, live.name), deeds, number)

    story = await request.site.blocking(work)
    races = await request.site.blocking(numbers_of, live.snapshot(), number)
    levels = levels_of(live, number)
    item = live.items[number]
    shown = {
        "item": item,
        "before": live.items[story.members[0]] if len(story.members) == 1 else None,
        "typed": item.text,
        "image": item.image,
        "image_name": "",
        "chosen": "",
        "there": number not in live.contest.withdrawn,
        "story": story,
        "levels": levels,
        "votes": sum(level["votes"] for level in levels),
        "races": races,
        "meanings": meanings(live.settings),
        "flags": live.contest.flags.get(number, 0),
        "begun": live.contest.begun,
        "frozen": live.contest.state in FROZEN,
        "problem": "",
    }
    return request.contest_page("item.html", code=code, **shown | given)


async def edit(request: DeskRequest) -> Response:
    """Replaces an item by a corrected one; what people voted on is never changed."""
    live, desk, number = request.live, request.desk, _number(request)
    text, keep = request.field("text"), request.field("votes")
    form = {"image": request.field("image")}
    errors = await take_drawing(request, form)
    votes = sum(level["votes"] for level in levels_of(live, number))
    given = {"typed": text, "chosen": keep, **form}
    if errors or request.files:
        # The editor sees a new picture beside the old one before it is saved.
        code = 422 if errors else 200
        return await _item_view(request, number, code=code, errors=errors, **given)
    if votes and keep not in ("keep", "anew"):
        errors = {"votes": _("Choose what happens to its votes.")}
        return await _item_view(request, number, code=422, errors=errors, **given)

    def work(epoch: int) -> Entry:
        whose: dict[str, Any] = {"by": request.actor, "epoch": epoch}
        kept = keep == "keep" or not votes
        return desk.replace(live.name, [number], text, form["image"], keep_votes=kept, **whose)

    def then(entry: Entry) -> str:
        return f"{_base(request)}/{item_id(first_item(entry) or 0)}?done=edited"

    try:
        return await change(request, work, then=then, typed={"text": _("The item's text")})
    except (InvalidInput, NotAllowed) as error:
        errors = {"text": shown(error)}
        return await _item_view(request, number, code=422, errors=errors, **given)


async def withdraw(request: DeskRequest) -> Response:
    """Takes an item out."""
    desk, name, number = request.desk, request.live.name, _number(request)
    try:
        return await change(
            request,
            lambda epoch: desk.withdraw(name, [number], by=request.actor, epoch=epoch),
            then=lambda entry: f"{_base(request)}/{item_id(number)}?done=withdrawn",
        )
    except NotAllowed as error:
        return await _item_view(request, number, code=409, problem=shown(error))


async def restore(request: DeskRequest) -> Response:
    """Brings an item back."""
    desk, name, number = request.desk, request.live.name, _number(request)
    try:
        return await change(
            request,
            lambda epoch: desk.restore(name, [number], by=request.actor, epoch=epoch),
            then=lambda entry: f"{_base(request)}/{item_id(number)}?done=restored",
        )
    except NotAllowed as error:
        return await _item_view(request, number, code=409, problem=shown(error))


async def add_page(request: DeskRequest) -> Response:
    """A box for new items."""
    return _add_view(request, "")


def _add_view(request: DeskRequest, text: str, *, code: int = 200, **given: Any) -> Response:
    live = request.live
    shown = {
        "text": text,
        "rows": [],
        "mistakes": [],
        "picture_mistakes": [],
        "fresh": 0,
        "repeats": [],
        "count": 0,
        "begun": live.contest.begun,
        "draft": live.contest.state == DRAFT,
        "frozen": live.contest.state in FROZEN,
        "most": MOST_ITEMS,
        "limits": LIMITS,
        "problem": "",
    }
    return request.contest_page("items_add.html", code=code, **shown | given)


async def add(request: DeskRequest) -> Response:
    """Adds items; names mistakes by line, and asks about repeated items."""
    live, desk = request.live, request.desk
    taken = await take_pictures(request)
    given: dict[str, Any] = {"rows": taken.rows, "fresh": taken.fresh}
    try:
        text = with_texts(await _box(request), taken)
    except ContestFileError as error:
        given |= {"mistakes": error.mistakes, "picture_mistakes": taken.mistakes}
        return _add_view(request, request.field("items"), code=422, **given)
    request.put("items", text)
    review = await request.site.blocking(review_items, text)
    pictures, wrong = await items_of(request, taken.rows)
    wrong = [*taken.mistakes, *wrong]
    if review.mistakes or wrong or not (review.items or pictures):
        problem = (
            "" if review.mistakes or wrong else _("There are no items yet. Write one per line.")
        )
        given |= {"mistakes": review.mistakes, "picture_mistakes": wrong, "problem": problem}
        return _add_view(request, text, code=422, **given)
    repeats = [*_repeats(review, _present(request)), *_repeated(taken.rows, _present(request))]
    choice = request.field("repeats")
    if taken.fresh or (repeats and choice not in ("leave", "keep")):
        count = len(review.items) + len(pictures)
        return _add_view(request, text, repeats=repeats, count=count, **given)
    gone = {repeat.key for repeat in repeats} if choice == "leave" else set()
    rows = zip(review.items, review.lines, strict=True)
    items = [item for item, line in rows if ("line", line) not in gone]
    left = [n for n, row in enumerate(taken.rows, start=1) if not row.gone]
    items += [item for item, n in zip(pictures, left, strict=True) if ("picture", n) not in gone]
    try:
        return await change(
            request,
            lambda epoch: desk.add_items(live.name, items, by=request.actor, epoch=epoch),
            then=lambda entry: f"{_base(request)}?done=added",
            typed={"items": _("Items, one per line")},
        )
    except (InvalidInput, NotAllowed) as error:
        return _add_view(request, text, code=409, problem=shown(error), **given)


async def _box(request: DeskRequest) -> str:
    """What is to be added: the file's items where there is one, or what was typed."""
    upload = request.files.get("items_file")
    if upload is None:
        return request.field("items")
    return await request.site.blocking(items_of_upload, upload.name, upload.body)


def _present(request: DeskRequest) -> list[Item]:
    """The items of the contest that are there, the last first."""
    gone = request.live.contest.withdrawn
    return [item for item in reversed(request.live.items) if item.number not in gone]


def _repeats(review: Review, present: list[Item]) -> list[Repeat]:
    """The lines that repeat an item of the contest, or a line before."""
    seen = {_folded(item.text): _item_words(item) for item in present if not item.image}
    found = []
    for item, line in zip(review.items, review.lines, strict=True):
        key = _folded(item.text)
        if key in seen:
            place = _("Line %(number)s", number=line)
            found.append(Repeat(("line", line), place, item.text, seen[key]))
        else:
            seen[key] = _("line %(number)s", number=line)
    return found


def _repeated(rows: list[Row], present: list[Item]) -> list[Repeat]:
    """The pictures that an item of the contest has."""
    seen = {item.image: _item_words(item) for item in present}
    found = []
    for n, row in enumerate(rows, start=1):
        if row.image in seen and not row.gone:
            place = _("Picture %(number)s (%(name)s)", number=n, name=row.name)
            found.append(Repeat(("picture", n), place, row.text, seen[row.image]))
    return found


def _item_words(item: Item) -> str:
    return _("item %(number)s", number=item_id(item.number))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


ROUTES = [
    desk_route(f"{_PATH}/add", add_page, add, **LARGE),
    desk_route(f"{_PATH}/{{number:item}}", item_page, role=VIEWER),
    desk_route(f"{_PATH}/{{number:item}}/edit", post=edit, role=EDITOR, limit=MOST_BYTES),
    desk_route(f"{_PATH}/{{number:item}}/withdraw", post=withdraw, role=EDITOR),
    desk_route(f"{_PATH}/{{number:item}}/restore", post=restore, role=EDITOR),
]
