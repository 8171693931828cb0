"""The events of a contest: one struct for each kind. Only this module reads and writes their JSON.

An event records what somebody who runs a contest did, or a verdict. Each struct has the fields of
its JSON in the log. `change` changes the state, `touches` lists the items, settings, raters or
state that it changes, `before` gives the values that it replaces, and `reopens` says whether the
races are built anew after it. `opposite` has the event that undoes it, and `words` describes it.
CONTRIBUTING.md says how to add a kind.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from plaudit.service.contest.changes import OF_THE_RACE
from plaudit.service.contest.grounds import UNKNOWN
from plaudit.store.log import Entry, Event, Kind

if TYPE_CHECKING:
    from plaudit.service.contest.state import ContestState

# What an event changes: ("item", 3), ("field", "title"), ("rater", 5), ("state", ""), ("code", 7),
# ("proposal", 40) by its position, or ("id", "…") for an id of the list.
Thing = tuple[str, Any]
AnswersOf = Mapping[int, Sequence[Entry]]


class Past(NamedTuple):
    """The answers before an event that it concerns: by rater, and by item."""

    position: int
    of_raters: AnswersOf
    on_items: AnswersOf


class ContestEvent(Struct, frozen=True, omit_defaults=True):
    """What happened to a contest; `undoes` is the position of the event that it undoes."""

    kind: ClassVar[Kind]

    def change(self, contest: "ContestState", past: Past) -> None:
        """Changes the state of the contest."""

    def touches(self, contest: "ContestState") -> list[Thing]:
        """What it changes; `contest` is the state before it."""
        return []

    def before(self, contest: "ContestState") -> dict[str, Any]:
        """The values that it replaces, if its opposite needs them."""
        return {}

    @property
    def reopens(self) -> bool:
        """Whether races are built anew after it, so that earlier verdicts no longer stand."""
        return False

    @property
    def undone_position(self) -> int:
        """The position of the event that this one undoes; 0 if it undoes none."""
        return getattr(self, "undoes", 0)


class ItemEvent(ContestEvent, frozen=True, omit_defaults=True):
    """A change of the items."""

    @property
    def reopens(self) -> bool:
        return True

    @property
    def numbers(self) -> list[int]:
        """The items that are added, withdrawn or restored."""
        raise NotImplementedError

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("item", number) for number in self.numbers]


class ItemsAdded(ItemEvent, frozen=True, omit_defaults=True):
    """Items were added; `digest` is the digest of their texts and pictures.

    `proposals` are the positions of the proposals that they come from, one for each, if any.
    """

    kind = Kind.ADD
    first: int
    count: int
    digest: str | None = None
    undoes: int = 0
    proposals: tuple[int, ...] = ()

    @property
    def new(self) -> range:
        """The numbers of the new items."""
        return range(self.first, self.first + self.count)

    @property
    def numbers(self) -> list[int]:
        return [*self.new]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.add_items(self.count)
        contest.take_proposals(self.proposals, self.new)


class ItemsWithdrawn(ItemEvent, frozen=True, omit_defaults=True):
    """Items were withdrawn."""

    kind = Kind.WITHDRAW
    items: tuple[int, ...]
    undoes: int = 0

    @property
    def numbers(self) -> list[int]:
        return [*self.items]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.withdraw_items(self.items)


class ItemsReplaced(ItemEvent, frozen=True, omit_defaults=True, kw_only=True):
    """A new item replaced others; with `votes` it keeps their votes."""

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
    """Withdrawn items were restored, and the items in `without` were withdrawn."""

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
    """A change of which raters count."""

    # Logs of earlier editions name one rater in each event, as `rater`.
    raters: tuple[int, ...] = ()
    rater: int | None = None
    undoes: int = 0

    @property
    def named(self) -> tuple[int, ...]:
        """The raters that it concerns."""
        if self.raters or self.rater is None:
            return self.raters
        return (self.rater,)

    @property
    def reopens(self) -> bool:
        return True


class RatersExcluded(RaterEvent, frozen=True, omit_defaults=True):
    """The votes of raters no longer count.

    `grounds` says why: one of `grounds.GROUNDS` for all raters, or one for each of them, in order.
    """

    kind = Kind.EXCLUDE
    grounds: str | tuple[str, ...] = UNKNOWN

    @property
    def grounds_of_each(self) -> tuple[str, ...]:
        """The grounds for each of the raters, in the order of `named`."""
        if isinstance(self.grounds, str):
            return (self.grounds,) * len(self.named)
        return self.grounds

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("rater", one) for one in sorted({*self.named} - contest.excluded)]

    def change(self, contest: "ContestState", past: Past) -> None:
        for rater, grounds in zip(self.named, self.grounds_of_each, strict=True):
            contest.exclude_rater(rater, past, grounds=grounds)


class RatersReadmitted(RaterEvent, frozen=True, omit_defaults=True):
    """The votes of raters count again, except those of erased raters."""

    kind = Kind.READMIT

    def touches(self, contest: "ContestState") -> list[Thing]:
        back = contest.excluded.intersection(self.named) - contest.erased
        return [("rater", one) for one in sorted(back)]

    def before(self, contest: "ContestState") -> dict[str, Any]:
        """The grounds on which each of them was excluded."""
        return {"grounds": {rater: contest.grounds.get(rater, UNKNOWN) for rater in self.named}}

    def change(self, contest: "ContestState", past: Past) -> None:
        for rater in self.named:
            contest.readmit_rater(rater, past)


class RatersErased(RaterEvent, frozen=True, omit_defaults=True):
    """Raters were erased for good; their votes no longer count."""

    kind = Kind.ERASE

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("rater", one) for one in self.named]

    def change(self, contest: "ContestState", past: Past) -> None:
        for rater in self.named:
            contest.erase_rater(rater, past)


class SettingsChanged(ContestEvent, frozen=True, omit_defaults=True):
    """Settings were changed."""

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


class CodesMade(ContestEvent, frozen=True, omit_defaults=True):
    """Codes were made, so that there are codes up to this number."""

    kind = Kind.CODES
    upto: int

    def before(self, contest: "ContestState") -> dict[str, Any]:
        return {"upto": contest.codes}

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.make_codes(self.upto)


class CodesRevoked(ContestEvent, frozen=True, omit_defaults=True):
    """Codes were revoked, or (`back`) revoked ones work again; by their numbers."""

    kind = Kind.REVOKE
    codes: tuple[int, ...] = ()
    back: tuple[int, ...] = ()
    undoes: int = 0

    def touches(self, contest: "ContestState") -> list[Thing]:
        revoked = {*self.codes} - contest.revoked_codes
        back = contest.revoked_codes.intersection(self.back)
        return [("code", number) for number in sorted(revoked | back)]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.change_codes(self.codes, self.back)


class ListChanged(ContestEvent, frozen=True, omit_defaults=True):
    """Ids were put on the list of those who may vote, or taken off it; by their keyed hashes."""

    kind = Kind.LIST
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    undoes: int = 0

    def touches(self, contest: "ContestState") -> list[Thing]:
        added = {*self.added} - contest.listed
        removed = contest.listed.intersection(self.removed)
        return [("id", one) for one in sorted(added | removed)]

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.change_list(self.added, self.removed)


class LinkKeyChanged(ContestEvent, frozen=True, omit_defaults=True):
    """Another key signs links from now on; keys are numbered from 0."""

    kind = Kind.LINK_KEY
    number: int

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.change_link_key(self.number)


class ItemProposed(ContestEvent, frozen=True, omit_defaults=True):
    """A rater proposed an item; the position of this event is the proposal's number."""

    kind = Kind.PROPOSE
    rater: int
    text: str

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.add_proposal(past.position, self.rater, self.text)


