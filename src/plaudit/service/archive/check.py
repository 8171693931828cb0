"""Checks that the parts of an archive fit together, so that a live contest can use it."""

from collections.abc import Callable, Iterable
from typing import NoReturn

import msgspec

from plaudit.errors import PlauditError
from plaudit.proof.digests import MARK_BYTES, SALT_BYTES
from plaudit.service.contest.changes import CHANGEABLE
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
    Past,
    ProposalsRefused,
    RaterEvent,
    RatersExcluded,
    SettingsChanged,
    StateChanged,
    VerdictReached,
    read_event,
)
from plaudit.service.contest.grounds import GROUNDS, UNKNOWN
from plaudit.service.contest.guests import LISTED_DIGITS, MOST_CODES, MOST_LISTED
from plaudit.service.contest.history import NO_ANSWERS
from plaudit.service.contest.proposals import LONGEST_NOTE, REFUSALS
from plaudit.service.contest.races import race_of
from plaudit.service.contest.replay import empty_state
from plaudit.service.contest.roster import items_digest
from plaudit.service.contest.settings import REASONS, STATES, ContestSettings
from plaudit.service.intake.fields import fault_of
from plaudit.service.intake.item_list import LONGEST_ITEM
from plaudit.store.contract import ContestRecord, Item
from plaudit.store.log import ANSWERS, NONE, Entry, Kind

# The end of the year 9999: later times cannot be written as dates.
LATEST_MS = 253_402_300_800_000
LONGEST_RESPONSE_MS = 2**31
_OF_AN_EVENT = (NONE, NONE, NONE, NONE, NONE)


