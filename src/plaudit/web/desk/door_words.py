"""The door in words and rows for the desk."""

from typing import Any, NamedTuple

from plaudit.service.contest.settings import CODES, LINKS, LIST, OPEN_DOOR, SIGN_IN
from plaudit.service.door.figures import REASONS, WAYS, DoorFigures, date_of
from plaudit.service.door.turned_away import DAY_MS
from plaudit.words import N_, _

WEEK = 7
_SENTENCES = {
    OPEN_DOOR: N_(
        "The door is open: whoever has the link may vote. One person with several browsers can be "
        "several raters."
    ),
    CODES: N_("Only people with a code may vote. One code is one rater, on any device."),
    LIST: N_(
        "Only people whose link has an id of the list may vote. Whoever knows such an id can use "
        "it."
    ),
    LINKS: N_("Only people whose link has an id that your site has signed may vote."),
    SIGN_IN: N_("Only people who sign in may vote. One account is one rater."),
}


class Came(NamedTuple):
    """How many raters came in one way, and which share of all they are."""

    words: str
    raters: int
    share: float


class Away(NamedTuple):
    """How many were turned away for one reason: today, in a week, and ever."""

    words: str
    today: int
    week: int
    ever: int


def door_sentence(kept: str) -> str:
    """Who may vote."""
    return _(_SENTENCES[kept])


def came_in(figures: DoorFigures) -> list[Came]:
    """The ways in which raters came, as rows."""
    whole = sum(figures.raters.values())
    return [Came(_(WAYS[way]), count, count / whole) for way, count in figures.raters.items()]


def turned_away(figures: DoorFigures, *, today: int) -> list[Away]:
    """The reasons why people were turned away, as rows; `today` is the time now."""
    days = [date_of(today // DAY_MS - back) for back in range(WEEK)]
    found: dict[str, list[Any]] = {}
    for one in figures.turned_away:
        found.setdefault(one.reason, []).append(one)
    return [
        Away(
            _(REASONS.get(reason, reason)),
            sum(one.times for one in lines if one.date == days[0]),
            sum(one.times for one in lines if one.date in days),
            sum(one.times for one in lines),
        )
        for reason, lines in sorted(found.items())
    ]
