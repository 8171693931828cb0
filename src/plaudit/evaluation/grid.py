"""The grid of candidates and examples: which cell is next, and rows that the race is told."""

from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.race.finite import FiniteRace


class Cell(NamedTuple):
    """One call: a candidate (by number), the place of an example in the order, and a side.

    A judge of two candidates is asked twice: side 0 shows the candidate first, side 1 second.
    """

    candidate: int
    place: int
    side: int


class Grid:
    """Hands out cells in the order of the examples, and tells the race whole rows in this order.

    `given` is a candidate whose value is known without a call, by number, with its value.
    """

    def __init__(self, race: FiniteRace, *, sides: int, given: tuple[int, float] | None) -> None:
        self.race = race
        self.sides = sides
        self._given = given
        self._queues: dict[int, deque[Cell]] = {}
        self._values: dict[int, dict[int, list[float]]] = {}

    @property
    def cells(self) -> int:
        """How many calls the full grid has."""
        asked = len(self.race) - (self._given is not None)
        return asked * self.race.settings.examples * self.sides

    def inside(self) -> list[int]:
        """Candidates that are still in, those that lead first."""
        standing = self.race.inside
        ranked: NDArray[np.int64] = np.argsort(-self.race.sums[standing], kind="stable")
        return [int(number) for number in standing[ranked]]

    def next_cell(self, ahead: int) -> Cell | None:
        """The next cell to be called, at most `ahead` rows before the race is there."""
        first = self.race.rows
        for place in range(first, min(first + ahead, self.race.settings.examples)):
            queue = self._queue(place)
            while queue:
                cell = queue.popleft()
                if self.race.is_inside(cell.candidate):
                    return cell
        return None

    def _queue(self, place: int) -> deque[Cell]:
        if place not in self._queues:
            cells = [
                Cell(candidate, place, side)
                for candidate in self.inside()
                if self._given is None or candidate != self._given[0]
                for side in range(self.sides)
            ]
            self._queues[place] = deque(cells)
        return self._queues[place]

    def give(self, cell: Cell, value: float) -> None:
        """Takes the value of a cell, and tells the race all rows that are complete by now."""
        row = self._values.setdefault(cell.place, {})
        row.setdefault(cell.candidate, []).append(value)
        while not self.race.ended and self._complete(self.race.rows):
            self._tell(self.race.rows)

    def _complete(self, place: int) -> bool:
        row, inside = self._values.get(place, {}), self.race.inside
        if len(row) + 1 < inside.size:
            return False
        known = self._given[0] if self._given else -1
        asked = (number for number in inside.tolist() if number != known)
        return all(len(row.get(number, ())) == self.sides for number in asked)

    def _tell(self, place: int) -> None:
        row = self._values.pop(place)
        scores = {number: sum(values) / self.sides for number, values in row.items()}
        if self._given is not None:
            scores[self._given[0]] = self._given[1]
        self._queues.pop(place)
        self.race.tell({number: scores[number] for number in self.race.inside.tolist()})
