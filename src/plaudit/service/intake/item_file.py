"""Items as a contest file gives them: in a text file, in a CSV file, or in a list."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from plaudit.datasets.csv_reader import Sheet, open_sheet
from plaudit.datasets.file_text import read_text
from plaudit.errors import InvalidInput, VoteFileError
from plaudit.service.intake.fields import Fields, clean, shown
from plaudit.service.intake.mistakes import Mistakes
from plaudit.service.intake.yaml_lines import Listing, Scalar, Table

MAX_FILE_BYTES = 64 * 2**20
TEXT_COLUMNS = ("text", "caption", "item", "title", "name")
IMAGE_COLUMNS = ("image", "picture", "file")


class Given(NamedTuple):
    """An item as given: its text, the name of its picture or "", and where it stands."""

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
            # An item may well be the word "null": it is text, as all items are.
            yield Given(clean(child.text), "", child.line)
        else:
            mistakes.add(
                child.line, f"An item is a text, or {{text: …, image: …}}; got {shown(child)}."
            )


def items_of_file(path: Path, *, text: str = "", image: str = "") -> Iterator[Given]:
    """The items of a file: rows of a CSV file, lines of any other.

    `text` and `image` name columns; without them, the usual names are looked for.
    """
    _check_bytes(path)
    if path.suffix.lower() in (".csv", ".tsv"):
        yield from _rows(path, text=text, image=image)
    elif text or image:
        raise InvalidInput(f"{path.name} has no columns: name columns of a .csv file only.")
    else:
        yield from _lines(path)


def _lines(path: Path) -> Iterator[Given]:
    content, _ = read_text(path)
    # Not str.splitlines, which also breaks at form feeds and U+2028.
    for line, text in enumerate(re.split(r"\r\n|\r|\n", content), start=1):
        if text.strip():
            yield Given(clean(text), "", line, path.name)


def _rows(path: Path, *, text: str, image: str) -> Iterator[Given]:
    sheet = open_sheet(path)
    text_at = _column(sheet, text, TEXT_COLUMNS)
    image_at = _column(sheet, image, IMAGE_COLUMNS)
    if text_at is None and image_at is None:
        raise VoteFileError(
            f"No column is named {', '.join(TEXT_COLUMNS)} or {', '.join(IMAGE_COLUMNS)}; found "
            f"{_names(sheet)}. The first row holds the names of the columns: name the one to "
            f"show, such as items: {{file: {path.name}, text: {sheet.columns[0]}}}.",
            line=sheet.line,
        )
    try:
        for line, row in sheet.rows:
            yield Given(
                "" if text_at is None else clean(row[text_at]),
                "" if image_at is None else row[image_at].strip(),
                line,
                path.name,
            )
    except VoteFileError as error:
        if error.line is None:
            raise VoteFileError(f"{path.name} has column names and no items below them.") from None
        raise


def _column(sheet: Sheet, named: str, usual: tuple[str, ...]) -> int | None:
    if named:
        if not sheet.has(named.strip().lower()):
            raise VoteFileError(
                f"There is no column {named!r}; found {_names(sheet)}.", line=sheet.line
            )
        return sheet.position(named.strip().lower())
    found = [name for name in usual if sheet.has(name)]
    return sheet.position(found[0]) if found else None


def _names(sheet: Sheet) -> str:
    more = f" and {len(sheet.columns) - 10} more" if len(sheet.columns) > 10 else ""
    return ", ".join(repr(name[:40]) for name in sheet.columns[:10]) + more


def _check_bytes(path: Path) -> None:
    """Returns if the file is there, has something in it, and is text in UTF-8 or UTF-16."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        size = 1  # the reader says what is wrong
    if size > MAX_FILE_BYTES:
        raise InvalidInput(
            f"{path.name} has {size:,} bytes; at most {MAX_FILE_BYTES:,} are read. Is it the "
            "right file?"
        )
    content, foreign = read_text(path)
    if not content.strip():
        raise InvalidInput(f"{path.name} is empty: write one item a line.")
    if foreign:
        raise VoteFileError(
            "This line is not UTF-8, so some letters would be guessed. Save the file as UTF-8.",
            line=first_foreign_line(path.read_bytes()),
        )


def first_foreign_line(data: bytes) -> int | None:
    """The first line that is not UTF-8, or None."""
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(re.findall(rb"\r\n|\r|\n", data[: error.start])) + 1
    return None
