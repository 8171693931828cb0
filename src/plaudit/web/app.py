"""The web app of one worker: routes, the gate, and the life of the service behind them."""

import asyncio
import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import msgspec
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from plaudit.errors import PlauditError, StoreUnavailable
from plaudit.phrase import words_of
from plaudit.service.accounts.secret import Secret
from plaudit.service.door.work import Work
from plaudit.service.live.worker import Worker
from plaudit.service.moderation.docket import Moderation
from plaudit.service.watch.dashboard_updates import DashboardUpdates
from plaudit.service.watch.new_contest_forecasts import NewContestForecasts
from plaudit.store import open_store
from plaudit.web import metrics
from plaudit.web.api import contest_routes, door_routes, rater_routes, step_routes
from plaudit.web.api.openapi import make_openapi
from plaudit.web.browser_sessions import BrowserSessions
from plaudit.web.desk import account_pages as desk_pages
from plaudit.web.desk import (
    create_pages,
    dashboard_pages,
    door_pages,
    export_pages,
    item_pages,
    items_page,
    merge_pages,
    moderate_pages,
    moderate_raters,
    people_pages,
    picture_rows,
    run_pages,
    settings_pages,
    trail_pages,
)
from plaudit.web.desk import forecast_pages as plan_pages
from plaudit.web.gate import Gate
from plaudit.web.heavy_work import HeavyWork
from plaudit.web.problem import Problem
from plaudit.web.public import pages, waiting_pages
from plaudit.web.rendering import HERE, ROOMS
from plaudit.web.site import Site
from plaudit.words import _

ENDPOINTS = (
    *rater_routes.ENDPOINTS,
    *contest_routes.ENDPOINTS,
    *step_routes.ENDPOINTS,
    *door_routes.ENDPOINTS,
)
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
    workers: int = 1


class Checked(StaticFiles):
    """Static files that browsers ask about each time: an upgrade must not mix old and new."""

    def file_response(self, *given: Any, **named: Any) -> Response:
        """A file, or that it has not changed."""
        response = super().file_response(*given, **named)
        response.headers["cache-control"] = "no-cache"
        return response


def make_app(serving: Serving) -> Gate:
    """The app; the store is opened when it starts."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        store = await asyncio.to_thread(open_store, serving.database)
        post = asyncio.get_running_loop().call_soon_threadsafe
        secret = Secret(serving.secret.encode())
        worker = Worker(store, secret, post=post)
        await asyncio.to_thread(worker.start)
        work = Work(secret, clock=worker.clock, workers=serving.workers)
        app.state.site = Site(
            store, worker, work, rater_rate=serving.rater_rate, address_rate=serving.address_rate
        )
        app.state.browsers = await asyncio.to_thread(
            BrowserSessions, store, secret, public_url=serving.public_url, clock=worker.clock
        )
        app.state.new_forecasts = NewContestForecasts()
        app.state.dashboards = DashboardUpdates(
            store, clock=worker.clock, render=dashboard_pages.Renderer()
        )
        app.state.moderation = Moderation(store, app.state.dashboards.columns)
        app.state.heavy_work = HeavyWork()
        counting = asyncio.create_task(app.state.site.write_refusals())
        # All of this stays for good, so the garbage collector need not visit it.
        gc.freeze()
        yield
        counting.cancel()
        await app.state.site.write_refusals(once=True)
        app.state.browsers.close()
        await asyncio.to_thread(app.state.new_forecasts.close)
        await asyncio.to_thread(app.state.dashboards.close)
        await asyncio.to_thread(app.state.heavy_work.close)
        await asyncio.to_thread(app.state.site.results.close)
        await asyncio.to_thread(worker.close)
        await asyncio.to_thread(store.close)

    app = Starlette(
        routes=routes(),
        lifespan=lifespan,
        exception_handlers={HTTPException: missing, PlauditError: pages.for_people},
    )
    # An address with a trailing slash is another address, not an alias.
    app.router.redirect_slashes = False
    app.state.openapi = make_openapi(ENDPOINTS, url=serving.public_url)
    return Gate(app, ENDPOINTS, hosts=known_hosts(serving))


def from_environment() -> Gate:
    """The app of a worker process that `plaudit serve` started."""
    stop_with_parent()
    return make_app(msgspec.json.decode(os.environ[ENVIRONMENT], type=Serving))


def stop_with_parent() -> None:
    """Stops this worker once the process that started it is gone, or it would hold the port."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="plaudit-parent", daemon=True).start()


def known_hosts(serving: Serving) -> frozenset[str]:
    """The host names that the service answers to."""
    public = urlsplit(serving.public_url).hostname
    return frozenset({*serving.hosts, *([public] if public else [])})


def routes() -> list[BaseRoute]:
    """All routes but those of the API, which the gate knows."""
    return [
        Route("/", pages.index),
        Route("/c/{contest}", pages.rater_page),
        Route("/c/{contest}/wait", waiting_pages.wait_page),
        Route("/c/{contest}/results", pages.results_page),
        *desk_pages.ROUTES,
        *people_pages.ROUTES,
        *create_pages.ROUTES,
        *picture_rows.ROUTES,
        *plan_pages.ROUTES,
        *run_pages.ROUTES,
        *door_pages.ROUTES,
        *settings_pages.ROUTES,
        *export_pages.ROUTES,
        *item_pages.ROUTES,
        *trail_pages.ROUTES,
        *dashboard_pages.ROUTES,
        *items_page.ROUTES,
        *moderate_pages.ROUTES,
        *moderate_raters.ROUTES,
        *merge_pages.ROUTES,
        Route("/docs", pages.docs_page),
        Route("/openapi.json", pages.openapi),
        Route("/assets/{hash}", pages.asset),
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
        await site.blocking(site.store.check)
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
        if not (given or (pages.is_listed(live) and live.settings.public_results)):
            continue
        metrics.VOTES.labels(live.name).set(int(live.contest.counts.sum()))
        metrics.DECIDED.labels(live.name).set(live.all_decided)
    return Response(generate_latest(), headers={"content-type": CONTENT_TYPE_LATEST})
