"""The formats of the API for the door of a contest: codes, the list, the key of links, figures."""

from typing import Annotated

from msgspec import Meta, Struct, field

from plaudit.service.contest.guests import MOST_CODES, MOST_LISTED
from plaudit.web.wire.running import Change


class NewCodes(Change, kw_only=True):
    """How many codes to make."""

    count: Annotated[int, Meta(ge=1, le=MOST_CODES)]


class CodeNames(Change, kw_only=True):
    """Codes, by number or by their text."""

    codes: Annotated[list[int | str], Meta(min_length=1, max_length=MOST_CODES)]


class ShownCode(Struct):
    """A code; `state` is `used`, `unused` or `revoked`. A revoked one may have been used."""

    number: int
    code: str
    link: str
    state: str
    used: bool


class ShownCodes(Struct):
    """The codes of a contest, and how many there are. Revoked ones count as nothing else."""

    contest: str
    epoch: int
    made: int
    used: int
    unused: int
    revoked: int
    codes: list[ShownCode]


ExternalId = Annotated[str, Meta(min_length=1, max_length=200)]


class ListChange(Change, kw_only=True):
    """Ids to put on the list of those who may vote, and ids to take off it."""

    add: Annotated[list[ExternalId], Meta(max_length=MOST_LISTED)] = field(default_factory=list)
    remove: Annotated[list[ExternalId], Meta(max_length=MOST_LISTED)] = field(default_factory=list)


class ShownLinkKey(Struct):
    """The key that signs links, and its number: a change gives the contest the next one."""

    contest: str
    number: int
    key: str


class TurnedAwayLine(Struct):
    """How many requests were turned away on a day (UTC) for one reason."""

    day: str
    reason: str
    count: int


class ShownDoor(Struct):
    """The door of a contest: who came in how, and what was turned away.

    `raters` has how many came in each way; raters from before this was kept are `unknown`.
    """

    contest: str
    epoch: int
    door: str
    codes: int
    revoked_codes: int
    listed: int
    raters: dict[str, int]
    turned_away: list[TurnedAwayLine]
