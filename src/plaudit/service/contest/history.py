"""The history of a contest: its events in order, what each changed, and the state they lead to.

The desk decides by it what may be done, without reading the answers between the events.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plaudit.errors import EpochMoved
from plaudit.service.contest.events import ContestEvent, Past, Thing, read_event
from plaudit.service.contest.replay import empty_state
from plaudit.service.contest.settings import ContestSettings
from plaudit.service.contest.state import ContestState
from plaudit.store.contract import ContestRecord, Store
from plaudit.store.log import Entry

ATTEMPTS = 5


class Happened(NamedTuple):
    """An event with its place in the log; `before` has the values that it replaced."""

    position: int
    at: int
    event: ContestEvent
    before: dict[str, Any]


class _NoAnswers(Mapping[int, Sequence[Entry]]):
    """Stands for answers that nobody counts: any rater or item has none."""

    def __getitem__(self, number: int) -> Sequence[Entry]:
        return ()

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __len__(self) -> int:
        return 0


NO_ANSWERS = _NoAnswers()


class History:
    """What the events of a contest add up to; its state counts no votes.

    `touched` says of every item, field, rater and of the state which event made it what it is:
    undoing an event gives it back to the one before. `left` has this for what an event touched,
    as the event left it.
    """

    def __init__(self, record: ContestRecord, events: Iterable[Entry]) -> None:
        self.record = record
        self.contest: ContestState = empty_state(record)
        self.events: list[Happened] = []
        self.touched: dict[Thing, int] = {}
        self.left: dict[int, dict[Thing, int]] = {}
        self.undone: dict[int, int] = {}
        self._found: dict[int, dict[Thing, int]] = {}
        last = 0
        for entry in events:
            if entry.position > last + 1:
                self.contest.begin()
            self._take(entry)
            last = entry.position
        if record.position > last:
            self.contest.begin()

    @property
    def settings(self) -> ContestSettings:
        """The settings in force."""
        return self.contest.settings

    @property
    def first(self) -> int:
        """The position of the event that the contest began with."""
        return self.events[0].position

    def at(self, position: int) -> Happened | None:
        """What happened at a position, or None."""
        return next((one for one in self.events if one.position == position), None)

    def _take(self, entry: Entry) -> None:
        event, contest = read_event(entry), self.contest
        things, before = event.touches(contest), event.before(contest)
        self.events.append(Happened(entry.position, entry.at, event, before))
        contest.take(event, Past(entry.position, NO_ANSWERS, NO_ANSWERS))
        if things:
            self._touch(entry.position, event.undone_position, things)

    def _touch(self, position: int, undoes: int, things: Sequence[Thing]) -> None:
        """Notes what an event changed; one that undoes another gives things back."""
        found = {thing: self.touched.get(thing, 0) for thing in things}
        given = self._found.get(undoes, {})
        left = dict.fromkeys(things, position)
        if given.keys() == found.keys():
            left = given
            self.undone[undoes] = position
        self._found[position], self.left[position] = found, left
        self.touched |= left


def history_of(store: Store, name: str) -> History:
    """The history of a contest up to now."""
    for _ in range(ATTEMPTS):
        record, events = store.contest(name), store.events(name)
        if len(events) == record.epoch:
            return History(record, events)
    raise EpochMoved(f"The contest {name!r} changed at every look. Try again in a moment.")
