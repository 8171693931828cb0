"""An endpoint of the API: a function with the formats that it takes and gives.

It is an ASGI app of its own, so that a vote passes through as few layers as possible. The
same record describes it in the OpenAPI document.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec

from plaudit.errors import PlauditError
from plaudit.web.gate import Receive, Scope, Send, send_problem
from plaudit.web.problem import Problem, problem_of
from plaudit.web.site import Site

SMALL, LARGE = 64 * 1024, 64 * 1024 * 1024
_encode = msgspec.json.Encoder().encode


class Call:
    """One request to an endpoint."""

    __slots__ = ("_headers", "body", "scope", "site")

    def __init__(self, scope: Scope, site: Site, body: Any) -> None:
        self.scope = scope
        self.site = site
        self.body = body
        self._headers: list[tuple[bytes, bytes]] = scope["headers"]

    @property
    def path(self) -> dict[str, Any]:
        """What the route's path names."""
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


class Answered(NamedTuple):
    """What an endpoint gives: a struct, a status, and headers beyond the usual ones."""

    body: Any
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = ()


Handler = Callable[[Call], Awaitable[Any]]


class Endpoint:
    """A handler with its formats; `scope` is what an API key needs, "" for raters' own."""

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
    ) -> None:
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
        self._decode = msgspec.json.Decoder(takes).decode if decodes else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        try:
            answer = await self._answer(scope, receive)
        except (PlauditError, msgspec.DecodeError, UnicodeDecodeError) as error:
            await send_problem(send, problem_of(error))
            return
        if not isinstance(answer, Answered):
            if callable(answer):
                await answer(scope, receive, send)
                return
            answer = Answered(answer)
        body = _encode(answer.body) if answer.body is not None else b""
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"no-store"),
            *answer.headers,
        ]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _answer(self, scope: Scope, receive: Receive) -> Any:
        site: Site = scope["app"].state.site
        call = Call(scope, site, None)
        if self.scope:
            await site.check_scope(call.header(b"authorization"), self.scope)
        if self.takes is not None:
            raw = await read_body(receive, self.limit)
            call.body = self._decode(raw) if self._decode is not None else raw
        return await self.handler(call)


async def read_body(receive: Receive, limit: int) -> bytes:
    """The whole body; refused as soon as it is larger than allowed."""
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        return _within(body, limit)
    parts, size = [body], len(body)
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Problem(400, "bad_request", "The connection broke before the body was complete.")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > limit:
            break
    return _within(b"".join(parts), limit)


def _within(body: bytes, limit: int) -> bytes:
    if len(body) > limit:
        raise Problem(413, "too_large", f"The body is larger than {limit:,} bytes. Send less.")
    return body
