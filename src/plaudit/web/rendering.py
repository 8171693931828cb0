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

from plaudit import words
from plaudit.service.contest.words import told
from plaudit.service.watch.chart import iso
from plaudit.words import N_, _

HERE = Path(__file__).parent
# The rooms that have templates and static files of their own.
ROOMS = ("shared", "public", "desk")
# Short, as dates have them.
MONTHS = (
    *(N_("Jan"), N_("Feb"), N_("Mar"), N_("Apr"), N_("May"), N_("Jun")),
    *(N_("Jul"), N_("Aug"), N_("Sep"), N_("Oct"), N_("Nov"), N_("Dec")),
)


@cache
def environment() -> Environment:
    """The templates, everything escaped."""
    made = Environment(
        loader=PrefixLoader({room: FileSystemLoader(HERE / room / "templates") for room in ROOMS}),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
    )
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(_said, _counted, newstyle=True)  # type: ignore[attr-defined]
    # Everything here is escaped, which leaves less to do than Jinja's own functions would.
    made.globals.update({"_": _said, "gettext": _said, "ngettext": _counted})
    made.globals |= {"role_name": role_name, "error_mark": error_mark}
    made.globals["spoken"] = lambda: words.spoken
    made.filters["when"] = when
    made.filters["when_words"] = when_words
    made.filters["told"] = told
    made.filters["number"] = words.number
    return made


# Roles as people read them.
ROLE_NAMES = {"viewer": N_("viewer"), "editor": N_("editor"), "owner": N_("owner")}


def role_name(role: str) -> str:
    """What a role is called."""
    return _(ROLE_NAMES[role]) if role in ROLE_NAMES else role


def error_mark(wrong: object) -> str:
    """What a page's title begins with where something is wrong, or ""."""
    return f"{_('Error:')} " if wrong else ""


def _said(text: str, /, **facts: object) -> Markup:
    """A text of a template in the language of the pages; facts are escaped, the text is not."""
    return _marked(words.spoken, text) % facts if facts else _plain(words.spoken, text)


def _counted(one: str, other: str, n: int, /, **facts: object) -> Markup:
    """The form of a text that fits a number."""
    facts.setdefault("num", n)
    return Markup(words.spoken.texts.ngettext(one, other, int(n))) % facts


@cache
def _marked(catalogue: words.Catalogue, text: str) -> Markup:
    return Markup(catalogue.texts.gettext(text))


@cache
def _plain(catalogue: words.Catalogue, text: str) -> Markup:
    # Templates double every %, also in texts without facts.
    return _marked(catalogue, text) % {}


def when_words(at: int) -> str:
    """A time in words.

    >>> when_words(1_700_000_000_000)
    '14 Nov 2023, 22:13 UTC'
    """
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return _(
        "%(day)s %(month)s %(year)s, %(clock)s UTC",
        day=moment.day,
        month=_(MONTHS[moment.month - 1]),
        year=moment.year,
        clock=f"{moment:%H:%M}",
    )


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
