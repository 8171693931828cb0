"""Events as the log has them: the table of all kinds, and their JSON."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from plaudit.service.contest.events.door import CodesMade, CodesRevoked, LinkKeyChanged, ListChanged
from plaudit.service.contest.events.event import ContestEvent
from plaudit.service.contest.events.items import (
    ItemsAdded,
    ItemsReplaced,
    ItemsRestored,
    ItemsWithdrawn,
)
from plaudit.service.contest.events.proposals import ItemProposed, ProposalsRefused
from plaudit.service.contest.events.raters import (
    RaterEvent,
    RatersErased,
    RatersExcluded,
    RatersReadmitted,
)
from plaudit.service.contest.events.running import SettingsChanged, StateChanged, VerdictReached
from plaudit.store.log import Entry, Event, Kind

EVENTS: dict[Kind, type[ContestEvent]] = {
    found.kind: found
    for found in (
        ItemsAdded,
        ItemsWithdrawn,
        RatersExcluded,
        RatersReadmitted,
        RatersErased,
        StateChanged,
        VerdictReached,
        ItemsReplaced,
        ItemsRestored,
        SettingsChanged,
        CodesMade,
        CodesRevoked,
        ListChanged,
        LinkKeyChanged,
        ItemProposed,
        ProposalsRefused,
    )
}
_READERS: dict[int, Callable[[str], ContestEvent]] = {
    kind: msgspec.json.Decoder(found).decode for kind, found in EVENTS.items()
}


def read_event(entry: Entry) -> ContestEvent:
    """The event in an entry; `msgspec.DecodeError` or `KeyError` if there is none."""
    return _READERS[entry.kind](entry.payload)


def as_written(entry: Entry) -> tuple[type[ContestEvent], Any]:
    """The kind of an event and its JSON as the log has it, with fields that nobody knows."""
    return EVENTS[Kind(entry.kind)], json.loads(entry.payload)


def payload_of(event: ContestEvent) -> str:
    """An event as JSON, byte for byte as the log keeps it."""
    if isinstance(event, VerdictReached):
        # Verdicts have always been written by the encoder of certificates.
        return msgspec.json.encode(event).decode()
    return json.dumps(msgspec.to_builtins(event), separators=(",", ":"))


def to_log(event: ContestEvent, at: int) -> Event:
    """An event with its time, ready for the store."""
    return Event(event.kind, at, payload_of(event))


def events_in(entries: Iterable[Entry]) -> list[ContestEvent]:
    """The events among these entries."""
    return [read_event(entry) for entry in entries if entry.kind in EVENTS]


def raters_to_read(entries: Iterable[Entry]) -> set[int]:
    """The raters whose earlier answers are needed to fold these entries."""
    found = (event for event in events_in(entries) if isinstance(event, RaterEvent))
    return {rater for event in found for rater in event.named}


def items_to_read(entries: Iterable[Entry]) -> set[int]:
    """The items whose earlier answers are needed to fold these entries: those merged."""
    found = (event for event in events_in(entries) if isinstance(event, ItemsReplaced))
    return {item for event in found if event.votes for item in event.items}
