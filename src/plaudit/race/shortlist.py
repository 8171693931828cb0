"""Shortlists: for every k the k items that lead, and how good they certainly are.

These claims are apart from the verdict. They hold for all k up to the longest and at all times at
once, with total error `delta`. The proof is in docs/theory/shortlists.md.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bound import Bound
from plaudit.bounds.error_budget import Budget, split_for_shortlists
from plaudit.compiled import compiled
from plaudit.errors import InvalidInput, NotAllowed
from plaudit.race.membership import Membership
from plaudit.race.readings import alike, lower_of, noted_like, time_now, upper_of
from plaudit.race.seating import counted_in, fill_tickets, set_lower_levels
from plaudit.race.settings import Method, Settings
from plaudit.race.state import FRESH, SEPARATION, WITHDRAWN, State

# How many places a list has at least by default, where there are so many items.
USUAL_LENGTH = 10


@dataclass(frozen=True)
class Shortlists:
    """The first k items for k = 1, 2, …, and the smallest epsilon certified for each k.

    With probability at least 1 - delta, no shortlist that the race ever gives is wrong, for
    any k: each of the first k of `items` has a mean of at least the k-th largest of all minus
    `epsilon` (of that k). `gap` is the largest upper bound outside minus the smallest lower
    bound inside; epsilon is the gap, or 0 where the gap is negative. `longest` is the K that
    the claims are shared among; fewer come back where fewer than K+1 items are left.
    """

    k: NDArray[np.int64]
    items: NDArray[Any]
    epsilon: NDArray[np.float64]
    gap: NDArray[np.float64]
    delta: float
    longest: int
    votes: int

    def __len__(self) -> int:
        return len(self.k)

    def __str__(self) -> str:
        sure = f"{100 * (1 - self.delta):.6g} %"
        head = f"The first k are the best k up to epsilon, for all k, with {sure} confidence:"
        rows = zip(self.k, self.items, self.epsilon, strict=True)
        width = max(4, *(len(str(item)) for item in self.items))
        lines = [f"{k:>5}  {item:>{width}}  {epsilon:.4f}" for k, item, epsilon in rows]
        return "\n".join([head, f"{'k':>5}  {'item':>{width}}  epsilon", *lines])

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, ready for JSON."""
        columns = {name: getattr(self, name).tolist() for name in ("k", "items", "epsilon", "gap")}
        return columns | {"delta": self.delta, "longest": self.longest, "votes": self.votes}


def find_shortlists(
    state: State,
    settings: Settings,
    method: Method,
    *,
    membership: Membership,
    longest: int | None = None,
) -> Shortlists:
    """The shortlists of a race now, from the bound that judges it, at levels of their own."""
    if method.dominance:
        raise NotAllowed(
            f"{method.algorithm.name} stops without intervals, so there is no proof for its "
            "shortlists. Use an algorithm that stops by separation, such as lil-klucb."
        )
    length = check_longest(longest, settings)
    budget = split_for_shortlists(
        settings.delta,
        items=settings.items,
        longest=length,
        reserve=method.budget.reserve / settings.delta,
    )
    own = _with_levels(state, method.bound, budget, membership)
    order = _order(own, length)
    gap = _gaps(own, order)
    return Shortlists(
        k=np.arange(1, order.size + 1),
        items=order,
        epsilon=np.maximum(gap, 0.0),
        gap=gap,
        delta=settings.delta,
        longest=length,
        votes=int(state.header[0]["votes"]),
    )


def check_longest(longest: int | None, settings: Settings) -> int:
    """The most items of a shortlist: given, or 10, or twice as many as the race is for."""
    most = settings.items - 1
    if longest is None:
        return min(most, max(USUAL_LENGTH, 2 * settings.top))
    whole = isinstance(longest, int | np.integer) and not isinstance(longest, bool)
    if not whole or not 1 <= longest <= most:
        raise InvalidInput(
            f"longest must be a whole number from 1 to {most}, one less than the items that the "
            f"race began with; got {longest!r}."
        )
    return int(longest)


def _with_levels(state: State, bound: Bound, budget: Budget, membership: Membership) -> State:
    """A copy of the state whose bounds have the levels of the budget."""
    header, count = state.header.copy(), int(state.header[0]["items"])
    items, counted = state.items[:count].copy(), counted_in(state, membership)
    upper = budget.upper_after(counted.changes, pooled=counted.pooled)
    header["upper_level"] = bound.level(upper)
    # This budget has nothing for lower bounds that began afresh.
    header["stopping"] = np.where(header["stopping"] == FRESH, SEPARATION, header["stopping"])
    set_lower_levels(items, bound, budget, membership)
    return state._replace(header=header, items=items)


def _order(state: State, length: int) -> NDArray[np.int64]:
    """The items of largest mean, best first, ties by ticket; at most `length`, none withdrawn."""
    records = state.items
    means = np.where(records["votes"] > 0, records["total"] / np.maximum(records["votes"], 1), -1.0)
    present = np.flatnonzero(records["status"] != WITHDRAWN)
    length = min(length, present.size - 1)
    least = np.partition(means[present], -length)[-length]
    ahead = present[means[present] >= least]
    tickets = np.empty(records.size, dtype=np.uint64)
    fill_tickets(state, records["votes"].copy(), tickets)
    best: NDArray[np.int64] = ahead[np.lexsort((tickets[ahead], means[ahead]))[::-1]][:length]
    return best


def _gaps(state: State, order: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each k the largest upper bound outside minus the smallest lower bound inside."""
    present = state.items["status"] != WITHDRAWN
    present[order] = False
    rest = np.flatnonzero(present)
    lower, upper = np.empty(order.size), np.empty(order.size)
    outside = fill(state, order, rest, lower, upper)
    # Outside the first k are the rest and the listed items after the k-th.
    after = np.maximum.accumulate(np.append(upper[1:], outside)[::-1])[::-1]
    gaps: NDArray[np.float64] = after - np.minimum.accumulate(lower)
    return gaps


@compiled
def fill(state: State, listed: Any, rest: Any, lower: Any, upper: Any) -> float:
    """The bounds of the items listed, and the largest upper bound of the rest."""
    now = time_now(state.header[0])
    for k in range(listed.size):
        lower[k] = lower_of(state, listed[k], now)
        upper[k] = min(1.0, upper_of(state, listed[k], now))
    outside = -np.inf
    for k in range(rest.size):
        known = noted_like(state, rest[k], k)
        if not (0 <= known < k and alike(state, rest[k], rest[known])):
            outside = max(outside, upper_of(state, rest[k], now))
    return min(1.0, outside)
