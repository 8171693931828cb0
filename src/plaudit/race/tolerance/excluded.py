"""Whether a verdict is the same with or without raters who were excluded by their votes.

Whoever is excluded after a look at their votes may have been honest. Let V be the votes left on an
item, E those of the raters excluded, and m the raters among the others who may be dishonest. The
upper bound that covers every case is the largest over j of that of V without its m lowest votes and
with the j highest of E; the lower bound is the smallest over j of that of V without its m highest
and with the j lowest of E. The proof, and for which bounds it is one, is in
docs/theory/crowds.md ("Excluded raters").

As many bounds are computed as there are items and excluded votes.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaudit.bounds.bound import Bound
from plaudit.bounds.error_budget import GoodBudget
from plaudit.bounds.kernels import EMPIRICAL_BERNSTEIN
from plaudit.errors import InvalidInput
from plaudit.race.algorithms import trims
from plaudit.race.race import Race
from plaudit.race.seating import counted_in

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
# The stopping rules whose verdicts are proven by the bounds of each item.
BY_BOUNDS = ("separation", "evidence", "last-standing")


def same_without(
    race: Race, winners: Collection[int], excluded: ArrayLike, *, tolerance: int | None = None
) -> bool:
    """Whether a verdict that names `winners` holds whoever of the excluded raters was honest.

    `excluded` has the votes of excluded raters, one row for each item and one column for each level
    of the race's scale. If it is true, the verdict is wrong with probability at most delta, however
    the raters were chosen, also if as many of the others were dishonest as the race tolerates (or
    `tolerance` says). It is false where the votes do not show it, and for algorithms that do not
    stop by bounds.
    """
    votes = _checked(race, excluded)
    if not votes.any():
        return True
    method = race.engine.method
    by_bounds = race.engine.is_all_good or method.algorithm.stopping in BY_BOUNDS
    if not by_bounds or method.bound.formula.shape == EMPIRICAL_BERNSTEIN:
        return False
    spare = race.tolerance if tolerance is None else tolerance
    if spare and not trims(method.algorithm):
        return False
    cover = _Cover(race, votes, spare)
    inside = np.isin(np.arange(len(race)), list(winners))
    present = ~race.engine.withdrawn
    if race.engine.is_all_good:
        return _all_good(race, cover, inside=inside & present, outside=~inside & present)
    upper = cover.upper(np.flatnonzero(~inside & present), _upper_error(race))
    lower = cover.lower(np.flatnonzero(inside & present))
    return bool(upper.max(initial=0.0) - lower.min(initial=1.0) < race.settings.epsilon)


def _checked(race: Race, excluded: ArrayLike) -> Counts:
    if race.settings.scale is None:
        raise InvalidInput("Only a race with a scale knows which votes there are: give it one.")
    votes = np.asarray(excluded, dtype=np.int64)
    shape = race.engine.level_counts.shape
    if votes.shape != shape or (votes < 0).any():
        raise InvalidInput(
            f"excluded must have a row for each of {shape[0]} items and a column for each of "
            f"{shape[1]} levels, with whole numbers from 0; got the shape {votes.shape}."
        )
    return votes


def _upper_error(race: Race) -> float:
    """The error of every upper bound that judges, as `seating.set_levels` finds it."""
    engine = race.engine
    counted = counted_in(engine.state, engine.membership)
    return engine.method.budget.upper_after(counted.changes, pooled=counted.pooled)


def _lower_errors(race: Race) -> Floats:
    """The error of each item's lower bound, as `seating.set_lower_levels` finds it."""
    budget, membership = race.engine.method.budget, race.engine.membership
    errors = np.full(len(race), budget.lower_after(len(membership.joined)))
    for item, error in membership.lower_levels(budget):
        errors[item] = error
    return errors


def _all_good(
    race: Race, cover: "_Cover", *, inside: NDArray[np.bool_], outside: NDArray[np.bool_]
) -> bool:
    """The same for all good items: the conditions of `all_good.camps`, with covering bounds."""
    budget, epsilon = race.engine.method.budget, race.settings.epsilon
    assert isinstance(budget, GoodBudget)
    everyone = np.flatnonzero(inside | outside)
    lower = np.full(len(race), -np.inf)
    lower[everyone] = cover.lower(everyone)
    least = lower.max() - epsilon
    counted = counted_in(race.engine.state, race.engine.membership)
    standing = 0 if counted.changes else budget.items
    error = budget.upper_after_additions(counted.joined) if counted.changes else budget.upper
    upper = np.full(len(race), -np.inf)
    while True:
        upper[everyone] = cover.upper(everyone, error)
        half = (standing + 1) // 2
        if standing <= 1 or (upper >= least).sum() > half:
            break
        # At most half are not out: they share the upper side of delta among themselves.
        standing, error = half, budget.upper_among(half)
    out = upper[outside].max(initial=-np.inf) < least
    return bool(out and lower[inside].min(initial=np.inf) > upper.max() - 2.0 * epsilon)


