"""The public pages of proof: a rater's receipts, and what the service has signed of a contest."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from plaudit.proof.checkpoint import unchecked
from plaudit.web.rendering import page
from plaudit.web.site import Site
from plaudit.web.visibility import contest_for
from plaudit.web.witnessing import Witnessing


async def receipts_page(request: Request) -> Response:
    """Where raters check their receipts; everything else happens in the browser."""
    site: Site = request.app.state.site
    live = await contest_for(request.scope, site)
    contest = {"name": live.name, "title": live.settings.title}
    return page("public/receipts.html", contest=contest)


async def proof_page(request: Request) -> Response:
    """The latest checkpoint of a contest, the keys, and who has seen it."""
    site: Site = request.app.state.site
    live = await contest_for(request.scope, site)
    witnessing: Witnessing = request.app.state.witnessing
    facts = await site.blocking(_facts, site, live.name)
    seen = await site.blocking(witnessing.of_us, live.name)
    contest = {"name": live.name, "title": live.settings.title}
    url = witnessing.public_url
    return page("public/proof.html", contest=contest, witnesses=seen, url=url, **facts)


def _facts(site: Site, name: str) -> dict[str, Any]:
    notary = site.worker.notary
    kept = notary.checkpoints.latest(name)
    facts = None if kept is None else unchecked(kept.body)
    return {
        "checkpoint": "" if kept is None else kept.body,
        "entries": 0 if facts is None else facts.position,
        "at": 0 if facts is None else facts.at,
        "keys": [
            {"vkey": one.key.vkey, "retired_at": one.retired_at} for one in notary.keys.listed
        ],
    }


ROUTES = (
    Route("/c/{contest}/receipts", receipts_page),
    Route("/c/{contest}/proof", proof_page),
)
