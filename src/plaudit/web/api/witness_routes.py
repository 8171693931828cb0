"""Routes for witnesses: what this service has seen of others, and what they may watch here."""

import msgspec

from plaudit.service.contest.settings import DRAFT, FROZEN
from plaudit.web.endpoint import Call, Endpoint
from plaudit.web.wire.witnessing import SeenService, Witnessed
from plaudit.web.witnessing import Witnessing


async def witnessed(call: Call) -> Witnessed:
    """What this service has seen of others as their witness, and its own contests to watch."""
    witnessing: Witnessing = call.scope["app"].state.witnessing
    seen = await call.site.blocking(witnessing.seen)
    names = [
        live.name
        for live in call.site.worker.all
        if live.settings.listed and live.contest.state not in (DRAFT, *FROZEN)
    ]
    return Witnessed(names, msgspec.convert(seen, list[SeenService]))


ENDPOINTS = (Endpoint("GET", "/api/v1/witnessed", witnessed, gives=Witnessed, errors=(503,)),)
