"""The HTTP protocol of the server, with limits on what one connection may take.

uvicorn parses all that comes in at once, and reads on after every answer: a stranger who sends
requests without end and reads nothing fills the memory. Here the parser gets a small piece at a
time, and nothing is read while a request waits for its turn. Whoever takes too long to say
something, or to take an answer, is cut off.
"""

from typing import Any, NamedTuple

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from plaudit.web.addresses import OpenConnections

# Method, address and headers; cookies and tokens take a few hundred bytes.
MOST_HEAD_BYTES = 256 * 1024
# The parser gets this much at a time where requests may follow each other.
PIECE_BYTES = 1024

_FULL = b'{"error":{"code":"try_again","message":"Your address has too many connections open."}}'
_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n"
    b"retry-after: 2\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (len(_FULL), _FULL)
)


class Limits(NamedTuple):
    """What one connection, and one address, may take."""

    # From the start of a connection, or its last answer, to the end of the next request's headers.
    head_seconds: float = 15.0
    # A client that takes nothing of its answer for this long is gone.
    stuck_seconds: float = 30.0
    # Open connections of one address; 0 for any number.
    an_address: int = 512


class _Flow(FlowControl):
    """uvicorn's flow control, which asks the protocol before it reads on."""

    def __init__(self, protocol: "BoundedHttp", transport: Any) -> None:
        super().__init__(transport)
        self._protocol = protocol

    def resume_reading(self) -> None:
        """Reads on, once all that was read is parsed."""
        if self._protocol.parse_held():
            super().resume_reading()


class BoundedHttp(HttpToolsProtocol):
    """uvicorn's own protocol within limits; `prompt.bounded` makes a class with other ones."""

    limits = Limits()
    open_connections = OpenConnections(limits.an_address)

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._in_head = self._in_body = self._answering = self._is_parsing = False
        self._head_bytes = self._body_bytes = 0
        self._held, self._parsed = b"", 0
        self._quiet_since: float | None = None
        self._stuck_since: float | None = None
        self._counted = ""
        self._pace: Any = None

    # The connection

    def connection_made(self, transport: Any) -> None:
        """Counts the connection, and turns it away if its address has too many."""
        super().connection_made(transport)
        self.flow = _Flow(self, transport)
        address = self.client[0] if self.client else ""
        if address and not self.open_connections.enter(address):
            transport.write(_TOO_MANY)
            transport.close()
            return
        self._counted = address
        self._quiet_since = self.loop.time()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        if self._counted:
            self.open_connections.leave(self._counted)
        if self._pace is not None:
            self._pace.cancel()
        self._held = b""
        self.pipeline.clear()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Cuts the connection off if the other side has been waited for too long."""
        now, limits = self.loop.time(), self.limits
        quiet = 0.0 if self._quiet_since is None else now - self._quiet_since
        stuck = 0.0 if self._stuck_since is None else now - self._stuck_since
        if quiet >= limits.head_seconds or stuck >= limits.stuck_seconds:
            self.transport.abort()
            return
        pause = min(limits.head_seconds, limits.stuck_seconds) / 4
        self._pace = self.loop.call_later(pause, self._watch)

    def pause_writing(self) -> None:
        """The other side does not take its answer."""
        self._stuck_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The other side goes on reading."""
        self._stuck_since = None
        super().resume_writing()

    # What comes in

    def data_received(self, data: bytes) -> None:
        """Takes what came in; the parser gets it as the requests before it are answered."""
        if self.transport.is_closing():
            return
        if not self._held and not self.pipeline and len(data) <= PIECE_BYTES:
            self._parse(data)
            return
        self._held, self._parsed = self._held[self._parsed :] + data, 0
        if not self.parse_held():
            self.flow.pause_reading()

    def parse_held(self) -> bool:
        """Parses what is held, up to the first request that must wait; true if nothing is left."""
        while self._held and not self._must_wait():
            start, self._parsed = self._parsed, self._parsed + self._next_piece()
            piece = self._held[start : self._parsed]
            if self._parsed >= len(self._held):
                self._held, self._parsed = b"", 0
            self._parse(piece)
        return not self._held and not self._must_wait()

    def _must_wait(self) -> bool:
        # While an answer ends, uvicorn itself starts the next request. An answer that ends while
        # its request is being parsed leaves the rest to whoever is parsing.
        busy = self._answering or self._is_parsing
        return bool(self.pipeline) or busy or self.transport.is_closing()

    def _next_piece(self) -> int:
        """How much the parser may get: the rest of a body whole, all else in small pieces."""
        if not self._in_body:
            return PIECE_BYTES
        declared = next((value for name, value in self.headers if name == b"content-length"), b"")
        left = int(declared) - self._body_bytes if declared.isdigit() else 0
        return max(PIECE_BYTES, left)

    def _parse(self, data: bytes) -> None:
        self._is_parsing = True
        super().data_received(data)
        self._is_parsing = False
        if self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES and not self.transport.is_closing():
                self.transport.close()

    # What the parser finds

    def on_message_begin(self) -> None:
        """A request begins."""
        self._in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The headers are complete."""
        self.note_head()
        super().on_headers_complete()

    def note_head(self) -> None:
        """Notes that the headers are complete: nobody is waited for until the answer."""
        self._in_head, self._in_body, self._body_bytes = False, True, 0
        self._quiet_since = None

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer is complete: the next request is answered or read."""
        if not self.pipeline:
            self._quiet_since = self.loop.time()
        self._answering = True
        super().on_response_complete()
        self._answering = False
        if not self.transport.is_closing():
            self.flow.resume_reading()
