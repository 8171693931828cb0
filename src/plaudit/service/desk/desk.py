"""The desk of those who run contests: create, open, close, change, moderate, undo.

Each step is an event in the contest's log, written with the deed that says who took it, and only
if the contest's epoch is the one that they saw. It writes to the store alone; live workers follow.
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
    DRAFT,
    OPEN,
    PAUSED,
    RETIRED,
    ContestSettings,
    check_name,
)
from plaudit.service.deeds import STEP
from plaudit.service.desk.checks import check_alone
from plaudit.service.desk.items import ItemSteps
from plaudit.service.desk.raters import RaterSteps
from plaudit.service.desk.step import added
from plaudit.service.intake.contest_file import ContestDraft
from plaudit.store.contract import Asset, ContestRecord, Item
from plaudit.store.log import Entry
from plaudit.store.people import Deed
from plaudit.words import N_

# What each step of a contest's life leads to, and from where it may be taken.
STEPS = {
    "open": (OPEN, {DRAFT, PAUSED}),
    "pause": (PAUSED, {OPEN}),
    "close": (CLOSED, {DRAFT, OPEN, PAUSED}),
    "reopen": (OPEN, {CLOSED}),
    "retire": (RETIRED, {CLOSED}),
    "unretire": (CLOSED, {RETIRED}),
}


class Desk(ItemSteps, RaterSteps):
    """Everything that changes a contest other than its raters' answers.

    `by` is who takes a step, and `epoch` the one that they saw: `EpochMoved` where the contest
    has changed since. Without it the step is taken on the contest as it is.
    """

    def create_draft(
        self, draft: ContestDraft, *, opened: bool = False, by: Actor = COMMAND_LINE
    ) -> ContestRecord:
        """A new contest from its file, with its pictures."""
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
        """A new contest, as a draft or open at once."""
        require_editor(by)
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
        """Opens, pauses, closes, reopens or retires a contest, or brings it back."""
        history = self._history(name, by, epoch)
        state, allowed = STEPS[step]
        if history.record.state not in allowed:
            raise NotAllowed(
                Phrase(
                    N_(
                        "Cannot {step} {name!r}: it is {state}, and only a contest that is "
                        "{allowed} can be. `plaudit contest list` shows states."
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
        """Changes settings: any of a draft that nobody has voted on, later those that may."""
        history = self._changeable(name, by, epoch)
        free = history.contest.state == DRAFT and not history.contest.begun
        given = checked_change(history.settings, fields, any_field=free)
        if not given:
            raise NotAllowed(Phrase(N_("No changes.")))
        event = SettingsChanged(given)
        if event.reopens:
            warm_up_for(history.contest.settings_after(given))
        self._put_pictures(pictures)
        return self._append(history, event, by=by)

    def undo(
        self, name: str, position: int, *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Undoes the event at a position by its opposite; `NotAllowed` where it cannot be."""
        history = self._history(name, by, epoch)
        happened = history.at(position)
        if happened is None:
            told = N_("There is no step at position {position} of {name!r}.")
            raise InvalidInput(Phrase(told, position=str(position), name=name))
        event = opposite(history, happened)
        if isinstance(event, ItemsRestored):
            check_alone(history, event.items, without=event.without)
        if isinstance(event, SettingsChanged):
            checked_change(history.settings, event.set, any_field=not history.contest.begun)
        state = event.state if isinstance(event, StateChanged) else None
        return self._append(history, event, by=by, state=state)
