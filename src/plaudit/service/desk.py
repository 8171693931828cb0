"""The desk of those who run contests: create, open, close, change, moderate, undo.

Each step is an event in the contest's log, written with the deed that says who took it, and only
if the contest's epoch is the one that they saw. It writes to the store alone; live workers follow.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from plaudit.errors import EpochMoved, InvalidInput, NotAllowed
from plaudit.service import desk_words as words
from plaudit.service.archive_check import items_digest
from plaudit.service.clock import now_ms
from plaudit.service.contest import (
    CLOSED,
    DRAFT,
    OPEN,
    PAUSED,
    RETIRED,
    ContestSettings,
    check_name,
)
from plaudit.service.contest_file import ContestDraft, checked_items
from plaudit.service.desk_checks import (
    check_algorithms,
    check_alone,
    check_items,
    check_left,
    check_races,
)
from plaudit.service.in_force import OF_RACES, checked_change
from plaudit.service.live import make_race, race_of
from plaudit.service.outline import Outline, outline_of
from plaudit.service.roles import COMMAND_LINE, Actor, require_editor
from plaudit.service.roster import OF_ITEMS
from plaudit.service.undoing import opposite
from plaudit.store.contract import Asset, ContestRecord, Item, Rater, Store
from plaudit.store.log import Entry, Event, Kind
from plaudit.store.people import Deed

# What each step of a contest's life leads to, and from where it may be taken.
STEPS = {
    "open": (OPEN, {DRAFT, PAUSED}),
    "pause": (PAUSED, {OPEN}),
    "close": (CLOSED, {DRAFT, OPEN, PAUSED}),
    "reopen": (OPEN, {CLOSED}),
    "retire": (RETIRED, {CLOSED}),
    "unretire": (CLOSED, {RETIRED}),
}


class Desk:
    """Everything that changes a contest other than its raters' answers.

    `by` is who takes a step, and `epoch` the one that they saw: `EpochMoved` where the contest
    has changed since. Without it the step is taken on the contest as it is.
    """

    def __init__(self, store: Store, *, clock: Callable[[], int] = now_ms) -> None:
        self._store = store
        self._clock = clock

    # Creating, and the life of a contest

    def create_draft(
        self, draft: ContestDraft, *, opened: bool = False, by: Actor = COMMAND_LINE
    ) -> ContestRecord:
        """A new contest from its file, with its pictures."""
        require_editor(by)
        self._put_pictures(draft.pictures.values())
        return self.create(draft.name, draft.settings, draft.items, opened=opened, by=by)

    def _put_pictures(self, pictures: Iterable[Asset]) -> None:
        for picture in pictures:
            self._store.put_asset(picture.media_type, picture.body, at=self._clock())

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
        numbered = [Item(number, item.text, item.image) for number, item in enumerate(items)]
        now = self._clock()
        self._store.create(
            check_name(name),
            settings.to_json(),
            state=DRAFT,
            items=numbered,
            event=Event(Kind.ADD, now, _packed(_added(numbered))),
            deed=Deed(now, by.name, words.created(len(items))),
        )
        if opened:
            self.step(name, "open", by=by)
        return self._store.contest(name)

    def step(
        self, name: str, step: str, *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Opens, pauses, closes, reopens or retires a contest, or brings it back."""
        outline = self._outline(name, by, epoch)
        state, allowed = STEPS[step]
        if outline.record.state not in allowed:
            raise NotAllowed(
                f"Cannot {step} {name!r}: it is {outline.record.state}, and only a contest that is "
                f"{' or '.join(sorted(allowed))} can be. `plaudit contest list` shows states."
            )
        return self._append(
            outline, Kind.STATE, {"state": state}, by=by, what=words.STEPS[step], state=state
        )

    def change(
        self,
        name: str,
        fields: Mapping[str, Any],
        *,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Changes settings: any of a draft that nobody has voted on, later those that may."""
        outline = self._changeable(name, by, epoch)
        free = outline.tally.state == DRAFT and not outline.tally.begun
        given = checked_change(outline.settings, fields, any_field=free)
        if not given:
            raise NotAllowed("Nothing changes: all of it is so already.")
        if given.keys() & OF_RACES:
            outline.tally.set_fields(given)
            for lane in range(len(outline.settings.lanes)):
                race_of(outline.settings, outline.tally, lane)
        return self._append(
            outline, Kind.SETTINGS, {"set": given}, by=by, what=words.changed(given)
        )

    # Items

    def add_items(
        self,
        name: str,
        items: Iterable[Item],
        *,
        pictures: Iterable[Asset] = (),
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Lets new items join; they are numbered after those that are there."""
        outline = self._changeable(name, by, epoch)
        if outline.tally.begun:
            check_algorithms(outline.settings)
        first = outline.tally.items
        added = [Item(first + k, item.text, item.image) for k, item in enumerate(items)]
        if not added:
            raise InvalidInput("There are no items to add: give at least one.")
        self._put_pictures(pictures)
        return self._append(
            outline, Kind.ADD, _added(added), by=by, what=words.added(first, len(added)),
            items=added,
        )  # fmt: skip

    def withdraw(
        self,
        name: str,
        items: Sequence[int],
        *,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Takes items out; their votes count for nothing while they are."""
        outline = self._changeable(name, by, epoch)
        check_algorithms(outline.settings)
        check_items(outline, items)
        new = sorted(set(items) - outline.tally.withdrawn)
        if not new:
            raise NotAllowed("All of these items were withdrawn already.")
        check_left(outline, outline.present - len(new), f"Withdrawing {len(new)} items")
        return self._append(outline, Kind.WITHDRAW, {"items": new}, by=by, what=words.withdrew(new))

    def restore(
        self,
        name: str,
        items: Sequence[int],
        *,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Lets withdrawn items come back, with their votes."""
        outline = self._changeable(name, by, epoch)
        check_items(outline, items)
        back = sorted(set(items) & outline.tally.withdrawn)
        if not back:
            raise NotAllowed("None of these items is withdrawn.")
        check_alone(outline, back)
        return self._append(
            outline, Kind.RESTORE, {"items": back, "without": []}, by=by, what=words.restored(back)
        )

    def replace(
        self,
        name: str,
        items: Sequence[int],
        text: str,
        image: str = "",
        *,
        keep_votes: bool,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Puts a new item in the place of one or several.

        With `keep_votes` it has their votes, a rater's first alone: a slip of the pen, or
        duplicates that are merged. Without, it starts anew. `image` is the hash of a picture.
        """
        outline = self._changeable(name, by, epoch)
        check_algorithms(outline.settings)
        check_items(outline, items)
        old, number = sorted(set(items)), outline.tally.items
        gone = sorted(outline.tally.withdrawn.intersection(old))
        if gone or not old:
            numbers = [words.shown_number(number) for number in gone]
            named = f"{words.listed(numbers)} {'is' if len(gone) == 1 else 'are'} withdrawn"
            told = named.capitalize() if gone else "No item was named"
            raise NotAllowed(f"{told}: only an item that is there can be replaced.")
        (given,) = checked_items([(text, image)], is_there=self._has_picture)
        check_left(outline, outline.present - len(old) + 1, f"Merging {len(old)} items")
        new = [Item(number, given.text, given.image)]
        self._check_news(name, old, new[0])
        payload = {"items": old, **_added(new), "votes": keep_votes}
        what = words.replaced(old, number, keep_votes=keep_votes)
        return self._append(outline, Kind.REPLACE, payload, by=by, what=what, items=new)

    def _has_picture(self, hash: str) -> bool:
        return bool(self._store.hold_assets([hash], at=self._clock()))

    def _check_news(self, name: str, old: Sequence[int], new: Item) -> None:
        if len(old) == 1:
            (before,) = self._store.items(name, first=old[0], limit=1)
            if (before.text, before.image) == (new.text, new.image):
                raise NotAllowed("Nothing changes: the item says this already.")

    # Raters

    def exclude(
        self,
        name: str,
        rater: str | int,
        *,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Lets none of a rater's votes count, past or future."""
        return self._moderate(name, rater, Kind.EXCLUDE, by, epoch)

    def readmit(
        self,
        name: str,
        rater: str | int,
        *,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Lets the votes of an excluded rater count again."""
        return self._moderate(name, rater, Kind.READMIT, by, epoch)

    def erase(
        self,
        name: str,
        rater: str | int,
        *,
        by: Actor = COMMAND_LINE,
        epoch: int | None = None,
    ) -> Entry:
        """Forgets who a rater was, for good; none of their votes counts any more."""
        return self._moderate(name, rater, Kind.ERASE, by, epoch)

    def _moderate(
        self, name: str, rater: str | int, kind: Kind, by: Actor, epoch: int | None
    ) -> Entry:
        outline = self._outline(name, by, epoch)
        found = self.find_rater(name, rater)
        return self._append(
            outline, kind, {"rater": found.number}, by=by, what=words.moderated(kind, found.number),
            erase=found.number if kind == Kind.ERASE else None,
        )  # fmt: skip

    def find_rater(self, name: str, rater: str | int) -> Rater:
        """The rater of this number, or whom an export shows by this keyed hash."""
        if isinstance(rater, int):
            if rater >= 0 and self._store.answers_of(name, rater):
                return Rater(rater, None)
            raise InvalidInput(f"There is no rater {rater} in {name!r}.")
        try:
            key = bytes.fromhex(rater)
        except ValueError:
            key = b""
        found = self._store.rater(name, key) if len(key) == 16 else None
        if found is None:
            raise InvalidInput(
                f"There is no rater {rater!r} in {name!r}: give the 32 characters that the export "
                "of votes shows in its column `rater`."
            )
        return found

    # Undoing

    def undo(
        self, name: str, position: int, *, by: Actor = COMMAND_LINE, epoch: int | None = None
    ) -> Entry:
        """Undoes the event at a position by its opposite; `NotAllowed` where it cannot be."""
        outline = self._outline(name, by, epoch)
        event = outline.event(position)
        if event is None:
            raise InvalidInput(f"There is no step at position {position} of {name!r}.")
        kind, payload, state = opposite(outline, event)
        if kind == Kind.RESTORE:
            check_alone(outline, payload["items"], without=payload["without"])
        if kind == Kind.SETTINGS:
            checked_change(outline.settings, payload["set"], any_field=not outline.tally.begun)
        return self._append(
            outline, kind, payload | {"undoes": position},
            by=by, what=words.undid(position, event), state=state,
        )  # fmt: skip

    def _outline(self, name: str, by: Actor, epoch: int | None) -> Outline:
        """The contest as the one who takes a step saw it; an error if they may not, or did not."""
        require_editor(by)
        outline = outline_of(self._store, name)
        if epoch is not None and epoch != outline.record.epoch:
            raise EpochMoved(
                f"The contest {name!r} has changed meanwhile: its epoch is "
                f"{outline.record.epoch}, not {epoch}. Look again, then repeat the step."
            )
        return outline

    def _changeable(self, name: str, by: Actor, epoch: int | None) -> Outline:
        outline = self._outline(name, by, epoch)
        if outline.record.state == RETIRED:
            raise NotAllowed(f"{name!r} is retired: it cannot change. Bring it back first.")
        return outline

    def _append(
        self,
        outline: Outline,
        kind: Kind,
        payload: dict[str, Any],
        *,
        by: Actor,
        what: str,
        **more: Any,
    ) -> Entry:
        if kind in OF_ITEMS:
            check_races(outline, kind, payload)
        now, record = self._clock(), outline.record
        event, deed = Event(kind, now, _packed(payload)), Deed(now, by.name, what)
        return self._store.append_event(record.name, event, epoch=record.epoch, deed=deed, **more)


def _packed(payload: dict[str, Any]) -> str:
    return json.dumps(payload, separators=(",", ":"))


def _added(items: Sequence[Item]) -> dict[str, Any]:
    """What the log says of items that join: how many, and a digest of what they are."""
    return {"first": items[0].number, "count": len(items), "digest": items_digest(items)}
