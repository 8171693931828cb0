"""Routes for proposals: raters send them and see what became of them, editors decide."""

from collections.abc import Iterable

from plaudit.phrase import item_id
from plaudit.service.contest.proposals import STANDINGS, WAITING
from plaudit.service.contest.proposers import proposals_left
from plaudit.service.live.contest import LiveContest
from plaudit.service.proposals.own import Own, own_proposals
from plaudit.service.proposals.proposing import NearText, Proposed
from plaudit.service.proposals.queue import Queued, queue_of
from plaudit.store.log import NONE
from plaudit.web.api.contest_routes import CHANGES
from plaudit.web.api.rater_routes import rater_of
from plaudit.web.api.step_routes import desk_of, take_step
from plaudit.web.endpoint import CONTEST, LARGE, Call, Endpoint
from plaudit.web.problem import Problem
from plaudit.web.rendering import shown
from plaudit.web.wire.proposals import (
    NearItem,
    OwnProposal,
    OwnProposals,
    ProposalQueue,
    Propose,
    ProposedNow,
    QueuedProposal,
    RefuseProposals,
    TakeProposals,
)
from plaudit.web.wire.running import Done


async def propose(call: Call) -> ProposedNow:
    """An item that a rater proposes; it waits for an editor, or joins at once."""
    live, rater, memory = await rater_of(call)
    body: Propose = call.body
    found = await call.site.propose(
        live, rater, memory, body.text, address=call.address, anyway=body.anyway
    )
    return _became(found)


async def show_own_proposals(call: Call) -> OwnProposals:
    """What the rater who asks has proposed, and what became of it."""
    live, _, memory = await rater_of(call)
    return _own(live, memory.number)


async def show_proposals(call: Call) -> ProposalQueue:
    """The proposals of a contest, with items that are near those that wait."""
    site, name, wanted = call.site, call.path["contest"], call.query("standing")
    if wanted not in ("", *STANDINGS):
        known = ", ".join(STANDINGS)
        raise Problem(400, "bad_request", f"standing must be one of {known}, or left out.")
    history = await site.blocking(site.desk.history, name)
    found = await site.blocking(
        queue_of, site.store, site.proposing, history, waiting=wanted == WAITING
    )
    lines = [_queued(one) for one in found if wanted in ("", one.standing)]
    waiting = len(history.contest.proposals_waiting)
    return ProposalQueue(name, history.record.epoch, waiting, lines)


async def take_proposals(call: Call) -> Done:
    """Lets proposals join as items, each with its own text or a better one."""
    body: TakeProposals = call.body
    texts = {one.proposal: one.text for one in body.proposals}
    return await take_step(call, desk_of(call).take_proposals, texts)


async def refuse_proposals(call: Call) -> Done:
    """Refuses proposals; their authors read why."""
    body: RefuseProposals = call.body
    return await take_step(
        call, desk_of(call).refuse_proposals, body.proposals, body.reason, body.note
    )


def _own(live: LiveContest, rater: int) -> OwnProposals:
    lines = [_own_line(one) for one in own_proposals(live.contest, rater)]
    return OwnProposals(lines, proposals_left(live.contest, live.settings, rater))


def _own_line(own: Own) -> OwnProposal:
    position, one, standing, sentence = own
    return OwnProposal(
        position, one.text, standing, *_named(one.item), one.reason, one.note, shown(sentence)
    )


def _became(found: Proposed) -> ProposedNow:
    near = _near(found.near)
    return ProposedNow(found.standing, found.proposal or None, *_named(found.item), near)


def _queued(one: Queued) -> QueuedProposal:
    return QueuedProposal(
        proposal=one.position,
        at=one.at,
        rater=one.rater,
        excluded=one.excluded,
        text=one.text,
        standing=one.standing,
        item=_named(one.item)[0],
        id=_named(one.item)[1],
        item_text=one.item_text,
        reason=one.reason,
        note=one.note,
        near=_near(one.near),
    )


def _near(near: Iterable[NearText]) -> list[NearItem]:
    return [NearItem(*_named(one.item), one.text) for one in near]


def _named(item: int) -> tuple[int | None, str | None]:
    """An item by its position and its id; nothing where there is none."""
    return (None, None) if item == NONE else (item, item_id(item))


_READS = (400, 401, 403, 404, 503)
_PATH = CONTEST + "/proposals"
_STANDING = {"type": "string", "enum": list(STANDINGS)}
ENDPOINTS = (
    Endpoint("POST", _PATH, propose, takes=Propose, gives=ProposedNow,
             errors=(400, 401, 403, 404, 409, 413, 429, 503)),
    Endpoint("GET", _PATH + "/own", show_own_proposals, gives=OwnProposals,
             errors=(401, 403, 404, 429, 503)),
    Endpoint("GET", _PATH, show_proposals, gives=ProposalQueue, scope="read", errors=_READS,
             query=(("standing", "Only proposals that are like this now.", _STANDING),)),
    Endpoint("POST", _PATH + "/take", take_proposals, takes=TakeProposals, gives=Done,
             scope="manage", limit=LARGE, errors=CHANGES),
    Endpoint("POST", _PATH + "/refuse", refuse_proposals, takes=RefuseProposals, gives=Done,
             scope="moderate", errors=CHANGES),
)  # fmt: skip
