"""Who comes in: a rater's first request, at whatever door the contest has."""

from plaudit.service.contest.settings import LINKS, LIST, OPEN_DOOR
from plaudit.service.door.doorkeeper import required
from plaudit.service.door.rater_ids import RaterId, tidy_id
from plaudit.service.door.work import Newcomer
from plaudit.service.live.contest import LiveContest
from plaudit.web.endpoint import Call
from plaudit.web.newcomers import cookie_name, let_in, new_face
from plaudit.web.wire.voting import NewRater, WorkDone


def known_rater(call: Call, live: LiveContest) -> RaterId | None:
    """The rater whose token came with a request, as header or cookie."""
    # Who a token names never changes, so that it is read once for each head of a request.
    if call.kept is not None and (found := call.kept.get("rater")) is not None:
        known: RaterId = found
        return known
    token = call.header(b"x-plaudit-rater") or call.cookie(cookie_name(live))
    rater = call.site.worker.signer(live.name).rater(token) if token else None
    if call.kept is not None and rater is not None:
        call.kept["rater"] = rater
    return rater


async def arrive(call: Call, live: LiveContest) -> RaterId:
    """The rater from now on; a known one who says nothing new stays who they are.

    At a door, whoever passes it; with an API key that brings raters, anybody.
    """
    body: NewRater = call.body
    if body.code is not None and (found := _with_code(call, live, body.code)):
        return found
    known = known_rater(call, live) if body.external is None else None
    is_open = live.settings.door == OPEN_DOOR
    if call.header(b"authorization") and not (known and is_open):
        await call.site.check_scope(call.header(b"authorization"), "raters")
        rater = known or _named(call, live) or new_face(call.site, live)
        return call.site.worker.door(live.name).with_key(rater, live.contest)
    if not is_open:
        return _through_the_door(call, live, known)
    return known or await _newcomer(call, live)


def _with_code(call: Call, live: LiveContest, code: str) -> RaterId | None:
    """The rater with a code; None if it is wrong, and the door is open anyway."""
    site, door = call.site, call.site.worker.door(live.name)
    if live.settings.door != OPEN_DOOR:
        return site.admit(call.address, live.name, lambda: door.with_code(code, live.contest))
    # Whoever has a code stays the same rater where codes are no longer asked for.
    number = door.codes.number(code) if site.may_guess(call.address) else None
    if number is None or number > live.contest.codes:
        site.count_guess(call.address)
        return None
    return door.ids.coded_rater(number)


def _through_the_door(call: Call, live: LiveContest, known: RaterId | None) -> RaterId:
    if known is not None:
        call.site.check_door(live, known)
        return known
    return call.site.admit(call.address, live.name, lambda: _passed(call, live))


def _passed(call: Call, live: LiveContest) -> RaterId:
    """The rater whose id passes the door; `NotAdmitted` otherwise."""
    body: NewRater = call.body
    kept = live.settings.door
    door = call.site.worker.door(live.name)
    if kept == LIST and body.external is not None:
        return door.with_listed(body.external, live.contest)
    if kept == LINKS and body.external is not None and body.signature is not None:
        return door.with_signed(body.external, body.signature, live.contest)
    raise required(kept)


def _named(call: Call, live: LiveContest) -> RaterId | None:
    """The rater with the id that came with the link."""
    external: str | None = call.body.external
    if external is None:
        return None
    same = tidy_id(external) if live.settings.door == LIST else external
    return call.site.worker.signer(live.name).external_rater(same)


async def _newcomer(call: Call, live: LiveContest) -> RaterId:
    """Who comes in at an open door, perhaps after some work: with an id, or anybody."""
    call.site.count_address(call.address)
    rater, token = _named(call, live), known_rater(call, live)
    if rater is not None and token is not None and token.id == rater.id:
        return rater
    who = Newcomer(live.name, call.address, call.body.external or "")
    done: WorkDone | None = call.body.work
    challenge, nonces = (done.challenge, done.nonces) if done is not None else ("", [])
    return await let_in(call.site, live, who, rater, challenge=challenge, nonces=nonces)
