"""A contest as its events alone tell it: items, settings, states and who is excluded; no votes.

The desk decides by it what may be done, without reading the answers between the events.
"""

import json
from collections.abc import Iterable
from typing import Any

from plaudit.errors import EpochMoved
from plaudit.service.contest import DRAFT, ContestSettings
from plaudit.service.in_force import in_force, plain
from plaudit.service.loading import empty_tally
from plaudit.service.tally import OF_A_RATER, OF_ITEMS, Tally
from plaudit.store.contract import ContestRecord, Store
from plaudit.store.log import Entry, Kind

ATTEMPTS = 5


class Outline:
    """What the events of a contest add up to.

    `touched` says of every item, field, rater and of the state which event changed it last;
    `before` has what a field or the state was before an event.
    """

    def __init__(self, record: ContestRecord, events: Iterable[Entry]) -> None:
        self.record = record
        self.events = list(events)
        self.tally: Tally = empty_tally(record)
        self.tally.state = DRAFT
        self.touched: dict[tuple[str, Any], int] = {}
        self.before: dict[int, dict[str, Any]] = {}
        last = 0
        for event in self.events:
            if event.position > last + 1:
                self.tally.begin()
            self._take(event, json.loads(event.payload))
            last = event.position
        if record.position > last:
            self.tally.begin()

    @property
    def settings(self) -> ContestSettings:
        """The settings in force."""
        return in_force(self.record.settings, self.tally.changes)

    @property
    def present(self) -> int:
        """How many items are there now."""
        return self.tally.items - len(self.tally.withdrawn)

    def event(self, position: int) -> Entry | None:
        """The event at a position, or None."""
        return next((event for event in self.events if event.position == position), None)

    def _take(self, event: Entry, payload: dict[str, Any]) -> None:
        at, tally = event.position, self.tally
        if event.kind in OF_ITEMS:
            tally.move_items(Kind(event.kind), payload)
            self._touch(at, "item", items_of(event, payload))
        elif event.kind == Kind.SETTINGS:
            settings, given = self.settings, payload["set"]
            self.before[at] = {name: plain(getattr(settings, name)) for name in given}
            tally.set_fields(given)
            self._touch(at, "field", given)
        elif event.kind == Kind.STATE:
            self.before[at] = {"state": tally.state}
            tally.state = payload["state"]
            self._touch(at, "state", [""])
        elif event.kind in OF_A_RATER:
            self._moderate(event, payload["rater"])

    def _moderate(self, event: Entry, rater: int) -> None:
        was = rater in self.tally.excluded
        if event.kind == Kind.ERASE:
            self.tally.erased.add(rater)
        now = rater in self.tally.erased or event.kind == Kind.EXCLUDE
        (self.tally.excluded.add if now else self.tally.excluded.discard)(rater)
        if was != now or event.kind == Kind.ERASE:
            self._touch(event.position, "rater", [rater])

    def _touch(self, position: int, what: str, names: Iterable[Any]) -> None:
        self.touched.update({(what, name): position for name in names})


def items_of(event: Entry, payload: dict[str, Any]) -> list[int]:
    """The items that an event lets come or go."""
    old: list[int] = payload.get("items", [])
    if event.kind in (Kind.ADD, Kind.REPLACE):
        return [*old, *range(payload["first"], payload["first"] + payload["count"])]
    return [*old, *payload.get("without", [])]


def outline_of(store: Store, name: str) -> Outline:
    """The outline of a contest now."""
    for _ in range(ATTEMPTS):
        record, events = store.contest(name), store.events(name)
        if len(events) == record.epoch:
            return Outline(record, events)
    raise EpochMoved(f"The contest {name!r} changed at every look. Try again in a moment.")
