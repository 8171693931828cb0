"""The gate, which every request passes first: hosts, headers, errors, counting."""

import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import msgspec

from plaudit.errors import PlauditError
from plaudit.service.rare_log import rarely
from plaudit.web import language
from plaudit.web.answering import (
    JSON_LINES,
    lines_of,
    problem_headers,
    send_answer,
    send_problem,
    with_headers,
)
from plaudit.web.cross_origin import NOTHING, Headers, headers_for, is_preflight, preflight
from plaudit.web.endpoint import (
    Answered,
    Call,
    Endpoint,
    Message,
    PromptEndpoint,
    Receive,
    Scope,
    Send,
    Table,
)
from plaudit.web.http.heads import Head, Heads
from plaudit.web.http.prompt import Reply
from plaudit.web.metrics import REQUESTS, SECONDS
from plaudit.web.problem import Problem, problem_of
from plaudit.web.site import Site

_encode = msgspec.json.Encoder().encode

# After this in an address comes the secret part of a link.
WELCOME = "/desk/welcome/"
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
        self.heads = Heads()
        # The service behind the app; None before its store is open.
        self.site: Site | None = None
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
            shared = headers_for(scope, self.site)
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
            REQUESTS.counts[route, str(status)] += 1
            SECONDS.add(time.perf_counter() - began)

    def prompt(self, head: Head, scope: Scope, body: bytes, reply: Reply) -> bool:
        """Answers a request without a task, if its endpoint can; `PromptHttp` calls it.

        It replies now or later, as `__call__` would. If it returns false it has done nothing.
        """
        site = self.site
        if site is None or self.waiting_for is not None:
            return False
        known: _Known | None = head.known or self._known(head, scope)
        if known is None:
            return False
        endpoint = known.endpoint
        scope["path_params"] = known.named
        shared = headers_for(scope, site) if known.has_origin else NOTHING
        call = _Prompt(scope, site, endpoint.path, reply, shared)
        call.kept = known.kept
        try:
            if not known.is_host_right:
                self._check_host(scope)
                known.is_host_right = True
            call.body = endpoint.decode(body)
            return endpoint.prompt(call, call.done)
        except Exception as error:
            call.done(error)
        return True

    def _known(self, head: Head, scope: Scope) -> "_Known | None":
        """What follows from the head of a request alone; None if no endpoint answers promptly."""
        endpoint = self._table.prompt(scope)
        if endpoint is not None:
            has_origin = any(name == b"origin" for name, _ in head.headers)
            head.known = _Known(endpoint, scope["path_params"], has_origin)
        known: _Known | None = head.known
        return known

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


class _Known:
    """What the head of a request says: its endpoint, the names in its path, and a site's page.

    `kept` is for the endpoint, to keep what it finds in the same head.
    """

    __slots__ = ("endpoint", "has_origin", "is_host_right", "kept", "named")

    def __init__(self, endpoint: PromptEndpoint, named: dict[str, str], has_origin: bool) -> None:
        self.endpoint = endpoint
        self.named = named
        self.has_origin = has_origin
        self.is_host_right = False
        self.kept: dict[str, Any] = {}


class _Prompt(Call):
    """One request that is answered without a task."""

    __slots__ = ("_reply", "_route", "_shared")

    def __init__(self, scope: Scope, site: Site, route: str, reply: Reply, shared: Headers) -> None:
        super().__init__(scope, site, None)
        self._route = route
        self._reply = reply
        self._shared = shared

    def done(self, outcome: Any) -> None:
        """Replies with a struct or an error."""
        scheme = self.scope["scheme"]
        if isinstance(outcome, Exception):
            status, head, body = self._problem(outcome, scheme)
        else:
            status, body = 200, _encode(outcome)
            head = JSON_LINES[scheme == "https"] + b"content-length: %d\r\n" % len(body)
        if self._shared:
            head += lines_of(self._shared)
        self._reply(status, head, body)
        REQUESTS.counts[self._route, str(status)] += 1
        SECONDS.add(time.monotonic() - self.began)

    def _problem(self, error: Exception, scheme: str) -> tuple[int, bytes, bytes]:
        problem = problem_of(error)
        if problem.status >= 500:
            _log(error, problem, self.scope)
        body = problem.body(language.writer_for_program(self.scope))
        return problem.status, lines_of(with_headers(problem_headers(problem, body), scheme)), body


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
