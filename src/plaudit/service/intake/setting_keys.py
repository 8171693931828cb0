"""Settings by the keys of a contest file: the current ones, and what a change of some of them sets.

A change is read as the whole file with these keys replaced, so that it has the rules and the
messages of contest files.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plaudit.service.contest.changes import CHANGEABLE, FIELDS, changes_between, key_of
from plaudit.service.contest.history import History
from plaudit.service.contest.setting import Holds
from plaudit.service.contest.settings import DRAFT, SETTINGS, ContestSettings
from plaudit.service.intake.contest_file import SETTING_KEYS, text_of_file
from plaudit.service.intake.fields import Fields
from plaudit.service.intake.mistakes import Mistakes
from plaudit.service.intake.pictures import FolderPictures, Pictures, UploadedPictures
from plaudit.service.intake.setting_readers import (
    raters_text,
    read_settings,
    results_word,
)
from plaudit.service.intake.tree import Node, Scalar, Table, tree_of
from plaudit.store.contract import Asset

# A key that means the same as another.
_SAME = {setting.short_key: setting.key for setting in SETTINGS if setting.short_key}


def _time(at: int | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at / 1000, UTC).isoformat()


# How a file writes down what a setting holds; all else is written as it is.
WRITTEN: dict[Holds, Callable[[Any], Any]] = {
    Holds.CONTEXT: lambda context: {
        "text": context.text,
        "image": context.image,
        "alt": context.alt,
    },
    Holds.SCALE: lambda levels: {level.label: level.value for level in levels},
    Holds.ALGORITHMS: lambda lanes: {lane.algorithm: lane.share for lane in lanes},
    Holds.LIMIT: lambda limit: limit or None,
    Holds.RATERS: raters_text,
    Holds.TIME: _time,
    Holds.PUBLIC: results_word,
    Holds.SITES: list,
}


def keys_of(settings: ContestSettings) -> dict[str, Any]:
    """The settings as a contest file would have them; reading them gives the same settings."""
    return {
        setting.key: WRITTEN.get(setting.holds, lambda value: value)(
            getattr(settings, setting.field)
        )
        for setting in SETTINGS
    }


def changeable_keys(history: History) -> list[str]:
    """The keys that may change now: all of a draft that nobody has voted on."""
    free = history.contest.state == DRAFT and not history.contest.begun
    fields = FIELDS if free else CHANGEABLE
    return [key_of(field) for field in fields]


def change_of_json(
    history: History, data: Any, *, is_there: Callable[[str], bool]
) -> dict[str, Any]:
    """What some keys of a contest file change, for `Desk.change`; `ContestFileError` otherwise.

    A key that holds nothing goes back to its default. `is_there` says whether the store has a
    picture.
    """
    mistakes = Mistakes()
    pictures = UploadedPictures(mistakes, is_there=is_there)
    return _read_change(history, tree_of(data), mistakes, pictures)


def change_of_words(history: History, given: Iterable[str]) -> dict[str, Any]:
    """The same from words such as `title=Better`."""
    parted = (one.partition("=") for one in given)
    pairs: list[tuple[Scalar, Node]] = [
        (Scalar(key.strip(), None, "text"), Scalar(value, None, "plain" if value else "nothing"))
        for key, _, value in parted
    ]
    mistakes = Mistakes()
    pictures = UploadedPictures(mistakes, is_there=lambda hash: False)
    return _read_change(history, Table(pairs, None), mistakes, pictures)


def change_of_file(history: History, path: Path) -> tuple[dict[str, Any], list[Asset]]:
    """The same from a YAML file, and the pictures that it names, to be put into the store."""
    mistakes = Mistakes(path.name)
    text = text_of_file(path, mistakes)
    from plaudit.service.intake.yaml_lines import parse_yaml

    tree = None if mistakes else parse_yaml(text, mistakes)
    mistakes.raise_if_any()
    pictures = FolderPictures(path.parent, mistakes)
    return _read_change(history, tree, mistakes, pictures), list(pictures.assets.values())


def _read_change(
    history: History, given: Node | None, mistakes: Mistakes, pictures: Pictures
) -> dict[str, Any]:
    if not isinstance(given, Table):
        mistakes.add(None, "A change needs keys of a contest file, such as title. There are none.")
        given = Table([], None)
    named = {_SAME.get(key.text, key.text) for key, _ in given.pairs}
    settings = history.settings
    known = tree_of(keys_of(settings))
    assert isinstance(known, Table)
    # The picture of the context that is there need not be where new ones are.
    kept = [(key, node) for key, node in known.pairs if key.text not in named | {"context"}]
    fields = Fields(Table([*kept, *given.pairs], given.line), mistakes, SETTING_KEYS)
    new = read_settings(fields, pictures, items=history.contest.present)
    mistakes.raise_if_any()
    assert new is not None  # it is None only where a mistake was noted
    changed = changes_between(settings, new)
    return {field: value for field, value in changed.items() if key_of(field) in named}
