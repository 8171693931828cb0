"""What one connection, and one address, may take of the server."""

import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from plaudit.store import open_store
from plaudit.web.app import Serving
from plaudit.web.http.prompt import bounded
from plaudit.web.http.protocol import BoundedHttp, Limits
from support.live_worker import create
from support.network.cutting_proxy import whole_message
from support.served_site import served

SECRET = "a secret for the tests of connections"
GET = b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
SHORT = Limits(head_seconds=0.4, stuck_seconds=0.6, an_address=3)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("served") / "votes.db")
    store = open_store(path)
    create(store)
    store.close()
    return path


@pytest.fixture(scope="module")
def patient(database: str) -> Iterator[int]:
    """The port of a service with the limits of every day."""
    with served(Serving(database, SECRET)) as url:
        yield int(url.rpartition(":")[2])


class Seen(BoundedHttp):
    """Notes the most that any connection ever held."""

    requests, held = 0, 0
    limits, open_connections = SHORT, BoundedHttp.open_connections

    def _parse(self, data: bytes) -> None:
        super()._parse(data)
        Seen.requests = max(Seen.requests, len(self.pipeline))
        Seen.held = max(Seen.held, len(self._held))


@pytest.fixture(scope="module")
def strict(database: str) -> Iterator[int]:
    """The port of a service that loses patience in no time."""
    with served(Serving(database, SECRET), Seen) as url:
        yield int(url.rpartition(":")[2])


def line_to(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 20)


def read_until_closed(line: socket.socket) -> bytes:
    parts = []
    try:
        while part := line.recv(65536):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


def statuses(answer: bytes) -> list[str]:
    return re.findall(r"HTTP/1\.1 (\d+)", answer.decode("latin-1"))


@pytest.mark.parametrize("size", [1, 7, 1000, 10**6])
def test_pipelined_requests_are_answered_in_order(patient: int, size: int) -> None:
    """Whatever the pieces in which they arrive, and with bodies between them."""
    body = b"x" * 3000
    post = b"POST /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s"
    chunked = b"POST /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunked += b"".join(b"%x\r\n%s\r\n" % (len(body), body) for _ in range(2)) + b"0\r\n\r\n"
    paths = [b"/healthz", b"/nothing", b"/c/captions"]
    sent = b"".join(GET % path for path in paths * 20)
    sent += (post % (len(body), body) + GET % b"/nothing") * 5 + (chunked + GET % b"/healthz") * 5
    sent += b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    step = size if len(sent) / size < 3000 else 7
    with line_to(patient) as line:
        for start in range(0, len(sent), step):
            line.sendall(sent[start : start + step])
        answer = read_until_closed(line)
    wanted = ["200", "404", "200"] * 20 + ["405", "404"] * 5 + ["405", "200"] * 5 + ["200"]
    assert statuses(answer) == wanted


def test_an_upload_goes_to_the_parser_in_large_pieces(patient: int) -> None:
    size = 8 * 2**20
    head = b"POST /api/v1/restore HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer no\r\n"
    with line_to(patient) as line:
        line.sendall(head + b"Content-Length: %d\r\n\r\n" % size)
        line.sendall(bytes(size))
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert statuses(read_until_closed(line)) == ["401", "200"]


def flood(port: int, seconds: float) -> tuple[int, bool]:
    """Sends requests without end and reads nothing; bytes taken, and whether it was cut off."""
    part = GET % b"/healthz" * 2000
    with line_to(port) as line:
        line.settimeout(0.1)
        taken, give_up = 0, time.monotonic() + seconds
        while time.monotonic() < give_up:
            try:
                taken += line.send(part[taken % len(part) :])
            except TimeoutError:
                pass
            except ConnectionError:
                return taken, True
    return taken, False


def test_a_flood_is_held_back_and_then_cut_off(strict: int) -> None:
    taken, cut_off = flood(strict, 20)
    assert cut_off
    # What is in one piece for the parser, and what one read of the socket brings.
    assert 0 < Seen.requests <= 30
    assert Seen.held <= 2**20
    assert taken < 16 * 2**20


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /healthz HT",
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
        b"POST /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf",
    ],
    ids=["nothing", "half a line", "half a head", "half a body"],
)
def test_half_of_a_request_is_not_waited_for(strict: int, sent: bytes) -> None:
    with line_to(strict) as line:
        began = time.monotonic()
        line.sendall(sent)
        assert statuses(read_until_closed(line)) == (["405"] if sent.endswith(b"half") else [])
        assert time.monotonic() - began < 10


def test_a_trickle_is_not_waited_for(strict: int) -> None:
    with line_to(strict) as line:
        line.settimeout(0.05)
        for _ in range(400):
            try:
                line.sendall(b"\r\n")
                if line.recv(100) == b"":
                    return
            except TimeoutError:
                continue
            except ConnectionError:
                return
    pytest.fail("it was waited for")


@contextmanager
def crowded(database: str, limits: Limits, **given: list[str]) -> Iterator[int]:
    with served(Serving(database, SECRET), bounded(limits, **given)) as url:
        yield int(url.rpartition(":")[2])


def ask_on(line: socket.socket) -> str:
    """The status of an answer; "" if the connection was reset, as it may be when turned away."""
    try:
        line.sendall(GET % b"/healthz")
        return "".join(statuses(whole_message(line)))
    except ConnectionError:
        return ""


def test_pauses_are_no_reason_to_cut_off(database: str) -> None:
    """A connection lives on if each pause is shorter than the limit, and all are longer."""
    limits = Limits(head_seconds=1.5)
    with crowded(database, limits) as port, line_to(port) as line:
        for _ in range(5):
            assert ask_on(line) == "200"
            time.sleep(0.5)


def test_an_address_has_only_so_many_connections(database: str, tmp_path: Path) -> None:
    with crowded(database, Limits(an_address=3)) as port, ExitStack() as lines:
        held = [lines.enter_context(line_to(port)) for _ in range(3)]
        assert [ask_on(line) for line in held] == ["200"] * 3
        with line_to(port) as one_more:
            refused = read_until_closed(one_more)
            assert statuses(refused) == ["503"]
            assert b"retry-after: 2" in refused
        assert [ask_on(line) for line in held] == ["200"] * 3
        held[0].close()
        give_up = time.monotonic() + 10
        while True:
            with line_to(port) as again:
                if ask_on(again) == "200":
                    return
            assert time.monotonic() < give_up, "a place that was left stays taken"


@pytest.mark.parametrize("proxies", [["127.0.0.1"], ["127.0.0.0/8", "proxy.example"], ["*"]])
def test_a_proxy_may_have_any_number(database: str, proxies: list[str]) -> None:
    with crowded(database, Limits(an_address=2), proxies=proxies) as port, ExitStack() as lines:
        held = [lines.enter_context(line_to(port)) for _ in range(6)]
        assert [ask_on(line) for line in held] == ["200"] * 6


def test_no_limit(database: str) -> None:
    with crowded(database, Limits(an_address=0)) as port, ExitStack() as lines:
        held = [lines.enter_context(line_to(port)) for _ in range(6)]
        assert [ask_on(line) for line in held] == ["200"] * 6
