"""Raters at the desk: what one answered, why they are named, and the ranking without them."""

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from plaudit.errors import InvalidInput
from plaudit.service.looked_at import looked_at, rater_of
from plaudit.service.roles import EDITOR
from plaudit.service.suspicion_words import seconds
from plaudit.service.without import Change, compare, still
from plaudit.store.log import Entry, Kind
from plaudit.store.people import OWNER
from plaudit.web.errand import Errand, desk_route
from plaudit.web.moderate_pages import again
from plaudit.web.moderate_steps import (
    base_of,
    given_numbers,
    moderation_of,
    note,
    seen_of,
    take,
    undoable,
)
from plaudit.web.problem import Problem
from plaudit.web.rater_figures import figures_of

# Answers that the page of a rater lists; the export has all.
LISTED = 200


async def rater_page(errand: Errand) -> Response:
    """One rater: answers over time, the reason to look at them, before and after."""
    number = int(errand.request.path_params["number"])
    live, seen = errand.live, seen_of(errand)
    if number >= live.tally.raters:
        raise Problem(404, "not_found", f"There is no rater {number} in this contest.")
    store = errand.site.store
    is_out, is_erased = number in seen.excluded, number in live.tally.erased
    moment = still(live)

    def work() -> dict[str, Any]:
        answers = store.answers_of(live.name, number)
        found = moderation_of(errand).of_rater(seen, number)
        kind = Kind.READMIT if is_out else Kind.EXCLUDE
        changes = [] if is_erased else compare(moment, [number], {number: answers}, kind)
        return {
            "answers": answers[-LISTED:],
            "number_of_answers": len(answers),
            "figures": figures_of(answers, live.settings.race_scale),
            "suspect": found.of(number),
            "changes": changes,
        }

    shown = await errand.aside(("rater", number, live.tally.epoch), work)
    looked = await errand.site.blocking(looked_at, store, live.name)
    labels = [level.label for level in live.settings.scale]
    return errand.contest_page(
        "moderate_rater.html",
        base=base_of(errand),
        step=undoable(errand),
        number=number,
        is_out=is_out,
        is_erased=is_erased,
        is_left=bool(looked.until(rater_of(number))),
        items=seen.items,
        labels=labels,
        seconds=seconds,
        kinds=Kind,
        **shown,
    )


async def several_page(errand: Errand) -> Response:
    """The ranking before and after several raters are excluded together."""
    live = errand.live
    try:
        asked = given_numbers(errand, "rater", "raters")
    except InvalidInput as error:
        raise Problem(422, "bad_request", str(error)) from None
    raters = [n for n in asked if n < live.tally.raters and n not in live.tally.excluded]
    moment = still(live)
    key = ("several", *raters, live.tally.epoch)
    changes = await errand.aside(key, lambda: _compare_several(errand, moment, raters))
    return errand.contest_page(
        "moderate_several.html", base=base_of(errand), raters=raters, changes=changes
    )


def _compare_several(errand: Errand, moment: Any, raters: Sequence[int]) -> list[Change]:
    store, name = errand.site.store, moment.record.name
    answers = {rater: store.answers_of(name, rater) for rater in raters}
    return compare(moment, raters, answers, Kind.EXCLUDE) if raters else []


async def exclude(errand: Errand) -> Response:
    """Excludes raters, one or several, in one step."""
    return await _move(errand, errand.site.desk.exclude, "excluded")


async def readmit(errand: Errand) -> Response:
    """Lets the votes of excluded raters count again."""
    return await _move(errand, errand.site.desk.readmit, "readmitted")


async def _move(errand: Errand, method: Any, done: str) -> Response:
    raters, name, by = given_numbers(errand, "rater", "raters"), errand.live.name, errand.actor

    def work(epoch: int) -> Entry:
        entry: Entry = method(name, *raters, by=by, epoch=epoch)
        return entry

    return await take(errand, work, done=done, again=again)


async def erase(errand: Errand) -> Response:
    """Forgets a rater, for good."""
    number = errand.number("rater")
    if errand.field("sure") != "yes":
        raise Problem(422, "bad_request", "Tick the box to say that you are sure, then erase.")
    desk, name, by = errand.site.desk, errand.live.name, errand.actor

    return await take(
        errand,
        lambda epoch: desk.erase(name, number, by=by, epoch=epoch),
        done="erased",
        again=again,
    )


async def leave(errand: Errand) -> Response:
    """Notes that a rater was looked at and stays in."""
    return await note(errand, rater_of(errand.number("rater")))


async def look_again(errand: Errand) -> Response:
    """Takes that back."""
    return await note(errand, rater_of(errand.number("rater")), again=True)


_BASE = "/desk/contests/{contest}/moderate"
ROUTES = [
    desk_route(f"{_BASE}/raters", several_page, role=EDITOR),
    desk_route(f"{_BASE}/raters/exclude", post=exclude, role=EDITOR),
    desk_route(f"{_BASE}/raters/readmit", post=readmit, role=EDITOR),
    desk_route(f"{_BASE}/raters/leave", post=leave, role=EDITOR),
    desk_route(f"{_BASE}/raters/again", post=look_again, role=EDITOR),
    desk_route(f"{_BASE}/raters/erase", post=erase, role=OWNER),
    # Who voted what is more than results: the file of votes takes an editor, too.
    desk_route(_BASE + "/raters/{number:small}", rater_page, role=EDITOR),
]
