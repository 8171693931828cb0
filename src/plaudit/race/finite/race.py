"""A race on a finite set of examples: ask who is still in, tell their scores, read the verdict."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.bounds.in_order import lower_in_order, upper_in_order
from plaudit.errors import InvalidInput
from plaudit.race.arguments import VoteReader, plain
from plaudit.race.finite.capital import tell_scores
from plaudit.race.finite.leaders import rank
from plaudit.race.finite.settings import FiniteSettings
from plaudit.race.finite.state import ENDED, INSIDE, ROWS, new_capitals
from plaudit.race.item_names import read_items
from plaudit.race.standing import IN, OPEN, OUT
from plaudit.race.verdict import Intervals, Verdict
from plaudit.scale import Scale

FIRST_ROWS = 64


class FiniteRace:
    """Finds the `top` of items that are scored on the same finite set of examples.

    >>> race = FiniteRace(["short", "long"], examples=100, delta=0.05)
    >>> while not race.verdict():
    ...     race.tell({item: 1.0 if item == "long" else 0.25 for item in race.ask()})
    >>> race.verdict().items, race.rows < 20
    (('long',), True)

    Items are numbered from 0, or have the names that the race is started with. Examples come in
    random order, each order being equally likely; `ask` says who must be scored on the next one,
    and `tell` takes their scores. Who is surely not among the best is not asked for any more. The
    verdict is about the means over all `examples`: it is certain once all of them were met.

    `delta` is the probability that a verdict is ever wrong, in total, whatever the scores are, if
    the order has nothing to do with them (docs/theory/finite.md). `epsilon` is the slack allowed.
    Scores lie in [0, 1], or on `scale` if one is given. `seed` breaks ties.
    """

    def __init__(
        self,
        items: int | Iterable[str],
        *,
        examples: int,
        delta: float = 0.01,
        top: int = 1,
        epsilon: float = 0.0,
        scale: Scale | None = None,
        seed: int = 0,
    ) -> None:
        self._items = read_items(items)
        given = (self._items.count, examples, delta, top, epsilon, scale, seed)
        self.settings = settings = FiniteSettings(*map(plain, given))
        self._votes = VoteReader(settings.scale)
        self._state = new_capitals(
            settings.items,
            settings.examples,
            top=settings.top,
            level=settings.level,
            near_level=settings.near_level,
            epsilon=settings.epsilon,
            order=np.random.default_rng(settings.seed).permutation(settings.items),
        )
        self._rows = np.empty((0, settings.items))
        self._intervals: Intervals | None = None

    def __len__(self) -> int:
        return self.settings.items

    def __repr__(self) -> str:
        return (
            f"<FiniteRace of {len(self)} items, {self.rows} of {self.settings.examples} examples, "
            f"{self.votes} votes>"
        )

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the items, in the order of their numbers; None where they have none."""
        return self._items.names

    @property
    def rows(self) -> int:
        """Examples met so far."""
        return int(self._state.clock[ROWS])

    @property
    def votes(self) -> int:
        """Scores counted so far, over all items."""
        return int(self._state.met.sum())

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean of each item's scores so far; NaN before the first."""
        means = np.full(len(self), math.nan)
        np.divide(self._state.sums, self._state.met, out=means, where=self._state.met > 0)
        return means

    @property
    def ended(self) -> bool:
        """Whether there is a verdict: it stands."""
        return bool(self._state.clock[ENDED])

    @property
    def used_up(self) -> bool:
        """Whether all examples were met, so that the verdict is certain."""
        return self.rows == self.settings.examples

    @property
    def certain(self) -> bool:
        """Whether the verdict is simply true: everyone met all examples."""
        return bool((self._state.met == self.settings.examples).all())

    @property
    def inside(self) -> NDArray[np.int64]:
        """The numbers of the items that are still in."""
        return np.flatnonzero(self._state.inside)

    def is_inside(self, number: int) -> bool:
        """Whether the item of this number is still in."""
        return bool(self._state.inside[number])

    @property
    def sums(self) -> NDArray[np.float64]:
        """The sum of each item's scores so far."""
        return self._state.sums.copy()

    @property
    def leaders(self) -> tuple[Any, ...]:
        """The items that a verdict would name now, best first; ties by the seed."""
        return tuple(self._items.shown(self._leading()))

    def _leading(self) -> NDArray[np.int64]:
        top, state = self.settings.top, self._state
        near = self.ended and not self.used_up and state.clock[INSIDE] > top
        if near:
            named = state.leaders[:top]
            return named[np.lexsort((state.order[named], -state.sums[named]))]
        rank(state)
        return state.chosen[:top].copy()

    def ask(self) -> list[Any]:
        """The items that must be scored on the next example; none once there is a verdict."""
        return [] if self.ended else self._items.shown(self.inside)

    def tell(self, row: Mapping[Any, float | str]) -> None:
        """Counts the scores on the next example: of all items that `ask` names."""
        if not isinstance(row, Mapping):
            raise InvalidInput(f"Scores must be given as {{item: score, …}}; got {row!r}.")
        line = np.full((1, len(self)), math.nan)
        for item, score in row.items():
            line[0, self._items.number(item)] = self._votes.read(score)[0]
        self._count(line)

    def tell_many(self, rows: ArrayLike) -> None:
        """Counts the scores on several examples in turn: a column an item, a line an example.

        Scores of items that are out by then, and lines after the verdict, are passed over.
        """
        table = np.array(rows, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != len(self):
            raise InvalidInput(
                f"The rows must have {len(self)} columns, one for each item; got an array of "
                f"shape {table.shape}."
            )
        given = table[~np.isnan(table)]
        bad = given[~((given >= 0.0) & (given <= 1.0))]
        for score in bad[:1] if self.settings.scale is None else given:
            self._votes.read(float(score))
        for line in table[:, None]:
            if self.ended:
                return
            self._count(line)

    def _count(self, line: NDArray[np.float64]) -> None:
        if self.ended:
            raise InvalidInput("The race has ended: its verdict stands, whatever else is told.")
        missing = np.flatnonzero(np.isnan(line[0]) & (self._state.inside > 0))
        if missing.size:
            first = self._items.shown(missing[:1])[0]
            raise InvalidInput(
                f"The scores of {missing.size} items are missing, the first that of {first!r}: "
                "every item that is still in must be scored."
            )
        self._keep(line)
        tell_scores(self._state, line)
        self._intervals = None

    def _keep(self, line: NDArray[np.float64]) -> None:
        if self.rows == len(self._rows):
            room = min(max(FIRST_ROWS, 2 * self.rows), self.settings.examples)
            more = np.full((room, len(self)), math.nan)
            more[: self.rows] = self._rows
            self._rows = more
        self._rows[self.rows] = np.where(self._state.inside > 0, line[0], math.nan)

    def standings(self) -> NDArray[np.str_]:
        """For each item: "in" the verdict, "out" of the best, or "open".

        Where the verdict came up to epsilon, some that it does not name may be open.
        """
        found = np.where((self._state.inside > 0) & (not self.used_up), OPEN, OUT)
        if self.ended:
            found[self._leading()] = IN
        return found

    def intervals(self) -> Intervals:
        """For each item an interval for its mean over all examples.

        With probability 1 - delta all of them are right, at all times at once: a delta of their
        own beside the verdict's, which compares items on the same examples and so needs less.
        """
        if self._intervals is None:
            level = math.log(2 * len(self) / self.settings.delta)
            ends = np.array([self._interval(item, level) for item in range(len(self))])
            lower, upper = np.ascontiguousarray(ends.T)
            votes = self._state.met.copy()
            self._intervals = Intervals(votes, self.means, lower, upper, self._items.names)
        return self._intervals

    def _interval(self, item: int, level: float) -> tuple[float, float]:
        values = np.ascontiguousarray(self._rows[: self._state.met[item], item])
        of = float(self.settings.examples)
        return lower_in_order(values, of, level), upper_in_order(values, of, level)

    def verdict(self) -> Verdict:
        """The items named, with how sure that is; false while it is "not yet".

        `gap` is epsilon once there is a verdict; before that it is the smallest epsilon that is
        certain whatever the scores on the examples left will be.
        """
        leaders = self._leading()
        return Verdict(
            stopped=self.ended,
            items=tuple(self._items.shown(leaders)),
            delta=self.settings.delta,
            epsilon=self.settings.epsilon,
            top=self.settings.top,
            votes=self.votes,
            algorithm="finite",
            gap=self._gap(leaders),
            stopping="differences",
        )

    def _gap(self, leaders: NDArray[np.int64]) -> float:
        if self.ended:
            return self.settings.epsilon
        sums, inside = self._state.sums, self._state.inside > 0
        inside[leaders] = False
        ahead = sums[inside].max(initial=0.0) - sums[leaders].min()
        left = self.settings.examples - self.rows
        return float(min(1.0, (ahead + left) / self.settings.examples))
