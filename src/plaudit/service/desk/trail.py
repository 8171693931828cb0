"""The audit trail of a contest: who did what and when, and what can be undone."""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from plaudit.service.contest import words
from plaudit.service.contest.history import History, history_of
from plaudit.service.contest.opposite import why_not
from plaudit.store.contract import Store
from plaudit.store.log import Entry, Kind
from plaudit.store.people import Deed

PLAUDIT = "Plaudit"
# More than any contest has.
_ALL = 1_000_000
# Steps that a sentence tells.
_TOLD = 5


class Step(NamedTuple):
    """A step of the desk, a verdict, or a note; `position` is 0 for a note, which is no event.

    `who` is "" where it is not known: the contest came from an export. `fixed` says why the step
    cannot be undone, "" where it can. `answers` came in since the event before.
    """

    position: int
    at: int
    who: str
    what: str
    kind: str
    fixed: str
    answers: int


class Trail(NamedTuple):
    """The steps of a contest, latest first, and the epoch that they led to."""

    epoch: int
    steps: list[Step]


def trail_of(store: Store, name: str) -> Trail:
    """Every step of a contest, and every note."""
    return _trail(store, history_of(store, name))


def trail_since(store: Store, name: str, epoch: int) -> Trail:
    """What was done after somebody saw a contest at an epoch."""
    return since(store, history_of(store, name), epoch)


def since(store: Store, history: History, epoch: int) -> Trail:
    """The same of an history that was read already."""
    seen = history.events[epoch - 1].position if 0 < epoch <= len(history.events) else 0
    whole = _trail(store, history)
    return whole._replace(steps=[step for step in whole.steps if step.position > seen])


def _trail(store: Store, history: History) -> Trail:
    name = history.record.name
    steps = steps_of(history, store.deeds(contest=name, limit=_ALL))
    return Trail(len(history.events), steps)


def told(steps: Sequence[Step]) -> str:
    """What was done, in a sentence; the latest, where it was much."""
    shown = [f"{step.who or 'someone'} {step.what}" for step in steps[:_TOLD]]
    more = f"; and {len(steps) - _TOLD:,} steps before" if len(steps) > _TOLD else ""
    return f"Since then: {'; '.join(shown)}{more}." if shown else ""


def steps_of(history: History, deeds: Iterable[Deed]) -> list[Step]:
    """The same from what was read already."""
    told, notes = _sorted(history.events, deeds)
    steps: list[Step] = []
    last = 0
    for event in history.events:
        who, what = told.get(event.position, ("", words.said(event)))
        if event.kind == Kind.VERDICT:
            who = PLAUDIT
        fixed, answers = why_not(history, event), event.position - last - 1
        kind = Kind(event.kind).name.lower()
        steps.append(Step(event.position, event.at, who, what, kind, fixed, answers))
        last = event.position
    noted = [Step(0, d.at, d.who, d.what, "note", "A note changes nothing.", 0) for d in notes]
    # Clocks may be set back: steps stay in the order of the log, and notes come in between.
    times = accumulate((step.at for step in steps), max)
    placed = [*zip(times, steps, strict=True), *((note.at, note) for note in noted)]
    return [step for _, step in sorted(placed, key=lambda one: one[0])][::-1]


def _sorted(
    events: Iterable[Entry], deeds: Iterable[Deed]
) -> tuple[dict[int, tuple[str, str]], list[Deed]]:
    """Who took each step and how they put it, and the deeds that are no steps."""
    times = {event.position: event.at for event in events}
    told: dict[int, tuple[str, str]] = {}
    notes: list[Deed] = []
    for deed in deeds:
        if times.get(deed.position) == deed.at and deed.position not in told:
            told[deed.position] = (deed.who, deed.what)
        else:
            notes.append(deed)
    return told, notes
