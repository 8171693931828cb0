"""The box in which an editor types or pastes items, one a line: its items, mistakes and repeats."""

import hashlib
import re
import tempfile
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from plaudit.phrase import Phrase
from plaudit.service.intake.fields import clean
from plaudit.service.intake.item_file import Columns, Given, items_of_file
from plaudit.service.intake.item_list import collect_items
from plaudit.service.intake.mistakes import Mistake, Mistakes
from plaudit.service.intake.near_duplicates import EXACT, Group, groups
from plaudit.service.intake.pictures import UploadedPictures
from plaudit.store.contract import Item
from plaudit.words import N_

# Stands for a line break inside an item, because each item is one line.
BREAK = "⏎"
MOST_ITEMS = 20_000
_CALL_IT_TEXT = Phrase(N_("Call the one to show text."))
_ENDS = re.compile(r"\r\n|\r|\n")


class Alike(NamedTuple):
    """Items that are alike, with their lines; if they are merged, the first is kept."""

    key: str
    kind: str
    likeness: float
    lines: tuple[int, ...]
    texts: tuple[str, ...]


class Review(NamedTuple):
    """What the box holds: the items with their lines, the mistakes, and groups of similar items."""

    items: list[Item]
    lines: list[int]
    mistakes: list[Mistake]
    alike: list[Alike]

    def kept(self, merged: Container[str]) -> list[Item]:
        """The items that are left when the groups with these keys are merged."""
        gone = {line for group in self.alike if group.key in merged for line in group.lines[1:]}
        rest = [item for item, line in zip(self.items, self.lines, strict=True) if line not in gone]
        return [Item(number, item.text, item.image) for number, item in enumerate(rest)]


def review_items(text: str) -> Review:
    """What is in the box; similar items are searched for only if there is no mistake."""
    mistakes = Mistakes()
    given = _limited(_given(text), mistakes)
    pictures = UploadedPictures(mistakes, is_there=lambda hash: False)
    items = collect_items(given, pictures, mistakes, [], duplicates="keep")
    lines = [one.line or 0 for one in given]
    found = [] if mistakes else groups([item.text for item in items])
    return Review(items, lines, mistakes.found, [_alike(one, items, lines) for one in found])


def _limited(given: Iterable[Given], mistakes: Mistakes, *, most: int = MOST_ITEMS) -> list[Given]:
    """The items up to a limit: a file of millions of short lines must not fill the memory."""
    taken = list(islice(given, most + 1))
    if len(taken) > most:
        told = N_(
            "There are more than {most} items, the most that can be set up here. For more, use "
            "`plaudit contest create` with a contest file."
        )
        mistakes.add(None, Phrase(told, most=most))
    return taken


def _given(text: str) -> Iterable[Given]:
    for line, row in enumerate(_rows(text), start=1):
        if row.strip():
            yield Given(clean(row.replace(BREAK, "\n")), "", line)


def _rows(text: str) -> Iterator[str]:
    """The lines of a text, one by one."""
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
    """The keys of the groups that are merged by default: those with the same text."""
    return {group.key for group in alike if group.kind == EXACT}


def items_of_upload(name: str, body: bytes) -> str:
    """What a file of items puts into the box; `ContestFileError` has its mistakes by line."""
    # Only the ending of the name matters; a browser may send any name.
    ending = ".csv" if name.lower().endswith((".csv", ".tsv")) else ".txt"
    shown = re.sub(r"[^\w. -]", "_", Path(name).name)[-80:] or f"items{ending}"
    mistakes = Mistakes(shown)
    given = given_in(body, ending, mistakes, file=shown, advice=_CALL_IT_TEXT)
    pictures = UploadedPictures(mistakes, is_there=lambda hash: False)
    items = collect_items(given, pictures, mistakes, [], duplicates="keep")
    mistakes.raise_if_any()
    return in_lines(item.text for item in items)


def in_lines(texts: Iterable[str]) -> str:
    """Items as the box shows them, one a line."""
    return "\n".join(text.replace("\n", BREAK) for text in texts)


def given_in(
    body: bytes,
    ending: str,
    mistakes: Mistakes,
    *,
    file: str,
    advice: Phrase,
    most: int = MOST_ITEMS,
) -> list[Given]:
    """The items of an uploaded file; its mistakes are noted under the name `file`.

    `advice` says what to do if no column has a known name.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"items{ending}"
        path.write_bytes(body)
        with mistakes.noting(None, file=file):
            read = items_of_file(path, Columns(advice=advice), named=file)
            return _limited(read, mistakes, most=most)
    return []
