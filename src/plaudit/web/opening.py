"""What is behind the routes of one worker: opened at the start, or as soon as the store is there.

A store that is away does not end a worker. It waits, and answers "try again", until it can open
the store; nothing half-open is left behind by an attempt that fails.
"""

import asyncio
import contextlib
import gc
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

from starlette.applications import Starlette

from plaudit.errors import StoreUnavailable
from plaudit.service.accounts.secret import Secret
from plaudit.service.door.work import Work
from plaudit.service.live.worker import Worker
from plaudit.service.moderation.docket import Moderation
from plaudit.service.notices.address_book import AddressBook
from plaudit.service.notices.courier import Courier
from plaudit.service.notices.sights import Sights
from plaudit.service.rare_log import log, rarely
from plaudit.service.watch.dashboard_updates import DashboardUpdates
from plaudit.service.watch.new_contest_forecasts import NewContestForecasts
from plaudit.store import open_store
from plaudit.web.browser_sessions import BrowserSessions
from plaudit.web.desk import dashboard_pages
from plaudit.web.gate import Gate
from plaudit.web.heavy_work import HeavyWork
from plaudit.web.serving import Serving
from plaudit.web.site import Site
from plaudit.web.witnessing import Witnessing

AGAIN_SECONDS = 1.0


class Opening:
    """Opens what is behind an app; the gate answers "try again" meanwhile."""

    def __init__(self, app: Starlette, gate: Gate, serving: Serving) -> None:
        self._app = app
        self._gate = gate
        self._serving = serving
        self._open = AsyncExitStack()
        self._waiting: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Opens everything; goes on in the background if the store is away."""
        if not await self._attempt():
            self._waiting = asyncio.create_task(self._wait())

    async def end(self) -> None:
        """Closes what is open."""
        if self._waiting is not None:
            self._waiting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._waiting
        await self._open.aclose()

    async def _wait(self) -> None:
        while True:
            await asyncio.sleep(AGAIN_SECONDS)
            try:
                if await self._attempt():
                    log.warning("The store is there: the service has begun.")
                    return
            except Exception:
                # Such as a database of a newer Plaudit: someone may put it right meanwhile.
                rarely.say("opening", "The service cannot begin.", exc_info=True)

    async def _attempt(self) -> bool:
        """Opens everything, or nothing; false if the store is away."""
        async with AsyncExitStack() as opened:
            try:
                await self._open_all(opened)
            except StoreUnavailable as error:
                self._gate.waiting_for = error
                rarely.say("away", "The service waits for its store. %s", error)
                return False
            self._open = opened.pop_all()
        self._gate.waiting_for = None
        return True

    async def _open_all(self, opened: AsyncExitStack) -> None:
        serving, state = self._serving, self._app.state
        store = await asyncio.to_thread(open_store, serving.database)
        opened.push_async_callback(asyncio.to_thread, store.close)
        post = asyncio.get_running_loop().call_soon_threadsafe
        secret = Secret(serving.secret.encode())
        worker = Worker(store, secret, post=post, scribe=serving.scribe)
        opened.push_async_callback(asyncio.to_thread, worker.close)
        await asyncio.to_thread(worker.start)
        site = Site(
            store,
            worker,
            Work(secret, clock=worker.clock, workers=serving.workers),
            rater_rate=serving.rater_rate,
            address_rate=serving.address_rate,
            signs_in=serving.provider is not None,
        )
        opened.push_async_callback(asyncio.to_thread, site.results.close)
        # What was acknowledged just before a crash joins now.
        known = {live.name: live.contest for live in worker.all}
        await asyncio.to_thread(site.proposing.let_all_in, known)
        opened.push_async_callback(site.write_refusals, once=True)
        opened.callback(asyncio.create_task(site.write_refusals()).cancel)
        browsers = await asyncio.to_thread(
            BrowserSessions, store, secret, public_url=serving.public_url, clock=worker.clock
        )
        opened.callback(browsers.close)
        state.site = self._gate.site = site
        state.browsers = browsers
        state.provider = await asyncio.to_thread(_provider, serving, secret, worker.clock)
        if state.provider is not None:
            opened.push_async_callback(state.provider.close)
        self._open_desk(opened, site)
        self._open_notices(opened, site, secret)
        self._open_witness(opened, worker)
        # All of this stays for good, so the garbage collector need not visit it.
        gc.freeze()

    def _open_witness(self, opened: AsyncExitStack, worker: Worker) -> None:
        serving = self._serving
        watching = Witnessing(
            worker.notary, serving.witness_folder, serving.witness, public_url=serving.public_url
        )
        opened.push_async_callback(asyncio.to_thread, watching.close)
        watching.start()
        self._app.state.witnessing = watching

    def _open_notices(self, opened: AsyncExitStack, site: Site, secret: Secret) -> None:
        serving, state = self._serving, self._app.state
        post = asyncio.get_running_loop().call_soon_threadsafe
        given: dict[str, Any] = {
            "public_url": serving.public_url.rstrip("/"),
            "clock": site.worker.clock,
        }
        settings = serving.notices
        sights = Sights(site.store, site.worker, state.moderation, post)
        state.address_book = AddressBook(site.store, secret, settings, **given)
        state.courier = Courier(site.store, secret, sights, settings, **given)
        opened.push_async_callback(asyncio.to_thread, state.courier.close)
        state.courier.start()

    def _open_desk(self, opened: AsyncExitStack, site: Site) -> None:
        state = self._app.state
        state.heavy_work = HeavyWork()
        opened.push_async_callback(asyncio.to_thread, state.heavy_work.close)
        state.dashboards = DashboardUpdates(
            site.store, clock=site.worker.clock, render=dashboard_pages.Renderer()
        )
        opened.push_async_callback(asyncio.to_thread, state.dashboards.close)
        state.moderation = Moderation(site.store, state.dashboards.columns)
        state.new_forecasts = NewContestForecasts()
        opened.push_async_callback(asyncio.to_thread, state.new_forecasts.close)


def _provider(serving: Serving, secret: Secret, clock: Callable[[], int]) -> Any:
    """The provider that people sign in with; None without one. It is not called yet."""
    if serving.provider is None:
        return None
    from plaudit.service.door.openid.provider import OpenIdProvider

    return OpenIdProvider(serving.provider, secret, public_url=serving.public_url, clock=clock)
