"""What Plaudit knows about one setting of a contest.

`ContestSettings` has such an entry at every field, and `SETTINGS` lists them. Contest files, forms,
the API, its OpenAPI document, pages, changes while people vote and the documentation read them.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum, auto
from typing import Any, get_args

import msgspec
from msgspec import NODEFAULT, Struct

from plaudit.errors import InvalidInput
from plaudit.phrase import Phrase
from plaudit.service.contest.rules import LONGEST_LINE, LONGEST_LINK, LONGEST_TEXT, Rule
from plaudit.words import N_


class Holds(StrEnum):
    """What a setting holds. It decides how the setting is read, sent and shown in a form."""

    LINE = auto()
    TEXT = auto()
    LINK = auto()
    # A line, or AUTOMATIC for a code of each rater's own.
    CODE = auto()
    NUMBER = auto()
    SHARE = auto()
    # A number of raters, or below 1 a share of them.
    RATERS = auto()
    # A whole number, or 0 for no limit; files leave it out then.
    LIMIT = auto()
    CHOICE = auto()
    FLAG = auto()
    # When results are public: true is always, false never, else a word.
    PUBLIC = auto()
    # Milliseconds since 1970, UTC; files have a time with its zone.
    TIME = auto()
    SITES = auto()
    CONTEXT = auto()
    SCALE = auto()
    ALGORITHMS = auto()


class Place(StrEnum):
    """Where a setting stands in the form of a contest; contest_fields.html draws the places."""

    QUESTION = auto()
    ANSWERS = auto()
    GOAL = auto()
    WINNERS = auto()
    ALGORITHMS = auto()
    ADVANCED = auto()
    VISIT = auto()
    RATERS_MAY = auto()
    PROPOSALS = auto()
    PROPOSAL_LIMITS = auto()
    THANKS = auto()
    PAID = auto()
    TIMES = auto()
    DOOR = auto()
    AUDIENCE = auto()
    SITES = auto()


@dataclass(frozen=True)
class Part:
    """A word to choose, or one more field beside that of the setting, as a form shows it."""

    name: str
    label: str
    hint: str = ""


@dataclass(frozen=True)
class Setting:
    """One setting: what it holds, what it may be, how people meet it.

    `label` and `hint` stand in the form; both are marked for the catalogue. `about` is the row of
    the documentation, in Markdown, and says what the key means.
    """

    holds: Holds
    place: Place
    label: str
    hint: str
    about: str
    _: KW_ONLY
    # What a contest file and the API call it, if they do not use the name of the field.
    key: str = ""
    # A second key that stands for the same setting.
    short_key: str = ""
    # The beginning of a message about it in a form, if the key would be no word for people.
    subject: str = ""
    # Fixed once people vote, since the proof rests on it; a change makes the races anew.
    of_the_race: bool = False
    # The proof covers all values at once: it may change while people vote, and the races with it.
    at_any_time: bool = False
    rules: tuple[Rule, ...] = ()
    # The rule of each of the values, if it holds several.
    check_each: Callable[[Any], None] | None = None
    # What to say after "is missing", if a contest cannot do without it.
    missing: str = ""
    # What a form offers to choose from, or the fields that a setting has besides its own.
    parts: tuple[Part, ...] = ()
    # The bounds of a number in a form.
    least: int | None = None
    most: int | None = None
    # How many lines the field of a text shows.
    rows: int = 3
    # The order within its place; settings of the same rank are in the order of their fields.
    rank: int = 0
    # What the form of a new contest begins with, if that is not the default.
    starts: str | None = None
    # These are taken from the field; one that must be given there has its default here.
    field: str = ""
    type: Any = None
    default: Any = None

    @property
    def changeable(self) -> bool:
        """Whether it may change while people vote."""
        return self.at_any_time or not self.of_the_race

    @property
    def longest(self) -> int:
        """How many characters it may have, if it is a text."""
        lengths = {Holds.TEXT: LONGEST_TEXT, Holds.CONTEXT: LONGEST_TEXT, Holds.LINK: LONGEST_LINK}
        return lengths.get(self.holds, LONGEST_LINE)

    @property
    def is_whole(self) -> bool:
        """Whether it holds whole numbers only."""
        return self.type is int

    def check(self, value: Any, *, name: str = "") -> None:
        """Raises `InvalidInput` if no contest may have this value, wherever it comes from."""
        if self.missing and not value.strip():
            told = N_("{key} is missing: {advice}")
            facts = {"key": Phrase(name or self.key), "advice": Phrase(self.missing)}
            raise InvalidInput(Phrase(told, **facts))
        for rule in self.rules:
            rule.check(name or self.key, value)
        if self.check_each is not None:
            for each in value:
                self.check_each(each)


def entries_of(struct: type[Struct]) -> tuple[Setting, ...]:
    """The entry of each field, with the field's name, type and default."""
    found = []
    for field in msgspec.structs.fields(struct):
        kind, *marks = get_args(field.type) or (field.type,)
        entry = next((mark for mark in marks if isinstance(mark, Setting)), None)
        if entry is None:
            raise TypeError(
                f"The field {field.name} of {struct.__name__} has no entry: give it a "
                "Setting, as its neighbours have."
            )
        taken: dict[str, Any] = {"field": field.name, "key": entry.key or field.name, "type": kind}
        if field.default is not NODEFAULT:
            taken["default"] = field.default
        found.append(replace(entry, **taken))
    return tuple(found)
