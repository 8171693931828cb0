"""The gate, which every request passes first: hosts, security headers, errors, counting."""

import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from typing import Any

import msgspec

from plaudit.errors import PlauditError
from plaudit.service.rare_log import rarely
from plaudit.web import language
from plaudit.web.cross_origin import NOTHING, Headers, headers_for, is_preflight, preflight
from plaudit.web.endpoint import Answered, Call, Endpoint, Message, Receive, Scope, Send, Table
from plaudit.web.http.prompt import Reply
from plaudit.web.metrics import REQUESTS, SECONDS
from plaudit.web.problem import Problem, problem_of

_encode = msgspec.json.Encoder().encode

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'"
)
HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=()"),
)
# After this in an address comes the secret part of a link.
WELCOME = "/desk/welcome/"
NO_FRAMES = "frame-ancestors 'none'"


def content_policy(embed: Iterable[str] = ()) -> bytes:
    """The policy of a page; `embed` lists the sites that may show it in a frame.

    >>> content_policy(["https://example.org"]).decode().rpartition("; ")[2]
    "frame-ancestors 'self' https://example.org"
    """
    sites = tuple(embed)
    frames = f"frame-ancestors 'self' {' '.join(sites)}" if sites else NO_FRAMES
    return f"{CONTENT_POLICY}; {frames}".encode()


_DEFAULT_POLICY = (b"content-security-policy", content_policy())
_STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")


_JSON_HEADERS = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    *HEADERS,
    _DEFAULT_POLICY,
)


