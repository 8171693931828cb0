"""Figures of the door: who came in how, and what was turned away on which day."""

from datetime import UTC, datetime
from typing import NamedTuple

from plaudit.service.door.doorkeeper import Way
from plaudit.store.contract import Store
from plaudit.words import N_

DAY_SECONDS = 86_400
WAYS = {
    Way.ANYBODY: N_("the open door"),
    Way.ID: N_("the open door, with an id in the link"),
    Way.CODE: N_("a code"),
    Way.LIST: N_("an id on the list"),
    Way.LINK: N_("a signed link"),
    Way.SIGN_IN: N_("signing in"),
    Way.KEY: N_("a program with an API key"),
    Way.UNKNOWN: N_("not known: before this was kept, or restored from a file"),
}
# Why somebody was turned away, as the desk words it.
REASONS = {
    "code_required": N_("came without a code"),
    "code_unknown": N_("a wrong code"),
    "code_revoked": N_("a revoked code"),
    "id_required": N_("came without an id"),
    "not_listed": N_("an id that is not on the list"),
    "link_required": N_("came without a signed link"),
    "link_refused": N_("a wrong or outdated signature"),
    "sign_in_required": N_("had not signed in"),
    "work_required": N_("were asked to work or wait first; many of them came in after that"),
    "too_many_guesses": N_("too many wrong tries from one network"),
}


class Refused(NamedTuple):
    """What was turned away on one day for one reason."""

    date: str
    reason: str
    times: int


class DoorFigures(NamedTuple):
    """How many raters came in each way, and what was turned away, latest day first."""

    raters: dict[Way, int]
    turned_away: list[Refused]


def door_figures(store: Store, name: str) -> DoorFigures:
    """The figures of a contest's door."""
    known = {way.value for way in Way}
    raters = dict.fromkeys(Way, 0)
    for way, count in store.raters_by_door(name).items():
        raters[Way(way) if way in known else Way.UNKNOWN] += count
    shown = {way: raters[way] for way in WAYS if raters[way]}
    turned_away = sorted(store.refusals(name), key=lambda one: (-one.day, one.reason))
    return DoorFigures(
        shown, [Refused(date_of(one.day), one.reason, one.times) for one in turned_away]
    )


def date_of(day: int) -> str:
    """A day, counted from 1970, as a date.

    >>> date_of(20_000)
    '2024-10-04'
    """
    return datetime.fromtimestamp(day * DAY_SECONDS, UTC).date().isoformat()
