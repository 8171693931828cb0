"""How a step of the desk is undone: by an event with the opposite effect. No event is deleted.

A step can be undone as long as nothing that it changed has been changed again.
"""

from collections.abc import Callable
from typing import Any

from plaudit.errors import NotAllowed
from plaudit.phrase import Item, Phrase
from plaudit.service.contest.changes import CHANGEABLE, key_of
from plaudit.service.contest.events import (
    CodesMade,
    CodesRevoked,
    ContestEvent,
    ItemProposed,
    ItemsAdded,
    ItemsReplaced,
    ItemsRestored,
    ItemsWithdrawn,
    LinkKeyChanged,
    ListChanged,
    ProposalsRefused,
    RatersErased,
    RatersExcluded,
    RatersReadmitted,
    SettingsChanged,
    StateChanged,
    VerdictReached,
)
from plaudit.service.contest.history import History, LoggedEvent
from plaudit.service.contest.settings import DRAFT, FROZEN
from plaudit.words import N_

UNDONE = Phrase(N_("It was undone already."))
ERASED = Phrase(N_("A rater is erased for good."))


def opposite(history: History, logged: LoggedEvent) -> ContestEvent:
    """The event that undoes this one; `NotAllowed` with the reason if there is none."""
    event = logged.event
    # A change of state can be undone, and the other two have a reason of their own.
    while_retired = StateChanged | VerdictReached | RatersErased
    if history.contest.state in FROZEN and not isinstance(event, while_retired):
        text = N_("The contest is {state}. Bring it back first.")
        raise NotAllowed(Phrase(text, state=Phrase(history.contest.state)))
    return OPPOSITES[type(event)](history, logged)


def why_not_undoable(history: History, logged: LoggedEvent) -> Phrase | None:
    """Why a step cannot be undone; None if it can."""
    try:
        opposite(history, logged)
    except NotAllowed as error:
        reason: Phrase = error.args[0]
        return reason
    return None


def _of_state(history: History, logged: LoggedEvent) -> ContestEvent:
    _check_stands(history, logged)
    state = logged.before["state"]
    if state == DRAFT and history.contest.begun:
        text = N_("People have voted since, so it cannot be a draft again. Pause it instead.")
        raise NotAllowed(Phrase(text))
    return StateChanged(state, undoes=logged.position)


def _of_settings(history: History, logged: LoggedEvent) -> ContestEvent:
    _check_stands(history, logged)
    for name in logged.before:
        if history.contest.begun and name not in CHANGEABLE:
            text = N_("People have voted since, so {setting} can no longer change.")
            raise NotAllowed(Phrase(text, setting=key_of(name)))
    return SettingsChanged(logged.before, undoes=logged.position)


def _of_raters(history: History, logged: LoggedEvent) -> ContestEvent:
    changed = [number for _, number in history.left.get(logged.position, {})]
    erased = sorted(history.contest.erased.intersection(changed))
    if erased and len(changed) == 1:
        raise NotAllowed(ERASED)
    if erased:
        text = N_("Rater {rater} has been erased for good since. Change the others separately.")
        raise NotAllowed(Phrase(text, rater=str(erased[0])))
    _check_stands(history, logged)
    if isinstance(logged.event, RatersExcluded):
        return RatersReadmitted(tuple(changed), undoes=logged.position)
    known = [logged.before["grounds"][rater] for rater in changed]
    # One word where all are alike, as in the step that excluded them.
    grounds = known[0] if len({*known}) == 1 else tuple(known)
    return RatersExcluded(tuple(changed), undoes=logged.position, grounds=grounds)


def _of_items(history: History, logged: LoggedEvent) -> ContestEvent:
    if logged.position == history.first:
        raise NotAllowed(Phrase(N_("This step created the contest.")))
    _check_stands(history, logged)
    back, out = _to_move(logged.event)
    left, settings = history.contest.present + len(back) - len(out), history.settings
    if left <= settings.top:
        text = N_("This would leave {left} items, and the contest is {purpose}.")
        raise NotAllowed(Phrase(text, left=left, purpose=settings.purpose))
    return ItemsRestored(tuple(sorted(back)), tuple(sorted(out)), undoes=logged.position)


