"""A contest's settings: all of them while it is a draft, later those that may still change."""

from typing import Any

import msgspec
from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.service.accounts.roles import EDITOR, VIEWER
from plaudit.service.contest.changes import changes_between
from plaudit.service.contest.setting import Holds
from plaudit.service.contest.settings import DRAFT, FROZEN, SETTINGS
from plaudit.service.intake.contest_form import FormMistakes, form_fields, read_form
from plaudit.service.intake.filled_form import form_of
from plaudit.service.live.contest import LiveContest
from plaudit.web.api.shown_routes import asset_url
from plaudit.web.desk.contest_forms import (
    MOST_BYTES,
    MOST_FIELDS,
    WITH_PREVIEW,
    choices,
    sent_form,
    take_drawing,
)
from plaudit.web.desk.desk_steps import change
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.rendering import shown
from plaudit.words import _

# What the proof rests on, and what raters were asked.
FIXED = {name for one in SETTINGS if not one.changeable for name in form_fields(one)}
PREVIEWED = 20
_TYPED = (Holds.LINE, Holds.TEXT, Holds.LINK, Holds.SITES, Holds.TIME, Holds.CONTEXT)
# Shown again, to be looked over, if someone else changed the contest meanwhile.
LABELS = {
    name: label
    for one in SETTINGS
    if one.holds in _TYPED
    for name, label in ((one.key, one.label), *((part.name, part.label) for part in one.parts))
    if name != "image"  # a hash, which nobody types
}


def is_free(live: LiveContest) -> bool:
    """Whether all settings may change, because nobody has been asked yet."""
    return live.contest.state == DRAFT and not live.contest.raters


async def settings_page(request: DeskRequest) -> Response:
    """The current settings."""
    return _view(request, form_of(request.live.settings, request.live.name))


def _view(request: DeskRequest, form: dict[str, str], *, code: int = 200, **given: Any) -> Response:
    live = request.live
    shown = [
        {"text": item.text, "image": asset_url(item.image)}
        for item in live.items
        if item.number not in live.contest.withdrawn
    ]
    return request.contest_page(
        "settings.html",
        code=code,
        policy=WITH_PREVIEW,
        form={"image_name": ""} | form,
        free=is_free(live),
        retired=live.contest.state in FROZEN,
        previewed=msgspec.json.encode(shown[:PREVIEWED]).decode(),
        seen=msgspec.json.encode(form_of(live.settings, live.name)).decode(),
        **choices(request, form),
        **{"errors": {}, "problem": ""} | given,
    )


async def save(request: DeskRequest) -> Response:
    """Saves what was typed; mistakes are shown at their fields."""
    live, desk = request.live, request.desk
    form = sent_form(request)
    errors = await take_drawing(request, form)
    form = _on_top(request, form)
    items = live.contest.items - len(live.contest.withdrawn)

    def read() -> Any:
        return read_form(form, items=items, is_there=request.site.has_picture)

    settings = await request.site.blocking(read)
    if isinstance(settings, FormMistakes) or errors:
        wrong = settings if isinstance(settings, FormMistakes) else {}
        errors |= {field: shown(words) for field, words in wrong.items()}
        return _view(request, form, code=422, errors=errors)
    new = changes_between(live.settings, settings)
    now = form_of(live.settings, live.name)
    page = f"/desk/contests/{live.name}/settings"
    if not new:
        return request.go(f"{page}?done=same")
    try:
        return await change(
            request,
            lambda epoch: desk.change(live.name, new, by=request.actor, epoch=epoch),
            then=lambda entry: f"{page}?done=saved",
            typed={name: _(words) for name, words in LABELS.items() if form[name] != now[name]},
        )
    except (NotAllowed, InvalidInput) as error:
        return _view(request, form, code=409, problem=shown(error))


def _on_top(request: DeskRequest, typed: dict[str, str]) -> dict[str, str]:
    """The current settings with what was typed: untouched fields keep what others entered."""
    live = request.live
    now = form_of(live.settings, live.name)
    try:
        seen = msgspec.json.decode(request.field("seen"), type=dict[str, str])
    except msgspec.DecodeError:
        seen = {}
    fixed = {"name"} if is_free(live) else {"name", *FIXED}
    mine = {name: text for name, text in typed.items() if text != seen.get(name)}
    return now | {name: text for name, text in mine.items() if name not in fixed}


_PATH = "/desk/contests/{contest}/settings"
ROUTES = [
    desk_route(_PATH, settings_page, role=VIEWER),
    desk_route(f"{_PATH}/save", post=save, role=EDITOR, limit=MOST_BYTES, most_fields=MOST_FIELDS),
]
