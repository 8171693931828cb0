"""The desk, where editors run contests: create, open, close, change, moderate, undo.

Each step is an event in the contest's log, written together with the deed that says who took it,
and only if the contest has not changed since they saw it. The desk writes only to the store; live
workers read the step from there.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plaudit.errors import InvalidInput, NotAllowed
from plaudit.phrase import Phrase
from plaudit.service.accounts.roles import COMMAND_LINE, Actor, require_editor
from plaudit.service.contest.changes import checked_change
from plaudit.service.contest.events import (
    ItemsRestored,
    SettingsChanged,
    StateChanged,
    to_log,
)
from plaudit.service.contest.opposite import opposite
from plaudit.service.contest.races import make_race, warm_up_for
from plaudit.service.contest.settings import (
    CLOSED,
    DELETED,
    DRAFT,
    OPEN,
    OPEN_DOOR,
    PAUSED,
    RETIRED,
    ContestSettings,
    check_name,
)
from plaudit.service.deeds import STEP
from plaudit.service.desk.checks import check_alone
from plaudit.service.desk.guests import GuestSteps
from plaudit.service.desk.items import ItemSteps
from plaudit.service.desk.proposals import ProposalSteps
from plaudit.service.desk.raters import RaterSteps
from plaudit.service.desk.step import added
from plaudit.service.intake.contest_file import ContestDraft
from plaudit.store.contract import Asset, ContestRecord, Item
from plaudit.store.log import Entry
from plaudit.store.people import Deed
from plaudit.words import N_

# The state that each step leads to, and the states in which it is allowed.
STEPS = {
    "open": (OPEN, {DRAFT, PAUSED}),
    "pause": (PAUSED, {OPEN}),
    "close": (CLOSED, {DRAFT, OPEN, PAUSED}),
    "reopen": (OPEN, {CLOSED}),
    "retire": (RETIRED, {CLOSED}),
    "unretire": (CLOSED, {RETIRED}),
    "delete": (DELETED, {DRAFT}),
    "undelete": (DRAFT, {DELETED}),
}


class Desk(ItemSteps, ProposalSteps, RaterSteps, GuestSteps):
    """Everything that changes a contest, except the answers of raters.

    `by` is who takes a step, and `epoch` is the epoch that they saw: `EpochMoved` if the contest
    has changed since. Without `epoch` the step is taken on the contest as it is.
    """

    def create_draft(
        self, draft: ContestDraft, *, opened: bool = False, by: Actor = COMMAND_LINE
    ) -> ContestRecord:
        """Creates a contest from its file, with its pictures."""
        require_editor(by)
        self._put_pictures(draft.pictures.values())
        return self.create(draft.name, draft.settings, draft.items, opened=opened, by=by)

    def create(
        self,
        name: str,
        settings: ContestSettings,
        items: Sequence[Item],
        *,
        opened: bool = False,
        by: Actor = COMMAND_LINE,
    ) -> ContestRecord:
        """Creates a contest, as a draft or open at once."""
        require_editor(by)
        self._check_door(settings.door)
        for lane in range(len(settings.lanes)):
            make_race(settings, lane, len(items))
        warm_up_for(settings)
        numbered = [Item(number, item.text, item.image) for number, item in enumerate(items)]
        now = self._clock()
        self._store.create(
            check_name(name),
            settings.to_json(),
            state=DRAFT,
            items=numbered,
            event=to_log(added(numbered), now),
            deed=Deed(now, by.name, STEP),
        )
        if opened:
            self.step(name, "open", by=by)
        return self._store.contest(name)

    def step(
        self, name: str, step: str, *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Opens, pauses, closes, reopens, retires or deletes a contest, or brings it back."""
        history = self._history(name, by, epoch)
        state, allowed = STEPS[step]
        if history.record.state not in allowed:
            raise NotAllowed(
                Phrase(
                    N_(
                        "Cannot {step} {name!r}: it is {state}, and it would have to be "
                        "{allowed}. `plaudit contest list` shows states."
                    ),
                    step=step,
                    name=name,
                    state=history.record.state,
                    allowed=" or ".join(sorted(allowed)),
                )
            )
        return self._append(history, StateChanged(state), by=by, state=state)

    def change(
        self,
        name: str,
        fields: Mapping[str, Any],
        *,
        pictures: Iterable[Asset] = (),
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Changes settings: any of a draft without votes, later only those in `LATER`."""
        history = self._changeable(name, by, epoch)
        free = history.contest.state == DRAFT and not history.contest.begun
        given = checked_change(history.settings, fields, any_field=free)
        if not given:
            raise NotAllowed(Phrase(N_("No changes.")))
        event = SettingsChanged(given)
        self._check_door(given.get("door", OPEN_DOOR))
        if event.reopens:
            warm_up_for(history.contest.settings_after(given))
        self._put_pictures(pictures)
        return self._append(history, event, by=by)

    def undo(
        self, name: str, position: int, *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Undoes the event at a position by its opposite; `NotAllowed` if it cannot be undone."""
        history = self._history(name, by, epoch)
        logged = history.at(position)
        if logged is None:
            text = N_("There is no step at position {position} of {name!r}.")
            raise InvalidInput(Phrase(text, position=str(position), name=name))
        event = opposite(history, logged)
        if isinstance(event, ItemsRestored):
            check_alone(history, event.items, without=event.without)
        if isinstance(event, SettingsChanged):
            checked_change(history.settings, event.set, any_field=not history.contest.begun)
            self._check_door(event.set.get("door", OPEN_DOOR))
        state = event.state if isinstance(event, StateChanged) else None
        return self._append(history, event, by=by, state=state)
