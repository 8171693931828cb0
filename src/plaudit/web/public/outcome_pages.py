"""The moment of the result: the part of a page, a picture to share, and a page to print."""

from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from plaudit.service.live.contest import LiveContest
from plaudit.service.watch.outcome import Outcome, outcome_of
from plaudit.store.contract import Asset, Store
from plaudit.store.log import Kind
from plaudit.web.charts.qr import qr_svg
from plaudit.web.charts.result_card import crowd_words, headline, result_card
from plaudit.web.heavy_work import shared
from plaudit.web.problem import Problem
from plaudit.web.rendering import page
from plaudit.web.site import Site
from plaudit.web.visibility import contest_for, sees_results
from plaudit.words import _

# The picture may be opened by itself: then nothing in it may run or load.
CARD_POLICY = (
    "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox"
)


class Proof(NamedTuple):
    """What a printed certificate says of its verdict: when, where in the log, the log's digest."""

    at: int
    position: int
    digest: str


async def outcome_for(site: Site, live: LiveContest) -> Outcome | None:
    """What the contest came to; None while it goes on."""
    is_over = live.is_over(site.worker.clock())
    if not (live.contest.verdicts or is_over):
        # Results of a million items take seconds: nobody waits for them without need.
        return None
    results = await shared(site.results.ask(live))
    return outcome_of(results, is_over=is_over)


def moment_of(live: LiveContest, outcome: Outcome) -> dict[str, Any]:
    """What the part of a page that shows an outcome needs to know."""
    return {
        "contest": live.name,
        "outcome": outcome,
        "headline": headline(outcome),
        "crowd": crowd_words(outcome),
        "context": live.settings.context,
    }


async def card(request: Request) -> Response:
    """The result as a picture (SVG)."""
    live, outcome = await _seen(request)
    site: Site = request.app.state.site
    context = live.settings.context
    picture = await _asset(site, context.image)
    winning = await _asset(site, outcome.first.image)
    body = result_card(
        live.settings.title, outcome, picture=picture, alt=context.alt, winning=winning
    )
    headers = {"content-security-policy": CARD_POLICY, "cache-control": "no-cache"}
    if "download" in request.query_params:
        headers["content-disposition"] = f'attachment; filename="{live.name}-result.svg"'
    return Response(body, media_type="image/svg+xml", headers=headers)


async def certificate(request: Request) -> Response:
    """The verdict as a page to print."""
    live, outcome = await _seen(request)
    site: Site = request.app.state.site
    if not outcome.is_decided:
        raise Problem(404, "not_found", _("There is no verdict here, so there is no certificate."))
    proof = await site.blocking(_proof, site.store, live.name, outcome.lane)
    link = f"{request.app.state.browsers.public_url}/c/{live.name}/proof"
    return page(
        "public/certificate.html",
        title=live.settings.title,
        proof=proof,
        link=link,
        qr=qr_svg(link, sized=False).decode(),
        **moment_of(live, outcome),
    )


async def _seen(request: Request) -> tuple[LiveContest, Outcome]:
    site: Site = request.app.state.site
    live = await contest_for(request.scope, site)
    outcome = None
    if await sees_results(request.scope, site, live):
        outcome = await outcome_for(site, live)
    if outcome is None:
        raise Problem(404, "not_found", _("This contest has no public result yet."))
    return live, outcome


async def _asset(site: Site, image: str) -> Asset | None:
    return await site.blocking(site.store.asset, image) if image else None


def _proof(store: Store, name: str, lane: int) -> Proof | None:
    """The latest certificate of a lane; None in a copy of a contest that has none."""
    bodies = [one.body for one in store.certificates(name) if one.lane == lane]
    if not bodies:
        return None
    body = msgspec.json.decode(bodies[-1])
    position = body["judged_at"]
    reached = [entry for entry in store.events(name) if entry.kind == Kind.VERDICT]
    at = next((entry.at for entry in reached if entry.position > position), 0)
    return Proof(at, position, body["digest"])


ROUTES = (
    Route("/c/{contest}/result.svg", card),
    Route("/c/{contest}/certificate", certificate),
)
