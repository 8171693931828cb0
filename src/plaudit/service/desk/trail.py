"""The audit trail of a contest: who did what and when, and what can be undone."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from plaudit.phrase import Phrase, sentence
from plaudit.service.contest.events import ItemProposed, VerdictReached
from plaudit.service.contest.history import History, LoggedEvent, history_of
from plaudit.service.contest.opposite import UNDONE, why_not_undoable
from plaudit.service.contest.words import step_words
from plaudit.service.deeds import worded
from plaudit.store.contract import Store
from plaudit.store.people import Deed
from plaudit.words import N_

PLAUDIT = "Plaudit"
_NOTE = Phrase(N_("A note changes nothing."))
# More than any contest has.
_ALL = 1_000_000
# A summary names this many steps.
_NAMED = 5


class Step(NamedTuple):
    """A step of the desk, a verdict, or a note; `position` is 0 for a note, which is no event.

    `who` is "" if it is not known, because the contest was restored from an archive. `fixed` says
    why the step cannot be undone; it is None if it can. `answers` is the number of answers since
    the previous event.
    """

    position: int
    at: int
    who: str
    what: Phrase
    kind: str
    fixed: Phrase | None
    answers: int

    @property
    def is_undone(self) -> bool:
        """Whether the step was undone."""
        return self.fixed is UNDONE


class Trail(NamedTuple):
    """The steps of a contest, latest first, and its epoch after them."""

    epoch: int
    steps: list[Step]


def trail_of(store: Store, name: str) -> Trail:
    """Every step of a contest, and every note."""
    return _trail(store, history_of(store, name))


def trail_since(store: Store, name: str, epoch: int) -> Trail:
    """What was done after somebody saw a contest at an epoch."""
    return since(store, history_of(store, name), epoch)


def since(store: Store, history: History, epoch: int) -> Trail:
    """The same, from a history that was read already."""
    seen = history.events[epoch - 1].position if 0 < epoch <= len(history.events) else 0
    whole = _trail(store, history)
    return whole._replace(steps=[step for step in whole.steps if step.position > seen])


def _trail(store: Store, history: History) -> Trail:
    name = history.record.name
    steps = steps_of(history, store.deeds(contest=name, limit=_ALL))
    return Trail(len(history.events), steps)


def summary(steps: Sequence[Step]) -> Phrase:
    """What was done, in a sentence that names the latest steps."""
    if not steps:
        return Phrase("")
    shown = [
        Phrase("{who} {what}", who=step.who or Phrase(N_("someone")), what=step.what)
        for step in steps[:_NAMED]
    ]
    done = sentence(shown, "; ")
    if len(steps) <= _NAMED:
        return Phrase(N_("Since then: {done}."), done=done)
    more = len(steps) - _NAMED
    return Phrase(N_("Since then: {done}; and {more} steps before."), done=done, more=more)


def steps_of(history: History, deeds: Iterable[Deed]) -> list[Step]:
    """The steps and notes, latest first, from a history and deeds that were read already."""
    taken, notes = _sorted(history.events, deeds)
    steps: list[Step] = []
    last = 0
    for logged in history.events:
        who = taken.get(logged.position, "")
        if isinstance(logged.event, VerdictReached):
            who = PLAUDIT
        if isinstance(logged.event, ItemProposed):
            who = f"rater {logged.event.rater}"
        what, fixed = step_words(history, logged), why_not_undoable(history, logged)
        kind, answers = logged.event.kind.name.lower(), logged.position - last - 1
        steps.append(Step(logged.position, logged.at, who, what, kind, fixed, answers))
        last = logged.position
    noted = [Step(0, d.at, d.who, worded(d.what), "note", _NOTE, 0) for d in notes]
    # A clock may be set back: steps stay in the order of the log, and notes go in by time.
    times = accumulate((step.at for step in steps), max)
    placed = [*zip(times, steps, strict=True), *((note.at, note) for note in noted)]
    return [step for _, step in sorted(placed, key=lambda one: one[0])][::-1]


def _sorted(
    events: Iterable[LoggedEvent], deeds: Iterable[Deed]
) -> tuple[dict[int, str], list[Deed]]:
    """Who took each step, by position; and the other deeds, which are notes."""
    times = {event.position: event.at for event in events}
    taken: dict[int, str] = {}
    notes: list[Deed] = []
    for deed in deeds:
        if times.get(deed.position) == deed.at and deed.position not in taken:
            taken[deed.position] = deed.who
        else:
            notes.append(deed)
    return taken, notes
