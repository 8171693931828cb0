"""Early stopping for inspect_ai: one race over several tasks on the same samples.

    race = SharedRace(["terse", "polite"], delta=0.05)
    tasks = [
        Task(dataset, solver=…, scorer=match(), early_stopping=race.entrant(name))
        for name in race.names
    ]
    eval(tasks, max_tasks=len(tasks))
    print(race.verdict())

A task that is certainly not among the best skips its other samples; when the race is decided, all
do. Two tasks are compared on the samples that both have answered, in the order of the data set, so
that slow answers do not choose the evidence. Whether a task skips a sample depends on its own
comparisons on earlier samples alone; docs/adapters/inspect_ai.md says why that keeps `delta`.
"""

import math
from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from plaudit.errors import InvalidInput, MissingExtra, UnknownName
from plaudit.race import PairedRace, Verdict
from plaudit.race.standing import OUT

__all__ = ["Entrant", "SharedRace"]

WINDOW = 64


class SharedRace:
    """A race of tasks, each of which has an `entrant` of it as its `early_stopping`.

    With probability at least 1 - delta no verdict names a task whose mean score is more than
    `epsilon` below the `top`-th best, and no task is stopped before the verdict that is among the
    best: for samples like these, of which the data set is a random choice in random order
    (`dataset.shuffle()`). All tasks have the same samples in the same order. Scores lie in [0, 1],
    as inspect's own accuracy has them, from `scorer` if there are several. Epochs of a sample count
    once, with the mean of their scores.

    A sample whose answer is still missing when the same task has answered `window` later ones is
    left out: errors must not hold up a race. With `finish` the tasks that win run to their end.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        delta: float = 0.05,
        epsilon: float = 0.0,
        top: int = 1,
        scorer: str | None = None,
        window: int = WINDOW,
        finish: bool = False,
    ) -> None:
        self.names = tuple(names)
        if len(set(self.names)) < len(self.names):
            raise InvalidInput(f"Each task needs a name of its own; got {self.names!r}.")
        self._race = PairedRace(len(self.names), delta=delta, epsilon=epsilon, top=top)
        self._scorer, self._window, self._finish = scorer, window, finish
        self._entrants = [Entrant(self, number) for number in range(len(self.names))]
        self._order: list[Any] = []
        # How many samples of each pair were compared or passed over.
        self._seen = dict.fromkeys(combinations(range(len(self.names)), 2), 0)

    def entrant(self, name: str) -> "Entrant":
        """The `early_stopping` of the task with this name."""
        if name not in self.names:
            raise UnknownName("task", name, self.names)
        return self._entrants[self.names.index(name)]

    def verdict(self) -> Verdict:
        """Who won, by name; false while it is open. `votes` counts the samples answered."""
        found = self._race.verdict()
        answered = sum(len(each.scores) for each in self._entrants)
        return replace(found, items=tuple(self.names[n] for n in found.items), votes=answered)

    def standing(self, name: str) -> str:
        """Whether a task is certainly "in" the top, certainly "out", or "open"."""
        return str(self._race.standings()[self.entrant(name).number])

    def enter(self, samples: Sequence[Any]) -> None:
        """Takes over the samples of a task, which must be those of the others."""
        order = list(samples)
        if not self._order:
            self._order = order
        if order != self._order:
            raise InvalidInput(
                "The tasks of a race must have the same samples in the same order: give all of "
                "them one data set, shuffled once."
            )

    def stops(self, number: int) -> str | None:
        """Why a task should skip what is left, or None."""
        verdict = self._race.verdict()
        if verdict:
            return None if self._finish and number in verdict.items else "The race is decided."
        if self._race.standings()[number] == OUT:
            return "Other tasks are certainly better."
        return None

    def answered(self, number: int) -> None:
        """Compares a task with the others on all samples that can be compared by now."""
        for pair in self._seen:
            if number in pair and not self._race.ended:
                self._compare(*pair)

    def _compare(self, first: int, second: int) -> None:
        pair = (first, second)
        one, other = (self._entrants[number] for number in pair)
        while self._seen[pair] < len(self._order):
            place = self._seen[pair]
            mine, theirs = (
                each.at(self._order[place], place, self._window) for each in (one, other)
            )
            if mine is None or theirs is None:
                return
            self._seen[pair] += 1
            if not (math.isnan(mine) or math.isnan(theirs)):
                self._race.tell({first: mine, second: theirs})

    def score_of(self, scores: Mapping[str, Any]) -> float:
        """The score of one sample, as a number in [0, 1]."""
        try:
            from inspect_ai.scorer import value_to_float
        except ImportError:
            raise MissingExtra("Early stops for inspect_ai", "inspect") from None
        if self._scorer is None and len(scores) != 1:
            known = ", ".join(scores)
            raise InvalidInput(f"There are several scores ({known}): name one as scorer=….")
        if self._scorer is not None and self._scorer not in scores:
            raise UnknownName("score", self._scorer, scores)
        found = scores[self._scorer] if self._scorer else next(iter(scores.values()))
        value = float(value_to_float()(found.score.value))
        if not 0.0 <= value <= 1.0:
            raise InvalidInput(
                f"A score is {value}, outside [0, 1]: let the scorer give 0 to 1, or C and I."
            )
        return value


class Entrant:
    """One task's part in a race: what inspect_ai takes as `early_stopping`."""

    def __init__(self, race: SharedRace, number: int) -> None:
        self._race, self.number = race, number
        self._epochs = 1
        self._places: dict[Any, int] = {}
        self._values: dict[Any, list[float]] = {}
        self.skipped: set[Any] = set()
        self.scores: dict[Any, float] = {}
        # The places of samples with a score, in rising order.
        self._answered: list[int] = []

    def at(self, sample: Any, place: int, window: int) -> float | None:
        """The score on a sample; NaN if there will be none; None if it may still come."""
        if sample in self.scores:
            return self.scores[sample]
        later = len(self._answered) - bisect_right(self._answered, place)
        return math.nan if sample in self.skipped or later >= window else None

    async def start_task(self, task: Any, samples: Sequence[Any], epochs: int) -> str:
        """Called by inspect_ai before the first sample."""
        names = [sample.id for sample in samples]
        self._race.enter(names)
        self._epochs = epochs
        self._places = {name: place for place, name in enumerate(names)}
        return "plaudit"

    async def schedule_sample(self, id: str | int, epoch: int) -> Any:
        """Called by inspect_ai before each sample: an early stop, or None."""
        reason = self._race.stops(self.number)
        if reason is None:
            return None
        from inspect_ai.util import EarlyStop

        self.skipped.add(id)
        return EarlyStop(id=id, epoch=epoch, reason=reason)

    async def complete_sample(self, id: str | int, epoch: int, scores: Mapping[str, Any]) -> None:
        """Called by inspect_ai after each sample."""
        values = self._values.setdefault(id, [])
        values.append(self._race.score_of(scores))
        if len(values) == self._epochs:
            self.scores[id] = sum(values) / len(values)
            insort(self._answered, self._places[id])
            self._race.answered(self.number)

    async def complete_task(self) -> dict[str, Any]:
        """Called by inspect_ai at the end; what it says goes into the log."""
        name = self._race.names[self.number]
        # What has no score by now gets none.
        self.skipped |= self._places.keys() - self.scores.keys()
        self._race.answered(self.number)
        return {
            "task": name,
            "standing": self._race.standing(name),
            "answered": len(self.scores),
            "skipped": len(self.skipped),
            "verdict": str(self._race.verdict()),
        }
