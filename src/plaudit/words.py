"""Words for people: every text comes from the catalogue of the language that is spoken.

English is the source language and needs no catalogue. The others of `LANGUAGES` have theirs in
`catalogues/<language>/LC_MESSAGES/plaudit.mo`. Placeholders have names, as in "%(count)s items", so
that each language can order them as it likes.

What is spoken belongs to a request (`speak`); where nobody said, it is the language of the service,
which PLAUDIT_LANGUAGE names.
"""

import gettext as standard
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

CATALOGUES = Path(__file__).parent / "catalogues"
ENGLISH = "en"
# The languages of raters' pages, each by its own name. Contests name them, so none is ever removed.
LANGUAGES = {
    "ar": "العربية",
    "de": "Deutsch",
    ENGLISH: "English",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
}
_RIGHT_TO_LEFT = frozenset({"ar"})
# Spanish writes 1234 in one piece, and 12.345 in two.
_GROUPED_FROM = {"es": 10_000}
# How many plural forms scripts are told: they repeat from 100 on, with every hundred.
_COUNTS = 200


class Plural(NamedTuple):
    """The two English forms of a text, and the number that decides between the forms."""

    one: str
    other: str
    n: int


class Catalogue:
    """The texts of one language, and how it writes numbers; a missing text is in English."""

    def __init__(
        self,
        language: str,
        texts: standard.NullTranslations,
        plural: Callable[[int], int] = lambda n: int(n != 1),
    ) -> None:
        self.language = language
        self.texts = texts
        # Which of its forms a language uses for a number.
        self.plural = plural
        self._for_scripts: dict[str, str] = {}

    @property
    def direction(self) -> str:
        """Where lines begin: "ltr" for left, "rtl" for right."""
        return "rtl" if self.language in _RIGHT_TO_LEFT else "ltr"

    @cached_property
    def locale(self) -> Any:
        """What Babel knows of the language; of British English where that is nothing."""
        # Only pages need it, and a plain install has no Babel.
        from babel import Locale, UnknownLocaleError

        try:
            return Locale.parse("en_GB" if self.language == ENGLISH else self.language)
        except (UnknownLocaleError, ValueError):
            return Locale.parse("en_GB")

    def number(self, value: Any) -> str:
        """A number as the language writes it, with all its decimal places."""
        if self.language == ENGLISH:
            return f"{value:,}"
        from babel.numbers import format_decimal

        grouped = abs(value) >= _GROUPED_FROM.get(self.language, 0)
        written: str = format_decimal(
            value, locale=self.locale, decimal_quantization=False, group_separator=grouped
        )
        return written

    def for_scripts(self, script: str) -> str:
        """The texts that a script and those it imports show, as JSON for the page.

        `script` is its room and name, such as "public/rater"; "" stands for all scripts. `plural`
        has the place of the form for each number, as a row of digits. The result is "" where the
        texts are the English ones.
        """
        if self.language == ENGLISH:
            return ""
        if script not in self._for_scripts:
            self._for_scripts[script] = self._packed(_texts_of_script(script))
        return self._for_scripts[script]

    def _packed(self, texts: Iterable[tuple[str, str | None]]) -> str:
        found: dict[str, str | list[str]] = {}
        places = [self.plural(n) for n in range(_COUNTS)]
        for one, other in texts:
            if other is None:
                text = self.texts.gettext(one)
                if text != one:
                    found[one] = text
                continue
            by_place = {place: self.texts.ngettext(one, other, n) for n, place in enumerate(places)}
            forms = [by_place[place] for place in sorted(by_place)]
            if forms != [one, other]:
                found[one] = forms
        if not found:
            return ""
        told = {"plural": "".join(map(str, places)), "texts": found}
        # The block is a part of a page: nothing in it may end it.
        packed = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        return packed.replace("<", "\\u003c")


@cache
def _scripts() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((CATALOGUES / "scripts.json").read_text(encoding="utf-8"))
    return read


def _texts_of_script(script: str) -> list[tuple[str, str | None]]:
    """The texts of a script and of all that it imports, each once; "" stands for all scripts."""
    scripts = _scripts()
    waiting, seen = [script] if script in scripts else list(scripts), set()
    texts: dict[tuple[str, str | None], None] = {}
    while waiting:
        name = waiting.pop()
        if name not in seen and name in scripts:
            seen.add(name)
            texts |= dict.fromkeys((one, other) for one, other in scripts[name]["texts"])
            waiting += scripts[name]["imports"]
    return sorted(texts, key=str)


@cache
def catalogue_of(language: str) -> Catalogue:
    """The catalogue of a language; that of English where there is none.

    >>> catalogue_of("tlh").language
    'en'
    """
    try:
        texts = standard.translation("plaudit", CATALOGUES, [language])
    except OSError:
        return Catalogue(ENGLISH, standard.NullTranslations())
    return Catalogue(language, texts, texts.plural)  # type: ignore[attr-defined]


# The language of the service: the desk's, and that of readers who ask for none that there is.
of_service = catalogue_of(os.environ.get("PLAUDIT_LANGUAGE", ENGLISH))
_spoken: ContextVar[Catalogue | None] = ContextVar("spoken", default=None)


def spoken() -> Catalogue:
    """The catalogue of the language that is spoken now."""
    return _spoken.get() or of_service


def speak(catalogue: Catalogue | None) -> None:
    """Speaks a language from here on in this request; None for that of the service."""
    _spoken.set(catalogue)


@contextmanager
def speaking(catalogue: Catalogue | None) -> Iterator[None]:
    """Speaks a language inside the block."""
    before = _spoken.set(catalogue)
    try:
        yield
    finally:
        _spoken.reset(before)


def N_(text: str) -> str:  # noqa: N802 (the name by which catalogue tools know it)
    """Marks a text for the catalogue; it is translated where it is shown."""
    return text


def many(one: str, other: str, n: int) -> Plural:
    """Marks a text that depends on a number; its form is chosen where it is shown."""
    return Plural(one, other, n)


def _(text: str, /, **facts: object) -> str:
    """A text in the language that is spoken, with its facts in place.

    >>> _("%(count)s items", count=3)
    '3 items'
    """
    shown = spoken().texts.gettext(text)
    return shown % facts if facts else shown


def ngettext(one: str, other: str, n: int, /, **facts: object) -> str:
    """The form of a text that fits a number, with its facts in place.

    >>> ngettext("%(n)s item", "%(n)s items", 1, n=1)
    '1 item'
    """
    shown = spoken().texts.ngettext(one, other, n)
    return shown % facts if facts else shown


def number(value: float) -> str:
    """A whole number for people.

    >>> number(12_000)
    '12,000'
    """
    return spoken().number(round(value))
