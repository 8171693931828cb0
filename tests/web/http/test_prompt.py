"""Answers without a task are those of the usual way, in the same order and within its limits."""

import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from plaudit.service.desk.desk import Desk
from plaudit.store import open_store
from plaudit.store.contract import Item
from plaudit.web.app import Serving
from plaudit.web.http.heads import LONGEST_HEAD, Head, Heads
from plaudit.web.http.prompt import PromptHttp, believe, bounded
from plaudit.web.http.protocol import PIECE_BYTES, Limits
from support.live_worker import NAME, create, settings
from support.served_site import served

SECRET = "a secret for the tests of prompt answers"
API = f"/api/v1/contests/{NAME}"


class Counted(PromptHttp):
    """Counts the requests that were answered without a task, and those that were parsed."""

    prompt_answers = parsed = 0

    def _take(self, *given: Any, **named: Any) -> bool:
        taken = super()._take(*given, **named)
        Counted.prompt_answers += taken
        return taken

    def on_message_begin(self) -> None:
        super().on_message_begin()
        Counted.parsed += 1


class Usual(Counted):
    """Answers nothing without a task."""

    def _may_be_prompt(self) -> bool:
        return False


@pytest.fixture(scope="module", params=[Counted, Usual], ids=["prompt", "usual"])
def site(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, bool]]:
    """The port of a service, and whether it answers without tasks."""
    path = str(tmp_path_factory.mktemp("prompt") / "votes.db")
    store = open_store(path)
    create(store, 40, seed=5, skip=True, flag=True, embed=("https://example.org",))
    Desk(store).create("gone", settings(), [Item(0, "one"), Item(1, "two")])
    Desk(store).step("gone", "delete")
    store.close()
    serving = Serving(path, SECRET, rater_rate="", address_rate="")
    with served(serving, request.param) as url:
        yield int(url.rpartition(":")[2]), request.param is Counted


def line_to(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 20)


def post(path: str, body: Any, token: str = "", more: str = "") -> bytes:
    text = body if isinstance(body, str) else json.dumps(body)
    who = f"X-Plaudit-Rater: {token}\r\n" if token else ""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{who}{more}Content-Length: {len(text)}\r\n"
    return f"{head}\r\n{text}".encode()


def read_answers(line: socket.socket, count: int) -> list[tuple[int, dict[str, str], bytes]]:
    """So many answers: status, headers and body of each."""
    held, answers = b"", []
    while len(answers) < count:
        while b"\r\n\r\n" not in held:
            held += received(line)
        head, _, held = held.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        size = int(headers["content-length"])
        while len(held) < size:
            held += received(line)
        answers.append((int(first.split()[1]), headers, held[:size]))
        held = held[size:]
    assert held == b""
    return answers


def received(line: socket.socket) -> bytes:
    part = line.recv(65536)
    assert part, "it was cut off"
    return part


def sent(port: int, *requests: bytes) -> list[tuple[int, dict[str, str], bytes]]:
    """The answers to requests on one connection, each sent once the one before is answered."""
    with line_to(port) as line:
        found = []
        for request in requests:
            line.sendall(request)
            found += read_answers(line, 1)
        return found


def new_rater(port: int) -> str:
    return str(httpx2.post(f"http://127.0.0.1:{port}{API}/raters", json={}).json()["rater"])


SEEN: dict[str, list[Any]] = {}


