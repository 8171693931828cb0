"""Which language a reader gets: the link's, the one chosen before, the contest's or the browser's.

It may touch what is spoken in a request, and nothing else. A link chooses by `?lang=de`, and a
cookie keeps that until the browser is closed. The desk and the page of the API speak the language
of the service. Programs hear English unless they send Accept-Language; scripts send that of their
page.
"""

from collections.abc import Mapping, MutableMapping
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from plaudit import words
from plaudit.phrase import PROGRAMS, Writer
from plaudit.words import LANGUAGES, Catalogue, catalogue_of

PARAMETER, COOKIE = "lang", "plaudit_language"
# What makes somebody a certain rater must not come along when a link is copied: see arrival.js.
_PASSES = frozenset(
    ("rater", "PROLIFIC_PID", "workerId", "code", "signature", "signed-in", "someone-else")
)
# The desk and the page of the API have the language of the service; the others have none.
_OF_SERVICE, _BELOW = ("/desk", "/docs"), ("/desk/", "/api/", "/static/", "/assets/")
# A browser names a handful of languages.
_LONGEST = 500
# Answers in a language differ by these headers of the request.
_VARY = (b"vary", b"accept-language, cookie")


class Reader(NamedTuple):
    """Somebody who reads a page: the query of its address, and what they chose, or ""."""

    query: str
    chosen: str
    # Chosen by the link of this very request.
    is_new: bool


_reader: ContextVar[Reader | None] = ContextVar("reader", default=None)


class LanguageLink(NamedTuple):
    """A link that shows the same page in a language."""

    language: str
    name: str
    address: str
    is_spoken: bool


def listen(scope: MutableMapping[str, Any]) -> None:
    """Speaks the language of whoever sent a request; said at the beginning of each one."""
    path: str = scope["path"]
    if path in _OF_SERVICE or path.startswith(_BELOW):
        _reader.set(None)
        words.speak(None)
        return
    headers = dict(scope["headers"])
    query = scope["query_string"].decode("latin-1")
    linked = _known(dict(parse_qsl(query)).get(PARAMETER, "")) if PARAMETER in query else ""
    chosen = linked or _kept(headers.get(b"cookie", b"").decode("latin-1"))
    _reader.set(Reader(query, chosen, bool(linked)))
    words.speak(catalogue_of(chosen) if chosen else wished(headers))


def speak_of_contest(language: str) -> None:
    """Speaks the language of a contest, unless the reader chose another or none is set."""
    reader = _reader.get()
    if reader is not None and not reader.chosen and language in LANGUAGES:
        words.speak(catalogue_of(language))


def wished(headers: Mapping[bytes, bytes]) -> Catalogue | None:
    """The language that a browser asks for, of those that there are; None if it asks for none."""
    found = negotiated(headers.get(b"accept-language", b"").decode("latin-1")[:_LONGEST])
    return catalogue_of(found) if found else None


def writer_for_program(scope: MutableMapping[str, Any]) -> Writer:
    """How to write a phrase for a program, in the language of its header Accept-Language."""
    catalogue = wished(dict(scope["headers"]))
    return PROGRAMS if catalogue is None else writer_in(catalogue, PROGRAMS)


def writer_in(catalogue: Catalogue, writer: Writer) -> Writer:
    """A writer that writes in a language."""
    if catalogue.language == words.ENGLISH:
        return writer
    texts = catalogue.texts
    return writer._replace(translate=texts.gettext, plural=texts.ngettext, number=catalogue.number)


@lru_cache(maxsize=256)
def negotiated(accepted: str) -> str:
    """The language that fits the header Accept-Language best (RFC 9110, 12.5.4), or "".

    >>> negotiated("da, fr-CA;q=0.8, en;q=0.7"), negotiated("en;q=0.4, ar"), negotiated("de;q=0, *")
    ('fr', 'ar', '')
    """
    weighed = []
    for place, part in enumerate(accepted.split(",")):
        name, *parameters = (piece.strip() for piece in part.lower().split(";"))
        language = _known(name)
        weight = _weight(parameters)
        if language and weight > 0.0:
            weighed.append((-weight, place, language))
    return min(weighed)[2] if weighed else ""


def language_links() -> list[LanguageLink]:
    """Links that show the page of this request in each language; none at the desk."""
    reader = _reader.get()
    if reader is None:
        return []
    left_out = _PASSES | {PARAMETER}
    kept = [(key, value) for key, value in parse_qsl(reader.query) if key not in left_out]
    spoken = words.spoken().language
    return [
        LanguageLink(
            language, name, f"?{urlencode([*kept, (PARAMETER, language)])}", language == spoken
        )
        for language, name in LANGUAGES.items()
    ]


def headers_of_page(scheme: str) -> list[tuple[bytes, bytes]]:
    """The headers of a page in the language that is spoken; the cookie if a link chose it."""
    reader = _reader.get()
    told = [(b"content-language", words.spoken().language.encode()), _VARY]
    if reader is not None and reader.is_new:
        # A frame on another site gets cookies only if they are partitioned and sent over https.
        framed = "SameSite=None; Partitioned; Secure" if scheme == "https" else "SameSite=Lax"
        cookie = f"{COOKIE}={reader.chosen}; Path=/; HttpOnly; {framed}"
        told.append((b"set-cookie", cookie.encode()))
    return told


def _known(name: str) -> str:
    """The language of a tag such as de-AT, if there is one; else ""."""
    language = name.lower().partition("-")[0]
    return language if language in LANGUAGES else ""


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip() == "q":
            try:
                weight = float(value)
            except ValueError:
                return 0.0
            # What is no number is not above 0.
            return min(1.0, weight) if weight > 0.0 else 0.0
    return 1.0


def _kept(cookies: str) -> str:
    for part in cookies.split(";"):
        key, _, value = part.strip().partition("=")
        if key == COOKIE:
            return _known(value)
    return ""
