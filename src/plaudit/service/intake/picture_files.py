"""Pictures that an editor uploads: many files at once, ZIP archives, a sheet with texts.

The rules are those of contest files. The content of a file says what it is. Its name is only the
first text of the item, and the place of a mistake.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase
from plaudit.service.intake.fields import clean
from plaudit.service.intake.images.checking import ALLOWED, check_image
from plaudit.service.intake.item_box import given_in
from plaudit.service.intake.item_file import Given
from plaudit.service.intake.item_list import collect_items
from plaudit.service.intake.mistakes import Mistake, Mistakes
from plaudit.service.intake.pictures import UploadedPictures
from plaudit.service.intake.zip_files import MOST_FILES, MOST_UNPACKED, File, files_of_zip, is_zip
from plaudit.store.contract import Asset, Item
from plaudit.words import N_

# The most pictures that one form holds; each is a row on the page.
MOST_PICTURES = 1_000
MOST_ARCHIVES = 10
CALL_THEM = Phrase(N_("Call them image and text."))
SEVERAL = N_("Several files have the name {name}. Give each its own name.")
NO_FILE = N_("No file that was sent has the name {name}. Correct the name, or send the file.")
_SHEETS = (".csv", ".tsv", ".txt")
_LONGEST_NAME = 100


class Row(NamedTuple):
    """A picture for an item: its hash, file and text; `gone` if it is left out.

    `same` is the place, from 1, of an earlier row with the same picture, or 0.
    """

    image: str
    name: str
    text: str
    gone: bool = False
    same: int = 0


class Sent(NamedTuple):
    """What uploaded files hold: pictures, their rows, texts without a picture, and mistakes."""

    assets: list[Asset]
    rows: list[Row]
    texts: list[str]
    mistakes: list[Mistake]


def read_files(files: Sequence[File], *, before: Sequence[Row] = ()) -> Sent:
    """The pictures in some files, given by name and content; `before` are the rows so far."""
    mistakes = Mistakes()
    assets: dict[str, Asset] = {}
    named: list[Row] = []
    sheets: list[File] = []
    if len(files) > MOST_FILES:
        told = N_("You sent {count} files. At most {most} can be sent at once.")
        mistakes.add(None, Phrase(told, count=len(files), most=MOST_FILES))
        files = []
    for name, body in _bounded(_unpacked(files, mistakes), mistakes):
        shown = shown_name(name)
        if name.lower().endswith(_SHEETS):
            sheets.append((shown, body))
            continue
        with mistakes.noting(None, file=shown):
            asset = _asset(body)
            assets[asset.hash] = asset
            named.append(Row(asset.hash, shown, text_of_name(name)))
    rows, texts = _with_texts(named, sheets, mistakes)
    if len(before) + len(rows) > MOST_PICTURES:
        told = N_("One form can hold at most {most} pictures.")
        mistakes.add(None, Phrase(told, most=MOST_PICTURES))
        rows = []
    return Sent(list(assets.values()), _marked(before, rows), texts, mistakes.found)


def _bounded(files: Iterable[File], mistakes: Mistakes) -> Iterator[File]:
    """The files up to a limit on their number and total size: several archives may be sent."""
    size = 0
    for count, (name, body) in enumerate(files, start=1):
        size += len(body)
        if count > MOST_FILES or size > MOST_UNPACKED:
            told = N_(
                "At most {most} files and {size} MB, unpacked, can be sent at once. The files from "
                "{file} on were left out: add them later."
            )
            facts = {"most": MOST_FILES, "size": MOST_UNPACKED // 10**6, "file": shown_name(name)}
            mistakes.add(None, Phrase(told, **facts))
            return
        yield name, body


def _unpacked(files: Iterable[File], mistakes: Mistakes) -> Iterator[File]:
    archives = 0
    for name, body in files:
        archives += is_zip(body)
        if archives > MOST_ARCHIVES:
            told = N_("At most {most} archives can be sent at once. Add the others later.")
            mistakes.add(None, Phrase(told, most=MOST_ARCHIVES))
            return
        if is_zip(body):
            yield from files_of_zip(body, mistakes, named=shown_name(name))
        else:
            yield name, body


def _asset(body: bytes) -> Asset:
    if not body:
        told = N_("This file is empty. Allowed are {formats}.")
        raise InvalidInput(Phrase(told, formats=ALLOWED))
    return Asset(hashlib.sha256(body).hexdigest(), check_image(body), body)


def shown_name(name: str) -> str:
    """The last part of a file's name, shortened and without characters that cannot be shown.

    >>> shown_name("../../etc/pass\\x07wd.png"), shown_name("C:\\\\fakepath\\\\cat.png")
    ('passwd.png', 'cat.png')
    """
    last = re.split(r"[/\\]", name[-1_000:])[-1]
    kept = "".join(sign for sign in last if unicodedata.category(sign)[0] != "C")
    return " ".join(kept.split())[-_LONGEST_NAME:] or "a file without a name"


def text_of_name(name: str) -> str:
    """The first text of an item, from the name of its file.

    >>> text_of_name("my_holiday-photo.final.PNG"), text_of_name("cat (1).svg")
    ('my holiday photo.final', 'cat (1)')
    """
    stem = re.sub(r"\.\w{1,5}$", "", shown_name(name))
    return clean(" ".join(re.split(r"[\s_+-]+", stem)))


def _with_texts(
    named: list[Row], sheets: Sequence[File], mistakes: Mistakes
) -> tuple[list[Row], list[str]]:
    """The rows with the texts and in the order of the sheets; and texts without a picture."""
    by_name: dict[str, list[Row]] = {}
    for row in named:
        by_name.setdefault(_key(row.name), []).append(row)
    rows: list[Row] = []
    texts: list[str] = []
    used: set[str] = set()
    for name, body in sheets:
        for given in _given(name, body, mistakes):
            found = by_name.get(_key(given.image), [])
            if not given.image:
                texts.append(given.text)
            elif len({row.image for row in found}) != 1:
                told = Phrase(SEVERAL if found else NO_FILE, name=shown_name(given.image))
                mistakes.add(given.line, told, file=name)
            else:
                rows.append(found[0]._replace(text=given.text))
            used.add(_key(given.image))
    return [*rows, *(row for row in named if _key(row.name) not in used)], texts


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", shown_name(name)).casefold() if name else ""


def _given(name: str, body: bytes, mistakes: Mistakes) -> list[Given]:
    ending = ".tsv" if name.lower().endswith(".tsv") else ".csv"
    return given_in(body, ending, mistakes, file=name, advice=CALL_THEM, most=MOST_PICTURES)


def _marked(before: Sequence[Row], rows: Sequence[Row]) -> list[Row]:
    """The new rows; a row with the picture of an earlier one is left out by default."""
    first: dict[str, int] = {}
    texts: dict[str, set[str]] = {}
    marked = []
    for place, row in enumerate((*before, *rows), start=1):
        same = first.setdefault(row.image, place)
        repeated = same != place
        said = texts.setdefault(row.image, set())
        # The same picture with another text is another item, if somebody wrote the text.
        meant = row.text != text_of_name(row.name) and row.text not in said
        said.add(row.text)
        if place > len(before):
            marked.append(row._replace(gone=repeated and not meant, same=same if repeated else 0))
    return marked


def picture_items(
    rows: Iterable[Row], *, is_there: Callable[[str], bool]
) -> tuple[list[Item], list[Mistake]]:
    """The items of the rows that are not left out, and the mistakes by file."""
    mistakes = Mistakes()
    pictures = UploadedPictures(mistakes, is_there=is_there)
    given = (Given(clean(row.text), row.image, None, row.name) for row in rows if not row.gone)
    return collect_items(given, pictures, mistakes, [], duplicates="keep"), mistakes.found
