"""A contest as its events alone tell it: items, settings, states and who is excluded; no votes.

The desk decides by it what may be done, without reading the answers between the events.
"""

import json
from collections.abc import Iterable
from typing import Any

from plaudit.errors import EpochMoved
from plaudit.service.contest.changes import in_force, plain
from plaudit.service.contest.replay import empty_state
from plaudit.service.contest.roster import OF_ITEMS
from plaudit.service.contest.settings import DRAFT, ContestSettings
from plaudit.service.contest.state import OF_A_RATER, ContestState, raters_named
from plaudit.store.contract import ContestRecord, Store
from plaudit.store.log import Entry, Kind

ATTEMPTS = 5
# An item, a field, a rater or the state.
Thing = tuple[str, Any]


class History:
    """What the events of a contest add up to.

    `touched` says of every item, field, rater and of the state which event made it what it is:
    undoing an event gives it back to the one before. `left` has this for what an event touched,
    as the event left it; `before` what a field or the state was before an event.
    """

    def __init__(self, record: ContestRecord, events: Iterable[Entry]) -> None:
        self.record = record
        self.events = list(events)
        self.contest: ContestState = empty_state(record)
        self.contest.state = DRAFT
        self.touched: dict[Thing, int] = {}
        self.left: dict[int, dict[Thing, int]] = {}
        self.undone: dict[int, int] = {}
        self._found: dict[int, dict[Thing, int]] = {}
        self.before: dict[int, dict[str, Any]] = {}
        last = 0
        for event in self.events:
            if event.position > last + 1:
                self.contest.begin()
            self._take(event, json.loads(event.payload))
            last = event.position
        if record.position > last:
            self.contest.begin()

    @property
    def settings(self) -> ContestSettings:
        """The settings in force."""
        return in_force(self.record.settings, self.contest.changes)

    @property
    def present(self) -> int:
        """How many items are there now."""
        return self.contest.items - len(self.contest.withdrawn)

    def event(self, position: int) -> Entry | None:
        """The event at a position, or None."""
        return next((event for event in self.events if event.position == position), None)

    def _take(self, event: Entry, payload: dict[str, Any]) -> None:
        at, contest = event.position, self.contest
        if event.kind in OF_ITEMS:
            contest.move_items(Kind(event.kind), payload)
            self._touch(at, payload, "item", items_of(event, payload))
        elif event.kind == Kind.SETTINGS:
            settings, given = self.settings, payload["set"]
            self.before[at] = {name: plain(getattr(settings, name)) for name in given}
            contest.set_fields(given)
            self._touch(at, payload, "field", given)
        elif event.kind == Kind.STATE:
            self.before[at] = {"state": contest.state}
            contest.state = payload["state"]
            self._touch(at, payload, "state", [""])
        elif event.kind in OF_A_RATER:
            self._moderate(event, payload)

    def _moderate(self, event: Entry, payload: dict[str, Any]) -> None:
        named, excluded, erased = raters_named(payload), self.contest.excluded, self.contest.erased
        was = excluded.intersection(named)
        if event.kind == Kind.ERASE:
            erased.update(named)
        now = erased.intersection(named) if event.kind == Kind.READMIT else {*named}
        excluded.difference_update(named)
        excluded.update(now)
        changed = named if event.kind == Kind.ERASE else sorted(was ^ now)
        if changed:
            self._touch(event.position, payload, "rater", changed)

    def _touch(
        self, position: int, payload: dict[str, Any], what: str, names: Iterable[Any]
    ) -> None:
        """Notes what an event changed; one that undoes another gives things back."""
        things: list[Thing] = [(what, name) for name in names]
        found = {thing: self.touched.get(thing, 0) for thing in things}
        undoes = payload.get("undoes", 0)
        given = self._found.get(undoes, {})
        left = dict.fromkeys(things, position)
        if given.keys() == found.keys():
            left = given
            self.undone[undoes] = position
        self._found[position], self.left[position] = found, left
        self.touched |= left


def payload_of(event: Entry) -> dict[str, Any]:
    """What an event says."""
    payload: dict[str, Any] = json.loads(event.payload)
    return payload


def items_of(event: Entry, payload: dict[str, Any]) -> list[int]:
    """The items that an event lets come or go."""
    if event.kind not in OF_ITEMS:
        return []
    old: list[int] = payload.get("items", [])
    if event.kind in (Kind.ADD, Kind.REPLACE):
        return [*old, *range(payload["first"], payload["first"] + payload["count"])]
    return [*old, *payload.get("without", [])]


def history_of(store: Store, name: str) -> History:
    """The history of a contest now."""
    for _ in range(ATTEMPTS):
        record, events = store.contest(name), store.events(name)
        if len(events) == record.epoch:
            return History(record, events)
    raise EpochMoved(f"The contest {name!r} changed at every look. Try again in a moment.")
