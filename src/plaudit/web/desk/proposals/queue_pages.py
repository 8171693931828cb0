"""What raters proposed, for editors: the list, one step for one or many, and its undoing."""

import re
from collections.abc import Callable
from urllib.parse import quote

from starlette.responses import Response

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.service.accounts.roles import EDITOR, VIEWER
from plaudit.service.contest.proposals import OFF, REFUSALS
from plaudit.service.intake.fields import clean
from plaudit.service.proposals.queue import queue_of
from plaudit.store.log import Entry
from plaudit.web.desk.desk_steps import change
from plaudit.web.desk.requests.request import DeskRequest
from plaudit.web.desk.requests.route import desk_route
from plaudit.web.rendering import shown
from plaudit.words import _

# Rows that the page shows; more appear once these are decided.
SHOWN = 25
# So many texts, each as long as an item may be, with every letter written out as %F0%9F%98%80.
LARGEST_FORM = 1024 * 1024
MOST_FIELDS = 4 * SHOWN + 20


async def queue_page(request: DeskRequest) -> Response:
    """The proposals that wait, and those that were decided."""
    return await _view(request)


async def _view(request: DeskRequest, problem: str = "") -> Response:
    site, name = request.site, request.live.name
    history = await site.blocking(site.desk.history, name)
    found = await site.blocking(queue_of, site.store, site.proposing, history, compared=SHOWN)
    waiting = [one for one in found if one.standing == "waiting"]
    decided = [one for one in found if one.standing != "waiting"][::-1]
    return request.contest_page(
        "proposals.html",
        code=409 if problem else 200,
        base=_base(request),
        step=_undoable(request),
        problem=problem,
        waiting=waiting[:SHOWN],
        waiting_more=len(waiting[SHOWN:]),
        decided=decided[: 2 * SHOWN],
        decided_more=len(decided[2 * SHOWN :]),
        reasons=[(word, _(sentence)) for word, sentence in REFUSALS.items()],
        setting=request.live.settings.proposals,
        off=OFF,
    )


async def take(request: DeskRequest) -> Response:
    """Takes one proposal, or all that are ticked; each with the text that its field has."""
    texts = {number: _text(request, number) for number in _chosen(request)}
    desk, name, by = request.desk, request.live.name, request.actor
    return await _step(
        request,
        lambda epoch: desk.take_proposals(name, texts, by=by, epoch=epoch),
        done="proposals-taken",
    )


async def refuse(request: DeskRequest) -> Response:
    """Refuses one proposal, or all that are ticked."""
    chosen, reason, note = _chosen(request), request.field("reason"), request.field("note")
    desk, name, by = request.desk, request.live.name, request.actor
    return await _step(
        request,
        lambda epoch: desk.refuse_proposals(name, chosen, reason, note, by=by, epoch=epoch),
        done="proposals-refused",
    )


async def undo(request: DeskRequest) -> Response:
    """Undoes the step that was just taken."""
    desk, name, by, position = (
        request.desk, request.live.name, request.actor, request.number("step"),
    )  # fmt: skip
    return await _step(
        request, lambda epoch: desk.undo(name, position, by=by, epoch=epoch), done="undone"
    )


async def _step(request: DeskRequest, work: Callable[[int], Entry], *, done: str) -> Response:
    """Takes a step and shows the list again, with a way to undo it or with what was wrong."""
    base = _base(request)
    try:
        return await change(
            request, work, then=lambda entry: f"{base}?done={done}&step={entry.position}"
        )
    except (InvalidInput, NotAllowed) as error:
        return await _view(request, shown(error))


def _chosen(request: DeskRequest) -> list[int]:
    """The proposal whose button was pressed, or those that are ticked."""
    only = request.fields("only")
    given = only if only else request.fields("proposal")
    return [int(text) for text in given if re.fullmatch(r"[0-9]{1,15}", text)]


def _text(request: DeskRequest, number: int) -> str | None:
    """What the item is to say; None if the field was not sent, or says what was proposed."""
    text = clean(request.field(f"text-{number}"))
    proposal = request.live.contest.proposals.get(number)
    return None if not text or (proposal and text == proposal.text) else text


def _undoable(request: DeskRequest) -> str:
    text = request.http.query_params.get("step", "")
    return text if re.fullmatch(r"[0-9]{1,15}", text) else ""


def _base(request: DeskRequest) -> str:
    return f"/desk/contests/{quote(request.live.name)}/proposals"


_BASE = "/desk/contests/{contest}/proposals"
ROUTES = [
    desk_route(_BASE, queue_page, role=VIEWER),
    desk_route(
        f"{_BASE}/take", post=take, role=EDITOR, limit=LARGEST_FORM, most_fields=MOST_FIELDS
    ),
    desk_route(
        f"{_BASE}/refuse", post=refuse, role=EDITOR, limit=LARGEST_FORM, most_fields=MOST_FIELDS
    ),
    desk_route(f"{_BASE}/undo", post=undo, role=EDITOR),
]
