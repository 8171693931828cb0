"""Requests from the pages of other sites: answered where the contest lists the site (`embed`).

Only routes for raters are open to them, and never with cookies: a rater on another site is known by
a token that the site's own page keeps. Without a header that allows it, browsers keep an answer
from the page, and ask first before they send anything that changes something.
"""

from collections.abc import Iterable

from plaudit.errors import PlauditError
from plaudit.service.contest.settings import HIDDEN
from plaudit.web.endpoint import PREFIX, Answered, Scope
from plaudit.web.problem import Problem
from plaudit.web.site import Site

Headers = tuple[tuple[bytes, bytes], ...]
CONTESTS = f"{PREFIX}contests/"
NOTHING: Headers = ()
VARIES = (b"vary", b"Origin")
_MAY = (
    (b"access-control-allow-methods", b"GET, POST"),
    (b"access-control-allow-headers", b"accept, content-type, if-none-match, x-plaudit-rater"),
    (b"access-control-max-age", b"600"),
)
_REFUSED: Headers = (VARIES,)
_SEEN = (b"access-control-expose-headers", b"etag, retry-after")


def header_of(scope: Scope, name: bytes) -> str:
    """A header of a request, or ""."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return ""


def same_origin(origin: str) -> str:
    """An origin as browsers write it.

    >>> same_origin("https://Example.org:443"), same_origin("http://localhost:8000")
    ('https://example.org', 'http://localhost:8000')
    """
    text = origin.lower()
    port = ":443" if text.startswith("https:") else ":80"
    return text.removesuffix(port)


def is_allowed(origin: str, sites: Iterable[str]) -> bool:
    """Whether a contest that lists these sites answers the pages of an origin."""
    return same_origin(origin) in {same_origin(site) for site in sites}


def headers_for(scope: Scope, site: Site | None) -> Headers:
    """The headers that let a page of another site read the answer; none if it may not."""
    origin = header_of(scope, b"origin")
    if not origin or site is None or not scope["path"].startswith(CONTESTS):
        return NOTHING
    name = scope["path"].removeprefix(CONTESTS).partition("/")[0]
    sites = _sites(site, name)
    if not sites or not is_allowed(origin, sites):
        return _REFUSED
    return ((b"access-control-allow-origin", origin.encode("latin-1")), _SEEN, VARIES)


def _sites(site: Site, name: str) -> tuple[str, ...]:
    """The sites that a contest lists; of a draft nobody elsewhere may know."""
    try:
        live = site.worker.get(name)
    except PlauditError:
        return ()
    return live.settings.embed if live.contest.state not in HIDDEN else ()


def is_preflight(scope: Scope) -> bool:
    """Whether a browser asks if a page may send something."""
    asks = scope["method"] == "OPTIONS" and scope["path"].startswith(CONTESTS)
    return asks and bool(header_of(scope, b"access-control-request-method"))


def preflight(headers: Headers) -> Answered:
    """The answer to a browser that asks; a `Problem` where the contest does not list the site."""
    if headers in (NOTHING, _REFUSED):
        raise Problem(
            403, "site_not_listed", "This contest takes no answers from pages of that site. Those "
            "who run it list the sites that may embed it in its settings."
        )  # fmt: skip
    return Answered(None, 204, _MAY)
