"""Answers that a contest has folded, and that its races were not told yet.

Most of what a worker follows was taken by the others, and nobody may read its races for a while.
Counts and raters are up to date at once; the races are told when they are read. It touches nothing.
"""

import numpy as np

from plaudit.service.contest.answer_run import AnswerRun

# Of more than these no answers are kept: races are then built anew from the counts.
MOST_KEPT = 5_000


class Untold:
    """Answers in the order of the log; true if there are any."""

    def __init__(self) -> None:
        self.count = 0
        self._runs: list[AnswerRun] = []
        self._is_whole = True

    def __bool__(self) -> bool:
        return self.count > 0

    def add(self, run: AnswerRun) -> None:
        """Adds answers that were just folded."""
        self._runs.append(run)
        self.count += len(run)
        if self.count > MOST_KEPT:
            self.lose()

    def lose(self) -> None:
        """Keeps the answers no longer: the counts have them."""
        self._runs.clear()
        self.count, self._is_whole = max(1, self.count), False

    def taken(self) -> AnswerRun | None:
        """All of them, as one; None if they were not kept. None are left."""
        runs, whole = self._runs, self._is_whole
        self.count, self._runs, self._is_whole = 0, [], True
        return AnswerRun(np.concatenate([run.columns for run in runs])) if whole else None
