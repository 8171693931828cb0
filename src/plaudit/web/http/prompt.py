"""The HTTP protocol of the server, which answers votes and asks of known raters without a task.

uvicorn makes a task, an event and several queues for each request. Most requests of a busy service
need none of them: they are answered at once, or by a call once they are in the log. Here such a
request goes straight to the app, if all of it came at once and nothing waits before it; if its head
came before, it is not even parsed. Any other, and one that the app gives back, goes uvicorn's way,
as if this were not here.
"""

import re
from collections.abc import Callable, Iterable, MutableMapping
from functools import lru_cache
from typing import Any

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from plaudit.web.addresses import OpenConnections
from plaudit.web.http.heads import END, Head, Heads
from plaudit.web.http.protocol import BoundedHttp, Limits

Scope = MutableMapping[str, Any]
# Status, headers as lines, and body.
Reply = Callable[[int, bytes, bytes], None]
Prompt = Callable[[Head, Scope, bytes, Reply], bool]
# Addresses with any of these are taken apart in the usual way.
_ODD = re.compile(rb"[%?#\x80-\xff]")
# Longer bodies go the usual way, which has its limits.
MOST_BYTES = 4096
# Of an app that takes no such requests.
_NO_HEADS = Heads()


class _NoEvent:
    """Nobody waits for the events of an exchange."""

    def set(self) -> None:
        """Does nothing."""


class Exchange:
    """A request and its answer; to uvicorn it looks like one of its own cycles."""

    __slots__ = ("_protocol", "disconnected", "keep_alive", "response_complete")
    message_event = _NoEvent()

    def __init__(self, protocol: "PromptHttp", *, keep_alive: bool) -> None:
        self._protocol = protocol
        self.keep_alive = keep_alive
        self.response_complete = self.disconnected = False

    def reply(self, status: int, head: bytes, body: bytes) -> None:
        """Sends the answer; only the first one counts."""
        if not self.response_complete:
            self.response_complete = True
            self._protocol.write(status, head, body, keep_alive=self.keep_alive)


