"""How a step of the desk is undone: by an event that is its opposite, never by deleting one.

A step can be undone while what it changed has not been changed again since.
"""

from collections.abc import Callable
from typing import Any

from plaudit.errors import NotAllowed
from plaudit.phrase import Item, Phrase
from plaudit.service.contest.changes import CHANGEABLE, key_of
from plaudit.service.contest.events import (
    ContestEvent,
    ItemsAdded,
    ItemsReplaced,
    ItemsRestored,
    ItemsWithdrawn,
    RatersErased,
    RatersExcluded,
    RatersReadmitted,
    SettingsChanged,
    StateChanged,
    VerdictReached,
)
from plaudit.service.contest.history import Happened, History
from plaudit.service.contest.settings import DRAFT, RETIRED
from plaudit.words import N_

UNDONE = Phrase(N_("It was undone already."))
ERASED = Phrase(N_("An erased rater is forgotten for good."))


def opposite(history: History, happened: Happened) -> ContestEvent:
    """The event that undoes this one; `NotAllowed` with the reason where there is none."""
    event = happened.event
    free = StateChanged | VerdictReached | RatersErased
    if history.contest.state == RETIRED and not isinstance(event, free):
        raise NotAllowed(Phrase(N_("The contest is retired. Bring it back first.")))
    return OPPOSITES[type(event)](history, happened)


def why_not(history: History, happened: Happened) -> Phrase | None:
    """Why a step cannot be undone; None where it can."""
    try:
        opposite(history, happened)
    except NotAllowed as error:
        reason: Phrase = error.args[0]
        return reason
    return None


def _of_state(history: History, happened: Happened) -> ContestEvent:
    _check_stands(history, happened)
    state = happened.before["state"]
    if state == DRAFT and history.contest.begun:
        told = N_("People have voted since, so it cannot be a draft again. Pause it.")
        raise NotAllowed(Phrase(told))
    return StateChanged(state, undoes=happened.position)


def _of_settings(history: History, happened: Happened) -> ContestEvent:
    _check_stands(history, happened)
    for name in happened.before:
        if history.contest.begun and name not in CHANGEABLE:
            told = N_("People have voted since, so {setting} can no longer change.")
            raise NotAllowed(Phrase(told, setting=key_of(name)))
    return SettingsChanged(happened.before, undoes=happened.position)


def _of_raters(history: History, happened: Happened) -> ContestEvent:
    changed = [number for _, number in history.left.get(happened.position, {})]
    erased = sorted(history.contest.erased.intersection(changed))
    if erased and len(changed) == 1:
        raise NotAllowed(ERASED)
    if erased:
        told = N_("Rater {rater} was erased since, for good. Move the others alone.")
        raise NotAllowed(Phrase(told, rater=str(erased[0])))
    _check_stands(history, happened)
    excluded = isinstance(happened.event, RatersExcluded)
    made = RatersReadmitted if excluded else RatersExcluded
    return made(tuple(changed), undoes=happened.position)


def _of_items(history: History, happened: Happened) -> ContestEvent:
    if happened.position == history.first:
        raise NotAllowed(Phrase(N_("The contest began with this.")))
    _check_stands(history, happened)
    back, gone = _moved(happened.event)
    left, settings = history.contest.present + len(back) - len(gone), history.settings
    if left <= settings.top:
        told = N_("This would leave {left} items, and the contest is {purpose}.")
        raise NotAllowed(Phrase(told, left=left, purpose=settings.purpose))
    return ItemsRestored(tuple(sorted(back)), tuple(sorted(gone)), undoes=happened.position)


def _moved(event: ContestEvent) -> tuple[list[int], list[int]]:
    """The items that come back and those that go when an event is undone."""
    if isinstance(event, ItemsRestored):
        return [*event.without], [*event.items]
    if isinstance(event, ItemsReplaced):
        return [*event.items], [*event.new]
    if isinstance(event, ItemsAdded):
        return [], [*event.new]
    assert isinstance(event, ItemsWithdrawn)
    return [*event.items], []


def _of_erased(history: History, happened: Happened) -> ContestEvent:
    raise NotAllowed(ERASED)


def _of_verdict(history: History, happened: Happened) -> ContestEvent:
    raise NotAllowed(Phrase(N_("A verdict follows from the votes; nobody can take it back.")))


OPPOSITES: dict[type[ContestEvent], Callable[[History, Happened], ContestEvent]] = {
    ItemsAdded: _of_items,
    ItemsWithdrawn: _of_items,
    ItemsReplaced: _of_items,
    ItemsRestored: _of_items,
    RatersExcluded: _of_raters,
    RatersReadmitted: _of_raters,
    RatersErased: _of_erased,
    SettingsChanged: _of_settings,
    StateChanged: _of_state,
    VerdictReached: _of_verdict,
}
_CHANGED_AGAIN: dict[str, Callable[[Any], Phrase]] = {
    "item": lambda number: Phrase(N_("Item {item}"), item=Item(number)),
    "field": lambda name: Phrase(N_("The setting {setting}"), setting=key_of(name)),
    "rater": lambda number: Phrase(N_("Rater {rater}"), rater=str(number)),
    "state": lambda _: Phrase(N_("The contest's state")),
}


def _check_stands(history: History, happened: Happened) -> None:
    """Returns if all that the event changed is as the event left it."""
    left = history.left.get(happened.position, {})
    if not left:
        raise NotAllowed(Phrase(N_("This step changed nothing.")))
    changed = [thing for thing, by in left.items() if history.touched[thing] != by]
    if not changed:
        return
    if happened.position in history.undone:
        raise NotAllowed(UNDONE)
    what, name = changed[0]
    told = N_("{thing} was changed again later. Undo the later step first.")
    raise NotAllowed(Phrase(told, thing=_CHANGED_AGAIN[what](name)))