def test_a_visit_is_answered_in_the_same_way(site: tuple[int, bool]) -> None:
    """Everything that a rater may do, and may do wrong: status, headers and body."""
    port, is_prompt = site
    token, before = new_rater(port), Counted.prompt_answers
    ((status, _, asked),) = sent(port, post(f"{API}/ask", {"count": 4}, token))
    assert status == 200
    tickets = [item["ticket"] for item in json.loads(asked)["items"]]
    votes = f"{API}/votes"
    requests = {
        "vote": post(votes, {"ticket": tickets[0], "level": 1, "response_ms": 5}, token),
        "again": post(votes, {"ticket": tickets[0], "level": 2}, token),
        "skip": post(f"{API}/skips", {"ticket": tickets[1]}, token),
        "flag": post(f"{API}/flags", {"ticket": tickets[2], "reason": "offensive"}, token),
        "cookie": post(f"{API}/ask", {}, more=f"Cookie: a=b; plaudit-{NAME}={token}\r\n"),
        "no such level": post(votes, {"ticket": tickets[3], "level": 3}, token),
        "no ticket": post(votes, {"ticket": "00", "level": 1}, token),
        "no JSON": post(votes, '{"ticket":', token),
        "not the format": post(votes, {"ticket": tickets[3]}, token),
        "nobody": post(votes, {"ticket": tickets[3], "level": 1}),
        "no rater of ours": post(votes, {"ticket": tickets[3], "level": 1}, "00" * 32),
        "no contest": post("/api/v1/contests/other/votes", {"ticket": "00", "level": 1}, token),
        "no contest named": post("/api/v1/contests//votes", {"ticket": "00", "level": 1}, token),
        "elsewhere": post("/elsewhere/votes", {"ticket": "00", "level": 1}, token),
        "a query": post(f"{votes}?a=/votes", {"ticket": tickets[0], "level": 0}, token),
        "a code in the path": post(
            f"{API[:-1]}%73/votes", {"ticket": tickets[0], "level": 0}, token
        ),
        "too long": post(votes, {"ticket": "0" * 5000, "level": 1}, token),
        "far too long": post(votes, " " * 70_000, token),
        "another host": post(votes, {}, token).replace(b"127.0.0.1", b"example.org"),
        "another method": post(votes, {}, token).replace(b"POST", b"PUT"),
    }
    answers = {name: sent(port, request)[0] for name, request in requests.items()}
    assert [answers[name][0] for name in ("vote", "again", "skip", "flag", "cookie")] == [200] * 5
    assert json.loads(answers["again"][2])["level"] == 1
    prompt = Counted.prompt_answers - before
    assert prompt == (15 if is_prompt else 0), "most were answered in the way that is tested"
    kept = {
        name: [status, tidy(headers), plain(body)]
        for name, (status, headers, body) in answers.items()
    }
    SEEN.setdefault("visit", []).append(kept)
    assert SEEN["visit"][0] == kept


def tidy(headers: dict[str, str]) -> dict[str, str]:
    """Headers but for what differs from one second or one receipt to the next."""
    return {
        name: value for name, value in headers.items() if name not in ("date", "content-length")
    }


def plain(body: bytes) -> Any:
    """A body but for tickets and receipts."""
    return re.sub(rb'"(ticket|receipt)":"[^"]*"', rb'"\1":""', body)


def test_a_deleted_draft_is_like_none(site: tuple[int, bool]) -> None:
    """Whoever votes there learns as little as where there is no contest."""
    body = {"ticket": "0" * 60, "level": 1}
    found = [
        sent(site[0], post(f"/api/v1/contests/{name}/votes", body))[0] for name in ("gone", "none")
    ]
    assert {status for status, _, _ in found} == {404}
    assert found[0][2] == found[1][2].replace(b"none", b"gone")


@pytest.mark.parametrize(
    ("origin", "may"), [("https://example.org", True), ("https://x.org", False)]
)
def test_pages_of_other_sites_are_answered_in_the_same_way(
    site: tuple[int, bool], origin: str, may: bool
) -> None:
    token = new_rater(site[0])
    more = f"Origin: {origin}\r\nAccept-Language: de\r\n"
    asked = post(f"{API}/ask", {"count": 1}, token, more)
    refused = post(f"{API}/votes", {"ticket": "x", "level": 1}, token, more)
    first, second, wrong = sent(site[0], asked, asked, refused)
    for _, headers, _ in (first, second, wrong):
        assert headers.get("access-control-allow-origin") == (origin if may else None)
        assert headers["vary"] == "Origin"
    assert (first[0], second[0], wrong[0]) == (200, 200, 400)
    english = sent(site[0], post(f"{API}/votes", {"ticket": "x", "level": 1}, token))[0]
    assert wrong[2] != english[2], "an error in the language that was asked for"