class PromptHttp(BoundedHttp):
    """The bounded protocol. An app that has `prompt` and `prompt_paths` gets such requests.

    `prompt(head, scope, body, reply)` returns whether it replies, now or later; `prompt_paths` are
    the ends of the paths that it may take, and `heads` those that came before.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        proxies = self.app if isinstance(self.app, ProxyHeadersMiddleware) else None
        app: Any = self.app if proxies is None else proxies.app
        self._proxies = proxies
        self._prompt: Prompt = getattr(app, "prompt", _never)
        self._paths: tuple[bytes, ...] = getattr(app, "prompt_paths", ())
        self._heads: Heads = getattr(app, "heads", _NO_HEADS)
        # The body so far of a request that may be answered without a task.
        self._prompt_body: bytes | None = None
        self._dated: tuple[object, bytes] = (None, b"")
        # Whether the parser is between two requests, and what it got when it last was.
        self._between = True
        self._fresh = b""

    # What comes in

    def data_received(self, data: bytes) -> None:
        """Takes what came in; a whole request with a head that came before is not parsed."""
        if self._between and not self._held:
            end = data.find(END) + len(END)
            head = self._heads.find(data[:end])
            if head is not None and len(data) == end + head.length and self._is_free():
                self._unset_keepalive_if_required()
                self._quiet_since = None
                if self._take(head, data[end:], keep_alive=True):
                    return
        super().data_received(data)

    def _is_free(self) -> bool:
        """Whether a request that comes now is the next to be answered."""
        return (
            (self.cycle is None or self.cycle.response_complete)
            and not self.pipeline
            and not self.flow.write_paused
            and not self.transport.is_closing()
        )

    def _parse(self, data: bytes) -> None:
        self._fresh = data if self._between else b""
        super()._parse(data)
        if self._prompt_body is not None:
            # The rest of the body may take long, and the usual way has limits for that.
            self._go_the_usual_way()

    # What the parser finds

    def on_message_begin(self) -> None:
        """A request begins. uvicorn's scope is made only if it goes the usual way."""
        self._between = False
        self._in_head, self._head_bytes = True, 0
        self.url, self.headers, self.expect_100_continue = b"", [], False

    def on_headers_complete(self) -> None:
        """Waits for the body, if the request may be answered without a task."""
        if self._may_be_prompt():
            self.note_head()
            self._prompt_body = b""
        else:
            self._go_the_usual_way()

    def _may_be_prompt(self) -> bool:
        return (
            self.url.endswith(self._paths)
            and not _ODD.search(self.url)
            and self._is_free()
            and not self.expect_100_continue
            and self.parser.get_method() == b"POST"
            and not self.parser.should_upgrade()
        )

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        if self._prompt_body is None:
            super().on_body(body)
            return
        self._prompt_body += body
        if len(self._prompt_body) > MOST_BYTES:
            self._go_the_usual_way()

    def on_message_complete(self) -> None:
        """The request is complete: it is answered, or goes the usual way."""
        self._between = True
        body = self._prompt_body
        if body is not None and self._answer(body):
            self._in_body = False
            return
        if body is not None:
            self._go_the_usual_way()
        super().on_message_complete()

    def _answer(self, body: bytes) -> bool:
        """Whether the app replies to the request that was parsed; its head is kept then."""
        request, self._fresh = self._fresh, b""
        head = Head(self.url.decode("ascii"), self.headers, len(body))
        version = self.parser.get_http_version()
        keeps = version != "1.0" and self.parser.should_keep_alive()
        # An answer that comes at once ends this request, and the next one may begin.
        self._prompt_body = None
        taken = self._take(head, body, keep_alive=keeps)
        if not taken:
            self._prompt_body = body
        elif keeps and version == "1.1":
            self._heads.keep(request, head, body)
        return taken

    def _go_the_usual_way(self) -> None:
        """Tells uvicorn of the request so far."""
        body, self._prompt_body = self._prompt_body, None
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects
        self.headers.extend(headers)
        super().on_headers_complete()
        if body:
            super().on_body(body)

    def _take(self, head: Head, body: bytes, *, keep_alive: bool) -> bool:
        """Whether the app replies to a request without a task."""
        before = self.cycle
        scope: Scope = {
            "type": "http", "method": "POST", "path": head.path, "headers": head.headers,
            "client": self.client, "scheme": self.scheme,
        }  # fmt: skip
        if self._proxies is not None:
            believe(self._proxies, scope)
        exchange = Exchange(self, keep_alive=keep_alive)
        self.cycle = exchange  # type: ignore[assignment]
        taken = self._prompt(head, scope, body, exchange.reply)
        if not taken:
            self.cycle = before
        return taken

    # The answer

    def write(self, status: int, head: bytes, body: bytes, *, keep_alive: bool) -> None:
        """Writes an answer; then the next request is answered or read."""
        if not self.transport.is_closing():
            end = b"\r\n" if keep_alive else b"connection: close\r\n\r\n"
            self.transport.write(b"".join((STATUS_LINE[status], self._date(), head, end, body)))
            if not keep_alive:
                self.transport.close()
        if self.pipeline or self._held or self.flow.read_paused or not keep_alive:
            self.on_response_complete()
        else:
            # The same for a connection on which nothing waits: `_watch` ends it if it stays idle.
            self.server_state.total_requests += 1
            self._quiet_since = self.loop.time()

    def _date(self) -> bytes:
        """The headers that uvicorn adds to every answer; it makes a new list once a second."""
        given = self.server_state.default_headers
        if self._dated[0] is not given:
            self._dated = (given, b"".join(b"%s: %s\r\n" % header for header in given))
        return self._dated[1]


def _never(head: Head, scope: Scope, body: bytes, reply: Reply) -> bool:
    return False


async def _nowhere(*given: Any) -> None:
    """An app that does nothing."""


@lru_cache(16)
def _alone(proxies: ProxyHeadersMiddleware) -> ProxyHeadersMiddleware:
    """One that trusts the same proxies, without an app behind it."""
    alone = ProxyHeadersMiddleware(_nowhere)
    alone.trusted_hosts = proxies.trusted_hosts
    return alone


def believe(proxies: ProxyHeadersMiddleware, scope: Scope) -> None:
    """Writes into a scope what named proxies say of the client, as uvicorn itself would."""
    try:
        # Nothing in it waits, so that one step is all of it.
        _alone(proxies)(scope, None, None).send(None)  # type: ignore[arg-type]
    except StopIteration:
        return


def bounded(limits: Limits, *, proxies: Iterable[str] = ()) -> type[PromptHttp]:
    """The protocol with these limits; connections of proxies are not counted."""
    counted = OpenConnections(limits.an_address, free=proxies)

    class Bounded(PromptHttp):
        """The protocol of one server."""

    Bounded.limits, Bounded.open_connections = limits, counted
    return Bounded
