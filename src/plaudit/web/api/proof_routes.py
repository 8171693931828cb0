"""Routes for whoever wants proof: keys, checkpoints, proofs and receipts. Anybody may ask.

Each reads a few rows and tiles, off the event loop; addresses that ask too often must wait.
"""

from typing import Any

from starlette.responses import PlainTextResponse

from plaudit.errors import UnknownItem
from plaudit.proof.checkpoint import unchecked
from plaudit.service.contest.counting import counting_of
from plaudit.service.live.contest import LiveContest
from plaudit.service.notary.found import find_receipt, path_text
from plaudit.service.notary.keys import keys_text
from plaudit.store.log import Kind
from plaudit.store.proofs import KeptCheckpoint
from plaudit.web.endpoint import CONTEST, Call, Endpoint
from plaudit.web.problem import Problem
from plaudit.web.visibility import contest_for
from plaudit.web.wire.proof import (
    CheckedReceipt,
    CheckpointPage,
    ConsistencyProof,
    GivenReceipt,
    InclusionProof,
    ShownCheckpoint,
    ShownKey,
    ShownKeys,
)

MOST_AT_ONCE = 100
LARGEST = 10**17
_SIZE = {"type": "integer", "minimum": 1}


async def show_keys(call: Call) -> ShownKeys:
    """The public keys of this service, the current one first."""
    call.site.count_proof(call.address)
    keys = call.site.worker.notary.keys
    shown = [ShownKey(one.key.vkey, one.made_at, one.retired_at) for one in keys.listed]
    return ShownKeys(keys.name, shown)


async def known_keys(request: Any) -> PlainTextResponse:
    """The public keys as text, at an address that stays."""
    return PlainTextResponse(keys_text(request.app.state.site.worker.notary.keys.listed))


async def checkpoint(call: Call) -> PlainTextResponse:
    """The latest signed checkpoint of a contest, as text."""
    live = await _asked(call)
    kept = await call.site.blocking(call.site.worker.notary.checkpoints.latest, live.name)
    if kept is None:
        raise _none_yet(live)
    return PlainTextResponse(kept.body)


async def checkpoints(call: Call) -> CheckpointPage:
    """The signed checkpoints of a contest, the largest first."""
    live = await _asked(call)
    limit = call.number("limit", MOST_AT_ONCE, least=1, most=MOST_AT_ONCE)
    before = call.number("before", LARGEST, least=1, most=LARGEST)
    origin = call.site.worker.notary.keys.origin(live.name)
    found = await call.site.blocking(
        call.site.store.checkpoints, live.name, origin=origin, before=before, limit=limit + 1
    )
    shown = [ShownCheckpoint(one.size, unchecked(one.body).at, one.body) for one in found[:limit]]
    return CheckpointPage(shown, len(found) > limit)


async def consistency(call: Call) -> ConsistencyProof:
    """The proof that a log only grew, between the sizes of two checkpoints."""
    live = await _asked(call)
    first = _number(call, "from")
    second = call.number("to", 0, least=1, most=LARGEST)

    def work() -> ConsistencyProof:
        old, new = _kept(call, live, first), _kept(call, live, second)
        if old.size > new.size:
            raise Problem(400, "bad_request", "from must not be larger than to.")
        tree = call.site.worker.notary.checkpoints.tree(live.name)
        return ConsistencyProof(old.size, new.size, path_text(tree.consistency(old.size, new.size)))

    return await call.site.blocking(work)


async def inclusion(call: Call) -> InclusionProof:
    """The proof that the entry at a position is in the log of a checkpoint."""
    live = await _asked(call)
    position = _number(call, "position", least=0)
    size = call.number("size", 0, least=1, most=LARGEST)

    def work() -> InclusionProof:
        kept = _kept(call, live, size)
        if position >= kept.size:
            raise UnknownItem(
                f"The checkpoint of size {kept.size} covers positions 0 to {kept.size - 1}."
            )
        tree = call.site.worker.notary.checkpoints.tree(live.name)
        return InclusionProof(position, kept.size, path_text(tree.inclusion(position, kept.size)))

    return await call.site.blocking(work)


async def check_receipt(call: Call) -> CheckedReceipt:
    """What the log has for a receipt: the answer, its proof, and whether it counts."""
    live = await _asked(call)
    site, body = call.site, call.body
    found = await site.blocking(
        find_receipt, site.worker.notary, site.store, live.record, body.receipt
    )
    entry = found.entry
    counting = counting_of(live.contest, entry) if found.in_log else None
    known = 0 <= entry.item < len(live.items)
    return CheckedReceipt(
        contest=live.name,
        position=entry.position,
        kind=Kind(entry.kind).name.lower(),
        at=entry.at,
        item=entry.item,
        text=live.items[entry.item].text if known else "",
        level=entry.level if entry.kind == Kind.VOTE else None,
        in_log=found.in_log,
        counts_for=list(counting.items) if counting else [],
        why_not=counting.why if counting else "",
        grounds=counting.grounds if counting else "",
        key=found.key.vkey,
        checkpoint=found.checkpoint.body if found.checkpoint else "",
        path=path_text(found.path),
    )


async def _asked(call: Call) -> LiveContest:
    call.site.count_proof(call.address)
    return await contest_for(call.scope, call.site)


def _number(call: Call, name: str, *, least: int = 1) -> int:
    if not call.query(name):
        raise Problem(400, "bad_request", f"Give {name}: a whole number from {least} on.")
    return call.number(name, 0, least=least, most=LARGEST)


def _kept(call: Call, live: LiveContest, size: int) -> KeptCheckpoint:
    """The checkpoint of a size, or the latest for 0: proofs are between checkpoints only."""
    notary = call.site.worker.notary
    origin = notary.keys.origin(live.name)
    kept = call.site.store.checkpoint(live.name, size or None, origin=origin)
    if kept is None:
        raise _none_yet(live, size)
    return kept


def _none_yet(live: LiveContest, size: int = 0) -> Problem:
    of = f" of size {size}" if size else " yet"
    return Problem(
        404, "no_checkpoint", f"The contest {live.name!r} has no checkpoint{of}. Those that it has "
        "are listed at /checkpoints."
    )  # fmt: skip


READS = (400, 404, 429, 503)
ENDPOINTS = (
    Endpoint("GET", "/api/v1/keys", show_keys, gives=ShownKeys, errors=(429,)),
    Endpoint("GET", CONTEST + "/checkpoint", checkpoint, gives=bytes, media="text/plain",
             errors=(404, 429, 503)),
    Endpoint("GET", CONTEST + "/checkpoints", checkpoints, gives=CheckpointPage, errors=READS,
             query=(("before", "Only checkpoints of smaller sizes.", _SIZE),
                    ("limit", "How many, 1 to 100.", _SIZE | {"maximum": MOST_AT_ONCE}))),
    Endpoint("GET", CONTEST + "/proofs/consistency", consistency, gives=ConsistencyProof,
             errors=READS,
             query=(("from", "The size of the earlier checkpoint; it must be given.", _SIZE),
                    ("to", "The size of the later one; the latest if left out.", _SIZE))),
    Endpoint("GET", CONTEST + "/proofs/inclusion", inclusion, gives=InclusionProof, errors=READS,
             query=(("position", "The entry; it must be given. 0 is the contest itself.",
                     {"type": "integer", "minimum": 0}),
                    ("size", "The size of a checkpoint; the latest if left out.", _SIZE))),
    Endpoint("POST", CONTEST + "/receipts", check_receipt, takes=GivenReceipt,
             gives=CheckedReceipt, errors=(400, 404, 413, 429, 503)),
)  # fmt: skip
