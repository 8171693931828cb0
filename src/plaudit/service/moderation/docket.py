"""What waits for moderators: flagged items, suspicious raters, and items that look alike.

All of it is computed from a snapshot; what takes long is shared by everyone who asks for it.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from plaudit.service.intake.near_duplicates import Group, groups
from plaudit.service.live.snapshot import ContestSnapshot
from plaudit.service.moderation.flagged import Flagged, flagged
from plaudit.service.moderation.overdispersion import Whole
from plaudit.service.moderation.reviewed import Reviewed, reviewed
from plaudit.service.moderation.suspicion import Suspicions, examine
from plaudit.service.watch.answer_columns import AllColumns, Answers
from plaudit.service.watch.rater_sample import extent_of
from plaudit.service.watch.shared_result import Limits, SharedResult
from plaudit.store.contract import Item, Store

# Looking for suspicious raters takes at most an eighth of the time.
LIMITS = Limits(least_seconds=2.0, times_its_cost=8.0, most_kept=16)


class Docket(NamedTuple):
    """All that waits for a moderator."""

    flags: list[Flagged]
    suspicions: Suspicions
    reviewed: Reviewed
    answers: Answers


class Moderation:
    """The dockets of all contests of a worker. Every method blocks: not for the event loop."""

    def __init__(
        self, store: Store, columns: AllColumns, *, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._columns = columns
        self._suspicions: SharedResult[Suspicions] = SharedResult("suspicion", LIMITS, timer=timer)
        self._alike: SharedResult[list[Group]] = SharedResult("alike", Limits())

    @property
    def computed(self) -> int:
        """How often suspicious raters were looked for."""
        return self._suspicions.computed

    def examined(self, seen: ContestSnapshot) -> tuple[Answers, Suspicions]:
        """The answers so far, and what the tests say of them; takes seconds for a million.

        A few answers more do not matter for a moment, but another set of excluded raters does.
        """
        answers = self._answers(seen)
        excluded = frozenset(seen.contest.excluded)
        suspicions = self._suspicions.compute_here(
            (seen.name, excluded), len(answers.at), lambda: self._examine(seen, answers, excluded)
        )
        return answers, suspicions

    def docket(
        self, seen: ContestSnapshot, examined: tuple[Answers, Suspicions] | None = None
    ) -> Docket:
        """What waits in a contest; takes little where it was examined already."""
        answers, suspicions = examined or self.examined(seen)
        known = reviewed(self._store, seen.name)
        events = [entry.position for entry in self._store.events(seen.name)]
        flags = flagged(
            answers,
            events=events,
            known=known,
            excluded=seen.contest.excluded,
            withdrawn=seen.contest.withdrawn,
        )
        return Docket(flags, suspicions, known, answers)

    def of_rater(self, seen: ContestSnapshot, rater: int) -> Suspicions:
        """What is said of all raters if this one counted; for the page of one who does not."""
        excluded = frozenset(seen.contest.excluded)
        if rater not in excluded:
            return self.examined(seen)[1]
        return self._examine(seen, self._answers(seen), excluded - {rater})

    def alike(self, seen: ContestSnapshot) -> list[tuple[Item, ...]]:
        """Groups of items in the race that say the same, or nearly so."""
        inside = [item for item in seen.items if item.number not in seen.contest.withdrawn]
        found = self._alike.compute_here(
            seen.name,
            (len(seen.items), frozenset(seen.contest.withdrawn)),
            lambda: groups([i.text for i in inside], apart=[i.image for i in inside]),
        )
        return [tuple(inside[member] for member in group.members) for group in found]

    def _answers(self, seen: ContestSnapshot) -> Answers:
        """All of them: a sample would hide whom the tests look for."""
        return self._columns.complete(self._store, seen.name, extent_of(seen))

    def _examine(
        self, seen: ContestSnapshot, answers: Answers, excluded: frozenset[int]
    ) -> Suspicions:
        origins = self._origins(seen.name, answers)
        scale = seen.settings.race_scale
        return examine(answers, origins=origins, excluded=set(excluded), scale=scale)

    def _origins(self, name: str, answers: Answers) -> Whole:
        """The addresses of raters as numbers; -1 where an address is not known."""
        raters = int(answers.rater.max()) + 1 if len(answers.rater) else 0
        origins = np.full(raters, -1, dtype=np.int64)
        numbers: dict[bytes, int] = {}
        for rater in self._store.raters(name):
            if rater.origin and rater.number < raters:
                origins[rater.number] = numbers.setdefault(rater.origin, len(numbers))
        return origins
