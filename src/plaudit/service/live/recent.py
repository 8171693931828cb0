"""The answers that a worker folded last, for raters whose earlier answers come from the store."""

from collections import deque
from collections.abc import Sequence

from plaudit.service.contest.answer_run import AnswerRun
from plaudit.store.log import Entry

RECENT = 20_000


class Recent:
    """So many answers at least, in the batches that they were folded in."""

    def __init__(self, most: int = RECENT) -> None:
        self._most = most
        self._count = 0
        self._batches: deque[Sequence[Entry]] = deque()

    def add(self, answers: Sequence[Entry]) -> None:
        """Adds answers that were just folded."""
        if answers:
            self._batches.append(answers)
            self._count += len(answers)
            while self._count - len(self._batches[0]) >= self._most:
                self._count -= len(self._batches.popleft())

    def of(self, rater: int, *, after: int = 0) -> list[Entry]:
        """The answers of a rater among them; `after` is a position up to which none is wanted."""
        found: list[Entry] = []
        for batch in reversed(self._batches):
            if batch[-1].position <= after:
                break
            if isinstance(batch, AnswerRun):
                found += batch.of_rater(rater)
            else:
                found += [entry for entry in batch if entry.rater == rater]
        return found