class _Cover:
    """The bounds of items that cover every case, from the votes left and those excluded."""

    def __init__(self, race: Race, excluded: Counts, tolerance: int) -> None:
        engine = race.engine
        values = np.array(race.settings.scale.values if race.settings.scale else ())
        # The scale need not begin with its lowest label.
        self._order = np.argsort(values, kind="stable")
        self._values = values[self._order]
        self._left = engine.level_counts.astype(np.int64)[:, self._order]
        self._excluded = excluded[:, self._order]
        self._tolerance = tolerance
        self._bound = engine.method.bound
        self._lower_errors = _lower_errors(race)
        self._time = 1.0 if engine.is_all_good else self._time_of(race)

    def _time_of(self, race: Race) -> float:
        """The race's time, as if all excluded votes had counted: bounds only widen with it."""
        present = ~race.engine.withdrawn
        votes = (self._left + self._excluded).sum(axis=1)[present]
        rounds = 1.0 + max(0, int(votes.sum()) - race.settings.items) // 2
        return max(rounds, float(votes.max()))

    def upper(self, items: NDArray[np.intp], error: float) -> Floats:
        """The upper bounds of these items."""
        # Mirrored: the levels from the highest to the lowest.
        cases = _cases(
            without_first(self._left[items], self._tolerance), self._excluded[items][:, ::-1]
        )
        rows = cases.rows + cases.added[:, ::-1]
        found = self._evaluate(rows, np.full(len(rows), error), upper=True)
        return np.maximum.reduceat(found, cases.starts) if items.size else found

    def lower(self, items: NDArray[np.intp]) -> Floats:
        """The lower bounds of these items."""
        trimmed = without_first(self._left[items][:, ::-1], self._tolerance)[:, ::-1]
        cases = _cases(trimmed, self._excluded[items])
        errors = np.repeat(self._lower_errors[items], cases.lengths)
        found = self._evaluate(cases.rows + cases.added, errors, upper=False)
        return np.minimum.reduceat(found, cases.starts) if items.size else found

    def _evaluate(self, rows: Counts, errors: Floats, *, upper: bool) -> Floats:
        bound: Bound = self._bound
        if bound.uses_levels:
            ends = bound.upper_from_levels if upper else bound.lower_from_levels
            return np.asarray(ends(rows, self._values, errors))
        votes = rows.sum(axis=1)
        means = np.clip(rows @ self._values / np.maximum(votes, 1), 0.0, 1.0)
        one_end = bound.upper if upper else bound.lower
        return np.asarray(one_end(means, votes, errors, time=self._time))


class _Cases(NamedTuple):
    """For each item a row for j = 0, 1, … of its excluded votes: those left, and those added."""

    rows: Counts
    added: Counts
    lengths: Counts
    starts: Counts


def _cases(left: Counts, excluded: Counts) -> _Cases:
    """Every number j of excluded votes; the first j are those at the first levels."""
    lengths = excluded.sum(axis=1) + 1
    ends = np.cumsum(lengths)
    starts = ends - lengths
    item = np.repeat(np.arange(len(left)), lengths)
    number = np.arange(lengths.sum()) - starts[item]
    return _Cases(left[item], _first(excluded[item], number[:, None]), lengths, starts)


def _first(counts: Counts, number: Counts | int) -> Counts:
    """The counts of the first votes of each row, so many of them, by the order of levels."""
    reached = np.minimum(np.cumsum(counts, axis=1), number)
    return np.diff(reached, axis=1, prepend=0)


def without_first(counts: Counts, number: int) -> Counts:
    """The counts without the first votes of each row, so many of them.

    >>> without_first(np.array([[2, 0, 3], [1, 0, 0]]), 3).tolist()
    [[0, 0, 2], [0, 0, 0]]
    """
    left: Counts = counts - _first(counts, number)
    return left
