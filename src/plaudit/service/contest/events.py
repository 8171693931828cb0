"""The events of a contest: one struct a kind, read from the log and written to it here alone.

An event is what somebody who runs a contest did. Each struct has the fields of its JSON in the
log, and says what it does to the state (`change`), which items, settings, raters or state it
touches (`touches`), and whether races are made anew after it (`reopens`). What undoes it is in
`opposite`, its words are in `words`. CONTRIBUTING.md says how to add a kind.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec
from msgspec import Struct

from plaudit.service.contest.changes import OF_THE_RACE
from plaudit.store.log import Entry, Event, Kind

if TYPE_CHECKING:
    from plaudit.service.contest.state import ContestState

# What an event changes: ("item", 3), ("field", "title"), ("rater", 5) or ("state", "").
Thing = tuple[str, Any]
AnswersOf = Mapping[int, Sequence[Entry]]


class Past(NamedTuple):
    """Answers that an event changes: those of raters, and those on items; before a position."""

    position: int
    of_raters: AnswersOf
    on_items: AnswersOf


class ContestEvent(Struct, frozen=True, omit_defaults=True):
    """What somebody did to a contest; `undoes` is the position of the event that it undoes."""

    kind: ClassVar[Kind]

    def change(self, contest: "ContestState", past: Past) -> None:
        """Changes the state of the contest."""

    def touches(self, contest: "ContestState") -> list[Thing]:
        """What it changes, judged by the state before it."""
        return []

    def before(self, contest: "ContestState") -> dict[str, Any]:
        """The values that it replaces, where its opposite needs them."""
        return {}

    @property
    def reopens(self) -> bool:
        """Whether races are made anew after it, so that no earlier verdict stands."""
        return False

    @property
    def undone_position(self) -> int:
        """The position of the event that this one undoes; 0 if it undoes none."""
        return getattr(self, "undoes", 0)


class ItemEvent(ContestEvent, frozen=True, omit_defaults=True):
    """What somebody did to items."""

    @property
    def reopens(self) -> bool:
        return True

    @property
    def numbers(self) -> list[int]:
        """The items that come or go."""
        raise NotImplementedError

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("item", number) for number in self.numbers]


class ItemsAdded(ItemEvent, frozen=True, omit_defaults=True):
    """Items joined; `digest` is that of their texts and pictures."""

    kind = Kind.ADD
    first: int
    count: int
    digest: str | None = None
    undoes: int = 0

    @property
    def new(self) -> range:
        """The numbers of the items that joined."""
        return range(self.first, self.first + self.count)

    @property
    def numbers(self) -> list[int]:
        return [*self.new]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.add_items(self.count)


class ItemsWithdrawn(ItemEvent, frozen=True, omit_defaults=True):
    """Items were taken out."""

    kind = Kind.WITHDRAW
    items: tuple[int, ...]
    undoes: int = 0

    @property
    def numbers(self) -> list[int]:
        return [*self.items]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.withdraw_items(self.items)


class ItemsReplaced(ItemEvent, frozen=True, omit_defaults=True, kw_only=True):
    """A new item took the place of others; with `votes` it has theirs."""

    kind = Kind.REPLACE
    items: tuple[int, ...]
    first: int
    count: int
    digest: str | None = None
    votes: bool
    undoes: int = 0

    @property
    def new(self) -> range:
        """The number of the new item, as a range of one."""
        return range(self.first, self.first + self.count)

    @property
    def numbers(self) -> list[int]:
        return [*self.items, *self.new]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.replace_items(self.items, keep_votes=self.votes, past=past)


class ItemsRestored(ItemEvent, frozen=True, omit_defaults=True):
    """Withdrawn items came back, and others were taken out instead."""

    kind = Kind.RESTORE
    items: tuple[int, ...]
    without: tuple[int, ...]
    undoes: int = 0

    @property
    def numbers(self) -> list[int]:
        return [*self.items, *self.without]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.restore_items(self.items, self.without)


class RaterEvent(ContestEvent, frozen=True, omit_defaults=True):
    """What somebody did to raters."""

    # Logs of earlier editions name one rater an event.
    raters: tuple[int, ...] = ()
    rater: int | None = None
    undoes: int = 0

    @property
    def named(self) -> tuple[int, ...]:
        """The raters whom it is about."""
        return self.raters if self.rater is None else (self.rater,)

    @property
    def reopens(self) -> bool:
        return True


class RatersExcluded(RaterEvent, frozen=True, omit_defaults=True):
    """The votes of raters no longer count."""

    kind = Kind.EXCLUDE

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("rater", one) for one in sorted({*self.named} - contest.excluded)]

    def change(self, contest: "ContestState", past: Past) -> None:
        for rater in self.named:
            contest.exclude_rater(rater, past)


class RatersReadmitted(RaterEvent, frozen=True, omit_defaults=True):
    """The votes of raters count again, but for those of raters who were erased."""

    kind = Kind.READMIT

    def touches(self, contest: "ContestState") -> list[Thing]:
        back = contest.excluded.intersection(self.named) - contest.erased
        return [("rater", one) for one in sorted(back)]

    def change(self, contest: "ContestState", past: Past) -> None:
        for rater in self.named:
            contest.readmit_rater(rater, past)


class RatersErased(RaterEvent, frozen=True, omit_defaults=True):
    """Raters were forgotten for good; none of their votes counts."""

    kind = Kind.ERASE

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("rater", one) for one in self.named]

    def change(self, contest: "ContestState", past: Past) -> None:
        for rater in self.named:
            contest.erased.add(rater)
            contest.exclude_rater(rater, past)


class SettingsChanged(ContestEvent, frozen=True, omit_defaults=True):
    """Settings have other values."""

    kind = Kind.SETTINGS
    set: dict[str, Any]
    undoes: int = 0

    @property
    def reopens(self) -> bool:
        return bool(self.set.keys() & OF_THE_RACE)

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("field", name) for name in self.set]

    def before(self, contest: "ContestState") -> dict[str, Any]:
        return contest.setting_values(self.set)

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.set_fields(self.set)


class StateChanged(ContestEvent, frozen=True, omit_defaults=True):
    """The contest was opened, paused, closed or retired."""

    kind = Kind.STATE
    state: str
    undoes: int = 0

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("state", "")]

    def before(self, contest: "ContestState") -> dict[str, Any]:
        return {"state": contest.state}

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.state = self.state


class VerdictReached(ContestEvent, frozen=True, omit_defaults=False, kw_only=True):
    """A race reached its verdict; the certificate beside it has the proof."""

    kind = Kind.VERDICT
    lane: int
    judged_at: int = 0
    winners: tuple[int, ...]
    delta: float | None
    epsilon: float = 0.0
    top: int = 1
    votes: int = 0
    gap: float | None = None

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.verdicts[self.lane] = self


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
    )
}
_READERS: dict[int, Callable[[str], ContestEvent]] = {
    kind: msgspec.json.Decoder(found).decode for kind, found in EVENTS.items()
}


def read_event(entry: Entry) -> ContestEvent:
    """The event of an entry; `msgspec.DecodeError` or `KeyError` where it is none."""
    return _READERS[entry.kind](entry.payload)


def payload_of(event: ContestEvent) -> str:
    """An event as the log has it."""
    if isinstance(event, VerdictReached):
        # Its numbers have always been written in the way of certificates.
        return msgspec.json.encode(event).decode()
    return json.dumps(msgspec.to_builtins(event), separators=(",", ":"))


def to_log(event: ContestEvent, at: int) -> Event:
    """An event at a time, for the store."""
    return Event(event.kind, at, payload_of(event))


def events_in(entries: Iterable[Entry]) -> list[ContestEvent]:
    """The events among some entries."""
    return [read_event(entry) for entry in entries if entry.kind in EVENTS]


def raters_to_read(entries: Iterable[Entry]) -> set[int]:
    """The raters whose earlier answers it takes to fold these entries."""
    found = (event for event in events_in(entries) if isinstance(event, RaterEvent))
    return {rater for event in found for rater in event.named}


def items_to_read(entries: Iterable[Entry]) -> set[int]:
    """The items whose earlier answers it takes to fold these entries: those that are merged."""
    found = (event for event in events_in(entries) if isinstance(event, ItemsReplaced))
    return {item for event in found if event.votes for item in event.items}
