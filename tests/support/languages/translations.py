"""Translations of raters' texts: a .po file for people, and the .mo file that the service reads.

`make words` brings all of them up to date; this file, run by itself, lists what is not translated
yet. A text counts as one that raters read unless all files that show it are the desk's.
"""

import struct
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from plaudit.words import ENGLISH, LANGUAGES
from support.catalogue import CATALOGUES, template

TRANSLATED = sorted(set(LANGUAGES) - {ENGLISH})
# Files whose texts only people read who run contests, or programs; they may stay in English.
OF_THE_DESK = (
    "datasets/", "phrase.py", "service/accounts/", "service/archive/", "service/deeds.py",
    "service/contest/grounds.py", "service/contest/history.py", "service/contest/opposite.py",
    "service/contest/rules.py", "service/contest/setting.py", "service/contest/settings.py",
    "service/contest/words.py", "service/desk/", "service/door/code_book.py",
    "service/door/figures.py", "service/door/guest_list.py", "service/intake/",
    "service/moderation/", "service/notices/mail_words.py", "service/watch/answer_figures.py",
    "web/charts/axes.py", "web/charts/chart_words.py", "web/charts/drawing.py",
    "web/charts/rater_figures.py", "web/desk/", "web/form_body.py", "web/public/api_page.py",
    "web/public/templates/docs.html",
)  # fmt: skip
_HEADER = (
    "# Texts of Plaudit's pages: {name}. How to translate is in docs/live/languages.md.\n"
    'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n'
    '"Content-Type: text/plain; charset=utf-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
    '"Plural-Forms: {plural}\\n"\n\n'
)


def is_for_raters(message: Message) -> bool:
    """Whether a file shows the text that is not one of the desk's."""
    return any(not path.startswith(OF_THE_DESK) for path, _line in message.locations)


def forms_of(message: Message) -> tuple[str, ...]:
    """The translations of a text: one, or one for each plural form; "" where it is missing."""
    text = message.string
    return (text,) if isinstance(text, str) else tuple(text)


def folder(language: str) -> Path:
    """Where the files of a language lie."""
    return CATALOGUES / language / "LC_MESSAGES"


def kept(language: str) -> Catalog:
    """The translations that the repository has, by the .po file."""
    path = folder(language) / "plaudit.po"
    if not path.exists():
        made = Catalog(locale=language, charset="utf-8")
        made._num_plurals, made._plural_expr = get_plural(language)[:2]
        return made
    with path.open("rb") as file:
        return read_po(file)


def current(language: str) -> Catalog:
    """The raters' texts as they are now, and texts of the desk that have a translation."""
    before = kept(language)
    made = Catalog(charset="utf-8")
    made._num_plurals, made._plural_expr = before.num_plurals, before.plural_expr
    for message in template():
        known = (before.get(message.id) or _gone(before, message)) if message.id else None
        if not message.id or not (is_for_raters(message) or known is not None):
            continue
        text = known.string if known is not None else ""
        if message.pluralizable and isinstance(text, str):
            text = ("",) * before.num_plurals
        made.add(message.id, text, message.locations, message.flags)
    # A text that is worded anew needs its translation anew: the old one stands beside it.
    for message in (*before, *before.obsolete.values()):
        if message.id and message.id not in made and any(forms_of(message)):
            made.obsolete[message.id] = message.clone()
            made.obsolete[message.id].locations = []
    return made


def _gone(before: Catalog, message: Message) -> Message | None:
    """The translation of a text that was gone, and is back."""
    return next((one for one in before.obsolete.values() if one.id == message.id), None)


def po_text(language: str, texts: Catalog) -> bytes:
    """The .po file."""
    facts = {"language": language, "name": LANGUAGES[language], "plural": texts.plural_forms}
    out = BytesIO(_HEADER.format(**facts).encode())
    out.seek(0, 2)
    write_po(out, texts, width=100, omit_header=True, include_lineno=False, sort_by_file=True)
    return out.getvalue()


def mo_bytes(language: str, texts: Catalog) -> bytes:
    """The .mo file, the same bytes for the same translations whatever the tools."""
    head = (
        f"Language: {language}\nContent-Type: text/plain; charset=utf-8\n"
        f"Plural-Forms: {texts.plural_forms}\n"
    )
    pairs = [(b"", head.encode())]
    for message in texts:
        if message.id and all(forms_of(message)):
            names = (message.id,) if isinstance(message.id, str) else message.id
            pairs.append(("\0".join(names).encode(), "\0".join(forms_of(message)).encode()))
    pairs.sort()
    count, at = len(pairs), 28 + 16 * len(pairs)
    tables, strings = [b"", b""], b""
    for column in (0, 1):
        for pair in pairs:
            tables[column] += struct.pack("<II", len(pair[column]), at + len(strings))
            strings += pair[column] + b"\0"
    start = struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, at)
    return start + tables[0] + tables[1] + strings


def missing(language: str) -> Iterator[Message]:
    """The raters' texts without a translation, or without one of its plural forms."""
    for message in current(language):
        if message.id and is_for_raters(message) and not all(forms_of(message)):
            yield message


def write_all() -> None:
    """Brings the files of all languages up to date."""
    for language in TRANSLATED:
        folder(language).mkdir(parents=True, exist_ok=True)
        texts = current(language)
        (folder(language) / "plaudit.po").write_bytes(po_text(language, texts))
        (folder(language) / "plaudit.mo").write_bytes(mo_bytes(language, texts))


if __name__ == "__main__":
    for one in TRANSLATED:
        for message in missing(one):
            print(f"{one}: {message.id!r} ({', '.join(path for path, _ in message.locations)})")  # noqa: T201
