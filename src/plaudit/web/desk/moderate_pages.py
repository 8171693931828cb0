"""Moderation of a contest: flagged items and suspicious raters, each with what can be done."""

from functools import partial
from typing import Any

from starlette.responses import Response

from plaudit.service.accounts.roles import EDITOR, VIEWER
from plaudit.service.desk.exclusions import exclusions_standing
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.moderation.docket import Docket
from plaudit.service.moderation.reviewed import flags_of, rater_of
from plaudit.service.moderation.suspicion import BURST
from plaudit.web.desk.moderate_steps import (
    base_of,
    moderation_of,
    note,
    seen_of,
    take,
    undo_step,
    undoable,
)
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.words import N_, _

# Rows that a page shows of each kind; more appear once these are dealt with.
SHOWN = 50
FLAG_REASONS = {
    "offensive": N_("offensive"),
    "duplicate": N_("duplicate"),
    "unreadable": N_("unreadable"),
    "other": N_("other"),
}


async def moderate_page(request: DeskRequest) -> Response:
    """What a moderator should look at."""
    return await again(request)


async def again(request: DeskRequest, problem: str = "") -> Response:
    """The page; if a step was refused, with the reason."""
    seen = seen_of(request)
    moderation = moderation_of(request)
    key = ("examined", frozenset(seen.contest.excluded))
    examined = await request.heavy_work(key, lambda: partial(moderation.examined, seen))
    docket = await request.site.blocking(moderation.docket, seen, examined)
    decided = await request.site.blocking(exclusions_standing, request.site.store, seen.name)
    return request.contest_page(
        "moderate.html",
        code=409 if problem else 200,
        base=base_of(request),
        step=undoable(request),
        problem=problem,
        decided_by=decided[:SHOWN],
        **_shown(seen, docket),
    )


def _shown(seen: ContestSnapshot, docket: Docket) -> dict[str, Any]:
    """What the template shows of a docket."""
    found, known = docket.suspicions, docket.reviewed
    left = [one for one in found.suspects if known.until(rater_of(one.rater))]
    named = [one for one in found.suspects if not known.until(rater_of(one.rater))]
    waiting = {one.rater for one in named}
    bursts = [
        (burst, reason, [rater for rater in burst.raters if rater in waiting])
        for burst, reason in found.bursts
    ]
    # A rater who is named only as part of a burst is reviewed with it.
    alone = [one for one in named if any(reason.test != BURST for reason in one.reasons)]
    flags = [one for one in docket.flags if one.flags]
    return {
        "flags": flags[:SHOWN],
        "flags_more": len(flags[SHOWN:]),
        "flag_reasons": {reason: _(words) for reason, words in FLAG_REASONS.items()},
        "flags_seen": [one for one in docket.flags if not one.flags][:SHOWN],
        "suspects": alone[:SHOWN],
        "suspects_more": len(alone[SHOWN:]),
        "left": left[:SHOWN],
        "bursts": [one for one in bursts if one[2]][:SHOWN],
        "tested": found.tested,
        "excluded": sorted(seen.contest.excluded)[:SHOWN],
        "excluded_more": max(0, len(seen.contest.excluded) - SHOWN),
        "items": seen.items,
    }


async def undo(request: DeskRequest) -> Response:
    """Undoes the step that was just taken."""
    return await undo_step(request, again=again)


async def withdraw(request: DeskRequest) -> Response:
    """Takes a flagged item out of the race."""
    desk, name, by, item = (
        request.desk,
        request.live.name,
        request.actor,
        request.number("item"),
    )
    return await take(
        request,
        lambda epoch: desk.withdraw(name, [item], by=by, epoch=epoch),
        done="withdrawn",
        again=again,
    )


async def leave_item(request: DeskRequest) -> Response:
    """Marks the flags of an item as reviewed."""
    return await note(request, flags_of(request.number("item")))


async def look_at_item(request: DeskRequest) -> Response:
    """Lists the flags of an item again."""
    return await note(request, flags_of(request.number("item")), again=True)


_BASE = "/desk/contests/{contest}/moderate"
ROUTES = [
    desk_route(_BASE, moderate_page, role=VIEWER),
    desk_route(f"{_BASE}/undo", post=undo, role=EDITOR),
    desk_route(f"{_BASE}/flags/withdraw", post=withdraw, role=EDITOR),
    desk_route(f"{_BASE}/flags/leave", post=leave_item, role=EDITOR),
    desk_route(f"{_BASE}/flags/again", post=look_at_item, role=EDITOR),
]