def _to_move(event: ContestEvent) -> tuple[list[int], list[int]]:
    """The items to restore and the items to withdraw when an event is undone."""
    if isinstance(event, ItemsRestored):
        return [*event.without], [*event.items]
    if isinstance(event, ItemsReplaced):
        return [*event.items], [*event.new]
    if isinstance(event, ItemsAdded):
        return [], [*event.new]
    assert isinstance(event, ItemsWithdrawn)
    return [*event.items], []


def _of_erased(history: History, logged: LoggedEvent) -> ContestEvent:
    raise NotAllowed(ERASED)


def _of_codes_made(history: History, logged: LoggedEvent) -> ContestEvent:
    text = N_("Codes may have been handed out, so that they stay. Revoke those that must not work.")
    raise NotAllowed(Phrase(text))


def _of_codes_revoked(history: History, logged: LoggedEvent) -> ContestEvent:
    _check_stands(history, logged)
    event = logged.event
    assert isinstance(event, CodesRevoked)
    changed = {number for _, number in history.left[logged.position]}
    codes, back = changed.intersection(event.back), changed.intersection(event.codes)
    return CodesRevoked(tuple(sorted(codes)), tuple(sorted(back)), undoes=logged.position)


def _of_list(history: History, logged: LoggedEvent) -> ContestEvent:
    _check_stands(history, logged)
    event = logged.event
    assert isinstance(event, ListChanged)
    changed = {one for _, one in history.left[logged.position]}
    added, removed = changed.intersection(event.removed), changed.intersection(event.added)
    return ListChanged(tuple(sorted(added)), tuple(sorted(removed)), undoes=logged.position)


def _of_link_key(history: History, logged: LoggedEvent) -> ContestEvent:
    text = N_("A key that was given up is not used again. Change it once more, if you need to.")
    raise NotAllowed(Phrase(text))


def _of_proposed(history: History, logged: LoggedEvent) -> ContestEvent:
    text = N_("A rater proposed this. Take it into the contest or refuse it, under Proposals.")
    raise NotAllowed(Phrase(text))


def _of_refused(history: History, logged: LoggedEvent) -> ContestEvent:
    _check_stands(history, logged)
    event, before = logged.event, logged.before
    assert isinstance(event, ProposalsRefused)
    if event.back:
        reason, note = before["reason"], before["note"]
        return ProposalsRefused(event.back, reason, note, undoes=logged.position)
    return ProposalsRefused(back=event.proposals, undoes=logged.position)


def _of_verdict(history: History, logged: LoggedEvent) -> ContestEvent:
    raise NotAllowed(Phrase(N_("A verdict follows from the votes and cannot be undone.")))


OPPOSITES: dict[type[ContestEvent], Callable[[History, LoggedEvent], ContestEvent]] = {
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
    CodesMade: _of_codes_made,
    CodesRevoked: _of_codes_revoked,
    ListChanged: _of_list,
    LinkKeyChanged: _of_link_key,
    ItemProposed: _of_proposed,
    ProposalsRefused: _of_refused,
}
_CHANGED_AGAIN: dict[str, Callable[[Any], Phrase]] = {
    "item": lambda number: Phrase(N_("Item {item}"), item=Item(number)),
    "field": lambda name: Phrase(N_("The setting {setting}"), setting=key_of(name)),
    "rater": lambda number: Phrase(N_("Rater {rater}"), rater=str(number)),
    "state": lambda _: Phrase(N_("The contest's state")),
    "code": lambda number: Phrase(N_("Code {code}"), code=str(number)),
    "id": lambda _: Phrase(N_("An id of the list")),
    "proposal": lambda position: Phrase(N_("Proposal {number}"), number=str(position)),
}


def _check_stands(history: History, logged: LoggedEvent) -> None:
    """Raises `NotAllowed` unless everything that the event changed is as the event left it."""
    left = history.left.get(logged.position, {})
    if not left:
        raise NotAllowed(Phrase(N_("This step changed nothing.")))
    changed = [thing for thing, by in left.items() if history.touched[thing] != by]
    if not changed:
        return
    if logged.position in history.undone:
        raise NotAllowed(UNDONE)
    what, name = changed[0]
    text = N_("{thing} was changed again later. Undo the later step first.")
    raise NotAllowed(Phrase(text, thing=_CHANGED_AGAIN[what](name)))
