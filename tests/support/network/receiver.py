"""A receiver of webhooks on a port of this machine, which behaves as badly as it is told."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple


class Received(NamedTuple):
    """A request that came in."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


Behaviour = Callable[["Receiver", socket.socket], None]


def answers(status: int, *headers: str, body: bytes = b"") -> Behaviour:
    """Answers with a status."""

    def behave(receiver: "Receiver", side: socket.socket) -> None:
        lines = [f"HTTP/1.1 {status} Said", *headers, f"content-length: {len(body)}", "", ""]
        side.sendall("\r\n".join(lines).encode() + body)

    return behave


def hangs(receiver: "Receiver", side: socket.socket) -> None:
    """Says nothing until the test is over, or `let_go` is called."""
    receiver.released.wait(60)


def drips(receiver: "Receiver", side: socket.socket) -> None:
    """Sends a head without end, a byte now and then."""
    with suppress(OSError):
        side.sendall(b"HTTP/1.1 200 OK\r\nx-slow: ")
        while not receiver.released.wait(0.02):
            side.sendall(b"x")


def floods(receiver: "Receiver", side: socket.socket) -> None:
    """A good status, and a body without end."""
    with suppress(OSError):
        side.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not receiver.released.is_set():
            side.sendall(b"x" * 65_536)
            receiver.sent += 65_536


def floods_head(receiver: "Receiver", side: socket.socket) -> None:
    """A head without end."""
    with suppress(OSError):
        side.sendall(b"HTTP/1.1 200 OK\r\n")
        while not receiver.released.is_set():
            side.sendall(b"x-more: " + b"x" * 4_000 + b"\r\n")
            receiver.sent += 4_010


def hangs_up(receiver: "Receiver", side: socket.socket) -> None:
    """Closes without an answer."""


def speaks_smtp(receiver: "Receiver", side: socket.socket) -> None:
    """Answers as something that is not HTTP."""
    side.sendall(b"220 mail.example.org ESMTP\r\n\r\n")


class Receiver:
    """Takes requests one thread each; `behaviours` are for the next ones, then it says 204."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        self._listening = tls.wrap_socket(listening, server_side=True) if tls else listening
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.behaviours: list[Behaviour] = []
        self.received: list[Received] = []
        self.came = threading.Condition()
        self.released = threading.Event()
        self.sent = 0

    def until(self, count: int, seconds: float = 30.0) -> list[Received]:
        """The requests, once there are so many."""
        with self.came:
            assert self.came.wait_for(lambda: len(self.received) >= count, seconds), (
                f"{len(self.received)} requests came, not {count}"
            )
            return list(self.received)

    def let_go(self) -> None:
        """Ends whatever hangs."""
        self.released.set()

    def accept(self) -> None:
        """Takes connections until it is closed."""
        while True:
            try:
                side, _ = self._listening.accept()
            except ssl.SSLError:
                continue  # whoever came did not like the certificate
            except OSError:
                return
            threading.Thread(target=self._serve, args=(side,), daemon=True).start()

    def close(self) -> None:
        """Takes no more connections."""
        self.let_go()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _serve(self, side: socket.socket) -> None:
        with side, suppress(OSError):
            request = _read(side)
            if request is None:
                return
            with self.came:
                behave = self.behaviours.pop(0) if self.behaviours else answers(204)
                self.received.append(request)
                self.came.notify_all()
            behave(self, side)


def _read(side: socket.socket) -> Received | None:
    found = b""
    while b"\r\n\r\n" not in found:
        piece = side.recv(65_536)
        if not piece:
            return None
        found += piece
    head, _, body = found.partition(b"\r\n\r\n")
    line, *rest = head.decode("latin-1").split("\r\n")
    headers = dict(each.split(": ", 1) for each in rest)
    while len(body) < int(headers.get("content-length", 0)):
        body += side.recv(65_536)
    return Received(line, headers, body)


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver, until the end of the block."""
    receiver = Receiver(tls)
    thread = threading.Thread(target=receiver.accept, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.close()
        thread.join()
