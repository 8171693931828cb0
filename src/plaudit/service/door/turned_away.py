"""What the door has turned away: counts by contest, day and reason, never by person or address.

A refusal must cost next to nothing, so it is counted in memory. Every few seconds the counts are
added to those in the store, which are for all workers together.
"""

from collections import Counter
from collections.abc import Callable

from plaudit.store.doors import Refusals

DAY_MS = 24 * 3_600_000
WRITE_SECONDS = 5.0
# More kinds of refusals than there are, times contests: beyond it nothing new is counted.
MOST_WAITING = 10_000


class TurnedAway:
    """Counts refusals until they are written."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._waiting: Counter[tuple[str, int, str]] = Counter()

    def count(self, contest: str, reason: str) -> None:
        """Counts one refusal."""
        key = contest, self._clock() // DAY_MS, reason
        if key in self._waiting or len(self._waiting) < MOST_WAITING:
            self._waiting[key] += 1

    def take(self) -> list[Refusals]:
        """What was counted since the last time."""
        taken, self._waiting = self._waiting, Counter()
        return [Refusals(*key, times) for key, times in taken.items()]

    def put_back(self, refusals: list[Refusals]) -> None:
        """Counts refusals again that could not be written."""
        for contest, day, reason, times in refusals:
            self._waiting[contest, day, reason] += times
