"""Lines to a service: they send what plans yield, one by waiting and one by awaiting.

Nothing is decided here. What a call sends, how it reads the answer and when it tries again is in
its plan.
"""

import asyncio
import time
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, TypeVar

from plaudit.client.plan import Compute, Move, Pause, Plan, Request
from plaudit.client.refusal import Answer, lost
from plaudit.errors import MissingExtra

try:
    import httpx2
except ModuleNotFoundError:
    raise MissingExtra("Calls to a service", "client") from None

R = TypeVar("R")
SECONDS = 30.0


def _options(url: str, key: str | None) -> dict[str, Any]:
    """What both lines are made with."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    # Many raters may share the connections: who they are goes in a header, not in a cookie.
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
    return {"base_url": url, "headers": headers, "cookies": no_cookies, "timeout": SECONDS}


def _given(request: Request) -> dict[str, Any]:
    fields = request._asdict() | {"into": None, "path": None, "url": request.path}
    return {name: each for name, each in fields.items() if each is not None}


def _answer(response: Any, body: bytes) -> Answer:
    return Answer(response.status_code, response.headers, body)


class Line:
    """Runs plans, and waits for each answer."""

    def __init__(self, url: str, key: str | None, http: Any = None) -> None:
        self.http = http or httpx2.Client(**_options(url, key))

    def run(self, plan: Plan[R]) -> R:
        """The result of a plan."""
        came: Any = None
        while True:
            try:
                move = plan.send(came)
            except StopIteration as end:
                result: R = end.value
                return result
            came = self._make(move)

    def _make(self, move: Move) -> Any:
        if isinstance(move, Pause):
            return time.sleep(move.seconds)
        return move.work() if isinstance(move, Compute) else self._send(move)

    def _send(self, request: Request) -> Answer:
        try:
            with self.http.stream(**_given(request)) as response:
                return _answer(response, self._body(response, request))
        except httpx2.TransportError as error:
            return lost(error)

    def _body(self, response: Any, request: Request) -> bytes:
        if request.into is None or not response.is_success:
            body: bytes = response.read()
            return body
        # A download that broke off begins again.
        request.into.seek(0)
        request.into.truncate()
        for chunk in response.iter_bytes():
            request.into.write(chunk)
        return b""


class AsyncLine:
    """Runs plans, and awaits each answer."""

    def __init__(self, url: str, key: str | None, http: Any = None) -> None:
        self.http = http or httpx2.AsyncClient(**_options(url, key))

    async def run(self, plan: Plan[R]) -> R:
        """The result of a plan."""
        came: Any = None
        while True:
            try:
                move = plan.send(came)
            except StopIteration as end:
                result: R = end.value
                return result
            came = await self._make(move)

    async def _make(self, move: Move) -> Any:
        if isinstance(move, Pause):
            return await asyncio.sleep(move.seconds)
        if isinstance(move, Compute):
            return await asyncio.to_thread(move.work)
        return await self._send(move)

    async def _send(self, request: Request) -> Answer:
        try:
            async with self.http.stream(**_given(request)) as response:
                return _answer(response, await self._body(response, request))
        except httpx2.TransportError as error:
            return lost(error)

    async def _body(self, response: Any, request: Request) -> bytes:
        if request.into is None or not response.is_success:
            body: bytes = await response.aread()
            return body
        request.into.seek(0)
        request.into.truncate()
        async for chunk in response.aiter_bytes():
            request.into.write(chunk)
        return b""
