"""Whether the parts of an exported contest fit together: what a live contest would trip over."""

from collections.abc import Callable
from typing import Any, NoReturn

import msgspec

from plaudit.errors import PlauditError
from plaudit.service.contest.changes import LATER, in_force
from plaudit.service.contest.races import race_of
from plaudit.service.contest.roster import items_digest
from plaudit.service.contest.settings import REASONS, STATES, ContestSettings
from plaudit.service.contest.state import OF_A_RATER, ContestState, raters_named
from plaudit.store.contract import ContestRecord, Item
from plaudit.store.log import ANSWERS, NONE, Entry, Kind

# The end of the year 9999: later times cannot be written as dates.
LATEST_MS = 253_402_300_800_000
LONGEST_RESPONSE_MS = 2**31
_OF_AN_EVENT = (NONE, NONE, NONE, NONE, NONE)


class ArchiveCheck:
    """Follows items, raters and entries as they pass; `refuse` raises with the line."""

    def __init__(
        self, record: ContestRecord, settings: ContestSettings, refuse: Callable[[str], NoReturn]
    ) -> None:
        self.pictures = {settings.context.image} - {""}
        self._record = record
        self._refuse = refuse
        self._take_settings(settings)
        self._items: list[Item] = []
        self._raters = 0
        self._state = ""
        self._position = 0
        # It counts nothing here: it follows which items there are.
        self._contest = ContestState("", "", lanes=self._lanes, levels=len(settings.scale))

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
            self._refuse(f"item {item.number} stands where {len(self._items)} should")
        self._items.append(item)
        self.pictures |= {item.image} - {""}
        return item

    def rater(self, number: int, key: str | None) -> bytes | None:
        """The rater's key, if the number is the next."""
        if number != self._raters:
            self._refuse(f"rater {number} stands where {self._raters} should")
        self._raters += 1
        try:
            found = None if key is None else bytes.fromhex(key)
        except ValueError:
            found = b""
        if found is not None and len(found) != 16:
            self._refuse(f"the key of rater {number} does not have 32 hexadecimal digits")
        return found

    def entry(self, entry: Entry) -> Entry:
        """The entry, if it can be counted."""
        self._position += 1
        if entry.position != self._position:
            self._refuse(f"entry {entry.position} stands where {self._position} should")
        if not 0 <= entry.at < LATEST_MS:
            self._refuse(f"entry {entry.position} has the time {entry.at}")
        if entry.kind not in ANSWERS:
            self._event(entry)
            return entry
        # Answers are not counted here, but what follows the first of them is judged otherwise.
        self._contest.begin()
        if not 0 <= entry.item < self._contest.items:
            self._refuse(f"entry {entry.position} is about item {entry.item}, which is not there")
        if not 0 <= entry.rater < self._raters:
            self._refuse(f"entry {entry.position} is of rater {entry.rater}, who is not there")
        if entry.level not in self._levels[entry.kind]:
            self._refuse(f"entry {entry.position} has the level {entry.level}")
        if not NONE <= entry.lane < self._lanes:
            self._refuse(f"entry {entry.position} has the lane {entry.lane}")
        if not NONE <= entry.response_ms < LONGEST_RESPONSE_MS or entry.payload:
            self._refuse(f"entry {entry.position} has more to it than an answer has")
        return entry

    def end(self) -> None:
        """Returns if length, items and state are what the log says."""
        if self._position != self._record.position:
            self._refuse(f"it has {self._position} entries, not {self._record.position}")
        if self._contest.items != len(self._items):
            self._refuse(f"it has {len(self._items)} items, and its log {self._contest.items}")
        if self._state and self._state != self._record.state:
            self._refuse(f"it is {self._record.state}, and its log ends {self._state}")
        if self._record.state not in STATES:
            self._refuse(f"its state {self._record.state[:40]!r} is none of {', '.join(STATES)}")
        self._may_race()

    def _may_race(self) -> None:
        """Returns if every race can be set up: one that cannot would stop a whole service."""
        try:
            for lane in range(self._lanes):
                race_of(self._settings, self._contest, lane)
        except PlauditError as error:
            self._refuse(f"its settings and items allow no race ({str(error).rstrip('.')})")

    def _event(self, entry: Entry) -> None:
        try:
            payload = msgspec.json.decode(entry.payload)
            if entry[3:8] != _OF_AN_EVENT or not self._takes(Kind(entry.kind), payload):
                raise ValueError
        except (msgspec.DecodeError, LookupError, TypeError, ValueError, RecursionError):
            self._refuse(
                f"entry {entry.position} is an event (kind {entry.kind}) that makes no sense"
            )

    def _takes(self, kind: Kind, payload: dict[str, Any]) -> bool:
        """Whether an event is sound; follows what it does to items and state."""
        if kind in (Kind.ADD, Kind.REPLACE):
            return self._joins(kind, payload)
        if kind == Kind.WITHDRAW:
            return self._are_items(payload["items"]) and self._moves(kind, payload)
        if kind == Kind.RESTORE:
            return self._returns(payload) and self._moves(kind, payload)
        if kind == Kind.SETTINGS:
            return self._sets(payload["set"])
        if kind in OF_A_RATER:
            named = raters_named(payload)
            known = all(type(one) is int and one in range(self._raters) for one in named)
            return known and bool(named) and len({*named}) == len(named)
        if kind == Kind.STATE:
            self._state = payload["state"]
            return self._state in STATES
        return (
            kind == Kind.VERDICT
            and payload["lane"] in range(self._lanes)
            and isinstance(payload["delta"], float | None)
            and self._are_items(payload["winners"])
        )

    def _joins(self, kind: Kind, payload: dict[str, Any]) -> bool:
        """Whether items join as they are in the file; one may take the place of others."""
        first, count = payload["first"], payload["count"]
        new, digest = self._items[first : first + count], payload.get("digest")
        if first != self._contest.items or not 0 < count == len(new):
            return False
        if kind == Kind.REPLACE:
            old = payload["items"]
            there = self._are_items(old) and self._contest.withdrawn.isdisjoint(old)
            once = bool(old) and len({*old}) == len(old) and count == 1
            if not (there and once and isinstance(payload["votes"], bool)):
                return False
        return digest in (None, items_digest(new)) and self._moves(kind, payload)

    def _returns(self, payload: dict[str, Any]) -> bool:
        """Whether items come back that were out, and others go that were there."""
        back, gone = payload["items"], payload["without"]
        sound = self._are_items(back) and self._are_items(gone) and bool(back or gone)
        out = self._contest.withdrawn
        return sound and out.isdisjoint(gone) and out.issuperset(back)

    def _moves(self, kind: Kind, payload: dict[str, Any]) -> bool:
        self._contest.move_items(kind, payload)
        return True

    def _sets(self, given: dict[str, Any]) -> bool:
        """Whether these settings may be set now."""
        if not isinstance(given, dict) or not given:
            return False
        if self._contest.begun and not given.keys() <= {*LATER}:
            return False
        self._contest.set_fields(given)
        self._take_settings(in_force(self._record.settings, self._contest.changes))
        self.pictures |= {self._settings.context.image} - {""}
        return True

    def _are_items(self, numbers: list[Any]) -> bool:
        known = range(self._contest.items)
        return all(type(number) is int and number in known for number in numbers)
