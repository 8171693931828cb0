"""Pages from their templates: each room has a folder of them, and one environment knows all."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from babel.dates import format_skeleton, get_datetime_format
from jinja2 import (
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    nodes,
    select_autoescape,
)
from jinja2.compiler import CodeGenerator, Frame
from jinja2.visitor import NodeTransformer
from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from plaudit import words
from plaudit.phrase import PEOPLE, Writer, item_id, written
from plaudit.service.contest.settings import settings_at
from plaudit.service.deeds import worded
from plaudit.service.watch.chart import iso
from plaudit.web.language import language_links, writer_in
from plaudit.words import N_, _

HERE = Path(__file__).parent
# The rooms that have templates and static files of their own.
ROOMS = ("shared", "public", "desk", "look")


class _Translator(NodeTransformer):
    """Puts the texts of a template into the language of its environment, once and for all."""

    def visit_Call(self, node: nodes.Call, *given: Any, **named: Any) -> nodes.Node:  # noqa: N802
        self.generic_visit(node, *given, **named)
        plain = isinstance(node.node, nodes.Name) and node.node.name in ("_", "gettext")
        if plain and not node.kwargs and isinstance(node.args[0], nodes.Const):
            return nodes.MarkSafe(nodes.Const(_said(node.args[0].value)))
        return node


class _Compiler(CodeGenerator):
    """Compiles templates whose texts without facts cost nothing when a page is made."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802
        super().visit_Template(_Translator().visit(node), frame)


def environment() -> Environment:
    """The templates in the language of the pages, everything escaped."""
    return _environment(words.spoken())


@cache
def _environment(catalogue: words.Catalogue) -> Environment:
    made = Environment(
        loader=PrefixLoader({room: FileSystemLoader(HERE / room / "templates") for room in ROOMS}),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
    )
    made.code_generator_class = _Compiler
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(_said, _counted, newstyle=True)  # type: ignore[attr-defined]
    # Everything here is escaped, which leaves less to do than Jinja's own functions would.
    made.globals.update({"_": _said, "gettext": _said, "ngettext": _counted})
    made.globals |= {"role_name": role_name, "error_mark": error_mark}
    made.globals |= {"catalogue": catalogue, "language_links": language_links}
    made.filters["when"] = when
    made.filters["when_words"] = when_words
    made.filters["shown"] = shown
    made.filters["deed"] = lambda what: shown(worded(what))
    made.globals["settings_at"] = settings_at
    made.filters["number"] = words.number
    made.filters["item_id"] = item_id
    return made


# Roles as people read them.
ROLE_NAMES = {"viewer": N_("viewer"), "editor": N_("editor"), "owner": N_("owner")}


def role_name(role: str) -> str:
    """What a role is called."""
    return _(ROLE_NAMES[role]) if role in ROLE_NAMES else role


def error_mark(wrong: object) -> str:
    """What a page's title begins with where something is wrong, or ""."""
    return _("Error:") + " " if wrong else ""


def _said(text: str, /, **facts: object) -> Markup:
    """A text of a template in the language of the pages; facts are escaped, the text is not."""
    text = words.spoken().texts.gettext(text)
    return _safe(text) % facts if facts else _filled(text)


def _counted(one: str, other: str, n: int, /, **facts: object) -> Markup:
    """The form of a text that fits a number."""
    text = words.spoken().texts.ngettext(one, other, int(n))
    return _safe(text) % facts if facts else _filled(text)


@cache
def _safe(text: str) -> Markup:
    return Markup(text)


@cache
def _filled(text: str) -> Markup:
    # Templates double every %, also in texts without facts.
    return Markup(text) % {}


def shown(said: object) -> str:
    """A phrase or an error as people read it: in their language."""
    return written(said, _writer(words.spoken()))


@cache
def _writer(catalogue: words.Catalogue) -> Writer:
    return writer_in(catalogue, PEOPLE)


def when_words(at: int) -> str:
    """A time in words.

    >>> when_words(1_700_000_000_000)
    '14 Nov 2023, 22:13 UTC'
    """
    # Months have names and not numbers: whoever reads 3/4 in another country reads another day.
    locale, moment = words.spoken().locale, datetime.fromtimestamp(at / 1000, UTC)
    day = format_skeleton("yMMMd", moment, locale=locale)
    clock = format_skeleton("Hm", moment, locale=locale)
    together = get_datetime_format("medium", locale=locale)
    return _("%(time)s UTC", time=str(together).replace("{1}", day).replace("{0}", clock))


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
