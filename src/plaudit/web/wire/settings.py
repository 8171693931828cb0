"""The wire formats of a contest's settings, made from the table of settings."""

from typing import Any, Literal

from msgspec import UNSET, UnsetType, defstruct

from plaudit.service.contest.setting import Holds, Setting
from plaudit.service.contest.settings import SETTINGS
from plaudit.service.intake.item_list import DUPLICATES
from plaudit.service.intake.setting_readers import OLD_VISIBILITIES, VISIBILITIES
from plaudit.web.wire.running import Change, NewItem
from plaudit.web.wire.voting import In

# `Literal` as a plain object: its words come from a table, where no type checker sees them.
_Literal: Any = Literal


class NewContext(In):
    """What the items are about; a picture by the hash of its upload."""

    text: str | None = None
    image: str | None = None
    alt: str | None = None


# What JSON has for a setting; numbers have the type of their field.
JSON_TYPES: dict[Holds, Any] = {
    Holds.LINE: str,
    Holds.TEXT: str,
    Holds.LINK: str,
    Holds.CODE: str,
    Holds.NUMBER: None,
    Holds.SHARE: float,
    Holds.RATERS: int | str,
    Holds.LIMIT: int,
    Holds.CHOICE: None,
    Holds.FLAG: bool,
    Holds.PUBLIC: _Literal[(*VISIBILITIES, *OLD_VISIBILITIES)],
    Holds.TIME: str,
    Holds.SITES: list[str] | str,
    Holds.CONTEXT: str | NewContext,
    Holds.SCALE: str | dict[str, float],
    Holds.ALGORITHMS: dict[str, float] | list[str],
}


def json_type(setting: Setting) -> Any:
    """What JSON has for a setting."""
    if setting.holds == Holds.CHOICE:
        return _Literal[tuple(part.name for part in setting.parts)]
    return setting.type if setting.holds == Holds.NUMBER else JSON_TYPES[setting.holds]


def _may_be_left_out(kind: Any) -> Any:
    """A key that need not be there; null is its default."""
    return kind | UnsetType | None


def _keys(setting: Setting) -> list[tuple[str, Any, Any]]:
    short = [(setting.short_key, _may_be_left_out(str), UNSET)] if setting.short_key else []
    return [*short, (setting.key, _may_be_left_out(json_type(setting)), UNSET)]


SettingKeys = defstruct(
    "SettingKeys",
    [key for setting in SETTINGS for key in _keys(setting)],
    bases=(In,),
    module=__name__,
    namespace={"__doc__": "Keys of a contest file; null is the default of a key."},
)

NewContest = defstruct(
    "NewContest",
    [
        *((one.key, json_type(one)) for one in SETTINGS if one.missing),
        ("items", list[str | NewItem]),
        ("name", _may_be_left_out(str), UNSET),
        ("duplicates", _may_be_left_out(_Literal[DUPLICATES]), UNSET),
    ],
    bases=(SettingKeys,),
    kw_only=True,
    module=__name__,
    namespace={
        "__doc__": "The keys of a contest file; docs/live/first-contest.md says what they mean."
    },
)

SettingsChange = defstruct(
    "SettingsChange",
    [("set", SettingKeys)],
    bases=(Change,),
    kw_only=True,
    module=__name__,
    namespace={
        "__doc__": "Settings to change, by the keys of a contest file; each replaces what was "
        "there."
    },
)
