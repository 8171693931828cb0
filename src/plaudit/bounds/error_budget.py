"""How the error probability of a verdict is shared out; every split of delta is here.

A verdict that separates the leading set is wrong only if the lower bound of some item
outside the true top k fails, or the upper bound of some item inside it. With n items:

`asymmetric` (LUCB++: Simchowitz, Jamieson and Recht 2017): n-k lower bounds share one
half, k upper bounds the other, so that the many losers pay nothing for being many.
`per-item` (LUCB, KL-LUCB): every item gets delta/n, on whichever side it needs.
`uneven` (Plaudit): as asymmetric, with a tenth of delta for the n-k and nine tenths for the k.
`evidence` (Plaudit, for independent votes): a fifth of delta for the n-k, of which half is staked
on an item's own bound and half on its product with the rival's (docs/theory/evidence.md), and
four fifths for the k.

The paper's lil-KLUCB is the asymmetric split with delta for each half: its total error
is 2 delta (Proposition 1). `accounting="paper"` keeps that reading; `"total"`, the
default, halves first, so that delta is the error of the verdict.

Changes. Withdrawing, adding or merging items changes who the true top k are, so more bounds
must hold than n. A share of delta, the reserve R, is kept for them. Let s be a series over
1, 2, 3, … with sum 1, and p(m) the share of items that stand for m others: 1/2 for m = 1,
s(m-1)/2 for more. With w items missing now and a added so far, c = w + a:

- Upper side: the true top k lie among the first k+w places of the original items, or among
  those added. The r-th further place is charged R/4 s(r), the b-th addition R/4 s(b), and a
  merged item at one of the first k places R/(4k), each times p(m).
- Lower side: the b-th addition is charged R/8 s(b) p(m); the k original leaders, who may be
  overtaken once something was added, R/(8k) p(m) each; a merged item at one of the other
  n-k places R/(8(n-k)) s(m-1).

In all R. No step of this looks at the votes, so changes may depend on them in any way; what is
merged must be the same item (docs/theory/error-budget.md).
"""

import math
from dataclasses import dataclass, replace

from plaudit.errors import InvalidInput, UnknownName

# For each split that has two sides: the share of upper bounds, and of what is left, how much an
# item stakes on its own bound. Upper bounds are those of thousands of losers, each of whom pays;
# a lower bound is paid by few.
SHARES = {"asymmetric": (0.5, 1.0), "uneven": (0.9, 1.0), "evidence": (0.8, 0.5)}
SPLITS = (*SHARES, "per-item")
ACCOUNTINGS = ("total", "paper")


@dataclass(frozen=True)
class Budget:
    """The levels of a race's bounds, and the total error that they add up to."""

    total: float
    lower: float
    upper: float
    reserve: float
    top: int
    inside: int
    outside: int
    alone: float = 1.0
    all_upper: float = 1.0

    def upper_after(self, changes: int, *, pooled: int = 1) -> float:
        """The level of every upper bound after so many changes.

        `changes` are items missing now and items added so far; `pooled` is how many items the
        largest that is present stands for.
        """
        if changes == 0:
            return self.upper
        most = _share(changes) if pooled == 1 else min(_share(changes), 1.0 / self.inside)
        return min(self.upper, self.reserve / 4 * most * _pool_share(pooled))

    def lower_after(self, additions: int, *, pooled: int = 1) -> float:
        """The level of the original items' lower bounds after so many were added.

        `pooled` is for an item that takes an original's place: how many items it stands for.
        """
        first = self.lower
        if pooled > 1:
            first = self.alone * self.reserve / (4 * self.outside) * _pool_share(pooled)
        if additions == 0:
            return first
        return min(first, self.alone * self.reserve / (8 * self.top) * _pool_share(pooled))

    def lower_of_added(self, number: int, *, pooled: int = 1) -> float:
        """The level of the lower bound of the number-th item added, from 1."""
        return self.alone * self.reserve / 8 * _share(number) * _pool_share(pooled)

    def log_odds_after(self, changes: int, *, pooled: int = 1) -> float:
        """ln of the stake on a product with one rival over the stake on an item alone.

        All possible rivals share the product's stake in the way in which their upper bounds
        share delta. It is -inf where everything is staked on items alone.
        """
        if self.alone == 1.0:
            return -math.inf
        odds = (1.0 - self.alone) / self.alone
        level = self.upper_after(changes, pooled=pooled)
        return math.log(odds * level / self.all_upper)


