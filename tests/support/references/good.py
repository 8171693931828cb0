"""A race for all good items that recomputes everything at each step, in plain Python.

Written from docs/theory/all-good.md; it shares formulas with the reference of the other
goal, and no code with Plaudit.
"""

import math

from support.references.race import (
    BOUND,
    CLOSE,
    MIXTURES,
    bound_on_mean,
    mixture_upper,
    place_in_draw,
)


class ReferenceGood:
    """Items, bounds by name, votes told one by one; `next_item` is None once it may stop."""

    def __init__(self, items, bound, *, delta, epsilon, seed=0, reserve=1 / 16, uniform=False):
        self.n, self.bound, self.delta, self.epsilon = items, bound, delta, epsilon
        self.seed, self.spent, self.uniform = seed, delta * (1 - reserve), uniform
        self.told = [[] for _ in range(items)]
        self.standing = items
        self.close_calls = []

    def ticket(self, item):
        return place_in_draw(self.seed, item, len(self.told[item]))

    def mean(self, item):
        votes = self.told[item]
        return sum(votes) / len(votes) if votes else -1.0

    def side(self, item, side, level):
        votes = self.told[item]
        if self.bound in MIXTURES:
            mirrored = tuple(sorted(x if side > 0 else 1.0 - x for x in votes))
            upper = mixture_upper(self.bound, mirrored, level)
            return upper if side > 0 else 1.0 - upper
        name = BOUND.get(self.bound, self.bound)
        # Bounds that know the time of a race take the item's own votes for it.
        return bound_on_mean(name, side, self.mean(item), len(votes), level, 8, len(votes))

    def upper(self, item):
        """Not cut at 1."""
        if not self.told[item]:
            return math.inf
        return self.side(item, 1, self.spent / 2 / self.standing)

    def lower(self, item):
        return max(0.0, self.side(item, -1, self.spent / 2 / self.n)) if self.told[item] else 0.0

    def look(self):
        """All bounds now, the camps, and the two marks."""
        items = range(self.n)
        lower, upper = [self.lower(i) for i in items], [self.upper(i) for i in items]
        means = [self.mean(i) for i in items]
        border = max(means) - 1.5 * self.epsilon
        inside = [i for i in items if self.told[i] and means[i] >= border]
        outside = [i for i in items if i not in inside]
        self.note(means[i] - border for i in items if self.told[i])
        least_good = max(lower) - self.epsilon
        most_bad = min(1.0, max(upper)) - 2 * self.epsilon
        return lower, upper, inside, outside, least_good, most_bad

    def note(self, differences):
        self.close_calls += [d for d in differences if 0.0 < abs(d) < CLOSE]

    def first(self, items, keys, ties=max):
        best = max(keys[i] for i in items)
        self.note(best - keys[i] for i in items if keys[i] != best)
        return ties((i for i in items if keys[i] == best), key=self.ticket)

    def next_item(self):
        lower, upper, inside, outside, least_good, most_bad = self.look()
        open_out = [i for i in outside if min(1.0, upper[i]) >= least_good]
        open_in = [i for i in inside if lower[i] <= most_bad]
        self.note(upper[i] - least_good for i in outside if self.told[i])
        self.note(lower[i] - most_bad for i in inside)
        unseen = [i for i in range(self.n) if not self.told[i]]
        if not unseen and not open_out and not open_in:
            return None
        if self.uniform:
            return self.first(range(self.n), [-len(votes) for votes in self.told])
        contender = self.first(range(self.n), upper)
        if unseen:
            return contender
        turn = sum(map(len, self.told))
        if open_out and (turn % 2 == 0 or not open_in):
            item = self.first(open_out, upper)
        else:
            item = self.first(open_in, [-x for x in lower], ties=min)
        behind = len(self.told[contender]) < len(self.told[item])
        return contender if behind else item

    def tell(self, item, vote):
        self.told[item].append(float(vote))
        if sum(map(len, self.told)) % max(1, self.n // 4) == 0:
            self.descend()

    def descend(self):
        """Fewer share the upper side of delta once at most half are not out."""
        while self.standing > 1:
            _, upper, _, _, least_good, _ = self.look()
            half = (self.standing + 1) // 2
            if sum(u >= least_good for u in upper) > half:
                return
            self.standing = half

    def winners(self):
        return set(self.look()[2])


def run_reference(race, vote_on, max_votes):
    """Runs to the stop or `max_votes`; the items asked for in order, and whether it stopped."""
    asked = []
    while len(asked) < max_votes:
        item = race.next_item()
        if item is None:
            return asked, True
        race.tell(item, vote_on(item, len(race.told[item])))
        asked.append(item)
    return asked, race.next_item() is None
