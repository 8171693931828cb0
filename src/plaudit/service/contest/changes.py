"""The current settings of a contest: those that it was made with, and the changes since.

The chain of a log begins with the first settings, which never change; a change is an event.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from plaudit.errors import InvalidInput, NotAllowed, UnknownName
from plaudit.service.contest.settings import SETTINGS, ContestSettings

FIELDS = ContestSettings.__struct_fields__
# What may change while people vote: nothing that the proof rests on, nor what raters were asked.
CHANGEABLE = tuple(setting.field for setting in SETTINGS if setting.changeable)
# What the races are made from; a change of these makes them anew.
OF_THE_RACE = frozenset(setting.field for setting in SETTINGS if setting.of_the_race)
_KEYS = {setting.field: setting.key for setting in SETTINGS}


def key_of(field: str) -> str:
    """The key of a contest file that holds a setting.

    >>> key_of("lanes"), key_of("title")
    ('algorithms', 'title')
    """
    return _KEYS[field]


def current_settings(created: str, changes: Mapping[str, Any]) -> ContestSettings:
    """The settings that a contest was made with, with the changes since."""
    if not changes:
        return ContestSettings.from_json(created)
    return msgspec.convert({**msgspec.json.decode(created), **changes}, ContestSettings)


def json_value(settings: ContestSettings, field: str) -> Any:
    """The value of a field as JSON has it."""
    return msgspec.to_builtins(getattr(settings, field))


def changes_between(old: ContestSettings, new: ContestSettings) -> dict[str, Any]:
    """The new values of the fields that differ, as JSON has them."""
    return {
        field: json_value(new, field)
        for field in FIELDS
        if getattr(new, field) != getattr(old, field)
    }


def checked_change(
    settings: ContestSettings, change: Mapping[str, Any], *, any_field: bool
) -> dict[str, Any]:
    """The new values of a change, as JSON has them, without those that are the same as before.

    `any_field` is true for a draft that nobody has voted on. A mistake in a value is an
    `InvalidInput`, and a field that may not change any more `NotAllowed`.
    """
    given = {name: msgspec.to_builtins(value) for name, value in change.items()}
    for name in given:
        if name not in FIELDS:
            raise UnknownName("setting", name, FIELDS)
    new = {name: value for name, value in given.items() if value != json_value(settings, name)}
    fixed = [] if any_field else [name for name in new if name not in CHANGEABLE]
    if fixed:
        raise NotAllowed(
            f"{', '.join(map(key_of, fixed))} cannot change any more: raters have voted with it, "
            "and the proof rests on it. These settings can change: "
            f"{', '.join(map(key_of, CHANGEABLE))}."
        )
    try:
        whole = {name: json_value(settings, name) for name in FIELDS}
        changed = msgspec.convert({**whole, **new}, ContestSettings)
    except msgspec.ValidationError as error:
        raise InvalidInput(str(error)) from None
    return {name: json_value(changed, name) for name in new}
