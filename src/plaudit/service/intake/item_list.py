"""The items of a contest, checked and numbered; repeated ones are noted."""

from collections.abc import Iterable

from plaudit.datasets.csv_reader import shorten
from plaudit.phrase import Phrase
from plaudit.service.intake.fields import fault_of
from plaudit.service.intake.item_file import Given
from plaudit.service.intake.mistakes import Mistake, Mistakes
from plaudit.service.intake.pictures import Pictures
from plaudit.store.contract import Item
from plaudit.words import N_

LONGEST_ITEM = 2_000
# What is done with an item that repeats another; the first is the default.
DUPLICATES = ("drop", "keep", "error")
REPEATED = {
    ("line", "drop"): N_("Line {place} repeats line {first}: {text}. It is left out."),
    ("line", "keep"): N_("Line {place} repeats line {first}: {text}. It is kept."),
    ("line", "error"): N_("Line {place} repeats line {first}: {text}. Delete one of them."),
    ("item", "drop"): N_("Item {place} repeats item {first}: {text}. It is left out."),
    ("item", "keep"): N_("Item {place} repeats item {first}: {text}. It is kept."),
    ("item", "error"): N_("Item {place} repeats item {first}: {text}. Delete one of them."),
}


def collect_items(
    given: Iterable[Given],
    pictures: Pictures,
    mistakes: Mistakes,
    notes: list[str],
    *,
    duplicates: str = "drop",
) -> list[Item]:
    """The items, numbered from 0; remarks for people, such as items left out, go to `notes`.

    Two items are the same if their pictures are the same and their texts differ only in case and
    spaces.
    """
    items: list[Item] = []
    seen: dict[tuple[str, str], int] = {}
    for count, one in enumerate(given, start=1):
        image = _checked(one, pictures, mistakes)
        place = count if one.line is None else one.line
        key = (" ".join(one.text.split()).casefold(), image)
        if key in seen and any(key):
            told = _repeated(one, duplicates, place=place, first=seen[key])
            if duplicates == "error":
                mistakes.add(one.line, told, file=one.file)
            else:
                notes.append(str(Mistake(None, told, one.file or "")))
            if duplicates != "keep":
                continue
        seen.setdefault(key, place)
        items.append(Item(len(items), one.text, image))
    return items


def _repeated(given: Given, duplicates: str, *, place: int, first: int) -> Phrase:
    kind = "item" if given.line is None else "line"
    facts = {"place": str(place), "first": str(first), "text": shorten(given.text)}
    return Phrase(REPEATED[kind, duplicates], **facts)


def _checked(given: Given, pictures: Pictures, mistakes: Mistakes) -> str:
    """The hash of the item's picture, or ""; notes what is wrong with the item."""
    if not given.text and not given.image:
        told = N_("This item is empty: write a text, or delete the item.")
        mistakes.add(given.line, Phrase(told), file=given.file)
    if fault := fault_of(given.text, LONGEST_ITEM, Phrase(N_("The item"))):
        mistakes.add(given.line, fault, file=given.file)
    return pictures.hash_of(given.image, given.line, file=given.file)
