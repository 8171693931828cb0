"""Endpoints of the API: each a function with the formats of its request and its answer.

The gate passes requests directly to endpoints, so that a vote goes through as few layers as
possible. The OpenAPI document is made from the same endpoints.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, NamedTuple

import msgspec

from plaudit.phrase import Phrase
from plaudit.service.accounts.roles import NOBODY_KNOWN, key_actor
from plaudit.web.problem import Problem
from plaudit.web.site import Site
from plaudit.words import N_

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PREFIX = "/api/v1/"
CONTESTS = f"{PREFIX}contests"
CONTEST = f"{CONTESTS}/{{contest}}"
SMALL, LARGE = 64 * 1024, 64 * 1024 * 1024
# A body may take this long, and longer the larger it may be, at this many bytes a second.
LONGEST_SECONDS, SLOWEST_BYTES = 20.0, 100_000


class Call:
    """One request to an endpoint."""

    __slots__ = ("_headers", "actor", "began", "body", "kept", "scope", "site")

    def __init__(self, scope: Scope, site: Site, body: Any) -> None:
        self.scope = scope
        self.site = site
        self.body = body
        # The sender waits since then, by the monotonic clock.
        self.began = time.monotonic()
        # The holder of the API key that came with the request, if the endpoint needs a key.
        self.actor = NOBODY_KNOWN
        self._headers: list[tuple[bytes, bytes]] = scope["headers"]
        # What was found before in a request with the same address and headers; None for nowhere.
        self.kept: dict[str, Any] | None = None

    @property
    def path(self) -> dict[str, Any]:
        """The names in the path, such as the contest."""
        named: dict[str, Any] = self.scope["path_params"]
        return named

    @property
    def address(self) -> str:
        """Where the request comes from."""
        return self.scope["client"][0] if self.scope.get("client") else "unknown"

    def header(self, name: bytes) -> str:
        """A header's value, or ""."""
        for key, value in self._headers:
            if key == name:
                return value.decode("latin-1")
        return ""

    def cookie(self, name: str) -> str:
        """A cookie's value, or ""."""
        for part in self.header(b"cookie").split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                return value
        return ""

    def query(self, name: str) -> str:
        """A parameter of the address, or ""."""
        from urllib.parse import parse_qs

        found = parse_qs(self.scope["query_string"].decode("latin-1")).get(name)
        return found[0] if found else ""

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        """A number in the address; the default if it is missing."""
        text = self.query(name)
        if not text:
            return default
        right = text.isascii() and text.isdigit() and len(text) < 18
        if not right or not least <= int(text) <= most:
            raise Problem(
                400, "bad_request", f"{name} must be a whole number from {least} to {most}."
            )
        return int(text)


class Answered(NamedTuple):
    """The answer of an endpoint: a struct, a status, and headers beyond the usual ones."""

    body: Any
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = ()


Handler = Callable[[Call], Awaitable[Any]]
# Called once, with the answer's struct or an error.
Done = Callable[[Any], None]
# Answers a call without a task, now or later; false if it cannot, and then it has done nothing.
PromptHandler = Callable[[Call, Done], bool]


class Endpoint:
    """A handler with its formats; `scope` is what the API key must allow, "" if none is needed.

    `prompt` does the same as the handler where nothing has to be waited for but the log.
    """

    def __init__(
        self,
        method: str,
        path: str,
        handler: Handler,
        *,
        takes: Any = None,
        gives: Any,
        scope: str = "",
        limit: int = SMALL,
        errors: tuple[int, ...] = (),
        media: str = "application/json",
        query: tuple[tuple[str, str, Any], ...] = (),
        prompt: PromptHandler | None = None,
    ) -> None:
        self.prompt = prompt
        self.method = method
        self.path = path
        self.handler = handler
        self.takes = takes
        self.gives = gives
        self.scope = scope
        self.limit = limit
        self.errors = errors
        self.media = media
        self.query = query
        decodes = takes is not None and takes is not bytes
        self.decode = msgspec.json.Decoder(takes).decode if decodes else None

    async def answer(self, scope: Scope, receive: Receive) -> Any:
        """The handler's answer to one request: `Answered`, or a response of its own."""
        site: Site = scope["app"].state.site
        call = Call(scope, site, None)
        if self.scope:
            name = await site.check_scope(call.header(b"authorization"), self.scope)
            call.actor = key_actor(name, self.scope)
        if self.takes is not None:
            raw = await read_body(receive, self.limit)
            call.body = self.decode(raw) if self.decode is not None else raw
        given = await self.handler(call)
        return given if isinstance(given, Answered) or callable(given) else Answered(given)


class PromptEndpoint(NamedTuple):
    """What is needed to answer a request to an endpoint without a task."""

    path: str
    decode: Callable[[bytes], Any]
    prompt: PromptHandler


class Table:
    """Endpoints by path and method, found by two look-ups; a router would try one by one.

    The fourth part of a path may name a contest, and the sixth a file.
    """

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._known: dict[str, dict[str, Endpoint]] = {}
        self._prompt: dict[str, PromptEndpoint] = {}
        for endpoint in endpoints:
            self._known.setdefault(endpoint.path, {})[endpoint.method] = endpoint
            if endpoint.prompt is not None and endpoint.decode is not None:
                name = endpoint.path.removeprefix(CONTEST)
                self._prompt[name] = PromptEndpoint(endpoint.path, endpoint.decode, endpoint.prompt)
        # The ends of the paths of endpoints that can answer without a task.
        self.prompt_paths = tuple(name.encode() for name in self._prompt)

    def prompt(self, scope: Scope) -> "PromptEndpoint | None":
        """The endpoint of a POST that can be answered without a task; None if there is none."""
        start, slash, end = scope["path"].rpartition("/")
        found = self._prompt.get(slash + end)
        before, _, contest = start.rpartition("/")
        if found is None or before != CONTESTS:
            return None
        scope["path_params"] = {"contest": contest}
        return found

    def find(self, scope: Scope) -> Endpoint | None:
        """The endpoint of a request, with the names in its path; None if there is none."""
        path: str = scope["path"]
        if not path.startswith(PREFIX):
            return None
        parts = path.split("/")
        named = {}
        if len(parts) > 4:
            named["contest"], parts[4] = parts[4], "{contest}"
        known = self._known.get("/".join(parts))
        if known is None and len(parts) == 7:
            named["file"], parts[6] = parts[6], "{file}"
            known = self._known.get("/".join(parts))
        if known is None:
            return None
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        endpoint = known.get(method)
        if endpoint is None:
            taken = ", ".join(sorted(known))
            raise Problem(
                405, "method_not_allowed", f"This address takes {taken}. See /docs.", allow=taken
            )
        scope["path_params"] = named
        return endpoint


async def read_body(receive: Receive, limit: int) -> bytes:
    """The whole body; refused as soon as it is larger than allowed or takes too long."""
    try:
        async with asyncio.timeout(LONGEST_SECONDS + limit / SLOWEST_BYTES):
            return await _read_body(receive, limit)
    except TimeoutError:
        told = Phrase(N_("The request took too long to arrive. Send it again."))
        raise Problem(408, "too_slow", told) from None


async def _read_body(receive: Receive, limit: int) -> bytes:
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return _within(body, limit)
    parts, size = [body], len(body)
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Problem(
                400, "bad_request", "The connection broke before the request was complete."
            )
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            break
    return _within(b"".join(parts), limit)


def _within(body: bytes, limit: int) -> bytes:
    if len(body) > limit:
        told = N_("The request is larger than {limit} bytes. Send less.")
        raise Problem(413, "too_large", Phrase(told, limit=limit))
    return body