def test_a_head_that_came_before_is_not_parsed(site: tuple[int, bool]) -> None:
    """And the answers are the same, whatever the body, and whatever was sent in between."""
    port, is_prompt = site
    token = new_rater(port)
    first, second = (post(f"{API}/ask", {"count": count}, token) for count in (1, 2))
    bad = post(f"{API}/ask", '{"count": x}', token)
    usual = post(f"{API}/ask", {"count": 3}, token).replace(b"POST", b"PUT")
    before = Counted.parsed
    answers = sent(port, first, first, second, bad, usual, second, first)
    assert [status for status, _, _ in answers] == [200, 200, 200, 400, 405, 200, 200]
    assert answers[0][2] == answers[1][2] == answers[6][2]
    assert answers[2][2] == answers[5][2]
    assert Counted.parsed - before == (2 if is_prompt else 7), "the first, and that with PUT"
    # On another connection, in two parts, with more behind it, with another length.
    with line_to(port) as line:
        line.sendall(first[:-5])
        time.sleep(0.05)
        line.sendall(first[-5:] + first + post(f"{API}/ask", {"count": 10}, token))
        found = read_answers(line, 3)
    assert [len(json.loads(body)["items"]) for _, _, body in found] == [1, 1, 10]


def test_a_known_head_inside_another_request_is_none(site: tuple[int, bool]) -> None:
    """Its bytes may be the rest of a head, or a body."""
    port, _ = site
    token = new_rater(port)
    ask = post(f"{API}/ask", {"count": 1}, token)
    assert sent(port, ask)[0][0] == 200
    host = b"Host: 127.0.0.1\r\n"
    beginnings = {
        b"GET /healthz HTTP/1.1\r\n" + host + b"X-Part: ": (200, b'{"status":"alive"}'),
        b"POST %s/ask HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n" % (API.encode(), host, len(ask)): (
            400,
            b'{"error":{"code":"bad_json"',
        ),
    }
    for beginning, (status, body) in beginnings.items():
        with line_to(port) as line:
            line.sendall(beginning)
            time.sleep(0.05)
            line.sendall(ask)
            ((found, _, answer),) = read_answers(line, 1)
            assert found == status
            assert answer.startswith(body)


def test_a_known_head_of_another_rater_is_another_head(site: tuple[int, bool]) -> None:
    port, _ = site
    tokens = [new_rater(port) for _ in range(2)]
    asks = [post(f"{API}/ask", {"count": 1}, token) for token in tokens]
    found = [json.loads(body)["items"][0]["ticket"] for _, _, body in sent(port, *asks, *asks)]
    assert found[:2] == found[2:]
    assert found[0] != found[1]


def test_only_heads_that_the_parser_took_are_kept() -> None:
    head = b"POST /votes HTTP/1.1\r\nContent-Length: 2\r\n\r\n"

    def kept(request: bytes, *headers: tuple[bytes, bytes], body: bytes = b"{}") -> bool:
        heads = Heads()
        heads.keep(request, Head("/votes", list(headers), len(body)), body)
        return len(heads) == 1 and heads.find(head) is not None

    plain = (b"content-length", b"2")
    assert kept(head + b"{}", plain)
    assert not kept(b"", plain), "it did not come in one piece"
    assert not kept(b"GET / HTTP/1.1\r\n\r\n" + head + b"{}", plain), "something came before"
    assert not kept(head + b"{}", plain, plain)
    assert not kept(head + b"{}", (b"content-length", b"02"))
    assert not kept(head + b"{}", plain, (b"transfer-encoding", b"chunked"))
    assert not kept(head + b"{}", plain, body=b"}")
    assert not kept(b"x" * LONGEST_HEAD + head + b"{}", plain)


def test_the_oldest_heads_make_room() -> None:
    heads = Heads(most_bytes=1000)
    raw = [b"POST /%04d/votes HTTP/1.1\r\nContent-Length: 0\r\n\r\n" % n for n in range(100)]
    for request in raw:
        heads.keep(request, Head("/votes", [(b"content-length", b"0")], 0), b"")
        heads.keep(request, Head("/votes", [(b"content-length", b"0")], 0), b"")
    assert len(heads) == 1000 // len(raw[0])
    assert heads.find(raw[-1]) is not None
    assert heads.find(raw[0]) is None


