"""Items as an editor types or pastes them, one a line, and what to know of them at once."""

import hashlib
import re
import tempfile
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from plaudit.service.intake.fields import clean
from plaudit.service.intake.item_file import Given, items_of_file
from plaudit.service.intake.item_list import collect_items
from plaudit.service.intake.mistakes import Mistake, Mistakes
from plaudit.service.intake.near_duplicates import EXACT, Group, groups
from plaudit.service.intake.pictures import UploadedPictures
from plaudit.store.contract import Item

# Stands for a line break inside an item, which is a line itself.
BREAK = "⏎"
MOST_ITEMS = 20_000
_ENDS = re.compile(r"\r\n|\r|\n")


class Alike(NamedTuple):
    """Items that are alike, with the lines that they stand in; the first is kept where merged."""

    key: str
    kind: str
    likeness: float
    lines: tuple[int, ...]
    texts: tuple[str, ...]


class Review(NamedTuple):
    """What the box holds: its items, with the line of each; its mistakes; and what is alike."""

    items: list[Item]
    lines: list[int]
    mistakes: list[Mistake]
    alike: list[Alike]

    def kept(self, merged: Container[str]) -> list[Item]:
        """The items that are left when the groups of these keys are merged."""
        gone = {line for group in self.alike if group.key in merged for line in group.lines[1:]}
        rest = [item for item, line in zip(self.items, self.lines, strict=True) if line not in gone]
        return [Item(number, item.text, item.image) for number, item in enumerate(rest)]


def review_items(text: str) -> Review:
    """What is in the box; groups are looked for where there is no mistake."""
    mistakes = Mistakes()
    given = _not_too_many(_given(text), mistakes)
    pictures = UploadedPictures(mistakes, is_there=lambda hash: False)
    items = collect_items(given, pictures, mistakes, [], duplicates="keep")
    lines = [one.line or 0 for one in given]
    found = [] if mistakes else groups([item.text for item in items])
    return Review(items, lines, mistakes.found, [_alike(one, items, lines) for one in found])


def _not_too_many(
    given: Iterable[Given], mistakes: Mistakes, *, most: int = MOST_ITEMS
) -> list[Given]:
    """The items, if not too many; a file of millions of short lines must not fill the memory."""
    taken = list(islice(given, most + 1))
    if len(taken) > most:
        mistakes.add(
            None,
            f"There are more than {most:,} items, the most that can be set up here. Use "
            "`plaudit contest create` with a contest file for more.",
        )
    return taken


def _given(text: str) -> Iterable[Given]:
    for line, row in enumerate(_rows(text), start=1):
        if row.strip():
            yield Given(clean(row.replace(BREAK, "\n")), "", line)


def _rows(text: str) -> Iterator[str]:
    """The lines of a text, one after the other."""
    begin = 0
    for end in _ENDS.finditer(text):
        yield text[begin : end.start()]
        begin = end.end()
    yield text[begin:]


def _alike(group: Group, items: Sequence[Item], lines: Sequence[int]) -> Alike:
    texts = tuple(items[number].text for number in group.members)
    mark = hashlib.blake2b("\0".join((group.kind, *texts)).encode(), digest_size=8).hexdigest()
    return Alike(
        mark, group.kind, group.likeness, tuple(lines[number] for number in group.members), texts
    )


def merged_at_first(alike: Iterable[Alike]) -> set[str]:
    """The groups that are merged unless someone says otherwise: those of the same text."""
    return {group.key for group in alike if group.kind == EXACT}


def items_of_upload(name: str, body: bytes) -> str:
    """What a file of items puts into the box; `ContestFileError` names its mistakes by line."""
    # Only the ending of the name says something, and it ends up in a path.
    ending = ".csv" if name.lower().endswith((".csv", ".tsv")) else ".txt"
    shown = re.sub(r"[^\w. -]", "_", Path(name).name)[-80:] or f"items{ending}"
    mistakes = Mistakes(shown)
    given = given_in(body, ending, mistakes, file=shown, columns="call the one to show text")
    pictures = UploadedPictures(mistakes, is_there=lambda hash: False)
    items = collect_items(given, pictures, mistakes, [], duplicates="keep")
    mistakes.raise_if_any()
    return in_lines(item.text for item in items)


def in_lines(texts: Iterable[str]) -> str:
    """Items as the box has them, one a line."""
    return "\n".join(text.replace("\n", BREAK) for text in texts)


def given_in(
    body: bytes,
    ending: str,
    mistakes: Mistakes,
    *,
    file: str,
    columns: str,
    most: int = MOST_ITEMS,
) -> list[Given]:
    """The items of a file that was sent; its mistakes have its name. `columns` says what to do."""
    before, given = len(mistakes), list[Given]()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"items{ending}"
        path.write_bytes(body)
        with mistakes.noting(None, file=file):
            read = (one._replace(file=file) for one in items_of_file(path))
            given = _not_too_many(read, mistakes, most=most)
    for at, found in enumerate(mistakes.found[before:], start=before):
        # What is said there of contest files is no help here.
        told = found.message.replace(path.name, file).partition(": name the one to show")
        message = f"{told[0]}: {columns}." if told[1] else told[0]
        mistakes.found[at] = found._replace(message=message)
    return given
