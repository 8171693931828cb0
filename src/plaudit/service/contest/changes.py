"""The settings in force: those that a contest was made with, and what was changed since.

The chain of a log begins with the first settings, which never change; a change is an event.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from plaudit.errors import InvalidInput, NotAllowed, UnknownName
from plaudit.service.contest.settings import ContestSettings

FIELDS = ContestSettings.__struct_fields__
# What may change while people vote: nothing that the proof rests on, nor what was asked.
LATER = (
    "title",
    "context",
    "consent",
    "instructions",
    "votes_per_visit",
    "thanks",
    "completion_code",
    "return_url",
    "opens",
    "closes",
    "skip",
    "flag",
    "public_results",
    "listed",
    "embed",
)
# What a contest file calls a setting, where that is another word.
_KEYS = {"lanes": "algorithms", "public_results": "results"}
# What the races are made from; a change of these makes them anew.
OF_RACES = frozenset({"scale", "lanes", "delta", "epsilon", "top", "goal", "seed", "uniform"})


def key_of(field: str) -> str:
    """The key of a contest file that holds a setting.

    >>> key_of("lanes"), key_of("title")
    ('algorithms', 'title')
    """
    return _KEYS.get(field, field)


def in_force(created: str, changes: Mapping[str, Any]) -> ContestSettings:
    """The settings that a contest was made with, with what was changed since."""
    if not changes:
        return ContestSettings.from_json(created)
    return msgspec.convert({**msgspec.json.decode(created), **changes}, ContestSettings)


def plain(value: Any) -> Any:
    """A field's value as JSON has it."""
    return msgspec.to_builtins(value)


def checked_change(
    settings: ContestSettings, change: Mapping[str, Any], *, any_field: bool
) -> dict[str, Any]:
    """What a change sets, as JSON has it, without what is so already.

    `any_field` is true for a draft that nobody has voted on. A mistake in a value is an
    `InvalidInput`, and a field that may not change any more `NotAllowed`.
    """
    given = {name: plain(value) for name, value in change.items()}
    for name in given:
        if name not in FIELDS:
            raise UnknownName("setting", name, FIELDS)
    new = {k: v for k, v in given.items() if v != plain(getattr(settings, k))}
    fixed = [] if any_field else [name for name in new if name not in LATER]
    if fixed:
        raise NotAllowed(
            f"{', '.join(map(key_of, fixed))} cannot change any more: votes were asked for with "
            f"it, and the proof rests on it. What can change is {', '.join(map(key_of, LATER))}."
        )
    try:
        whole = {name: plain(getattr(settings, name)) for name in FIELDS}
        changed = msgspec.convert({**whole, **new}, ContestSettings)
    except msgspec.ValidationError as error:
        raise InvalidInput(str(error)) from None
    return {name: plain(getattr(changed, name)) for name in new}