@pytest.mark.parametrize("size", [1, 61, 1000, 10**6])
def test_pipelined_requests_are_answered_in_order(site: tuple[int, bool], size: int) -> None:
    """Whatever the pieces in which they arrive, with other requests between them."""
    port, _ = site
    token = new_rater(port)
    ((_, _, asked),) = sent(port, post(f"{API}/ask", {"count": 3}, token))
    items = json.loads(asked)["items"]
    other = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    parts = []
    for item in items:
        parts += [post(f"{API}/votes", {"ticket": item["ticket"], "level": 1}, token), other]
        parts += [post(f"{API}/ask", {"count": 1}, token), post(f"{API}/ask", "no JSON", token)]
    with line_to(port) as line:
        text = b"".join(parts)
        for start in range(0, len(text), size):
            line.sendall(text[start : start + size])
        answers = read_answers(line, len(parts))
    assert [status for status, _, _ in answers] == [200, 200, 200, 400] * 3
    voted = [json.loads(body)["item"] for _, _, body in answers[::4]]
    assert voted == [item["item"] for item in items]
    assert all(body == b'{"status":"alive"}' for _, _, body in answers[1::4])


def test_a_connection_is_closed_if_the_client_says_so(site: tuple[int, bool]) -> None:
    port, _ = site
    token = new_rater(port)
    asks = (
        post(f"{API}/ask", {}, token, "Connection: close\r\n"),
        post(f"{API}/ask", {}, token).replace(b"HTTP/1.1", b"HTTP/1.0"),
    )
    for request in asks:
        with line_to(port) as line:
            line.sendall(request)
            ((status, headers, _),) = read_answers(line, 1)
            assert (status, headers["connection"]) == (200, "close")
            assert line.recv(100) == b""


def test_a_client_that_leaves_has_voted_all_the_same(site: tuple[int, bool]) -> None:
    port, _ = site
    token = new_rater(port)
    ((_, _, asked),) = sent(port, post(f"{API}/ask", {}, token))
    vote = post(
        f"{API}/votes", {"ticket": json.loads(asked)["items"][0]["ticket"], "level": 2}, token
    )
    with line_to(port) as line:
        line.sendall(vote)
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up:
        ((_, _, body),) = sent(port, post(f"{API}/ask", {}, token))
        if json.loads(body)["answered"] == 1:
            return
    pytest.fail("the vote was lost")


def test_answers_that_nobody_reads_do_not_pile_up(tmp_path: Path) -> None:
    path = str(tmp_path / "votes.db")
    store = open_store(path)
    create(store)
    store.close()
    limits = Limits(head_seconds=5.0, stuck_seconds=0.5)
    protocol, most = bounded(limits), [0]

    class Watched(protocol):  # type: ignore[misc, valid-type]
        def write(self, *given: Any, **named: Any) -> None:
            super().write(*given, **named)
            most[0] = max(most[0], self.transport.get_write_buffer_size())

    with served(Serving(path, SECRET, rater_rate="", address_rate=""), Watched) as url:
        port = int(url.rpartition(":")[2])
        ask = post(f"{API}/ask", {"count": 10}, new_rater(port), "X-Long: \r\n")
        # Each is one piece for the parser, so that it may be answered without a task.
        flood = ask.replace(b"X-Long: ", b"X-Long: " + b"x" * (PIECE_BYTES - len(ask))) * 200
        with line_to(port) as line:
            line.settimeout(0.1)
            give_up = time.monotonic() + 30
            while time.monotonic() < give_up:
                try:
                    line.send(flood)
                except TimeoutError:
                    continue
                except ConnectionError:
                    assert 0 < most[0] < 2**18
                    return
    pytest.fail("it was not cut off")


def test_named_proxies_are_believed_and_nobody_else() -> None:
    from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

    async def nowhere(*given: Any) -> None:
        raise AssertionError("it must not be called")

    proxies = ProxyHeadersMiddleware(nowhere, trusted_hosts=["10.0.0.1"])
    said = [(b"x-forwarded-for", b"192.0.2.7"), (b"x-forwarded-proto", b"https")]
    for client, wanted in (
        ("10.0.0.1", ("192.0.2.7", "https")),
        ("10.0.0.2", ("10.0.0.2", "http")),
    ):
        scope = {"type": "http", "client": (client, 99), "scheme": "http", "headers": said}
        believe(proxies, scope)
        assert (scope["client"][0], scope["scheme"]) == wanted
