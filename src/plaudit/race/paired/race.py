"""A paired race: ask for the items that are open, tell a rater's row of votes, read the verdict."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.errors import InvalidInput
from plaudit.race.arguments import check_delta, check_whole, plain
from plaudit.race.item_names import ItemId, Numbered, read_items
from plaudit.race.paired import saving
from plaudit.race.paired.difference import Difference, interval
from plaudit.race.paired.ledger import SAVED, gap_of, new_ledger, tell_levels, tell_values, weigh
from plaudit.race.paired.rows import RowReader, Tally
from plaudit.race.paired.settings import PairedSettings
from plaudit.race.paired.standing import Standing
from plaudit.race.paired.withstanding import largest_tolerance, withstood
from plaudit.race.standing import IN, OPEN, OUT
from plaudit.race.verdict import Verdict
from plaudit.scale import Scale

FIRST_ROWS = 64


class PairedRace:
    """Finds the `top` of few items that the same raters rate, with total error `delta`.

    >>> race = PairedRace(3, delta=0.05)
    >>> while not race.verdict():
    ...     race.tell({item: 1.0 if item == 2 else 0.5 for item in race.ask()})
    >>> race.verdict().items
    (2,)

    A rater's votes on two items enter as their difference, so that kindness falls out. That takes
    fewer votes than `Race` where everyone rates the same items, whatever the dependence of one
    rater's votes; every pair of items is kept, so there are at most 500. Items are numbered
    from 0, or have the names that the race is started with: `PairedRace(["tea", "coffee"])`.
    Votes lie in [0, 1], or on `scale` if one is given.

    Assumed is that each rater's row of votes is drawn afresh from one law, that what a rater is
    shown is chosen before the row is known (one `ask` for each rater), and that neither missing
    votes nor late rows depend on what they would say (docs/theory/paired.md). Examples on which
    candidates are scored are raters here.

    `delta` is the probability that a verdict is ever wrong, in total. `epsilon` is the slack
    allowed. `tolerance` is the number of dishonest raters that a verdict must withstand: whoever
    can send two rows counts as two raters. `seed` breaks ties and chooses what is shown.
    """

    def __init__(
        self,
        items: int | Iterable[str],
        *,
        delta: float = 0.01,
        top: int = 1,
        epsilon: float = 0.0,
        scale: Scale | None = None,
        tolerance: int = 0,
        seed: int = 0,
    ) -> None:
        known = read_items(items)
        given = (known.count, delta, top, epsilon, scale, tolerance, seed)
        self._start(PairedSettings(*map(plain, given)), known)

    def _start(self, settings: PairedSettings, items: Numbered) -> None:
        self.settings = settings
        self._items = items
        self._reader = RowReader(items, settings.scale)
        self._ledger = new_ledger(
            settings.items,
            level=settings.level,
            epsilon=settings.epsilon,
            tolerance=settings.tolerance,
            scale=settings.scale,
        )
        self._order = np.random.default_rng(settings.seed).permutation(settings.items)
        self._tally = Tally(settings.items, settings.scale)
        self._rows = np.empty((0, settings.items))
        self._raters = 0
        self._asks = 0
        self._stood: Verdict | None = None
        self._judged: Verdict | None = None
        self._standing: Standing | None = None

    @classmethod
    def from_rows(cls, rows: ArrayLike, **settings: Any) -> "PairedRace":
        """A race that judges rows which already exist: all together, whatever their order.

        A race that is told rows remembers what was settled on the way; the order must then not
        depend on the votes. A file may be sorted in any way. `names` gives the items their names.
        """
        table = np.asarray(rows)
        known = settings.pop("names", None) or (table.shape[1] if table.ndim == 2 else 2)
        race = cls(known, **settings)
        checked = race._reader.many(rows)
        level = race._ledger.level
        race._ledger = race._ledger._replace(level=math.inf)
        race._count(checked)
        race._ledger = race._ledger._replace(level=level)
        weigh(race._ledger)
        return race

    def __len__(self) -> int:
        return self.settings.items

    def __repr__(self) -> str:
        return f"<PairedRace of {len(self)} items, {self.raters} raters, {self.votes} votes>"

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the items, in the order of their numbers; None where they have none."""
        return self._items.names

    @property
    def raters(self) -> int:
        """Rows told so far."""
        return self._raters

    @property
    def votes(self) -> int:
        """Votes told so far, in all rows."""
        return int(self._tally.votes.sum())

    @property
    def means(self) -> NDArray[np.float64]:
        """The mean of each item's votes; NaN before the first."""
        return self._tally.means

    @property
    def leaders(self) -> tuple[Any, ...]:
        """The items that a verdict would name now, best first; ties by the seed."""
        return tuple(self._items.shown(self._leading()))

    @property
    def ended(self) -> bool:
        """Whether a verdict was given: it stands, and `ask` gives no more items."""
        return self._stood is not None

    def ask(self, count: int | None = None) -> list[Any]:
        """The items to show to the next rater, in random order: those that are still open.

        With `count` at most so many, chosen at random among the pairs that are open. None once
        there is a verdict. Ask once for each rater, before the first vote.
        """
        if count is not None:
            check_whole("count", plain(count), 2, None)
        if self.verdict():
            return []
        pairs = self._by_now().open_pairs(self._leading())
        random = np.random.default_rng([self.settings.seed, self._asks])
        self._asks += 1
        # A pair at a time, so that whoever is shown can be compared.
        mixed = dict.fromkeys(random.permutation(pairs).ravel().tolist())
        shown = np.array(list(mixed))[:count]
        return self._items.shown(random.permutation(shown))

    def tell(self, row: Mapping[Any, float | str | None]) -> None:
        """Counts one rater's votes on several items; None, or no entry, where there is no vote."""
        self._count(self._reader.one(row))

    def tell_many(self, rows: ArrayLike) -> None:
        """Counts many rows at once, all of them or none: a column an item, NaN for no vote."""
        self._count(self._reader.many(rows))

    def _count(self, table: NDArray[np.float64]) -> None:
        levels = self._reader.levels(table)
        if self._ledger.lattice.size:
            settled = tell_levels(self._ledger, levels)
        else:
            self._keep(table)
            settled = tell_values(self._ledger, table)
        self._tally.count(table, levels)
        self._raters += len(table)
        self._judged = None
        if settled:
            self._standing = None

    def _keep(self, table: NDArray[np.float64]) -> None:
        needed = self._raters + len(table)
        if needed > len(self._rows):
            more = np.empty((max(needed, FIRST_ROWS, 2 * len(self._rows)), len(self)))
            more[: self._raters] = self._rows[: self._raters]
            self._rows = more
        self._rows[self._raters : needed] = table

    def _by_now(self) -> Standing:
        if self._standing is None:
            settled = self._ledger.settled > 0
            self._standing = Standing.of(settled, len(self), self.settings.top)
        return self._standing

    def _leading(self) -> NDArray[np.int64]:
        if self._stood is not None:
            return self._items.numbers(self._stood.items)
        return self._by_now().leading(self.means, self._order)

    def verdict(self) -> Verdict:
        """The items named, with how sure that is; false while it is "not yet".

        A verdict stands once it is given, whatever later rows say. `gap` is the smallest epsilon
        that the differences certify now.
        """
        if self._stood is not None:
            return self._stood
        if self._judged is None:
            self._judged = self._judge()
            if self._judged:
                self._stood = self._judged
        return self._judged

    def _judge(self) -> Verdict:
        leaders = self._leading()
        open_pairs = self._by_now().open_pairs(leaders)
        stopped = open_pairs.size == 0
        if stopped:
            rivals = np.setdiff1d(np.arange(len(self)), leaders)
            needed = np.stack(np.meshgrid(leaders, rivals, indexing="ij"), axis=-1).reshape(-1, 2)
            # Claims that were settled on the way stay so, whatever came later.
            gap = min(gap_of(self._ledger, len(self), needed), self.settings.epsilon)
        else:
            gap = gap_of(self._ledger, len(self), open_pairs)
        return Verdict(
            stopped=stopped,
            items=tuple(self._items.shown(leaders)),
            delta=self.settings.delta,
            epsilon=self.settings.epsilon,
            top=self.settings.top,
            votes=self.votes,
            algorithm="paired",
            gap=gap,
            tolerance=self.settings.tolerance,
            withstands=self._withstood(leaders) if stopped else None,
            stopping="differences",
        )

    def _withstood(self, leaders: NDArray[np.int64]) -> int | None:
        found = withstood(self._ledger, self._rows[: self._raters])
        number = largest_tolerance(found, leaders, len(self))
        return number if number >= 0 else None

    def withstands(self) -> int | None:
        """How many dishonest raters the verdict, or the leaders' lead, withstands by now.

        None while even honest votes do not certify the leaders.
        """
        return self._withstood(self._leading())

    def standings(self) -> NDArray[np.str_]:
        """For each item: certainly "in" the top, certainly "out", or "open".

        An item that is named up to `epsilon` may be open without it.
        """
        now = self._by_now()
        return np.where(now.inside, IN, np.where(now.outside, OUT, OPEN))

    def difference(
        self, first: ItemId, second: ItemId, *, delta: float | None = None, at_once: bool = True
    ) -> Difference:
        """By how much the mean of `first` is above that of `second`, as an interval for all times.

        With probability 1 - delta the intervals of all pairs are right, at all times at once: a
        delta of their own beside the verdict's, so that an interval may contain 0 for a while
        after the verdict. `at_once=False` is for one pair that was chosen before looking.
        The interval holds even if any `tolerance` raters were dishonest.
        """
        one, other = (self._items.number(item) for item in (first, second))
        if one == other:
            raise InvalidInput(f"A difference needs two items; got item {first} twice.")
        delta = self.settings.delta if delta is None else plain(delta)
        check_delta(delta)
        pairs = len(self) * (len(self) - 1) if at_once else 2
        level = math.log(pairs / delta)
        rows = self._rows[: self._raters]
        found = interval(self._ledger, rows, one, other, level, delta=delta, at_once=at_once)
        name, other_name = self._items.shown((one, other))
        return replace(found, first=name, second=other_name)

    def save(self, file: str | Path | BinaryIO) -> None:
        """Writes the race, to go on from with `restore`."""
        arrays: dict[str, NDArray[Any]] = {name: getattr(self._ledger, name) for name in SAVED}
        arrays |= self._tally.arrays | {"rows": self._rows[: self._raters]}
        history: dict[str, Any] = {"raters": self._raters, "asks": self._asks}
        if self.names is not None:
            history["names"] = list(self.names)
        if self._stood is not None:
            history["stood"] = self._stood.to_record()
        saving.save(file, self.settings, arrays, history)

    @classmethod
    def restore(cls, file: str | Path | BinaryIO) -> "PairedRace":
        """The race that `save` wrote, equal in every later ask, tell and verdict."""
        settings, arrays, history = saving.read(file)
        race = cls.__new__(cls)
        race._start(settings, read_items(history.get("names", settings.items)))  # noqa: SLF001
        race._take_over(arrays, history)  # noqa: SLF001
        return race

    def _take_over(self, arrays: dict[str, NDArray[Any]], history: dict[str, Any]) -> None:
        for name in SAVED:
            getattr(self._ledger, name)[...] = arrays[name]
        for name, array in self._tally.arrays.items():
            array[...] = arrays[name]
        self._raters, self._asks = history["raters"], history["asks"]
        self._rows = arrays["rows"]
        if "stood" in history:
            self._stood = Verdict.from_record(history["stood"])
