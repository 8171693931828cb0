"""The answers that a worker folded last, for raters whose earlier answers come from the store."""

from collections import deque
from collections.abc import Sequence

from plaudit.service.contest.answer_run import AnswerRun
from plaudit.store.log import Entry, columns_of

RECENT = 20_000


class Recent:
    """So many answers at least, in the batches that they were folded in."""

    def __init__(self, most: int = RECENT) -> None:
        self._most = most
        self._count = 0
        # Each batch with the position of its last answer.
        self._batches: deque[tuple[int, AnswerRun | _Few]] = deque()

    def add(self, answers: Sequence[Entry]) -> None:
        """Adds answers that were just folded."""
        if answers:
            batch = answers if isinstance(answers, AnswerRun) else _Few(answers)
            self._batches.append((answers[-1].position, batch))
            self._count += len(batch)
            while self._count - len(self._batches[0][1]) >= self._most:
                self._count -= len(self._batches.popleft()[1])

    def of(self, rater: int, *, after: int = 0) -> list[Entry]:
        """The answers of a rater among them; `after` is a position up to which none is wanted."""
        found: list[Entry] = []
        for last, batch in reversed(self._batches):
            if last <= after:
                break
            found += batch.of_rater(rater)
        return found


class _Few:
    """Some answers: entries are made when they are asked for."""

    def __init__(self, answers: Sequence[Entry]) -> None:
        self._columns = columns_of(answers)
        self._raters = self._columns[Entry._fields.index("rater")]

    def __len__(self) -> int:
        return len(self._raters)

    def of_rater(self, rater: int) -> list[Entry]:
        """The answers of one rater."""
        if rater not in self._raters:
            return []
        places = [place for place, one in enumerate(self._raters) if one == rater]
        return [Entry(*(column[place] for column in self._columns)) for place in places]
