"""How many votes until a verdict: before a contest starts, and while it runs.

A forecast is the outcome of simulated races: the median, and the middle 80 % of them.
"""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput

if TYPE_CHECKING:
    from plaudit.simulation.following import Passages

LOW, MIDDLE, HIGH = 0.1, 0.5, 0.9
# How many dishonest raters a forecast names the price of.
TOLERANCES = (0, 3, 10, 30)
# What an editor may choose from, and the finer steps of the curve.
CHOICES = (0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.0)
STEPS_A_DECADE, LARGEST, SMALLEST = 16, 0.9, 0.005
POINTS = 60


@dataclass(frozen=True)
class Spread:
    """The 10 %, 50 % and 90 % points of the races; None where too few races got there."""

    low: float | None
    median: float | None
    high: float | None

    @classmethod
    def of(cls, numbers: NDArray[np.float64]) -> "Spread":
        """The points of these numbers, of which some may be infinite."""
        return cls(*(_point(np.sort(numbers), share) for share in (LOW, MIDDLE, HIGH)))

    def each(self, change: Any) -> "Spread":
        """The same after a change of each point that is not None."""
        points = (self.low, self.median, self.high)
        return Spread(*(None if point is None else change(point) for point in points))


@dataclass(frozen=True)
class Choice:
    """What an epsilon and a tolerance cost: votes in all, and different raters.

    No rater sees an item twice, so there must be as many raters as votes on any item. At most
    `limit` votes were simulated: None means that it takes more.
    """

    epsilon: float
    votes: Spread
    raters: Spread
    limit: int
    tolerance: int = 0


@dataclass(frozen=True)
class Point:
    """The smallest epsilon that this many votes certify."""

    votes: int
    epsilon: Spread


@dataclass(frozen=True)
class Forecast:
    """When a race will have its verdict, from `races` simulated ones.

    `start` is the votes that it has already, and `start_raters` those of its most voted item;
    both are 0 before a contest. `choices` has the wanted epsilon and others, largest first, and
    `curve` the smallest epsilon certified after so many votes. `tolerances` has the wanted
    epsilon for several numbers of dishonest raters, fewest first, if that was asked for. All votes
    count from the first.
    """

    items: int
    top: int
    delta: float
    epsilon: float
    algorithm: str
    like: str
    note: str
    votes_per_rater: int
    races: int
    start: int
    start_raters: int
    choices: tuple[Choice, ...]
    curve: tuple[Point, ...]
    tolerance: int = 0
    tolerances: tuple[Choice, ...] = ()

    @property
    def verdict(self) -> Choice:
        """The choice of the wanted epsilon."""
        return next(choice for choice in self.choices if choice.epsilon == self.epsilon)

    @property
    def votes_to_come(self) -> Spread:
        """The votes still missing for the wanted epsilon."""
        return self.verdict.votes.each(lambda votes: votes - self.start)

    def days(
        self,
        choice: Choice | None = None,
        *,
        raters_per_day: float,
        votes_per_rater: float | None = None,
    ) -> Spread:
        """Days until the verdict of a choice (by default the wanted one) at this rate of raters.

        Every rater comes once. The votes take votes/(raters_per_day votes_per_rater) days, and the
        raters needed take raters/raters_per_day days; the longer of the two counts.
        """
        each = self.votes_per_rater if votes_per_rater is None else votes_per_rater
        for name, given in (("raters_per_day", raters_per_day), ("votes_per_rater", each)):
            if not (isinstance(given, int | float) and 0.0 < given < math.inf):
                raise InvalidInput(f"{name} must be a number above 0; got {given!r}.")
        chosen = choice or self.verdict
        by_votes = chosen.votes.each(lambda votes: (votes - self.start) / (raters_per_day * each))
        by_raters = chosen.raters.each(lambda most: (most - self.start_raters) / raters_per_day)
        return Spread(
            _longer(by_votes.low, by_raters.low),
            _longer(by_votes.median, by_raters.median),
            _longer(by_votes.high, by_raters.high),
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, ready for JSON."""
        return asdict(self) | {"verdict": asdict(self.verdict)}


def epsilons_with(wanted: float) -> tuple[float, ...]:
    """The epsilons that a race is asked about, largest first."""
    decades = math.log10(LARGEST / SMALLEST)
    fine = np.geomspace(LARGEST, SMALLEST, round(STEPS_A_DECADE * decades) + 1).round(4)
    return tuple(sorted({*map(float, fine), *CHOICES, float(wanted)}, reverse=True))


def choices_of(
    passages: "Passages", epsilons: tuple[float, ...], wanted: float, *, tolerance: int = 0
) -> tuple[Choice, ...]:
    """What the wanted epsilon costs, and others to choose from."""
    return tuple(
        Choice(
            epsilon,
            Spread.of(passages.votes[:, column]),
            Spread.of(passages.raters[:, column]),
            passages.limit if epsilon >= wanted else passages.limit_below,
            tolerance,
        )
        for column, epsilon in enumerate(epsilons)
        if epsilon in CHOICES or epsilon == wanted
    )


def curve_of(passages: "Passages", epsilons: tuple[float, ...], *, start: int) -> tuple[Point, ...]:
    """The smallest epsilon certified against the votes, as far as all races were followed."""
    finite = passages.votes[np.isfinite(passages.votes)]
    first = max(1, start, int(finite.min()) if finite.size else 1)
    grid = np.unique(np.geomspace(first, max(first, passages.limit_below), POINTS).astype(np.int64))
    steps = np.array([1.0, *epsilons])
    return tuple(
        Point(int(votes), Spread.of(steps[(passages.votes <= votes).sum(axis=1)]))
        for votes in _ends(grid, first, passages.limit_below)
    )


def _ends(grid: NDArray[np.int64], first: int, last: int) -> Iterable[int]:
    """The grid with exact ends, which rounding may have moved."""
    inner = [int(votes) for votes in grid if first < votes < last]
    return dict.fromkeys([first, *inner, max(first, last)])


def _point(ordered: NDArray[np.float64], share: float) -> float | None:
    """The point below which the next race lies with this probability, were it one of them.

    Between the k-th and the next of n numbers, where share (n+1) lies between k and k+1 (Weibull).
    """
    place = min(max(share * (len(ordered) + 1), 1.0), float(len(ordered)))
    below = int(place)
    low, rest = float(ordered[below - 1]), place - below
    high = float(ordered[min(below, len(ordered) - 1)])
    if not math.isfinite(low) or (rest > 0.0 and not math.isfinite(high)):
        return None
    return low + rest * (high - low) if rest > 0.0 else low


def _longer(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else max(first, second)


def round_off(number: float) -> int:
    """A number with two significant digits: no forecast is more precise.

    >>> [round_off(number) for number in (7, 38_412, 1_950_000)]
    [7, 38000, 2000000]
    """
    if number < 10:
        return round(number)
    unit = 10 ** (math.floor(math.log10(number)) - 1)
    return int(round(number / unit) * unit)