def split_error(
    delta: float, *, items: int, top: int, split: str, accounting: str, reserve: float
) -> Budget:
    """The budget of a race; `reserve` is the share of delta kept for changes.

    >>> budget = split_error(
    ...     0.01, items=101, top=1, split="asymmetric", accounting="paper", reserve=0
    ... )
    >>> budget.lower, budget.upper, budget.total
    (0.0001, 0.01, 0.02)
    """
    if split not in SPLITS:
        raise UnknownName("split", split, SPLITS)
    if accounting not in ACCOUNTINGS:
        raise UnknownName("accounting", accounting, ACCOUNTINGS)
    if not 0.0 <= reserve < 1.0:
        raise InvalidInput(f"reserve must be a share of delta in [0, 1); got {reserve!r}.")
    spent = delta * (1.0 - reserve)
    if split == "per-item":
        each, rest = spent / items, items - top
        return Budget(delta, each, each, delta - spent, top, top, rest)
    times = 1 if accounting == "total" else 2
    share, alone = SHARES[split]
    upper, lower = times * spent * share, times * spent * (1.0 - share) * alone
    reserve = delta - spent
    return Budget(
        min(1.0, times * delta),
        lower / (items - top),
        upper / top,
        reserve,
        top,
        top,
        items - top,
        alone,
        upper + 5 / 8 * reserve,
    )


@dataclass(frozen=True, kw_only=True)
class GoodBudget(Budget):
    """The levels of a race for all good items: see docs/theory/all-good.md.

    Every lower bound of the n items has to hold, and the upper bounds of those that are good.
    While nothing has changed, the upper bounds share their half among the items that are not
    out yet. After a change each may be good: the originals share half of the reserve, and
    those added have a series of their own.
    """

    items: int

    def lower_after(self, additions: int, *, pooled: int = 1) -> float:
        """The level of the original items' lower bounds: changes do not touch it."""
        return self.lower

    def lower_of_added(self, number: int, *, pooled: int = 1) -> float:
        """The level of the lower bound of the number-th item added, from 1."""
        return self.reserve / 4 * _share(number)

    def upper_among(self, standing: int) -> float:
        """The level of every upper bound where so many items are not out; nothing changed."""
        return self.upper * self.items / standing

    def upper_after_additions(self, additions: int) -> float:
        """The level of every upper bound once an item was withdrawn or added."""
        each = self.reserve / (2 * self.items)
        return min(each, self.reserve / 4 * _share(additions)) if additions else each


def split_for_all_good(delta: float, *, items: int, reserve: float) -> GoodBudget:
    """The budget of a race for all good items; `reserve` is the share of delta for changes.

    >>> budget = split_for_all_good(0.02, items=100, reserve=0)
    >>> budget.lower, budget.upper_among(100), budget.upper_among(10)
    (0.0001, 0.0001, 0.001)
    """
    spent = delta * (1.0 - reserve)
    each = spent / (2 * items)
    return GoodBudget(delta, each, each, delta - spent, 1, 1, items - 1, items=items)


def split_for_shortlists(delta: float, *, items: int, longest: int, reserve: float) -> Budget:
    """The budget of the shortlists of 1 to `longest` items, all of them at once.

    A claim for k is wrong only if a lower bound fails outside the true top k, or an upper
    bound inside it. Over all k: the lower bounds of all but the best item share one half,
    the upper bounds of the best `longest` the other. So it is the asymmetric split for
    top = 1 on the lower side and for top = longest on the upper; the changes are charged as
    there.

    >>> budget = split_for_shortlists(0.02, items=101, longest=10, reserve=0)
    >>> budget.lower, budget.upper, budget.total
    (0.0001, 0.001, 0.02)
    """
    best = split_error(
        delta, items=items, top=1, split="asymmetric", accounting="total", reserve=reserve
    )
    return replace(best, upper=best.upper / longest, inside=longest)


def _share(number: int) -> float:
    """A series over 1, 2, ... with sum 1: the numbers of e bits share (6/pi^2)/e^2."""
    bits = number.bit_length()
    return 6 / (math.pi * bits) ** 2 * math.ldexp(1.0, 1 - bits)


def _pool_share(members: int) -> float:
    """What is kept for items that stand for so many; the sum over 1, 2, ... is 1."""
    return 0.5 if members == 1 else _share(members - 1) / 2
