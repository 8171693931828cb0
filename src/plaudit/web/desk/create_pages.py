"""A new contest: the form, what its items are like, and the preview of the rater's page."""

from typing import Any
from urllib.parse import urlencode

from starlette.responses import JSONResponse, Response

from plaudit.errors import ContestExists, InvalidInput, NotAllowed
from plaudit.service.accounts.roles import EDITOR
from plaudit.service.contest.guests import MOST_CODES
from plaudit.service.contest.settings import CODES, OPEN_DOOR, ContestSettings
from plaudit.service.intake.contest_form import FormMistakes, read_form, read_name
from plaudit.service.intake.filled_form import DEFAULTS
from plaudit.service.intake.item_box import Review, items_of_upload, merged_at_first, review_items
from plaudit.service.intake.mistakes import ContestFileError
from plaudit.service.intake.picture_files import Row, shown_name
from plaudit.store.contract import Item
from plaudit.web import rendering
from plaudit.web.desk.contest_forms import (
    AS_PREVIEW,
    MOST_BYTES,
    MOST_FIELDS,
    WITH_PREVIEW,
    choices,
    sent_form,
    take_drawing,
)
from plaudit.web.desk.forecasts.forecast_pages import RATERS_A_DAY, VOTES_A_RATER, forecast_query
from plaudit.web.desk.picture_rows import (
    LARGE,
    LIMITS,
    items_of,
    sent_rows,
    take_pictures,
    with_texts,
)
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.form_body import Upload
from plaudit.words import _

# Groups that are shown one by one; a page of thousands helps nobody.
SHOWN_GROUPS = 200
SAMPLE = 6
PATIENCE_SECONDS = 20.0
# What the form begins with where it asks about the crowd, which no setting holds.
CROWD = {
    "raters_a_day": str(RATERS_A_DAY),
    "votes_a_rater": str(VOTES_A_RATER),
    "people": "100",
    "minutes": "3",
    "winners": "1",
}


async def new_page(request: DeskRequest) -> Response:
    """The empty form."""
    return _page(request, DEFAULTS | CROWD | {"items": "", "image_name": ""})


async def make(request: DeskRequest) -> Response:
    """Checks what was typed; creates the contest if asked to and if there is no mistake."""
    form = sent_form(request) | {name: request.field(name) for name in ("items", *CROWD)}
    errors = await take_drawing(request, form)
    file_mistakes = await _take_file(request, form)
    taken = await take_pictures(request)
    form["items"] = with_texts(form["items"], taken)
    review = await request.site.blocking(review_items, form["items"])
    merged, unseen = _merged(request, review)
    pictures, mistakes = await items_of(request, taken.rows)
    mistakes = [*taken.mistakes, *mistakes]
    items = [*review.kept(merged), *pictures]
    wrong_items = bool(review.mistakes or file_mistakes or mistakes)
    settings, wrong = await _settings(request, form, items=0 if wrong_items else len(items))
    errors |= wrong
    if not wrong_items and len(items) < 2:
        told = _("A contest needs at least 2 items; this one has %(count)s.", count=len(items))
        errors |= {"items": told}
    if request.field("step") == "create" and not (wrong_items or errors or unseen or taken.fresh):
        assert isinstance(settings, ContestSettings)  # others are mistakes
        try:
            return await _create(request, form, settings, items)
        except ContestExists as error:
            errors |= {"name": rendering.shown(error)}
        except NotAllowed as error:
            if settings.door == OPEN_DOOR:
                raise
            errors |= {"door": rendering.shown(error)}
    ready = not (wrong_items or errors)
    given: dict[str, Any] = {"review": review, "merged": merged, "file_mistakes": file_mistakes}
    given |= {"rows": taken.rows, "picture_mistakes": mistakes, "fresh": taken.fresh}
    given |= {"errors": errors, "unseen": bool(unseen) and ready, "checked": ready}
    return _page(request, form, code=200 if ready else 422, **given)


async def _settings(
    request: DeskRequest, form: dict[str, str], *, items: int
) -> tuple[ContestSettings | None, dict[str, str]]:
    """The settings, and mistakes by field; `items` is 0 if their number is not known."""
    is_there = request.site.has_picture
    found = await request.site.blocking(read_form, form, items=items, is_there=is_there)
    wrong = found if isinstance(found, FormMistakes) else {}
    errors = {field: rendering.shown(words) for field, words in wrong.items()}
    try:
        read_name(form)
    except InvalidInput as error:
        errors |= {"name": rendering.shown(error)}
    return None if isinstance(found, FormMistakes) else found, errors