class ArchiveCheck:
    """Checks items, raters and entries as they are read; `refuse` raises an error with the line."""

    def __init__(
        self, record: ContestRecord, settings: ContestSettings, refuse: Callable[..., NoReturn]
    ) -> None:
        self.pictures = {settings.context.image} - {""}
        self._record = record
        self._refuse = refuse
        self._take_settings(settings)
        self._items: list[Item] = []
        self._raters = 0
        self._state = ""
        self._position = 0
        # It counts no votes here; it only keeps track of the items.
        self._contest = empty_state(record)

    def _take_settings(self, settings: ContestSettings) -> None:
        self._settings = settings
        self._lanes = len(settings.lanes)
        self._levels: dict[int, range] = {
            Kind.VOTE: range(len(settings.scale)),
            Kind.SKIP: range(NONE, NONE + 1),
            Kind.FLAG: range(len(REASONS)),
        }

    def item(self, item: Item) -> Item:
        """The item, if its number is the next."""
        if item.number != len(self._items):
            self._refuse(f"item {item.number} is in the place of item {len(self._items)}")
        self._items.append(item)
        self.pictures |= {item.image} - {""}
        return item

    def rater(self, number: int, key: str | None) -> bytes | None:
        """The rater's key, if the number is the next."""
        if number != self._raters:
            self._refuse(f"rater {number} is in the place of rater {self._raters}")
        self._raters += 1
        try:
            found = None if key is None else bytes.fromhex(key)
        except ValueError:
            found = b""
        if found is not None and len(found) != 16:
            self._refuse(f"the key of rater {number} does not have 32 hexadecimal digits")
        return found

    def salt(self, number: int, key: bytes | None, text: str) -> bytes:
        """The salt of a rater, or the mark of an erased one."""
        wanted = MARK_BYTES if key is None else SALT_BYTES
        try:
            salt = bytes.fromhex(text)
        except ValueError:
            salt = b"?"
        if len(salt) != wanted or salt.hex() != text:
            self._refuse(
                f"the salt of rater {number} does not have {2 * wanted} hexadecimal digits"
            )
        return salt

    def entry(self, entry: Entry) -> Entry:
        """The entry, if it can be counted."""
        self._position += 1
        if entry.position != self._position:
            self._refuse(f"entry {entry.position} is in the place of entry {self._position}")
        if not 0 <= entry.at < LATEST_MS:
            self._refuse(f"entry {entry.position} has the time {entry.at}")
        if entry.kind not in ANSWERS:
            self._event(entry)
            return entry
        # Answers are not counted here, but other rules hold for events after the first answer.
        self._contest.note_answers()
        if not 0 <= entry.item < self._contest.items:
            self._refuse(f"entry {entry.position} is about item {entry.item}, which does not exist")
        if not 0 <= entry.rater < self._raters:
            self._refuse(f"entry {entry.position} is of rater {entry.rater}, who does not exist")
        if entry.level not in self._levels[entry.kind]:
            self._refuse(f"entry {entry.position} has the level {entry.level}")
        if not NONE <= entry.lane < self._lanes:
            self._refuse(f"entry {entry.position} has the lane {entry.lane}")
        if not NONE <= entry.response_ms < LONGEST_RESPONSE_MS or entry.payload:
            self._refuse(f"entry {entry.position} has more to it than an answer has")
        return entry

    def end(self) -> None:
        """Returns if the length, the items and the state agree with the log."""
        if self._position != self._record.position:
            self._refuse(f"it has {self._position} entries instead of {self._record.position}")
        if self._contest.items != len(self._items):
            self._refuse(f"it has {len(self._items)} items, but its log has {self._contest.items}")
        if self._state and self._state != self._record.state:
            self._refuse(f"it is {self._record.state}, but by its log it is {self._state}")
        if self._record.state not in STATES:
            self._refuse(f"its state {self._record.state[:40]!r} is none of {', '.join(STATES)}")
        self._may_race()

    def _may_race(self) -> None:
        """Returns if every race can be set up; otherwise a service could not start."""
        try:
            for lane in range(self._lanes):
                race_of(self._settings, self._contest, lane)
        except PlauditError as error:
            self._refuse("its settings and items allow no race", error)

    def _event(self, entry: Entry) -> None:
        try:
            event = read_event(entry)
            if entry[3:8] != _OF_AN_EVENT or not self._is_sound(event):
                raise ValueError
            self._contest.take(event, Past(entry.position, NO_ANSWERS, NO_ANSWERS))
            if isinstance(event, SettingsChanged):
                self._take_settings(self._contest.settings)
                self.pictures |= {self._settings.context.image} - {""}
        except (msgspec.DecodeError, LookupError, TypeError, ValueError, RecursionError):
            self._refuse(
                f"entry {entry.position} is an event (kind {entry.kind}) that makes no sense"
            )

    def _is_sound(self, event: ContestEvent) -> bool:
        """Whether an event could happen to the contest as it is."""
        match event:
            case ItemsAdded():
                return self._joins(event) and self._takes(event)
            case ItemsReplaced():
                return self._replaces(event) and self._joins(event)
            case ItemsWithdrawn():
                return self._are_items(event.items)
            case ItemsRestored():
                return self._returns(event)
            case SettingsChanged():
                later = event.set.keys() <= {*CHANGEABLE}
                return bool(event.set) and (later or not self._contest.begun)
            case RatersExcluded():
                grounds = event.grounds_of_each
                known = all(one in (UNKNOWN, *GROUNDS) for one in grounds)
                return known and len(grounds) == len(event.named) and self._names_raters(event)
            case RaterEvent():
                return self._names_raters(event)
            case StateChanged():
                self._state = event.state
                return event.state in STATES
            case CodesMade() | CodesRevoked() | ListChanged() | LinkKeyChanged():
                return self._at_the_door(event)
            case ItemProposed():
                text = event.text
                sound = bool(text) and fault_of(text, LONGEST_ITEM, "") is None
                return sound and self._contest.begun and event.rater in range(self._raters)
            case ProposalsRefused():
                return self._refuses(event)
            case VerdictReached():
                return event.lane in range(self._lanes) and self._are_items(event.winners)
        return False

    def _takes(self, event: ItemsAdded) -> bool:
        """Whether the items come from nobody's proposals, or each from one that waits."""
        taken = event.proposals
        return not taken or (len(taken) == event.count and self._wait(taken))

    def _refuses(self, event: ProposalsRefused) -> bool:
        """Whether proposals that wait are refused, or refused ones wait again."""
        known = self._contest.proposals
        if event.back:
            refused = all(one in known and known[one].reason for one in event.back)
            return refused and not event.proposals and len({*event.back}) == len(event.back)
        sound = event.reason in REFUSALS and len(event.note) <= LONGEST_NOTE
        return sound and bool(event.proposals) and self._wait(event.proposals)

    def _wait(self, proposals: tuple[int, ...]) -> bool:
        """Whether these are proposals that wait, each named once."""
        waiting = self._contest.proposals_waiting
        return len({*proposals}) == len(proposals) and {*waiting}.issuperset(proposals)

    def _at_the_door(self, event: ContestEvent) -> bool:
        """Whether a step of the desk could have changed the door like this."""
        contest = self._contest
        match event:
            case CodesMade():
                return contest.codes < event.upto <= MOST_CODES
            case CodesRevoked():
                known = all(one in range(1, contest.codes + 1) for one in event.codes)
                return known and contest.revoked_codes.issuperset(event.back)
            case ListChanged():
                sound = all(map(LISTED_DIGITS.fullmatch, event.added))
                small = len(contest.listed) + len(event.added) <= MOST_LISTED
                return sound and small and contest.listed.issuperset(event.removed)
            case LinkKeyChanged():
                return event.number == contest.link_key + 1
        return False

    def _joins(self, event: ItemsAdded | ItemsReplaced) -> bool:
        """Whether the items that join are those of the file."""
        new = self._items[event.first : event.first + event.count]
        if event.first != self._contest.items or not 0 < event.count == len(new):
            return False
        return event.digest in (None, items_digest(new))

    def _replaces(self, event: ItemsReplaced) -> bool:
        """Whether one item replaces others that are in the contest."""
        old = event.items
        there = self._are_items(old) and self._contest.withdrawn.isdisjoint(old)
        return there and bool(old) and len({*old}) == len(old) and event.count == 1

    def _returns(self, event: ItemsRestored) -> bool:
        """Whether the items that come back were withdrawn, and those that go were not."""
        back, gone = event.items, event.without
        sound = self._are_items(back) and self._are_items(gone) and bool(back or gone)
        out = self._contest.withdrawn
        return sound and out.isdisjoint(gone) and out.issuperset(back)

    def _names_raters(self, event: RaterEvent) -> bool:
        """Whether an event names raters, each of them once."""
        known = all(one in range(self._raters) for one in event.named)
        return known and bool(event.named) and len({*event.named}) == len(event.named)

    def _are_items(self, numbers: Iterable[int]) -> bool:
        return all(number in range(self._contest.items) for number in numbers)
