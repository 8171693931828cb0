"""The web app of one worker: routes, the gate, and the life of the service behind them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from plaudit.errors import PlauditError, StoreUnavailable
from plaudit.phrase import Phrase, words_of
from plaudit.web import metrics
from plaudit.web.api import (
    contest_routes,
    door_routes,
    notice_routes,
    proof_routes,
    proposal_routes,
    rater_routes,
    shown_routes,
    step_routes,
    witness_routes,
)
from plaudit.web.api.openapi import make_openapi
from plaudit.web.desk import account_pages as desk_pages
from plaudit.web.desk import (
    create_pages,
    dashboard_pages,
    door_pages,
    export_pages,
    home_page,
    item_pages,
    items_page,
    merge_pages,
    moderate_pages,
    moderate_raters,
    notice_pages,
    people_pages,
    picture_rows,
    provider_pages,
    run_pages,
    settings_pages,
    trail_pages,
)
from plaudit.web.desk.forecasts import forecast_pages as plan_pages
from plaudit.web.desk.forecasts import reach_pages
from plaudit.web.desk.proposals import queue_pages
from plaudit.web.endpoint import Receive, Scope, Send
from plaudit.web.gate import Gate
from plaudit.web.http.static_files import Checked
from plaudit.web.look import look_page
from plaudit.web.opening import Opening
from plaudit.web.problem import Problem
from plaudit.web.public import (
    api_page,
    outcome_pages,
    pages,
    proof_pages,
    sign_in,
    suggest_pages,
    waiting_pages,
)
from plaudit.web.rendering import HERE, ROOMS
from plaudit.web.serving import Serving as Serving
from plaudit.web.serving import known_hosts
from plaudit.web.site import Site
from plaudit.words import N_, _

ENDPOINTS = (
    *rater_routes.ENDPOINTS,
    *shown_routes.ENDPOINTS,
    *proposal_routes.ENDPOINTS,
    *contest_routes.ENDPOINTS,
    *step_routes.ENDPOINTS,
    *door_routes.ENDPOINTS,
    *notice_routes.ENDPOINTS,
    *proof_routes.ENDPOINTS,
    *witness_routes.ENDPOINTS,
)


def make_app(serving: Serving) -> Gate:
    """The app; the store is opened when it starts, or as soon as it is there."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        opening = Opening(app, gate, serving)
        await opening.begin()
        yield
        await opening.end()

    app = Starlette(
        routes=routes(look=serving.look),
        lifespan=lifespan,
        exception_handlers={HTTPException: missing, PlauditError: pages.for_people},
    )
    # An address with a trailing slash is another address, not an alias.
    app.router.redirect_slashes = False
    app.state.openapi = cache(partial(make_openapi, ENDPOINTS, url=serving.public_url))
    gate = Gate(app, ENDPOINTS, hosts=known_hosts(serving), waiting_room=waiting_room)
    return gate


async def waiting_room(why: PlauditError, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers "try again" to everyone while the store is not there yet; /readyz says why."""
    if scope["path"] != "/readyz":
        why = StoreUnavailable(Phrase(N_("The service cannot reach its database. Try again soon.")))
    response = await pages.for_people(Request(scope), why)
    await response(scope, receive, send)


def routes(*, look: bool = False) -> list[BaseRoute]:
    """All routes but those of the API, which the gate knows; `look`: the component sheet too."""
    return [
        Route("/", pages.index),
        Route("/c/{contest}", pages.rater_page),
        Route("/c/{contest}/wait", waiting_pages.wait_page),
        Route("/c/{contest}/results", pages.results_page),
        *suggest_pages.ROUTES,
        Route("/c/{contest}/sign-in", sign_in.begin),
        Route("/c/{contest}/sign-out", sign_in.sign_out, methods=["POST"]),
        *outcome_pages.ROUTES,
        *proof_pages.ROUTES,
        *home_page.ROUTES,
        *desk_pages.ROUTES,
        *people_pages.ROUTES,
        *provider_pages.ROUTES,
        *create_pages.ROUTES,
        *picture_rows.ROUTES,
        *plan_pages.ROUTES,
        *reach_pages.ROUTES,
        *run_pages.ROUTES,
        *door_pages.ROUTES,
        *notice_pages.ROUTES,
        *settings_pages.ROUTES,
        *export_pages.ROUTES,
        *item_pages.ROUTES,
        *trail_pages.ROUTES,
        *dashboard_pages.ROUTES,
        *items_page.ROUTES,
        *moderate_pages.ROUTES,
        *moderate_raters.ROUTES,
        *queue_pages.ROUTES,
        *merge_pages.ROUTES,
        *(look_page.ROUTES if look else ()),
        Route("/docs", api_page.docs_page),
        Route("/openapi.json", pages.openapi),
        Route("/assets/{hash}", pages.asset),
        Route("/.well-known/plaudit-keys", proof_routes.known_keys),
        Route("/healthz", healthz),
        Route("/readyz", readyz),
        Route("/metrics", prometheus),
        *(Mount(f"/static/{room}", Checked(directory=HERE / room / "static")) for room in ROOMS),
    ]


async def missing(request: Request, error: Exception) -> Response:
    """An address that no route knows, as an error of the usual shape."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 405:
        problem = Problem(405, "method_not_allowed", "This address does not take that method.")
        said = _("This address does not take that method.")
    else:
        problem = Problem(status, "not_found", "There is nothing at this address. See /docs.")
        said = _("There is nothing at this address. Check the link that you were given.")
    response = await pages.for_people(request, problem, said=said)
    if isinstance(error, HTTPException) and error.headers:
        response.headers.update(error.headers)
    return response


async def healthz(request: Request) -> Response:
    """The process is alive."""
    return JSONResponse({"status": "alive"})


async def readyz(request: Request) -> Response:
    """The store can be read and written; 503 while it cannot."""
    site: Site = request.app.state.site
    try:
        await site.check()
    except StoreUnavailable as error:
        raise Problem(503, error.code, words_of(error), retry=2) from None
    return JSONResponse({"status": "ready"})


async def prometheus(request: Request) -> Response:
    """What Prometheus reads; contests that are not for everyone only with a key."""
    site: Site = request.app.state.site
    given = request.headers.get("authorization", "")
    if given:
        await site.check_scope(given, "read")
    metrics.WAITING.set(site.worker.writer.waiting)
    metrics.VOTES.clear()
    metrics.DECIDED.clear()
    for live in site.worker.all:
        if not (given or (pages.is_listed(live) and live.shows_results(site.worker.clock()))):
            continue
        metrics.VOTES.labels(live.name).set(int(live.contest.counts.sum()))
        metrics.DECIDED.labels(live.name).set(live.all_decided)
    figures = generate_latest(metrics.REGISTRY)
    if given:
        # Memory, files, and the version of Python, which strangers need not know.
        figures += generate_latest()
    return Response(figures, headers={"content-type": CONTENT_TYPE_LATEST})
