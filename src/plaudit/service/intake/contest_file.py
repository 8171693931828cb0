"""Contest files: the settings, items and pictures of a contest, or all mistakes in them.

A contest file is YAML. The API takes the same keys as JSON, with the items in a list and pictures
by the hash of their upload. Both become a `ContestDraft`.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plaudit.phrase import Phrase
from plaudit.service.contest.rules import LONGEST_LINE
from plaudit.service.contest.settings import SETTINGS, ContestSettings, check_name
from plaudit.service.intake.fields import FORBIDDEN, Fields, clean, fault_of
from plaudit.service.intake.item_file import (
    MAX_FILE_BYTES,
    USUAL,
    Columns,
    Given,
    first_foreign_line,
    items_of_file,
    listed_items,
)
from plaudit.service.intake.item_list import DUPLICATES, collect_items
from plaudit.service.intake.mistakes import ContestFileError, Mistake, Mistakes
from plaudit.service.intake.pictures import FolderPictures, Pictures, UploadedPictures
from plaudit.service.intake.setting_readers import read_settings
from plaudit.service.intake.tree import Listing, Node, Scalar, Table, tree_of
from plaudit.store.contract import Asset, Item
from plaudit.words import N_

__all__ = [
    "ContestDraft",
    "ContestFileError",
    "Mistake",
    "checked_items",
    "read_contest",
    "read_contest_file",
    "read_items",
]

# A setting may have two keys: a full one and a short one.
SETTING_KEYS = tuple(key for setting in SETTINGS for key in (setting.short_key, setting.key) if key)
KEYS = ("name", "items", "duplicates", *SETTING_KEYS)


@dataclass(frozen=True)
class ContestDraft:
    """A contest that is not in a store yet.

    `pictures` are those that the settings and items name by hash; they go into the store first.
    `notes` are remarks for people, such as items that were left out because they repeat others.
    """

    name: str
    settings: ContestSettings
    items: list[Item]
    pictures: dict[str, Asset] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_contest_file(path: Path) -> ContestDraft:
    """The contest that a YAML file describes; `ContestFileError` has all its mistakes.

    Paths inside start at the file's folder.
    """
    mistakes = Mistakes(path.name)
    text = text_of_file(path, mistakes)
    from plaudit.service.intake.yaml_lines import parse_yaml

    tree = None if mistakes else parse_yaml(text, mistakes)
    mistakes.raise_if_any()
    return _draft(tree, mistakes, FolderPictures(path.parent, mistakes), folder=path.parent)


def read_contest(
    data: Any, *, is_there: Callable[[str], bool] = lambda hash: False
) -> ContestDraft:
    """The contest that JSON describes, with the keys of a contest file.

    It reads no files. `is_there` says whether the store has a picture.
    """
    mistakes = Mistakes()
    return _draft(tree_of(data), mistakes, UploadedPictures(mistakes, is_there=is_there))


def read_items(path: Path) -> tuple[list[Item], dict[str, Asset], list[str]]:
    """The items of a .txt or .csv file, numbered from 0, with their pictures and notes.

    Items that repeat others of the file are left out and noted.
    """
    mistakes = Mistakes(path.name)
    pictures = FolderPictures(path.parent, mistakes)
    notes: list[str] = []
    items: list[Item] = []
    with mistakes.noting(None):
        items = collect_items(items_of_file(path), pictures, mistakes, notes)
    mistakes.raise_if_any()
    return items, pictures.assets, notes


def checked_items(
    given: Iterable[tuple[str, str]], *, is_there: Callable[[str], bool]
) -> list[Item]:
    """Items to add, from texts and hashes of pictures; `ContestFileError` with all mistakes."""
    mistakes = Mistakes()
    pictures = UploadedPictures(mistakes, is_there=is_there)
    cleaned = (Given(clean(text), image, None) for text, image in given)
    items = collect_items(cleaned, pictures, mistakes, [], duplicates="keep")
    mistakes.raise_if_any()
    return items


def _draft(
    tree: Node | None, mistakes: Mistakes, pictures: Pictures, *, folder: Path | None = None
) -> ContestDraft:
    if not isinstance(tree, Table):
        told = N_("A contest needs keys, such as title: and items:. There are none.")
        mistakes.add(None, Phrase(told))
        raise ContestFileError(tuple(mistakes.found))
    fields = Fields(tree, mistakes, KEYS)
    notes: list[str] = []
    before = len(mistakes)
    items = _items(fields, pictures, folder, notes)
    # If there are mistakes in the items, their number is not known.
    count = len(items) if len(mistakes) == before else 0
    name = fields.text("name")
    if name:
        with mistakes.noting(fields.line_of("name")):
            check_name(name)
    settings = read_settings(fields, pictures, items=count)
    mistakes.raise_if_any()
    assert settings is not None  # it is None only if a mistake was noted
    if settings.context.image and not settings.context.alt:
        notes.append("The picture has no alt text: describe it for those who cannot see it.")
    name = name or name_from_title(settings.title)
    return ContestDraft(name, settings, items, pictures.assets, notes)


def text_of_file(path: Path, mistakes: Mistakes) -> str:
    """The text of a file; "", with the mistake noted, if it cannot be read."""
    try:
        if (size := path.stat().st_size) > MAX_FILE_BYTES:
            told = N_("The file has {size} bytes; at most {most} are read.")
            mistakes.add(None, Phrase(told, size=size, most=MAX_FILE_BYTES))
            return ""
        data = path.read_bytes()
    except FileNotFoundError:
        mistakes.add(None, f"There is no file {path}. Check the path and the spelling of the name.")
        return ""
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        mistakes.add(None, f"Cannot read the file {path} ({reason}).")
        return ""
    if line := first_foreign_line(data):
        mistakes.add(line, "This line is not UTF-8. Save the file as UTF-8.")
        return ""
    text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    for found in FORBIDDEN.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        fault = fault_of(found.group(), LONGEST_LINE, Phrase(N_("The line")))
        assert fault is not None  # it holds a forbidden character
        mistakes.add(line, fault)
        if len(mistakes) >= 10:
            break
    return text


def _items(fields: Fields, pictures: Pictures, folder: Path | None, notes: list[str]) -> list[Item]:
    duplicates = fields.choice("duplicates", DUPLICATES)
    before = len(fields.mistakes)
    given = _given_items(fields, folder)
    items = collect_items(given, pictures, fields.mistakes, notes, duplicates=duplicates)
    if len(fields.mistakes) == before and len(items) < 2:
        told = N_("A contest needs at least 2 items; got {count}.")
        fields.mistakes.add(fields.line_of("items"), Phrase(told, count=len(items)))
    return items


def _given_items(fields: Fields, folder: Path | None) -> Iterator[Given]:
    node = fields.node("items")
    if node is None:
        fields.mistakes.add(
            fields.line_of("items"),
            "items is missing: name a file, such as captions.txt, or write a list.",
        )
    elif isinstance(node, Listing):
        yield from listed_items(node, fields.mistakes)
    elif folder is None:
        fields.wrong("items", "a list of texts or of {text, image}: no file can be read here")
    elif isinstance(node, Scalar):
        yield from _file_items(fields, folder, fields.text("items"))
    else:
        inner = Fields(node, fields.mistakes, ("file", "text", "image"))
        columns = Columns(inner.text("text"), inner.text("image"))
        if named := inner.text("file"):
            yield from _file_items(inner, folder, named, columns)
        else:
            fields.mistakes.add(inner.line, "items needs a file: name a .txt or .csv file.")


def _file_items(
    fields: Fields, folder: Path, named: str, columns: Columns = USUAL
) -> Iterator[Given]:
    # A mistake inside the file has that file as its place; a missing file is a mistake here.
    path = folder / named
    key = "items" if fields.node("items") else "file"
    if not path.is_file():
        fields.mistakes.add(
            fields.line_of(key),
            f"There is no file {named}: paths start at the folder of the contest file.",
        )
        return
    with fields.mistakes.noting(None, file=path.name):
        yield from items_of_file(path, columns)


def name_from_title(title: str) -> str:
    """A name for links, made from the title; from its hash if few of its letters are ASCII.

    >>> name_from_title("What is the élephant saying?"), name_from_title("Что говорит слон?")
    ('what-is-the-elephant-saying', 'contest-7df463')
    """
    # No title is longer; to normalise a much longer one could take forever.
    title = title[:LONGEST_LINE]
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    name = "-".join(re.findall(r"[a-z0-9]+", plain))[:64].strip("-")
    letters = sum(map(str.isalnum, title))
    if 2 * sum(map(str.isalnum, plain)) < letters or not name:
        return f"contest-{hashlib.sha256(title.encode()).hexdigest()[:6]}"
    return name
