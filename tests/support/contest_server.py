"""A real HTTP server on this machine that sends contest files well, badly or not at all.

And an empty cache for what is downloaded from it.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

RANKED = b"rank,caption,mean,precision,votes,not_funny,somewhat_funny,funny\n"
UNRANKED = b"caption,mean,precision,votes,not_funny,somewhat_funny,funny\n"


def summary(items: int = 50, *, ranked: bool = False) -> bytes:
    """A small contest: item i has i + 1 votes at each level."""
    rows = [
        (b"%d," % item if ranked else b"")
        + b'"Caption %d, or so",2.0,0.1,%d,%d,%d,%d\n' % (item, 3 * n, n, n, n)
        for item, n in enumerate(range(1, items + 1))
    ]
    return (RANKED if ranked else UNRANKED) + b"".join(rows)


class ContestServer(ThreadingHTTPServer):
    """Sends `files` by name, in the manner set for that name; notes the names requested."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.manners: dict[str, str] = {}
        self.asked: list[str] = []
        self.half_sent = threading.Event()
        self.go_on = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/summaries/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing: clients that disconnect are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    server: ContestServer

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        self.server.asked.append(name)
        body = self.server.files.get(name)
        if body is None:
            self.send_error(404)
            return
        getattr(self, f"send_{self.server.manners.get(name, 'whole')}")(body)

    def begin(self, *headers: tuple[str, str]) -> None:
        self.send_response(200)
        for header in headers:
            self.send_header(*header)
        self.end_headers()

    def send_whole(self, body: bytes) -> None:
        self.begin(("Content-Length", str(len(body))))
        self.wfile.write(body)

    def send_short(self, body: bytes) -> None:
        self.begin(("Content-Length", str(len(body))))
        self.wfile.write(body[: len(body) // 2])

    def send_unannounced(self, body: bytes) -> None:
        """Without a length: the end of the connection is the end of the file."""
        self.begin()
        self.wfile.write(body)

    def send_chunked_and_cut(self, body: bytes) -> None:
        self.protocol_version = "HTTP/1.1"
        self.begin(("Transfer-Encoding", "chunked"))
        part = body[: len(body) // 2]
        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.close_connection = True

    def send_half_and_wait(self, body: bytes) -> None:
        self.begin(("Content-Length", str(len(body))))
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        self.server.half_sent.set()
        self.server.go_on.wait(60)

    def send_refusal(self, body: bytes) -> None:
        self.send_error(503)

    def log_message(self, format: str, *args: object) -> None:
        """Writes nothing to standard error."""


@contextmanager
def serving() -> Iterator[ContestServer]:
    with ContestServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.go_on.set()
            server.shutdown()
            thread.join()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder, in a user's cache that is empty."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("PLAUDIT_DATA", raising=False)
    return home / "cache" / "plaudit" / "contests"
