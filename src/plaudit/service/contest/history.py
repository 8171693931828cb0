"""The history of a contest: its events in order, what each changed, and the resulting state.

The desk uses it to decide which steps are allowed, without reading the answers between events.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plaudit.errors import EpochMoved
from plaudit.phrase import Phrase
from plaudit.service.contest.events import ContestEvent, Past, Thing, read_event
from plaudit.service.contest.replay import empty_state
from plaudit.service.contest.settings import ContestSettings
from plaudit.service.contest.state import ContestState
from plaudit.store.contract import ContestRecord, Store
from plaudit.store.log import Entry
from plaudit.words import N_

ATTEMPTS = 5


class LoggedEvent(NamedTuple):
    """An event with its place in the log; `before` has the values that it replaced."""

    position: int
    at: int
    event: ContestEvent
    before: dict[str, Any]


class _NoAnswers(Mapping[int, Sequence[Entry]]):
    """No answers for any rater or item, where votes are not counted."""

    def __getitem__(self, number: int) -> Sequence[Entry]:
        return ()

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __len__(self) -> int:
        return 0


NO_ANSWERS = _NoAnswers()


class History:
    """The events of a contest and the state that results from them, without vote counts.

    `touched` maps every changed item, field, rater and the state to the position of the event that
    it owes its value to; undoing an event sets this back to the event before. `left` has, by
    event, the same map for what the event touched, as it was right after the event.
    """

    def __init__(self, record: ContestRecord, events: Iterable[Entry]) -> None:
        self.record = record
        self.contest: ContestState = empty_state(record)
        self.events: list[LoggedEvent] = []
        self._by_position: dict[int, LoggedEvent] = {}
        self.touched: dict[Thing, int] = {}
        self.left: dict[int, dict[Thing, int]] = {}
        self.undone: dict[int, int] = {}
        self._touched_before: dict[int, dict[Thing, int]] = {}
        last = 0
        for entry in events:
            if entry.position > last + 1:
                self.contest.note_answers()
            self._take(entry)
            last = entry.position
        if record.position > last:
            self.contest.note_answers()

    @property
    def settings(self) -> ContestSettings:
        """The current settings."""
        return self.contest.settings

    @property
    def first(self) -> int:
        """The position of the first event, which created the contest."""
        return self.events[0].position

    def at(self, position: int) -> LoggedEvent | None:
        """The event at a position, or None."""
        return self._by_position.get(position)

    def _take(self, entry: Entry) -> None:
        event, contest = read_event(entry), self.contest
        things, before = event.touches(contest), event.before(contest)
        logged = LoggedEvent(entry.position, entry.at, event, before)
        self.events.append(logged)
        self._by_position[entry.position] = logged
        contest.take(event, Past(entry.position, NO_ANSWERS, NO_ANSWERS))
        if things:
            self._touch(entry.position, event.undone_position, things)

    def _touch(self, position: int, undoes: int, things: Sequence[Thing]) -> None:
        """Notes what an event changed; undoing an event restores what was noted before it."""
        before = {thing: self.touched.get(thing, 0) for thing in things}
        undone = self._touched_before.get(undoes, {})
        left = dict.fromkeys(things, position)
        if undone.keys() == before.keys():
            left = undone
            self.undone[undoes] = position
        self._touched_before[position], self.left[position] = before, left
        self.touched |= left


def history_of(store: Store, name: str) -> History:
    """The history of a contest up to now."""
    for _ in range(ATTEMPTS):
        record, events = store.contest(name), store.events(name)
        if len(events) == record.epoch:
            return History(record, events)
    text = N_("The contest {name!r} keeps changing. Try again in a moment.")
    raise EpochMoved(Phrase(text, name=name))
