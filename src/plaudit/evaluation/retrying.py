"""How a call is tried again: a number of times, each after twice the pause of the one before."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from plaudit.evaluation.grid import Cell


@dataclass(frozen=True)
class Retrying:
    """`retries` more tries, the first after `pause_seconds`; then `failed` counts, if given."""

    retries: int
    pause_seconds: float
    failed: Any = None

    def pauses(self) -> Iterator[float | None]:
        """The seconds to wait before the next try, for each try that fails; None at the end.

        >>> list(Retrying(3, 0.5).pauses())
        [0.5, 1.0, 2.0, None]
        """
        for number in range(self.retries):
            yield self.pause_seconds * 2.0**number
        yield None


class Answer(NamedTuple):
    """What a call returned. What counts in the place of one that failed is not `to_keep`."""

    score: Any
    to_keep: bool = True


class CallFailed(Exception):
    """A call failed in all its tries; the last error is its cause."""

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self.cell = cell
