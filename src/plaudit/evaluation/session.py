"""One evaluation without input or output: what to call next, and what the answers mean."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from plaudit.errors import InvalidInput
from plaudit.evaluation.cache import MISSING, ScoreCache, key_of
from plaudit.evaluation.candidates import Candidates, KeyOf, example_key
from plaudit.evaluation.evaluation import Evaluation, Row
from plaudit.evaluation.grid import Cell, Grid
from plaudit.evaluation.retrying import Answer
from plaudit.evaluation.scores import ScoreReader
from plaudit.race.arguments import plain
from plaudit.race.finite import FiniteRace


class Session:
    """Hands out calls while they are needed and paid for; counts, keeps and judges the answers.

    `against` is the number of the candidate with which all others are compared, or None.
    """

    def __init__(
        self,
        candidates: Candidates,
        examples: Sequence[Any],
        race: FiniteRace,
        *,
        reader: ScoreReader,
        cache: ScoreCache,
        against: int | None,
        budget: int | None,
        version: str,
        key: KeyOf | None,
    ) -> None:
        self.candidates, self.examples, self.race = candidates, examples, race
        order = np.random.default_rng([race.settings.seed, len(examples)])
        self._order = order.permutation(len(examples))
        self._reader, self._cache, self._against = reader, cache, against
        self._budget, self._version, self._key = budget, version, key
        half = None if against is None else (against, 0.5)
        self.grid = Grid(race, sides=1 if against is None else 2, given=half)
        self.calls = self.cached = self._started = 0
        self.out_of_budget = self.interrupted = False

    def take(self, room: int, running: int) -> list[Cell]:
        """At most `room` calls to start now; `running` are under way. Cached ones are settled."""
        calls: list[Cell] = []
        while len(calls) < room and not self.race.ended and not self.interrupted:
            # Far enough ahead to keep everyone busy.
            ahead = 1 + (running + len(calls) + room) // max(1, len(self.race.inside))
            cell = self.grid.next_cell(ahead)
            if cell is None:
                break
            known = self._lookup(cell)
            if known is not MISSING:
                self.cached += 1
                self.grid.give(cell, self._value(cell, known))
            elif self._budget is not None and self._started >= self._budget:
                self.out_of_budget = True
                break
            else:
                self._started += 1
                calls.append(cell)
        return calls

    def arguments(self, cell: Cell) -> tuple[Any, ...]:
        """What `score` is called with for a cell."""
        one, example = self.candidates.objects[cell.candidate], self._example(cell)
        if self._against is None:
            return one, example
        other = self.candidates.objects[self._against]
        return (one, other, example) if cell.side == 0 else (other, one, example)

    def settle(self, cell: Cell, answer: Answer) -> None:
        """Takes what a call returned."""
        self.calls += 1
        try:
            value = self._value(cell, answer.score)
        except InvalidInput as problem:
            raise InvalidInput(f"The score of {self.describe(cell)}: {problem}") from None
        key, about = self._address(cell)
        if key and answer.to_keep:
            self._cache.put(key, about, plain(answer.score))
        self.grid.give(cell, value)

    def describe(self, cell: Cell) -> str:
        """A cell in words: the candidate, and the number of the example as it was given."""
        name = self.candidates.names[cell.candidate]
        return f"candidate {name!r} on example {int(self._order[cell.place])}"

    def _example(self, cell: Cell) -> Any:
        return self.examples[self._order[cell.place]]

    def _value(self, cell: Cell, score: Any) -> float:
        value = self._reader.value(score)
        return 1.0 - value if cell.side else value

    def _lookup(self, cell: Cell) -> Any:
        key, _ = self._address(cell)
        return self._cache.get(key) if key else MISSING

    def _address(self, cell: Cell) -> tuple[str, tuple[str, str, str]]:
        """The key of a cell in the cache, and what it is about; empty where there is no cache."""
        if not self._cache.keeps:
            return "", ("", "", "")
        candidate, example = self.candidates.key(cell.candidate), self._example(cell)
        if self._against is not None:
            other = self.candidates.key(self._against)
            candidate += f" {('before', 'after')[cell.side]} {other}"
        about = (candidate, example_key(example, self._key), self._version)
        return key_of(*about), about

    def result(self) -> Evaluation:
        """What is known by now."""
        race, table = self.race, self.race.intervals()
        standings, units = race.standings(), self._reader.units
        rows = [
            Row(
                candidate=self.candidates.names[n],
                standing=str(standings[n]),
                examples=int(table.votes[n]),
                mean=units(float(table.means[n])),
                lower=units(float(table.lower[n])),
                upper=units(float(table.upper[n])),
            )
            for n in range(len(race))
        ]
        return Evaluation(
            winners=tuple(race.leaders),
            decided=race.ended,
            certain=race.certain,
            interrupted=self.interrupted,
            out_of_budget=self.out_of_budget,
            delta=race.settings.delta,
            epsilon=race.settings.epsilon * self._reader.span,
            top=race.settings.top,
            examples=len(self.examples),
            calls=self.calls,
            cached=self.cached,
            full=self.grid.cells,
            rows=tuple(rows),
        )
