"""Words for people: every text comes from the catalogue of the language that pages are in.

English is the source language and needs no catalogue. Another one lies in
`catalogues/<language>/LC_MESSAGES/plaudit.mo`; PLAUDIT_LANGUAGE names it. Placeholders have names,
as in "%(count)s items", so that each language can order them as it likes.
"""

import gettext as standard
import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

CATALOGUES = Path(__file__).parent / "catalogues"
ENGLISH = "en"
# How many plural forms scripts are told: they repeat from 100 on, with every hundred.
_COUNTS = 200


class Catalogue:
    """The texts of one language; where one is missing, the English one."""

    def __init__(self, language: str, texts: standard.NullTranslations) -> None:
        self.language = language
        self.texts = texts

    @cached_property
    def for_scripts(self) -> str:
        """The texts that scripts show, as JSON for the page; "" where they are the English ones."""
        found: dict[str, Any] = {}
        if self.language == ENGLISH:
            return ""
        for one, other in json.loads((CATALOGUES / "scripts.json").read_text(encoding="utf-8")):
            if other is None:
                text: Any = self.texts.gettext(one)
                same = text == one
            else:
                text = [self.texts.ngettext(one, other, count) for count in range(_COUNTS)]
                same = text == [one if count == 1 else other for count in range(_COUNTS)]
                forms = list(dict.fromkeys(text))
                text = {"forms": forms, "of": [forms.index(form) for form in text]}
            if not same:
                found[one] = text
        if not found:
            return ""
        # The block is a part of a page: nothing in it may end it.
        return json.dumps(found, ensure_ascii=False).replace("<", "\\u003c")


def catalogue_of(language: str) -> Catalogue:
    """The catalogue of a language; that of English where there is none.

    >>> catalogue_of("tlh").language
    'en'
    """
    try:
        texts = standard.translation("plaudit", CATALOGUES, [language])
    except OSError:
        return Catalogue(ENGLISH, standard.NullTranslations())
    return Catalogue(language, texts)


spoken = catalogue_of(os.environ.get("PLAUDIT_LANGUAGE", ENGLISH))


def speak(catalogue: Catalogue) -> None:
    """Shows all texts of this process in another language from now on."""
    global spoken
    spoken = catalogue


def N_(text: str) -> str:  # noqa: N802 (the name by which catalogue tools know it)
    """Marks a text for the catalogue; it is translated where it is shown."""
    return text


def _(text: str, /, **facts: object) -> str:
    """A text in the language of the pages, with its facts in place.

    >>> _("%(count)s items", count=3)
    '3 items'
    """
    shown = spoken.texts.gettext(text)
    return shown % facts if facts else shown


def ngettext(one: str, other: str, n: int, /, **facts: object) -> str:
    """The form of a text that fits a number, with its facts in place.

    >>> ngettext("%(n)s item", "%(n)s items", 1, n=1)
    '1 item'
    """
    shown = spoken.texts.ngettext(one, other, n)
    return shown % facts if facts else shown


def number(value: float) -> str:
    """A whole number for people.

    >>> number(12_000)
    '12,000'
    """
    return f"{value:,.0f}"
