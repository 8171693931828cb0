"""A race by the rule `balance`, again: slow, obvious and independent of the package."""

import math

from support.references.race import RESERVE, ReferenceRace, divergence


def pull_of(votes, mean, bound, delta):
    """The votes that moving the bar away from an item would save, in sixteenths."""
    radius = max(abs(bound - mean), math.log(1 / delta) / votes)
    steepness = 8.0
    if 0 < bound < 1:
        slope = abs(bound - mean) / (bound * (1 - bound))
        steepness = min(max(radius * slope / divergence(mean, bound), 1.0), 8.0)
    return int(16 * votes * steepness / radius)


class PlauditReference(ReferenceRace):
    """All pulls anew at every step; the bounds are those of `betting`, and they must separate."""

    def __init__(self, items, **given):
        super().__init__(items, "betting", **given)
        spent = self.delta * (1 - RESERVE)
        self.lower_delta = 0.1 * spent / (items - self.top)
        self.upper_delta = 0.9 * spent / self.top

    def pull(self, item, bound, delta):
        return pull_of(self.votes[item], self.mean(item), bound, delta)

    def balance(self):
        leaders = self.doubtful_leaders()
        inside = sum(self.pull(i, self.lower(i), self.lower_delta) for i in leaders)
        outside = [self.pull(j, self.upper(j), self.upper_delta) for j in self.trailing()]
        return sum(outside) - inside

    def next_items(self):
        chosen = super().next_items()
        if len(chosen) < 2:
            return chosen
        # Of the pair that would come next, the one whose side pulls less.
        leader, rival = chosen
        inside = self.mean(leader) - self.lower(leader)
        outside = min(1.0, self.upper(rival)) - self.mean(rival)
        weakest = min(map(self.mean, self.doubtful_leaders()))
        leads = self.balance() > 0 and self.n * inside**3 > outside**3
        if self.mean(rival) + outside > weakest + self.epsilon:
            # No verdict can come yet: a leader waits, unless its upper bound is likely the largest.
            levels = math.log(1 / self.upper_delta) + 2, math.log(1 / self.lower_delta) + 2
            above = self.mean(leader) + math.sqrt(levels[0] / levels[1]) * inside
            leads = leads and above >= self.mean(rival) + outside
        if leads:
            return chosen[:1]
        if sum(self.votes) % 2 == 1:
            found = self.first(self.trailing(), self.bold)
            bar = max(self.inside() + self.epsilon, weakest + self.epsilon / 2)
            if min(1.0, self.upper(found)) >= bar:
                return [found]
        return chosen[1:]

    def bold(self, item):
        """The upper bound, drawn to the mean as much as the level 0.1 would be narrower."""
        bolder, judging = math.log(self.top / 0.1) + 2, math.log(1 / self.upper_delta) + 2
        mean = self.mean(item)
        return mean + min(1.0, math.sqrt(bolder / judging)) * (self.upper(item) - mean)
