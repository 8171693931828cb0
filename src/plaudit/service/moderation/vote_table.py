"""The votes of a contest as columns of one length, with sums by rater: for the tests of raters."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.service.moderation.overdispersion import Floats, Whole
from plaudit.service.watch.answer_columns import Answers
from plaudit.store.log import NONE, Kind


class Votes(NamedTuple):
    """Votes of raters who count; `raters` and `levels` say how many there may be of each."""

    at: Whole
    rater: Whole
    item: Whole
    level: Whole
    response_ms: Whole
    raters: int
    levels: int

    def of_raters(self, weight: Floats | None = None) -> Floats:
        """The sum of a column for each rater; without one, their number of votes."""
        return np.bincount(self.rater, weight, self.raters).astype(np.float64)

    def excluding(self, raters: list[int]) -> "Votes":
        """The votes of all other raters."""
        out = np.zeros(self.raters, dtype=bool)
        out[raters] = True
        return self.kept(~out[self.rater])

    def kept(self, which: NDArray[np.bool_]) -> "Votes":
        """Some of the votes."""
        at, rater, item, level, taken = (column[which] for column in self[:5])
        return Votes(at, rater, item, level, taken, self.raters, self.levels)


def votes_of(answers: Answers, *, excluded: set[int], levels: int) -> Votes:
    """The votes among the answers, without those of excluded raters."""
    raters = int(answers.rater.max()) + 1 if len(answers.rater) else 0
    out = np.zeros(raters, dtype=bool)
    out[[number for number in excluded if number < raters]] = True
    told = (answers.kind == Kind.VOTE) & ~out[answers.rater]
    columns = (answers.at, answers.rater, answers.item, answers.level, answers.response_ms)
    at, rater, item, level, taken = (column[told].astype(np.int64) for column in columns)
    return Votes(at, rater, item, level, taken, raters, levels)


def timed(votes: Votes) -> NDArray[np.bool_]:
    """Which votes say how long the rater took."""
    return votes.response_ms > NONE