def _lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Headers as lines."""
    return b"".join(b"%s: %s\r\n" % header for header in headers)


# The lines of a JSON answer over http and over https.
_JSON_LINES = (_lines(_JSON_HEADERS), _lines((*_JSON_HEADERS, _STRICT_TRANSPORT)))
MOST_HOSTS = 100
WaitingRoom = Callable[[PlauditError, Scope, Receive, Send], Awaitable[None]]
# What needs no store.
ALWAYS_ANSWERED = ("/healthz", "/static/")


class Gate:
    """Refuses unknown hosts, and adds the headers that every answer has.

    Requests to an endpoint go there directly; the app gets all others. Until the app can answer,
    all are sent to the waiting room.
    """

    def __init__(
        self,
        app: Any,
        endpoints: Iterable[Endpoint],
        *,
        hosts: frozenset[str],
        waiting_room: WaitingRoom | None = None,
    ) -> None:
        self._app = app
        self._table = Table(endpoints)
        self.prompt_paths = self._table.prompt_paths
        self._hosts = hosts
        self._waiting_room = waiting_room
        # Why requests cannot be answered yet; None once they can.
        self.waiting_for: PlauditError | None = None
        # Host headers that were right, a few at most: they are looked at for every vote.
        self._right_hosts: set[bytes] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status, route, shared = 0, "unknown", NOTHING

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = with_headers([*message["headers"], *shared], scope["scheme"])
            await send(message)

        language.listen(scope)

        try:
            self._check_host(scope)
            if self.waiting_for is not None and not scope["path"].startswith(ALWAYS_ANSWERED):
                await self._wait(self.waiting_for, scope, receive, sending)
                return
            shared = headers_for(scope, self._site)
            if is_preflight(scope):
                await send_answer(sending, preflight(shared), scope["scheme"])
                return
            endpoint = self._table.find(scope)
            if endpoint is None:
                await self._app(scope, receive, sending)
                route = getattr(scope.get("route"), "path", route)
            else:
                route = endpoint.path
                scope["app"] = self._app
                # Whoever has a key is a program, and no page of another site.
                shared = NOTHING if endpoint.scope else shared
                answer = await endpoint.answer(scope, receive)
                if isinstance(answer, Answered):
                    status = answer.status
                    await send_answer(send, answer, scope["scheme"], shared)
                else:
                    await answer(scope, receive, sending)
        except Exception as error:
            problem = problem_of(error)
            if problem.status >= 500:
                _log(error, problem, scope)
            if not status:
                await send_problem(sending, problem, scope)
        finally:
            requests_by(route, status).inc()
            SECONDS.observe(time.perf_counter() - began)

    @property
    def _site(self) -> Any:
        """The service behind the app; None before its store is open."""
        return getattr(getattr(self._app, "state", None), "site", None)

    def prompt(self, scope: Scope, body: bytes, reply: Reply) -> bool:
        """Answers a request without a task, if its endpoint can; `PromptHttp` calls it.

        It replies now or later, as `__call__` would. If it returns false it has done nothing.
        """
        endpoint = self._table.prompt(scope) if self.waiting_for is None else None
        if endpoint is None:
            return False
        exchange = _Prompt(endpoint.path, scope, reply, headers_for(scope, self._site))
        try:
            self._check_host(scope)
            call = Call(scope, self._app.state.site, endpoint.decode(body))
            return endpoint.prompt(call, exchange.done)
        except Exception as error:
            exchange.done(error)
        return True

    async def _wait(self, why: PlauditError, scope: Scope, receive: Receive, send: Send) -> None:
        if self._waiting_room is None:
            raise why
        await self._waiting_room(why, scope, receive, send)

    def _check_host(self, scope: Scope) -> None:
        if "*" in self._hosts:
            return
        host = b""
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
                break
        if host in self._right_hosts:
            return
        if _without_port(host.decode("latin-1")) not in self._hosts:
            raise Problem(
                421, "unknown_host", "This service does not answer to that host name. Those who "
                "run it set its address with --public-url."
            )  # fmt: skip
        if len(self._right_hosts) < MOST_HOSTS:
            self._right_hosts.add(host)


class _Prompt:
    """One request that is answered without a task."""

    __slots__ = ("_began", "_reply", "_route", "_scope", "_shared")

    def __init__(self, route: str, scope: Scope, reply: Reply, shared: Headers) -> None:
        self._began = time.perf_counter()
        self._route = route
        self._scope = scope
        self._reply = reply
        self._shared = _lines(shared)

    def done(self, outcome: Any) -> None:
        """Replies with a struct or an error."""
        scheme = self._scope["scheme"]
        if isinstance(outcome, Exception):
            status, head, body = self._problem(outcome, scheme)
        else:
            status, body = 200, _encode(outcome)
            head = _JSON_LINES[scheme == "https"] + b"content-length: %d\r\n" % len(body)
        self._reply(status, head + self._shared, body)
        requests_by(self._route, status).inc()
        SECONDS.observe(time.perf_counter() - self._began)

    def _problem(self, error: Exception, scheme: str) -> tuple[int, bytes, bytes]:
        problem = problem_of(error)
        if problem.status >= 500:
            _log(error, problem, self._scope)
        body = problem.body(language.writer_for_program(self._scope))
        return problem.status, _lines(with_headers(problem_headers(problem, body), scheme)), body


@cache
def requests_by(route: str, status: int) -> Any:
    """The counter for a route and a status."""
    return REQUESTS.labels(route, str(status))


def with_headers(headers: Iterable[tuple[bytes, bytes]], scheme: str) -> list[tuple[bytes, bytes]]:
    """The headers with those that protect; a policy that the page sets itself stays.

    Those of a page also say its language.
    """
    given = list(headers)
    named = {name for name, _ in given}
    given.extend(header for header in (*HEADERS, _DEFAULT_POLICY) if header[0] not in named)
    if scheme == "https":
        given.append(_STRICT_TRANSPORT)
    if any(name == b"content-type" and kind.startswith(b"text/html") for name, kind in given):
        given.extend(language.headers_of_page(scheme))
    return given


async def send_answer(
    send: Send, answer: Answered, scheme: str, more: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Answers with JSON."""
    body = _encode(answer.body) if answer.body is not None else b""
    size = (b"content-length", b"%d" % len(body))
    headers = [*_JSON_HEADERS, size, *answer.headers, *more]
    if scheme == "https":
        headers.append(_STRICT_TRANSPORT)
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def problem_headers(problem: Problem, body: bytes) -> list[tuple[bytes, bytes]]:
    """The headers of an error, but for those that every answer has."""
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    if problem.retry:
        headers.append((b"retry-after", str(problem.retry).encode()))
    if problem.allow:
        headers.append((b"allow", problem.allow.encode()))
    if problem.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    return headers


async def send_problem(send: Send, problem: Problem, scope: Scope) -> None:
    """Answers with an error, in the language that the request asks for; English is the default."""
    body = problem.body(language.writer_for_program(scope))
    headers = problem_headers(problem, body)
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _log(error: Exception, problem: Problem, scope: Scope) -> None:
    """One line in a while: a refusal by its words, something unexpected with its traceback."""
    method, path = scope["method"], _loggable(scope["path"])
    if isinstance(error, PlauditError):
        words = "%s %r was refused: %s"
        rarely.say(f"refused {problem.code} {error}", words, method, path, _one_line(error))
    else:
        kind = f"failed {type(error).__name__} {scope.get('route') or path}"
        rarely.say(kind, "%s %r failed", method, path, level=logging.ERROR, exc_info=error)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _loggable(path: str) -> str:
    """A path without the secret part of a link."""
    return WELCOME if path.startswith(WELCOME) else path


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