class ProposalsRefused(ContestEvent, frozen=True, omit_defaults=True):
    """Proposals were refused for a reason, or (`back`) refused ones wait again; by position."""

    kind = Kind.REFUSE
    proposals: tuple[int, ...] = ()
    reason: str = ""
    note: str = ""
    back: tuple[int, ...] = ()
    undoes: int = 0

    def touches(self, contest: "ContestState") -> list[Thing]:
        return [("proposal", one) for one in (*self.proposals, *self.back)]

    def before(self, contest: "ContestState") -> dict[str, Any]:
        """Why those that come back had been refused: all for one reason, in one step."""
        known = [contest.proposals[one] for one in self.back if one in contest.proposals]
        return {"reason": known[0].reason, "note": known[0].note} if known else {}

    def change(self, contest: "ContestState", past: Past) -> None:
        contest.refuse_proposals(self.proposals, self.reason, self.note)
        contest.reconsider_proposals(self.back)


class Exclusions(Struct, frozen=True):
    """What a verdict owes to excluded raters; it has more in the certificate.

    `raters` were excluded when it was reached, `by_votes` of them by their votes. `same` says
    whether the verdict is proven to be the same with or without those.
    """

    raters: int
    by_votes: int
    same: bool


class VerdictReached(ContestEvent, frozen=True, omit_defaults=False, kw_only=True):
    """A race reached its verdict; its certificate in the store has the proof."""

    kind = Kind.VERDICT
    lane: int
    judged_at: int = 0
    winners: tuple[int, ...]
    delta: float | None
    epsilon: float = 0.0
    top: int = 1
    votes: int = 0
    gap: float | None = None
    # Verdicts of earlier editions do not have it, and their bytes stay as they are.
    exclusions: Exclusions | UnsetType = UNSET
    # How many dishonest raters it had to withstand, and how many it does; None without a proof.
    tolerance: int | UnsetType = UNSET
    withstands: int | UnsetType | None = UNSET

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
