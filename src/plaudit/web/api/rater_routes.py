"""Routes for raters: say who one is, ask, answer."""

import asyncio
from collections.abc import Callable
from functools import partial

from plaudit.phrase import item_id
from plaudit.service.contest.settings import HIDDEN, REASONS
from plaudit.service.door.doorkeeper import way_of
from plaudit.service.door.networks import network_of
from plaudit.service.door.rater_ids import RaterId
from plaudit.service.live.contest import LiveContest
from plaudit.service.live.rater_memory import Memory
from plaudit.store.contract import Receipt
from plaudit.store.log import ANSWERS as ANSWER_KINDS
from plaudit.store.log import NONE, Kind
from plaudit.web.api.arrival import arrive, known_rater
from plaudit.web.api.shown_routes import asset_url
from plaudit.web.endpoint import CONTEST, Answered, Call, Done, Endpoint
from plaudit.web.metrics import ANSWERS, ITEMS_ASKED, REFUSED
from plaudit.web.newcomers import rater_cookie
from plaudit.web.problem import Problem
from plaudit.web.visibility import contest_for
from plaudit.web.wire.voting import (
    Ask,
    Asked,
    Flag,
    NewRater,
    RaterToken,
    Recorded,
    ShownItem,
    Skip,
    VisitEnd,
    Vote,
)

_RECORDED = {kind: (kind.name.lower(),) for kind in ANSWER_KINDS}
ANSWERS.counts.update(dict.fromkeys(_RECORDED.values(), 0))


async def new_rater(call: Call) -> Answered:
    """Who the rater is from now on; a known one stays who they are."""
    site, live = call.site, await contest_for(call.scope, call.site)
    token = site.worker.signer(live.name).token(await arrive(call, live))
    cookie = rater_cookie(live, token, secure=call.scope["scheme"] == "https")
    return Answered(RaterToken(token), headers=((b"set-cookie", cookie.encode()),))


Known = tuple[LiveContest, RaterId, Memory]


async def rater_of(call: Call) -> Known:
    """The contest, the rater who calls, and what is known of them."""
    live = await contest_for(call.scope, call.site)
    rater = _admitted(call, live, known_rater(call, live))
    return live, rater, await call.site.memory(live, rater, since=call.began)


def _promptly(call: Call, done: Done, act: Callable[[Call, Known, Done], None]) -> bool:
    """Acts for the rater who calls, now or once they were looked up; false if that cannot be."""
    live = call.site.worker.get(call.path["contest"])
    if live.contest.state in HIDDEN:
        return False
    rater = _admitted(call, live, known_rater(call, live))
    found = call.site.worker.recall(live, rater)
    if isinstance(found, Memory):
        act(call, (live, rater, found), done)
        return True

    def go_on(memory: "Memory | Exception") -> None:
        if isinstance(memory, Exception):
            done(memory)
            return
        try:
            act(call, (live, rater, memory), done)
        except Exception as error:
            done(error)

    call.site.recalls.soon(found, call.began, go_on)
    return True


def _admitted(call: Call, live: LiveContest, rater: RaterId | None) -> RaterId:
    """The rater, if the door lets them vote now and they are not too fast."""
    call.site.check_door(live, rater)
    if rater is None:
        raise Problem(
            401, "rater_required", "Say who you are first: POST to /raters of this contest, then "
            "send the cookie or the header X-Plaudit-Rater."
        )  # fmt: skip
    call.site.count_rater(rater.key)
    return rater


async def ask(call: Call) -> Asked:
    """The next items for this rater, a ticket each; the same ones until they are answered."""
    return _asked(call, *await rater_of(call))


def ask_promptly(call: Call, done: Done) -> bool:
    """The same without a task."""
    return _promptly(call, done, _tell_asked)


def _tell_asked(call: Call, found: Known, done: Done) -> None:
    done(_asked(call, *found))


def _asked(call: Call, live: LiveContest, rater: RaterId, memory: Memory) -> Asked:
    body: Ask = call.body
    if live.settings.consent and not body.consent:
        raise Problem(
            403, "consent_required", "This contest asks for consent first: show its text, and send "
            "consent=true once the rater agrees."
        )  # fmt: skip
    asked = call.site.worker.ask(
        live, rater, memory, count=body.count, visit=body.visit, holding=body.holding
    )
    ITEMS_ASKED.counts[()] += len(asked.items)
    items = [
        ShownItem(item.number, item_id(item.number), item.text, asset_url(item.image), ticket)
        for item, ticket in asked.items
    ]
    end = None
    if asked.end is not None:
        given = live.settings
        reason, code, more = asked.end
        finished = live.has_finished(memory)
        results = live.shows_results(call.site.worker.clock(), finished=finished)
        end = VisitEnd(reason, given.thanks, code, given.return_url, more, results)
    return Asked(items, asked.answered, asked.of, end, asked.passes)


