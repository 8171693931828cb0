"""Pages from their templates: each room has a folder of them, and one environment knows all."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import (
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    select_autoescape,
)
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from plaudit.phrase import PEOPLE, written
from plaudit.service.contest.settings import settings_at
from plaudit.service.deeds import worded
from plaudit.service.watch.chart import iso

HERE = Path(__file__).parent
# The rooms that have templates and static files of their own.
ROOMS = ("shared", "public", "desk")


@cache
def environment() -> Environment:
    """The templates, everything escaped."""
    made = Environment(
        loader=PrefixLoader({room: FileSystemLoader(HERE / room / "templates") for room in ROOMS}),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
    )
    made.filters["when"] = when
    made.filters["when_words"] = when_words
    made.filters["shown"] = shown
    made.filters["deed"] = lambda what: shown(worded(what))
    made.globals["settings_at"] = settings_at
    # Texts of the table of settings are shown as they are, until there is a catalogue for them.
    made.globals.setdefault("_", str)
    return made


def shown(words: object) -> str:
    """A phrase or an error as people read it: items are numbered from 1."""
    return written(words, PEOPLE)


def when_words(at: int) -> str:
    """A time in words.

    >>> when_words(1_700_000_000_000)
    '14 Nov 2023, 22:13 UTC'
    """
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def when(at: int) -> Markup:
    """The same as a part of a page, which a script shows in the reader's zone (times.js)."""
    return Markup('<time datetime="{}">{}</time>').format(iso(at), when_words(at))


def page(template: str, *, code: int = 200, policy: bytes | None = None, **given: Any) -> Response:
    """A page made from its template."""
    text = environment().get_template(template).render(**given)
    headers = {"cache-control": "no-cache"}
    if policy is not None:
        headers["content-security-policy"] = policy.decode()
    return HTMLResponse(text, code, headers)
