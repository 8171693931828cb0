"""The items of a contest, read from a text file, a CSV file or a list."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from plaudit.datasets.csv_reader import Sheet, open_sheet
from plaudit.datasets.file_text import read_text
from plaudit.errors import InvalidInput, VoteFileError
from plaudit.phrase import Phrase, Words
from plaudit.service.intake.fields import Fields, clean, shown
from plaudit.service.intake.mistakes import Mistakes
from plaudit.service.intake.tree import Listing, Scalar, Table
from plaudit.words import N_

MAX_FILE_BYTES = 64 * 2**20
TEXT_COLUMNS = ("text", "caption", "item", "title", "name")
IMAGE_COLUMNS = ("image", "picture", "file")
# More columns than this are counted, not named.
MOST_COLUMNS = 10


class Given(NamedTuple):
    """An item as it was given: its text, the name of its picture or "", its line and its file."""

    text: str
    image: str
    line: int | None
    file: str | None = None


def listed_items(listing: Listing, mistakes: Mistakes) -> Iterator[Given]:
    """The items of a list: texts, or a text with an image."""
    for child in listing.children:
        if isinstance(child, Table):
            fields = Fields(child, mistakes, ("text", "image"))
            yield Given(fields.text("text"), fields.text("image"), child.line)
        elif isinstance(child, Scalar) and child.kind in ("plain", "text", "nothing"):
            # An item may be the word "null": all items are text.
            yield Given(clean(child.text), "", child.line)
        else:
            told = N_("An item is a text, or {{text: …, image: …}}; got {given}.")
            mistakes.add(child.line, Phrase(told, given=shown(child)))


class Columns(NamedTuple):
    """The columns of a CSV file that hold the items; without names, the usual names are tried.

    `advice` says what to do if none is found; without it, how a contest file names a column.
    """

    text: str = ""
    image: str = ""
    advice: Phrase | None = None


USUAL = Columns()


def items_of_file(path: Path, columns: Columns = USUAL, *, named: str = "") -> Iterator[Given]:
    """The items of a file: the rows of a CSV file, the lines of any other.

    `named` is what people call the file, if that is not the name of `path`.
    """
    name = named or path.name
    _check_bytes(path, name)
    if path.suffix.lower() in (".csv", ".tsv"):
        yield from _rows(path, name, columns)
    elif columns.text or columns.image:
        told = N_("{file} has no columns: name columns of a .csv file only.")
        raise InvalidInput(Phrase(told, file=name))
    else:
        yield from _lines(path, name)


def _lines(path: Path, name: str) -> Iterator[Given]:
    content, _ = read_text(path)
    # Not str.splitlines, which also breaks at form feeds and U+2028.
    for line, text in enumerate(re.split(r"\r\n|\r|\n", content), start=1):
        if text.strip():
            yield Given(clean(text), "", line, name)


def _rows(path: Path, name: str, columns: Columns) -> Iterator[Given]:
    sheet = _sheet(path, name)
    text_at = _column(sheet, columns.text, TEXT_COLUMNS)
    image_at = _column(sheet, columns.image, IMAGE_COLUMNS)
    if text_at is None and image_at is None:
        raise VoteFileError(_no_column(sheet, name, columns.advice), line=sheet.line)
    try:
        for line, row in sheet.rows:
            yield Given(
                "" if text_at is None else clean(row[text_at]),
                "" if image_at is None else row[image_at].strip(),
                line,
                name,
            )
    except VoteFileError as error:
        if error.line is None:
            told = N_("{file} has column names and no items below them.")
            raise VoteFileError(Phrase(told, file=name)) from None
        raise


def _sheet(path: Path, name: str) -> Sheet:
    try:
        return open_sheet(path)
    except VoteFileError as error:
        if error.line is None:  # all fields are blank: the rest was checked before
            raise InvalidInput(_empty(name)) from None
        raise


def _no_column(sheet: Sheet, name: str, advice: Phrase | None) -> Phrase:
    if advice is None:
        said = N_("Name the one to show, such as items: {{file: {file}, text: {column}}}.")
        advice = Phrase(said, file=name, column=sheet.columns[0])
    told = N_(
        "No column is named {texts} or {images}; found {found}. The first row holds the names of "
        "the columns. {advice}"
    )
    return Phrase(
        told,
        texts=", ".join(TEXT_COLUMNS),
        images=", ".join(IMAGE_COLUMNS),
        found=_names(sheet),
        advice=advice,
    )


def _column(sheet: Sheet, named: str, usual: tuple[str, ...]) -> int | None:
    if named:
        if not sheet.has(named.strip().lower()):
            told = N_("There is no column {column!r}; found {found}.")
            words = Phrase(told, column=named, found=_names(sheet))
            raise VoteFileError(words, line=sheet.line)
        return sheet.position(named.strip().lower())
    found = [name for name in usual if sheet.has(name)]
    return sheet.position(found[0]) if found else None


def _names(sheet: Sheet) -> Words:
    """The names of the columns, the first of them if there are many."""
    names = ", ".join(repr(name[:40]) for name in sheet.columns[:MOST_COLUMNS])
    more = len(sheet.columns) - MOST_COLUMNS
    return Phrase(N_("{names} and {more} more"), names=names, more=more) if more > 0 else names


def _empty(name: str) -> Phrase:
    return Phrase(N_("{file} is empty: write one item a line."), file=name)


def _check_bytes(path: Path, name: str) -> None:
    """Returns if the file exists, is not empty, and is text in UTF-8 or UTF-16."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        size = 1  # the reader says what is wrong
    if size > MAX_FILE_BYTES:
        told = N_("{file} has {size} bytes; at most {most} are read. Is it the right file?")
        raise InvalidInput(Phrase(told, file=name, size=size, most=MAX_FILE_BYTES))
    content, foreign = read_text(path)
    if not content.strip():
        raise InvalidInput(_empty(name))
    if foreign:
        told = N_("This line is not UTF-8, so its letters are not certain. Save the file as UTF-8.")
        raise VoteFileError(Phrase(told), line=first_foreign_line(path.read_bytes()))


def first_foreign_line(data: bytes) -> int | None:
    """The first line that is not UTF-8, or None."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(re.findall(rb"\r\n|\r|\n", data[: error.start])) + 1
    return None
