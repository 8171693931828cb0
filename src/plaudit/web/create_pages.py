"""A new contest: the form, what its items are like, and the preview of the rater's page."""

import asyncio
from typing import Any
from urllib.parse import urlencode

from starlette.responses import JSONResponse, Response

from plaudit.errors import ContestExists, InvalidInput, UnknownContest
from plaudit.service.contest import ContestSettings
from plaudit.service.contest_form import DEFAULTS, FormMistakes, read_form, read_name
from plaudit.service.item_box import Review, items_of_upload, merged_at_first, review_items
from plaudit.service.mistakes import ContestFileError
from plaudit.service.roles import EDITOR
from plaudit.store.contract import Item
from plaudit.web import pages
from plaudit.web.contest_forms import (
    AS_PREVIEW,
    MOST_BYTES,
    MOST_FIELDS,
    WITH_PREVIEW,
    choices,
    keep_picture,
    sent_form,
    take_drawing,
)
from plaudit.web.errand import Errand, desk_route
from plaudit.web.plan_pages import RATERS_A_DAY, VOTES_A_RATER, forecast_query

# Groups that are shown one by one; a page of thousands helps nobody.
SHOWN_GROUPS = 200
SAMPLE = 6
PATIENCE_SECONDS = 20.0


async def new_page(errand: Errand) -> Response:
    """The empty form."""
    more = {"items": "", "raters_a_day": str(RATERS_A_DAY), "votes_a_rater": str(VOTES_A_RATER)}
    return _page(errand, DEFAULTS | more)


async def make(errand: Errand) -> Response:
    """Checks what was typed; creates the contest where that is asked for and nothing is wrong."""
    form = sent_form(errand) | {
        name: errand.field(name) for name in ("items", "raters_a_day", "votes_a_rater")
    }
    errors = await take_drawing(errand, form)
    file_mistakes = await _take_file(errand, form)
    review = await errand.site.blocking(review_items, form["items"])
    merged, unseen = _merged(errand, review)
    items = review.kept(merged)
    settings = await errand.site.blocking(_settings, errand, form, items, review)
    errors |= settings if isinstance(settings, FormMistakes) else {}
    try:
        name = read_name(form)
    except InvalidInput as error:
        errors |= {"name": str(error)}
    if not review.mistakes and not file_mistakes and len(items) < 2:
        errors |= {"items": f"A contest needs at least 2 items; got {len(items)}."}
    wrong = bool(errors or review.mistakes or file_mistakes)
    if errand.field("step") == "create" and not (wrong or unseen):
        assert isinstance(settings, ContestSettings)  # others are mistakes
        try:
            return await _create(errand, name, settings, items)
        except ContestExists as error:
            errors |= {"name": str(error)}
    given = {"review": review, "merged": merged, "file_mistakes": file_mistakes}
    more = {"errors": errors, "unseen": bool(unseen) and not wrong, "checked": not wrong}
    return _page(errand, form, code=422 if errors or wrong else 200, **given, **more)


def _settings(
    errand: Errand, form: dict[str, str], items: list[Item], review: Review
) -> ContestSettings | FormMistakes:
    store = errand.site.store
    known = 0 if review.mistakes else len(items)
    return read_form(form, items=known, is_there=lambda hash: store.asset(hash) is not None)


async def _create(
    errand: Errand, name: str, settings: ContestSettings, items: list[Item]
) -> Response:
    desk = errand.site.desk
    await errand.site.change(lambda: desk.create(name, settings, items, by=errand.actor))
    await until_there(errand, name)
    return errand.go(f"/desk/contests/{name}/run?done=created")


async def until_there(errand: Errand, name: str) -> None:
    """Returns once this worker knows a contest that was made just now."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                errand.site.contests.get(name)
                return
            except UnknownContest:
                await asyncio.sleep(0.02)


async def _take_file(errand: Errand, form: dict[str, str]) -> list[str]:
    """Puts the items of a file into the box; its mistakes, by line."""
    upload = errand.files.get("items_file")
    if upload is None:
        return []
    try:
        form["items"] = await errand.site.blocking(items_of_upload, upload.name, upload.body)
    except ContestFileError as error:
        return [str(mistake) for mistake in error.mistakes]
    return []


def _merged(errand: Errand, review: Review) -> tuple[set[str], set[str]]:
    """The groups to merge, as ticked; and those that nobody has looked at yet."""
    shown, ticked = set(errand.fields("shown")), set(errand.fields("merge"))
    usual = merged_at_first(review.alike)
    merged = {one.key for one in review.alike if one.key in (ticked if one.key in shown else usual)}
    listed = [
        one
        for kind in ("exact", "near")
        for one in [group for group in review.alike if group.kind == kind][:SHOWN_GROUPS]
    ]
    return merged, {one.key for one in listed} - shown


def _review_given(review: Review | None, merged: set[str]) -> dict[str, Any]:
    """What the part of the page about items is made from."""
    given: dict[str, Any] = {"review": review, "merged": merged, "shown_groups": SHOWN_GROUPS}
    if review is None:
        return given
    step = max(1, len(review.items) // SAMPLE)
    rows = list(zip(review.items, review.lines, strict=True))[::step][:SAMPLE]
    sample = [(item.text[:300], line) for item, line in rows]
    return given | {"sample": sample, "left": len(review.kept(merged))}


def _page(errand: Errand, form: dict[str, str], *, code: int = 200, **given: Any) -> Response:
    review: Review | None = given.pop("review", None)
    merged: set[str] = given.pop("merged", set())
    about = _review_given(review, merged)
    query = [] if review is None else forecast_query(form, items=about["left"])
    shown = {"file_mistakes": [], "unseen": False, "checked": False, "errors": {}} | given
    return errand.page(
        "new.html",
        code=code,
        policy=WITH_PREVIEW,
        form=form,
        forecast=urlencode(query),
        **choices(form),
        **about,
        **shown,
    )


async def check_items(errand: Errand) -> Response:
    """The part of the page about items, for a script that asks while someone types."""
    review = await errand.site.blocking(review_items, errand.field("items"))
    merged, _ = _merged(errand, review)
    return errand.page("items_review.html", **_review_given(review, merged))


async def read_file(errand: Errand) -> Response:
    """The items of a file as the box has them, or its mistakes, as JSON."""
    form = {"items": ""}
    mistakes = await _take_file(errand, form)
    return JSONResponse({"items": form["items"], "mistakes": mistakes})


async def read_drawing(errand: Errand) -> Response:
    """Where a drawing is kept, or what is wrong with it, as JSON."""
    upload = errand.files.get("drawing")
    try:
        kept = await keep_picture(errand, upload.body if upload else b"")
    except InvalidInput as error:
        return JSONResponse({"image": "", "wrong": str(error)})
    return JSONResponse({"image": kept, "wrong": ""})


async def preview(errand: Errand) -> Response:
    """The rater's page, run by what the form beside it says; it asks and sends nothing."""
    contest = {"name": "preview", "title": "Preview"}
    return pages.page("rater.html", policy=AS_PREVIEW, contest=contest, script="preview")


_LARGE: dict[str, Any] = {"role": EDITOR, "limit": MOST_BYTES, "most_fields": MOST_FIELDS}
ROUTES = [
    desk_route("/desk/new", new_page, make, **_LARGE),
    desk_route("/desk/new/items", post=check_items, **_LARGE),
    desk_route("/desk/new/file", post=read_file, **_LARGE),
    desk_route("/desk/new/drawing", post=read_drawing, **_LARGE),
    desk_route("/desk/preview", preview, role=EDITOR),
]
