"""Items, numbered: each checked, and those that repeat others noted."""

from collections.abc import Iterable

from plaudit.datasets.csv_reader import shorten
from plaudit.service.intake.fields import fault_of
from plaudit.service.intake.item_file import Given
from plaudit.service.intake.mistakes import Mistakes
from plaudit.service.intake.pictures import Pictures
from plaudit.store.contract import Item

LONGEST_ITEM = 2_000
# What is done with an item that repeats another; the first is the default.
DUPLICATES = ("drop", "keep", "error")


def collect_items(
    given: Iterable[Given],
    pictures: Pictures,
    mistakes: Mistakes,
    notes: list[str],
    *,
    duplicates: str = "drop",
) -> list[Item]:
    """The items, numbered from 0; what a person should know of them is added to `notes`.

    Two items are the same if their pictures are, and their texts but for case and spaces.
    """
    items: list[Item] = []
    seen: dict[tuple[str, str], str] = {}
    for count, one in enumerate(given, start=1):
        image = _checked(one, pictures, mistakes)
        place = f"item {count}" if one.line is None else f"line {one.line}"
        key = (" ".join(one.text.split()).casefold(), image)
        if key in seen and any(key):
            told = f"{place.capitalize()} repeats {seen[key]}: {shorten(one.text)}."
            if duplicates == "error":
                mistakes.add(one.line, f"{told} Delete one of them.", file=one.file)
            else:
                fate = "kept" if duplicates == "keep" else "left out"
                notes.append(f"{f'{one.file}: ' if one.file else ''}{told} It is {fate}.")
            if duplicates != "keep":
                continue
        seen.setdefault(key, place)
        items.append(Item(len(items), one.text, image))
    return items


def _checked(given: Given, pictures: Pictures, mistakes: Mistakes) -> str:
    """The hash of the item's picture, or ""; notes what is wrong with the item."""
    if not given.text and not given.image:
        mistakes.add(given.line, "This item is empty: write it, or delete it.", file=given.file)
    if fault := fault_of(given.text, LONGEST_ITEM):
        mistakes.add(given.line, f"The item {fault}", file=given.file)
    return pictures.hash_of(given.image, given.line, file=given.file)
