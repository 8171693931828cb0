"""What every answer carries: headers that protect, and JSON or an error as its body."""

from collections.abc import Iterable

import msgspec

from plaudit.web import language
from plaudit.web.endpoint import Answered, Scope, Send
from plaudit.web.problem import Problem

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
NO_FRAMES = "frame-ancestors 'none'"


def content_policy(embed: Iterable[str] = ()) -> bytes:
    """The policy of a page; `embed` lists the sites that may show it in a frame.

    >>> content_policy(["https://example.org"]).decode().rpartition("; ")[2]
    "frame-ancestors 'self' https://example.org"
    """
    sites = tuple(embed)
    frames = f"frame-ancestors 'self' {' '.join(sites)}" if sites else NO_FRAMES
    return f"{CONTENT_POLICY}; {frames}".encode()


DEFAULT_POLICY = (b"content-security-policy", content_policy())
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")


_JSON_HEADERS = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    *HEADERS,
    DEFAULT_POLICY,
)


def lines_of(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Headers as lines."""
    return b"".join(b"%s: %s\r\n" % header for header in headers)


# The lines of a JSON answer over http and over https.
JSON_LINES = (lines_of(_JSON_HEADERS), lines_of((*_JSON_HEADERS, STRICT_TRANSPORT)))


def with_headers(headers: Iterable[tuple[bytes, bytes]], scheme: str) -> list[tuple[bytes, bytes]]:
    """The headers with those that protect; a policy that the page sets itself stays.

    Those of a page also say its language.
    """
    given = list(headers)
    named = {name for name, _ in given}
    given.extend(header for header in (*HEADERS, DEFAULT_POLICY) if header[0] not in named)
    if scheme == "https":
        given.append(STRICT_TRANSPORT)
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
        headers.append(STRICT_TRANSPORT)
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
