"""The desk of those who run contests: create, open, close, moderate. Each step is an event.

It writes to the store alone; live workers follow the log.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from plaudit.errors import InvalidInput, NotAllowed, UnknownItem
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
from plaudit.service.contest_file import ContestDraft
from plaudit.service.live import make_race
from plaudit.store.contract import Asset, ContestRecord, Item, Rater, Store
from plaudit.store.log import Entry, Event, Kind

# What each step of a contest's life leads to, and from where it may be taken.
STEPS = {
    "open": (OPEN, {DRAFT, PAUSED}),
    "pause": (PAUSED, {OPEN}),
    "close": (CLOSED, {DRAFT, OPEN, PAUSED}),
    "reopen": (OPEN, {CLOSED}),
    "retire": (RETIRED, {CLOSED}),
}


class Desk:
    """Everything that changes a contest other than its raters' answers."""

    def __init__(self, store: Store, *, clock: Callable[[], int] = now_ms) -> None:
        self._store = store
        self._clock = clock

    def create_draft(self, draft: ContestDraft, *, opened: bool = False) -> ContestRecord:
        """A new contest from its file, with its pictures."""
        self._put_pictures(draft.pictures.values())
        return self.create(draft.name, draft.settings, draft.items, opened=opened)

    def _put_pictures(self, pictures: Iterable[Asset]) -> None:
        for picture in pictures:
            self._store.put_asset(picture.media_type, picture.body)

    def create(
        self, name: str, settings: ContestSettings, items: Sequence[Item], *, opened: bool = False
    ) -> ContestRecord:
        """A new contest, as a draft or open at once."""
        for lane in range(len(settings.lanes)):
            make_race(settings, lane, len(items))
        numbered = [Item(number, item.text, item.image) for number, item in enumerate(items)]
        event = Event(Kind.ADD, self._clock(), _added(numbered))
        self._store.create(
            check_name(name), settings.to_json(), state=DRAFT, items=numbered, event=event
        )
        if opened:
            self.step(name, "open")
        return self._store.contest(name)

    def step(self, name: str, step: str) -> Entry:
        """Opens, pauses, closes, reopens or retires a contest."""
        record = self._store.contest(name)
        state, allowed = STEPS[step]
        if record.state not in allowed:
            raise NotAllowed(
                f"Cannot {step} {name!r}: it is {record.state}, and only a contest that is "
                f"{' or '.join(sorted(allowed))} can be. `plaudit contest list` shows states."
            )
        return self._append(record, Kind.STATE, {"state": state}, state=state)

    def add_items(
        self, name: str, items: Iterable[Item], *, pictures: Iterable[Asset] = ()
    ) -> Entry:
        """Lets new items join; they are numbered after those that are there."""
        record = self._changeable(name)
        self._put_pictures(pictures)
        first = len(self._store.items(name))
        added = [Item(first + k, item.text, item.image) for k, item in enumerate(items)]
        if not added:
            raise InvalidInput("There are no items to add: give at least one.")
        return self._append(record, Kind.ADD, json.loads(_added(added)), items=added)

    def withdraw(self, name: str, items: Sequence[int]) -> Entry:
        """Takes items out for good; their votes count for nothing from now on."""
        record = self._changeable(name)
        known = len(self._store.items(name))
        for item in items:
            if not 0 <= item < known:
                raise UnknownItem(f"There is no item {item}: items are 0 to {known - 1}.")
        gone = {item for event in self._events(name, Kind.WITHDRAW) for item in event["items"]}
        new = sorted(set(items) - gone)
        if not new:
            raise NotAllowed("All of these items were withdrawn already.")
        top = ContestSettings.from_json(record.settings).top
        if known - len(gone) - len(new) <= top:
            raise NotAllowed(
                f"Withdrawing {len(new)} items would leave {known - len(gone) - len(new)}, and the "
                f"contest is for the best {top}. Keep more, or close the contest."
            )
        return self._append(record, Kind.WITHDRAW, {"items": new})

    def exclude(self, name: str, rater: str) -> Entry:
        """Lets none of a rater's votes count, past or future."""
        return self._moderate(name, rater, Kind.EXCLUDE)

    def readmit(self, name: str, rater: str) -> Entry:
        """Lets the votes of an excluded rater count again."""
        return self._moderate(name, rater, Kind.READMIT)

    def erase(self, name: str, rater: str) -> Entry:
        """Forgets who a rater was, for good; none of their votes counts any more."""
        return self._moderate(name, rater, Kind.ERASE)

    def _moderate(self, name: str, rater: str, kind: Kind) -> Entry:
        record = self._store.contest(name)
        found = self.find_rater(name, rater)
        erase = found.number if kind == Kind.ERASE else None
        return self._append(record, kind, {"rater": found.number}, erase=erase)

    def find_rater(self, name: str, rater: str) -> Rater:
        """The rater whom an export shows by this keyed hash, in hexadecimal."""
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

    def _changeable(self, name: str) -> ContestRecord:
        record = self._store.contest(name)
        if record.state == RETIRED:
            raise NotAllowed(f"{name!r} is retired: it cannot change any more.")
        settings = ContestSettings.from_json(record.settings)
        for lane in range(len(settings.lanes)):
            # Refused here by an algorithm for a fixed set of items, before it is in the log.
            make_race(settings, lane, settings.top + 2).add(1)
        return record

    def _events(self, name: str, kind: Kind) -> list[dict[str, Any]]:
        return [json.loads(e.payload) for e in self._store.events(name) if e.kind == kind]

    def _append(
        self, record: ContestRecord, kind: Kind, payload: dict[str, Any], **more: Any
    ) -> Entry:
        event = Event(kind, self._clock(), json.dumps(payload, separators=(",", ":")))
        return self._store.append_event(record.name, event, epoch=record.epoch, **more)


def _added(items: Sequence[Item]) -> str:
    """What the log says of items that join: how many, and a digest of what they are."""
    payload = {"first": items[0].number, "count": len(items), "digest": items_digest(items)}
    return json.dumps(payload, separators=(",", ":"))
