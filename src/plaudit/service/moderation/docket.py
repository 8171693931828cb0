"""What moderators look at, computed once for all who look, and not more often than it costs."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from plaudit.scale import Scale
from plaudit.service.intake.near_duplicates import Group, groups
from plaudit.service.moderation.flagged import Flagged, flagged
from plaudit.service.moderation.overdispersion import Whole
from plaudit.service.moderation.reviewed import Reviewed, reviewed
from plaudit.service.moderation.suspicion import Suspicions, examine
from plaudit.service.watch.answer_columns import AllColumns, Answers
from plaudit.store.contract import Item, Store

# What was found is good for so long, or for so many times of what finding it took.
LEAST_SECONDS, TIMES_ITS_COST = 2.0, 8.0


class Seen(NamedTuple):
    """A contest as a moderator sees it, taken on the owner's thread."""

    name: str
    position: int
    scale: Scale
    items: list[Item]
    excluded: frozenset[int]
    withdrawn: frozenset[int]


class Docket(NamedTuple):
    """All that waits for a moderator."""

    flags: list[Flagged]
    suspicions: Suspicions
    reviewed: Reviewed
    answers: Answers


@dataclass
class _Place:
    """What was found in one contest."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    excluded: frozenset[int] = frozenset()
    answers: int = -1
    due: float = 0.0
    found: Suspicions | None = None
    alike: tuple[object, list[Group]] | None = None


class Moderation:
    """The dockets of all contests of a worker. Every method blocks: not for the event loop."""

    def __init__(
        self, store: Store, columns: AllColumns, *, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._columns = columns
        self._timer = timer
        self._places: dict[str, _Place] = {}
        self.computed = 0

    def examined(self, seen: Seen) -> tuple[Answers, Suspicions]:
        """The answers so far, and what the tests say of them; takes seconds for a million."""
        columns = self._columns.of(seen.name)
        columns.read_on(self._store, seen.name)
        answers = columns.answers
        return answers, self._suspicions(seen, answers)

    def docket(self, seen: Seen, examined: tuple[Answers, Suspicions] | None = None) -> Docket:
        """What waits in a contest; takes little where it was examined already."""
        answers, suspicions = examined or self.examined(seen)
        known = reviewed(self._store, seen.name)
        events = [entry.position for entry in self._store.events(seen.name)]
        flags = flagged(
            answers,
            events=events,
            known=known,
            excluded=set(seen.excluded),
            withdrawn=set(seen.withdrawn),
        )
        return Docket(flags, suspicions, known, answers)

    def of_rater(self, seen: Seen, rater: int) -> Suspicions:
        """What is said of all raters if this one counted; for the page of one who does not."""
        if rater not in seen.excluded:
            return self.examined(seen)[1]
        columns = self._columns.of(seen.name)
        columns.read_on(self._store, seen.name)
        return self._examine(seen._replace(excluded=seen.excluded - {rater}), columns.answers)

    def alike(self, seen: Seen) -> list[tuple[Item, ...]]:
        """Groups of items in the race that say the same, or nearly so."""
        place = self._places.setdefault(seen.name, _Place())
        wanted = (len(seen.items), seen.withdrawn)
        with place.lock:
            inside = [item for item in seen.items if item.number not in seen.withdrawn]
            if place.alike is None or place.alike[0] != wanted:
                texts, pictures = [i.text for i in inside], [i.image for i in inside]
                place.alike = (wanted, groups(texts, apart=pictures))
            return [tuple(inside[member] for member in g.members) for g in place.alike[1]]

    def _suspicions(self, seen: Seen, answers: Answers) -> Suspicions:
        """What was found lately, or is found now; only one thread looks at a time."""
        place = self._places.setdefault(seen.name, _Place())
        with place.lock:
            same = place.found is not None and place.excluded == seen.excluded
            fresh = same and (place.answers == len(answers.at) or self._timer() < place.due)
            if place.found is None or not fresh:
                begun = self._timer()
                place.found = self._examine(seen, answers)
                place.excluded, place.answers = seen.excluded, len(answers.at)
                now = self._timer()
                place.due = now + max(LEAST_SECONDS, TIMES_ITS_COST * (now - begun))
            return place.found

    def _examine(self, seen: Seen, answers: Answers) -> Suspicions:
        self.computed += 1
        origins = self._origins(seen.name, answers)
        return examine(answers, origins=origins, excluded=set(seen.excluded), scale=seen.scale)

    def _origins(self, name: str, answers: Answers) -> Whole:
        """The addresses of raters as numbers; -1 where an address is not known."""
        raters = int(answers.rater.max()) + 1 if len(answers.rater) else 0
        origins = np.full(raters, -1, dtype=np.int64)
        numbers: dict[bytes, int] = {}
        for rater in self._store.raters(name):
            if rater.origin and rater.number < raters:
                origins[rater.number] = numbers.setdefault(rater.origin, len(numbers))
        return origins
