"""How a step of the desk is undone: by an event that is its opposite, never by taking one out.

A step can be undone while what it changed has not been changed again since.
"""

import json
from typing import Any, NamedTuple

from plaudit.errors import NotAllowed
from plaudit.service.contest.changes import LATER
from plaudit.service.contest.history import History
from plaudit.service.contest.settings import DRAFT, RETIRED
from plaudit.store.log import Entry, Kind

UNDONE = "It was undone already."
_NEVER = {
    Kind.ERASE: "An erased rater is forgotten for good.",
    Kind.VERDICT: "A verdict follows from the votes; nobody can take it back.",
}

_SPOKEN = {
    "item": "Item {}",
    "field": "The setting {}",
    "rater": "Rater {}",
    "state": "The contest's state",
}


class Opposite(NamedTuple):
    """The event that undoes another."""

    kind: Kind
    payload: dict[str, Any]
    state: str | None = None


def opposite(history: History, event: Entry) -> Opposite:
    """The event that undoes this one; `NotAllowed` with the reason where there is none."""
    kind, payload = Kind(event.kind), json.loads(event.payload)
    if kind in _NEVER:
        raise NotAllowed(_NEVER[kind])
    if history.contest.state == RETIRED and kind != Kind.STATE:
        raise NotAllowed("The contest is retired. Bring it back first.")
    if kind == Kind.STATE:
        return _of_state(history, event)
    if kind == Kind.SETTINGS:
        return _of_settings(history, event, payload["set"])
    if kind in (Kind.EXCLUDE, Kind.READMIT):
        return _of_raters(history, event)
    return _of_items(history, event, payload)


def why_not(history: History, event: Entry) -> str:
    """Why a step cannot be undone; "" where it can."""
    try:
        opposite(history, event)
    except NotAllowed as error:
        return str(error)
    return ""


def _of_state(history: History, event: Entry) -> Opposite:
    _check_stands(history, event)
    state = history.before[event.position]["state"]
    if state == DRAFT and history.contest.begun:
        raise NotAllowed("People have voted since, so it cannot be a draft again. Pause it.")
    return Opposite(Kind.STATE, {"state": state}, state)


def _of_settings(history: History, event: Entry, given: dict[str, Any]) -> Opposite:
    _check_stands(history, event)
    for name in given:
        if history.contest.begun and name not in LATER:
            raise NotAllowed(f"People have voted since, so {name} cannot change any more.")
    return Opposite(Kind.SETTINGS, {"set": history.before[event.position]})


def _of_raters(history: History, event: Entry) -> Opposite:
    changed = [number for _, number in history.left.get(event.position, {})]
    erased = sorted(history.contest.erased.intersection(changed))
    if erased and len(changed) == 1:
        raise NotAllowed(_NEVER[Kind.ERASE])
    if erased:
        raise NotAllowed(f"Rater {erased[0]} was erased since, for good. Move the others alone.")
    _check_stands(history, event)
    kind = Kind.READMIT if event.kind == Kind.EXCLUDE else Kind.EXCLUDE
    return Opposite(kind, {"raters": changed})


def _of_items(history: History, event: Entry, payload: dict[str, Any]) -> Opposite:
    if event.position == history.events[0].position:
        raise NotAllowed("The contest began with this.")
    _check_stands(history, event)
    added = range(payload.get("first", 0), payload.get("first", 0) + payload.get("count", 0))
    back = payload.get("without", []) if event.kind == Kind.RESTORE else payload.get("items", [])
    gone = payload["items"] if event.kind == Kind.RESTORE else list(added)
    left, settings = history.present + len(back) - len(gone), history.settings
    if left <= settings.top:
        raise NotAllowed(f"This would leave {left} items, and the contest is {settings.purpose}.")
    return Opposite(Kind.RESTORE, {"items": sorted(back), "without": sorted(gone)})


def _check_stands(history: History, event: Entry) -> None:
    """Returns if all that the event changed is as the event left it."""
    left = history.left.get(event.position, {})
    if not left:
        raise NotAllowed("This step changed nothing.")
    changed = [thing for thing, by in left.items() if history.touched[thing] != by]
    if not changed:
        return
    if event.position in history.undone:
        raise NotAllowed(UNDONE)
    what, name = changed[0]
    spoken = _SPOKEN[what].format(str(name).replace("_", " "))
    raise NotAllowed(f"{spoken} was changed again later. Undo the later step first.")
