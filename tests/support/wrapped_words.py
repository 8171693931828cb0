"""A language for tests, in which every text of the catalogue is ⟦ŵŕáþþéð⟧ and every fact ⟪too⟫.

So a page shows which of its words come from the catalogue, and which do not: a plain letter is not
from the catalogue, wherever it stands.
"""

import gettext
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser

from plaudit.words import LANGUAGES, Catalogue

# Elements whose text is not read as words: programs, code, and what somebody typed.
_SILENT = {"script", "style", "code", "pre", "textarea", "kbd"}
# Dates come from Babel, and not from the catalogue.
_DATE = re.compile(r"\d+ (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\w* \d{4}")
_VOID = {"meta", "link", "img", "input", "br", "wbr", "hr"}
_READ = ("aria-label", "alt", "title", "placeholder", "data-label", "data-found")
_MARKS = {"⟦": "⟧", "⟪": "⟫"}
_ACCENTS = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "áƀçðéƒĝĥíĵķļɱñöþǫŕšţüṽŵẋýžÁƁÇÐÉƑĜĤÍĴĶĻṀÑÖÞǪŔŠŢÜṼŴẊÝŽ",
)
# Facts, elements of HTML and its signs stay as they are.
_FIXED = re.compile(r"(%\(\w+\)s|\{\w+(?:!r)?\}|<[^>]*>|&\w+;)")


def wrap(text: str) -> str:
    """A text as this language has it."""
    parts = _FIXED.split(text)
    parts[::2] = [part.translate(_ACCENTS) for part in parts[::2]]
    parts[1::2] = [part if part[0] in "<&" else f"⟪{part}⟫" for part in parts[1::2]]
    return f"⟦{''.join(parts)}⟧"


class Wrapping(gettext.NullTranslations):
    """Translates by wrapping."""

    def gettext(self, message: str) -> str:
        return wrap(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return wrap(msgid1 if n == 1 else msgid2)


class _Reader(HTMLParser):
    """Collects the words of a page that are outside ⟦⟧."""

    def __init__(self, silent_classes: Iterable[str]) -> None:
        super().__init__()
        self._silent_classes = set(silent_classes)
        self._open: list[tuple[str, bool]] = []
        self._marks: list[str] = []
        self.bare: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        classes = set((given.get("class") or "").split())
        is_silent = tag in _SILENT or bool(classes & self._silent_classes)
        silent = is_silent or bool(self._open and self._open[-1][1])
        if not silent:
            for name in _READ:
                self.bare.extend(outside(given.get(name) or "", []))
        if tag not in _VOID:
            self._open.append((tag, silent))

    def handle_endtag(self, tag: str) -> None:
        while self._open and tag not in _VOID:
            if self._open.pop()[0] == tag:
                return

    def handle_data(self, data: str) -> None:
        silent = bool(self._open and self._open[-1][1])
        found = list(outside(data, self._marks))
        if not silent:
            self.bare.extend(found)


def outside(text: str, marks: list[str]) -> Iterator[str]:
    """The parts of a text that are not in ⟦⟧, or have plain letters there.

    `marks` are those still open, before and after.
    """
    for part in re.split("([⟦⟧⟪⟫])", text):
        if part in _MARKS:
            marks.append(part)
        elif part in _MARKS.values():
            assert marks, f"a mark is closed that was not opened: {text!r}"
            assert _MARKS[marks.pop()] == part, text
        elif part.strip() and (not marks or marks[-1] == "⟪" or re.search("[A-Za-z]", part)):
            yield " ".join(part.split())


def bare_words(page: str, *, own: Iterable[str], silent_classes: Iterable[str] = ()) -> set[str]:
    """The words of a page that no catalogue has, but for `own` ones: names, texts of contests."""
    reader = _Reader(silent_classes)
    reader.feed(page)
    known = sorted((*own, *LANGUAGES.values()), key=len, reverse=True)
    found = set()
    for text in reader.bare:
        rest = _DATE.sub("", text)
        for one in known:
            rest = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", "", rest)
        # Ids of items are the same in every language.
        rest = re.sub(r"\bi[0-9]+\b", "", rest)
        if re.search(r"[^\W\d_]", rest):
            found.add(text)
    return found


def wrapped() -> Catalogue:
    """The catalogue of this language."""
    return Catalogue("qps-ploc", Wrapping())