async def _create(
    request: DeskRequest, form: dict[str, str], settings: ContestSettings, items: list[Item]
) -> Response:
    desk, name = request.site.desk, read_name(form)
    people = form["people"]
    said = people.isdecimal() and len(people) <= 6
    wanted = int(people) if settings.door == CODES and said else 0

    def work() -> int:
        desk.create(name, settings, items, by=request.actor)
        if not wanted:
            return 1
        # A card for everybody: they can be printed at once, and more be made at the door.
        return desk.make_codes(name, min(wanted, MOST_CODES), by=request.actor).position

    await request.site.folded(name, await request.site.change(work))
    # What was said of the crowd goes along, for the forecast there.
    crowd = {key: form[key] for key in ("raters_a_day", "votes_a_rater") if form[key]}
    return request.go(f"/desk/contests/{name}/run?{urlencode({'done': 'created'} | crowd)}")


async def _take_file(request: DeskRequest, form: dict[str, str]) -> list[str]:
    """Puts the items of a file into the box; its mistakes, by line."""
    upload = request.files.get("items_file")
    if upload is None:
        return []
    try:
        form["items"] = await request.site.blocking(items_of_upload, upload.name, upload.body)
    except ContestFileError as error:
        return [rendering.shown(mistake) for mistake in error.mistakes]
    return []


def _merged(request: DeskRequest, review: Review) -> tuple[set[str], set[str]]:
    """The groups ticked for merging, and those that were not shown yet."""
    shown, ticked = set(request.fields("shown")), set(request.fields("merge"))
    usual = merged_at_first(review.alike)
    merged = {one.key for one in review.alike if one.key in (ticked if one.key in shown else usual)}
    listed = [
        one
        for kind in ("exact", "near")
        for one in [group for group in review.alike if group.kind == kind][:SHOWN_GROUPS]
    ]
    return merged, {one.key for one in listed} - shown


def _review_given(review: Review | None, merged: set[str], rows: list[Row]) -> dict[str, Any]:
    """What the template shows about items."""
    pictures = sum(not row.gone for row in rows)
    given: dict[str, Any] = {"review": review, "merged": merged, "shown_groups": SHOWN_GROUPS}
    if review is None:
        return given
    step = max(1, len(review.items) // SAMPLE)
    some = list(zip(review.items, review.lines, strict=True))[::step][:SAMPLE]
    sample = [(item.text[:300], line) for item, line in some]
    lines = len(review.kept(merged))
    return given | {"sample": sample, "left": lines + pictures, "pictures": pictures}


def _page(request: DeskRequest, form: dict[str, str], *, code: int = 200, **given: Any) -> Response:
    review: Review | None = given.pop("review", None)
    merged: set[str] = given.pop("merged", set())
    shown: dict[str, Any] = {"file_mistakes": [], "rows": [], "picture_mistakes": []}
    shown |= {"unseen": False, "checked": False, "errors": {}, "fresh": 0} | given
    about = _review_given(review, merged, shown["rows"])
    query = [] if review is None else forecast_query(form, items=about["left"])
    return request.page(
        "new.html",
        code=code,
        policy=WITH_PREVIEW,
        form=form,
        forecast=urlencode(query),
        limits=LIMITS,
        **choices(request, form),
        **about,
        **shown,
    )


async def check_items(request: DeskRequest) -> Response:
    """The part of the page about items, for a script that asks while someone types."""
    review = await request.site.blocking(review_items, request.field("items"))
    merged = _merged(request, review)[0]
    return request.page("items_review.html", **_review_given(review, merged, sent_rows(request)))


async def read_file(request: DeskRequest) -> Response:
    """The items of a file as the box has them, or its mistakes, as JSON."""
    form = {"items": ""}
    mistakes = await _take_file(request, form)
    return JSONResponse({"items": form["items"], "mistakes": mistakes})


async def read_drawing(request: DeskRequest) -> Response:
    """Where a drawing is kept, or what is wrong with it, as JSON."""
    upload = request.files.get("drawing", Upload("", b""))
    try:
        kept = await request.site.blocking(request.site.keep_picture, upload.body)
    except InvalidInput as error:
        return JSONResponse({"image": "", "name": "", "wrong": rendering.shown(error)})
    return JSONResponse({"image": kept[0], "name": shown_name(upload.name), "wrong": ""})


async def preview(request: DeskRequest) -> Response:
    """The rater's page, run by what the form beside it says; it asks and sends nothing."""
    contest = {"name": "preview", "title": _("Preview")}
    return rendering.page(
        "public/rater.html", policy=AS_PREVIEW, contest=contest, script="desk/preview"
    )


_SMALLER: dict[str, Any] = {"role": EDITOR, "limit": MOST_BYTES, "most_fields": MOST_FIELDS}
ROUTES = [
    desk_route("/desk/new", new_page, make, **LARGE),
    desk_route("/desk/new/items", post=check_items, **LARGE),
    desk_route("/desk/new/file", post=read_file, **_SMALLER),
    desk_route("/desk/new/drawing", post=read_drawing, **_SMALLER),
    desk_route("/desk/preview", preview, role=EDITOR),
]
