"""Raters at the desk: what one answered, why they are named, and the ranking without them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from starlette.responses import Response

from plaudit.errors import InvalidInput
from plaudit.phrase import words_of
from plaudit.service.accounts.roles import EDITOR
from plaudit.service.contest.events import RaterEvent, RatersExcluded, RatersReadmitted
from plaudit.service.contest.grounds import NAMES, VOTES
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.moderation.grounds_found import grounds_of, grounds_of_each
from plaudit.service.moderation.preview import Change, compare
from plaudit.service.moderation.reviewed import rater_of, reviewed
from plaudit.service.moderation.suspicion_words import seconds
from plaudit.store.log import Entry, Kind
from plaudit.store.people import OWNER
from plaudit.web.charts.rater_figures import figures_of
from plaudit.web.desk.moderate_pages import again
from plaudit.web.desk.moderate_steps import (
    base_of,
    given_numbers,
    moderation_of,
    note,
    seen_of,
    take,
    undoable,
)
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.problem import Problem
from plaudit.words import _

# Answers that the page of a rater lists; the export has all.
LISTED = 200
# The choice of the grounds that the tests found for each rater.
EACH = "each"


async def rater_page(request: DeskRequest) -> Response:
    """One rater: the answers over time, why they were named, and the ranking without them."""
    number = int(request.http.path_params["number"])
    live, seen = request.live, seen_of(request)
    if number >= live.contest.raters:
        said = _("There is no rater %(number)s in this contest.", number=number)
        raise Problem(404, "not_found", said)
    store = request.site.store
    is_out, is_erased = number in seen.contest.excluded, number in seen.contest.erased

    def work() -> dict[str, Any]:
        answers = store.answers_of(live.name, number)
        found = moderation_of(request).of_rater(seen, number)
        suspect = found.of(number)
        step: RaterEvent = RatersReadmitted((number,))
        if not is_out:
            step = RatersExcluded((number,), grounds=grounds_of(suspect))
        changes = [] if is_erased else compare(seen, step, {number: answers})
        return {
            "answers": answers[-LISTED:],
            "number_of_answers": len(answers),
            "figures": figures_of(answers, live.settings.race_scale),
            "suspect": suspect,
            "found": [grounds_of(suspect)],
            "changes": changes,
        }

    shown = await request.heavy_work(("rater", number, live.contest.epoch), lambda: work)
    known = await request.site.blocking(reviewed, store, live.name)
    labels = [level.label for level in live.settings.scale]
    return request.contest_page(
        "moderate_rater.html",
        base=base_of(request),
        step=undoable(request),
        number=number,
        is_out=is_out,
        is_erased=is_erased,
        is_left=bool(known.until(rater_of(number))),
        grounds=grounds_choice(),
        items=seen.items,
        labels=labels,
        seconds=seconds,
        kinds=Kind,
        **shown,
    )


async def several_page(request: DeskRequest) -> Response:
    """The ranking before and after several raters are excluded together."""
    live = request.live
    try:
        asked = given_numbers(request, "rater", "raters")
    except InvalidInput as error:
        raise Problem(422, "bad_request", words_of(error)) from None
    raters = [n for n in asked if n < live.contest.raters and n not in live.contest.excluded]
    key = ("several", *raters, live.contest.epoch)
    changes, found = await request.heavy_work(
        key, lambda: partial(_compare_several, request, seen_of(request), raters)
    )
    return request.contest_page(
        "moderate_several.html",
        base=base_of(request),
        raters=raters,
        changes=changes,
        found=found,
        grounds=grounds_choice(),
    )


def grounds_choice() -> list[tuple[str, str]]:
    """The grounds to choose from, with their names."""
    return [(grounds, _(name)) for grounds, name in NAMES.items()]


def _compare_several(
    request: DeskRequest, seen: ContestSnapshot, raters: Sequence[int]
) -> tuple[list[Change], tuple[str, ...]]:
    """What excluding them together does, and the grounds that the tests give for each."""
    if not raters:
        return [], ()
    store, name = request.site.store, seen.name
    found = grounds_of_each(moderation_of(request).examined(seen)[1], raters)
    answers = {rater: store.answers_of(name, rater) for rater in raters}
    return compare(seen, RatersExcluded(tuple(raters), grounds=found), answers), found


async def exclude(request: DeskRequest) -> Response:
    """Excludes raters, one or several, in one step."""
    return await _move(request, request.desk.exclude, "excluded", grounds=_grounds(request))


def _grounds(request: DeskRequest) -> str | dict[int, str]:
    """The grounds that were chosen: one for all, or for each what the tests found."""
    chosen = request.field("grounds") or VOTES
    if chosen != EACH:
        return chosen
    raters = given_numbers(request, "rater", "raters")
    return dict(zip(raters, request.field("found").split(), strict=False))


async def readmit(request: DeskRequest) -> Response:
    """Lets the votes of excluded raters count again."""
    return await _move(request, request.desk.readmit, "readmitted")


async def _move(request: DeskRequest, method: Any, done: str, **more: Any) -> Response:
    raters, name, by = given_numbers(request, "rater", "raters"), request.live.name, request.actor

    def work(epoch: int) -> Entry:
        entry: Entry = method(name, *raters, by=by, epoch=epoch, **more)
        return entry

    return await take(request, work, done=done, again=again)


async def erase(request: DeskRequest) -> Response:
    """Erases a rater for good."""
    number = request.number("rater")
    if request.field("sure") != "yes":
        said = _("Tick the box to say that you are sure, then erase.")
        raise Problem(422, "bad_request", said)
    desk, name, by = request.desk, request.live.name, request.actor

    return await take(
        request,
        lambda epoch: desk.erase(name, number, by=by, epoch=epoch),
        done="erased",
        again=again,
    )


async def leave(request: DeskRequest) -> Response:
    """Marks a rater as reviewed and kept."""
    return await note(request, rater_of(request.number("rater")))


async def look_again(request: DeskRequest) -> Response:
    """Lists a rater as suspicious again."""
    return await note(request, rater_of(request.number("rater")), again=True)


_BASE = "/desk/contests/{contest}/moderate"
ROUTES = [
    desk_route(f"{_BASE}/raters", several_page, role=EDITOR),
    desk_route(f"{_BASE}/raters/exclude", post=exclude, role=EDITOR),
    desk_route(f"{_BASE}/raters/readmit", post=readmit, role=EDITOR),
    desk_route(f"{_BASE}/raters/leave", post=leave, role=EDITOR),
    desk_route(f"{_BASE}/raters/again", post=look_again, role=EDITOR),
    desk_route(f"{_BASE}/raters/erase", post=erase, role=OWNER),
    # This page shows who voted what, so it needs an editor, as the file of votes does.
    desk_route(_BASE + "/raters/{number:small}", rater_page, role=EDITOR),
]
