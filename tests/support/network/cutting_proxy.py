"""A proxy that cuts connections: once a request was sent on, or in the middle of its answer."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

PIECE = 65_536


class CuttingProxy:
    """Passes everything on, and cuts the next requests whose bytes have one of these texts.

    Each of `cuts` is the text, and how many bytes of the answer come through: None cuts as soon
    as the request was sent on, without waiting for an answer.
    """

    def __init__(self, target: str) -> None:
        place = urlsplit(target)
        assert place.hostname
        assert place.port
        self._target = (place.hostname, place.port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.cuts: list[tuple[bytes, int | None]] = []
        self.cut = 0

    def accept(self) -> None:
        """Takes connections until it is closed."""
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def close(self) -> None:
        """Takes no more connections."""
        # A thread that waits in accept() is woken by this, not by closing alone.
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.create_connection(self._target) as server, suppress(OSError):
            while asked := whole_message(client):
                server.sendall(asked)
                if self.cuts and self.cuts[0][0] in asked:
                    through = self.cuts.pop(0)[1]
                    self.cut += 1
                    if through is not None:
                        client.sendall(whole_message(server)[:through])
                    return
                client.sendall(whole_message(server))


def whole_message(side: socket.socket) -> bytes:
    """A whole request or answer; nothing if the other side has hung up."""
    found = b""
    while not _is_whole(found):
        piece = side.recv(PIECE)
        if not piece:
            return b""
        found += piece
    return found


def _is_whole(message: bytes) -> bool:
    head, end, body = message.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    if b"transfer-encoding: chunked" in lines:
        return body.endswith(b"\r\n0\r\n\r\n")
    sizes = [line for line in lines if line.startswith(b"content-length:")]
    return bool(end) and (not sizes or len(body) >= int(sizes[0].partition(b":")[2]))


@contextmanager
def cutting(target: str) -> Iterator[CuttingProxy]:
    """A proxy before a service, until the end of the block."""
    proxy = CuttingProxy(target)
    thread = threading.Thread(target=proxy.accept, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join()
