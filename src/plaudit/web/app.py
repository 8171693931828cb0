"""The web app of one worker: routes, the gate, and the life of the service behind them."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from plaudit.errors import PlauditError, StoreUnavailable
from plaudit.service.contests import Contests
from plaudit.service.secret import Secret
from plaudit.store import open_store
from plaudit.web import contest_routes, metrics, pages, rater_routes
from plaudit.web.gate import Gate
from plaudit.web.openapi import make_openapi
from plaudit.web.problem import Problem
from plaudit.web.site import Site

ENDPOINTS = (*rater_routes.ENDPOINTS, *contest_routes.ENDPOINTS)
# How a worker process learns what it serves.
ENVIRONMENT = "PLAUDIT_SERVING"


class Serving(msgspec.Struct, frozen=True):
    """What to serve, and to whom."""

    database: str
    secret: str
    public_url: str = "http://127.0.0.1:8000"
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "::1")
    rater_rate: str = "600/minute"
    address_rate: str = "240/minute"


class Checked(StaticFiles):
    """Static files that browsers ask about each time: an upgrade must not mix old and new."""

    def file_response(self, *given: Any, **named: Any) -> Response:
        """A file, or that it has not changed."""
        response = super().file_response(*given, **named)
        response.headers["cache-control"] = "no-cache"
        return response


def make_app(serving: Serving) -> Starlette:
    """The app; the store is opened when it starts."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        store = await asyncio.to_thread(open_store, serving.database)
        post = asyncio.get_running_loop().call_soon_threadsafe
        contests = Contests(store, Secret(serving.secret.encode()), post=post)
        await asyncio.to_thread(contests.start)
        app.state.site = Site(
            store, contests, rater_rate=serving.rater_rate, address_rate=serving.address_rate
        )
        # What is here now stays: the collector need not look at it again and again.
        gc.freeze()
        yield
        await asyncio.to_thread(contests.close)
        await asyncio.to_thread(store.close)

    app = Starlette(
        routes=routes(),
        lifespan=lifespan,
        middleware=[Middleware(Gate, hosts=known_hosts(serving))],
        exception_handlers={HTTPException: missing, PlauditError: pages.for_people},
    )
    app.state.openapi = make_openapi(ENDPOINTS, url=serving.public_url)
    return app


def from_environment() -> Starlette:
    """The app of a worker process that `plaudit serve` started."""
    return make_app(msgspec.json.decode(os.environ[ENVIRONMENT], type=Serving))


def known_hosts(serving: Serving) -> frozenset[str]:
    """The host names that the service answers to."""
    public = urlsplit(serving.public_url).hostname
    return frozenset({*serving.hosts, *([public] if public else [])})


def routes() -> list[BaseRoute]:
    """All routes, the busiest first."""
    api = [Route(each.path, each, methods=[each.method]) for each in ENDPOINTS]
    return [
        *api,
        Route("/", pages.index),
        Route("/c/{contest}", pages.rater_page),
        Route("/c/{contest}/results", pages.results_page),
        Route("/docs", pages.docs_page),
        Route("/openapi.json", pages.openapi),
        Route("/assets/{hash}", pages.asset),
        Route("/healthz", healthz),
        Route("/readyz", readyz),
        Route("/metrics", prometheus),
        Mount("/static", Checked(directory=Path(__file__).parent / "static")),
    ]


async def missing(request: Request, error: Exception) -> Response:
    """What the router could not place, in the one shape of errors."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    if status == 405:
        problem = Problem(405, "method_not_allowed", "This address does not take that method.")
    else:
        problem = Problem(status, "not_found", "There is nothing at this address. See /docs.")
    return await pages.for_people(request, problem)


async def healthz(request: Request) -> Response:
    """The process is alive."""
    return JSONResponse({"status": "alive"})


async def readyz(request: Request) -> Response:
    """The store can be read and written; 503 while it cannot."""
    site: Site = request.app.state.site
    try:
        await site.blocking(site.store.check)
    except StoreUnavailable as error:
        raise Problem(503, error.code, str(error), retry=2) from None
    return JSONResponse({"status": "ready"})


async def prometheus(request: Request) -> Response:
    """What Prometheus reads."""
    site: Site = request.app.state.site
    metrics.WAITING.set(site.contests.writer.waiting)
    for live in site.contests.all:
        metrics.VOTES.labels(live.name).set(int(live.tally.counts.sum()))
        metrics.DECIDED.labels(live.name).set(live.all_decided)
    return Response(generate_latest(), headers={"content-type": CONTENT_TYPE_LATEST})