async def vote(call: Call) -> Recorded:
    """A vote, answered once it is on disk; a replay is answered like the first."""
    return await _record(call, Kind.VOTE)


async def skip(call: Call) -> Recorded:
    """An item that this rater will not judge; it does not come back to them."""
    return await _record(call, Kind.SKIP)


async def flag(call: Call) -> Recorded:
    """An item that someone should look at; it does not come back to this rater."""
    return await _record(call, Kind.FLAG)


def vote_promptly(call: Call, done: Done) -> bool:
    """A vote, without a task."""
    return _promptly(call, done, _submit_vote)


def skip_promptly(call: Call, done: Done) -> bool:
    """A skip, without a task."""
    return _promptly(call, done, _submit_skip)


def flag_promptly(call: Call, done: Done) -> bool:
    """A flag, without a task."""
    return _promptly(call, done, _submit_flag)


async def _record(call: Call, kind: Kind) -> Recorded:
    found = await rater_of(call)
    waiting: asyncio.Future[Recorded] = asyncio.get_running_loop().create_future()

    def done(outcome: Recorded | Exception) -> None:
        if waiting.done():
            return  # the rater closed the connection; the answer is in the log anyway
        if isinstance(outcome, Exception):
            waiting.set_exception(outcome)
        else:
            waiting.set_result(outcome)

    _submit(call, found, done, kind=kind)
    return await waiting


def _submit(call: Call, found: Known, done: Done, *, kind: Kind) -> None:
    """Hands an answer to the worker; calls `done` with what to tell the rater."""
    live, rater, memory = found
    body: Vote | Skip | Flag = call.body
    level = body.level if isinstance(body, Vote) else NONE
    if isinstance(body, Flag):
        level = REASONS.index(body.reason)
    item = NONE
    at_once: list[Receipt | Exception] = []

    # An annotation that is not a text would be made anew for every vote, and take longer than it.
    def heard(outcome: "Receipt | Exception") -> None:
        if item == NONE:  # a replay, answered before the worker has said what the ticket is for
            at_once.append(outcome)
        elif isinstance(outcome, Exception):
            REFUSED.inc()
            done(outcome)
        else:
            ANSWERS.counts[_RECORDED[kind]] += 1
            recorded = outcome.level if outcome.kind == Kind.VOTE else None
            done(Recorded(item, item_id(item), recorded, memory.votes, outcome.text))

    is_new = memory.number == NONE
    item = call.site.worker.answer(
        live, rater, memory,
        kind=kind, ticket=body.ticket, level=level, response_ms=body.response_ms,
        origin=_origin(call, live) if is_new else b"",
        door=way_of(rater, live.settings.door) if is_new else 0, since=call.began, done=heard,
    )  # fmt: skip
    for outcome in at_once:
        heard(outcome)


_submit_vote = partial(_submit, kind=Kind.VOTE)
_submit_skip = partial(_submit, kind=Kind.SKIP)
_submit_flag = partial(_submit, kind=Kind.FLAG)


def _origin(call: Call, live: LiveContest) -> bytes:
    """A keyed hash of the address of a rater, made once, for the first answer."""
    address = network_of(call.address)
    return b"" if address == "unknown" else call.site.worker.signer(live.name).origin(address)


ANSWER_ERRORS = (400, 401, 403, 404, 409, 410, 413, 429, 503)
# The busiest first: routes are tried in order.
ENDPOINTS = (
    Endpoint(
        "POST", CONTEST + "/votes", vote, takes=Vote, gives=Recorded, errors=ANSWER_ERRORS,
        prompt=vote_promptly,
    ),
    Endpoint(
        "POST", CONTEST + "/ask", ask, takes=Ask, gives=Asked,
        errors=(400, 401, 403, 404, 409, 413, 429, 503), prompt=ask_promptly,
    ),
    Endpoint(
        "POST", CONTEST + "/skips", skip, takes=Skip, gives=Recorded, errors=ANSWER_ERRORS,
        prompt=skip_promptly,
    ),
    Endpoint(
        "POST", CONTEST + "/flags", flag, takes=Flag, gives=Recorded, errors=ANSWER_ERRORS,
        prompt=flag_promptly,
    ),
    Endpoint(
        "POST", CONTEST + "/raters", new_rater, takes=NewRater, gives=RaterToken,
        errors=(400, 401, 403, 404, 413, 428, 429),
    ),
)  # fmt: skip
