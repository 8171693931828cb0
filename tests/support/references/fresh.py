"""A race that stops by a fresh lower bound, again: slow, obvious and independent of the package."""

import math
from collections import Counter
from functools import cache

from support.references.plaudit import PlauditReference, pull_of
from support.references.race import HALVINGS, SIZES

UPPER, ALL_VOTES, APPOINTED = 0.97, 0.003, 0.027
FEWEST = 24


def weights_around(bet):
    """A twentieth of the capital for all bets alike, the rest by a bell around one of them."""
    bell = [math.exp(-((k - bet) ** 2) / 2) for k in range(len(SIZES))]
    return [0.95 * height / math.fsum(bell) + 0.05 / len(SIZES) for height in bell]


@cache
def winnings(votes):
    """ln of what each bet that the mean is above makes of 1, odds apart; `votes` by size."""
    tally = Counter(votes).items()
    return [math.fsum(n * math.log1p(size * x) for x, n in tally) for size in SIZES]


@cache
def fresh_bound(votes, bet, delta):
    """The smallest m that is not excluded; `votes` in order of size."""
    bets = list(zip(SIZES, weights_around(bet), winnings(votes), strict=True))

    def excludes(m):
        logs = ((w, won - len(votes) * math.log1p(size * m)) for size, w, won in bets)
        # More than any level needs, and no overflow.
        return math.fsum(w * math.exp(min(700.0, log)) for w, log in logs) > 1 / delta

    outside, inside = 0.0, math.fsum(votes) / len(votes)
    if not excludes(0.0):
        return 0.0
    for _ in range(HALVINGS):
        m = (outside + inside) / 2
        outside, inside = (m, inside) if excludes(m) else (outside, m)
    return inside


def best_bet(votes, foot):
    """Which bet wins most against "the mean is `foot` or less", and how much for each vote.

    Half a vote of 0 and half a vote of 1 come to these.
    """
    all_votes = len(votes) + 1
    won = [
        gain + math.log1p(size) / 2 - all_votes * math.log1p(size * foot)
        for size, gain in zip(SIZES, winnings(tuple(sorted(votes))), strict=True)
    ]
    return won.index(max(won)), max(won) / all_votes


class FreshReference(PlauditReference):
    """The default's rule; an item that was appointed has a second lower bound."""

    def __init__(self, items, *, choosing=0.1, **given):
        super().__init__(items, **given)
        self.choosing = choosing
        self.upper_delta = UPPER * self.delta
        self.lower_delta = ALL_VOTES * self.delta / (items - 1)
        self.ranks, self.bets, self.since = {}, {}, {}

    def leader(self):
        return self.doubtful_leaders()[0]

    def rank_delta(self, rank):
        return APPOINTED * self.delta / (rank * (rank + 1))

    def lower_from_all(self, item):
        return super().lower(item)

    def lower_since(self, item):
        if not self.since.get(item):
            return 0.0
        votes = tuple(sorted(self.since[item]))
        return fresh_bound(votes, self.bets[item], self.rank_delta(self.ranks[item]))

    def lower(self, item):
        return max(self.lower_from_all(item), self.lower_since(item))

    def balance(self):
        leader = self.leader()
        told = self.since.get(leader, self.told[leader])
        inside = 0
        if told:
            mean = math.fsum(told) / len(told)
            inside = pull_of(len(told), mean, self.lower(leader), self.lower_delta)
        outside = [self.pull(j, self.upper(j), self.upper_delta) for j in self.trailing()]
        return sum(outside) - inside

    def bold(self, item):
        bolder, judging = math.log(1 / self.choosing) + 2, math.log(1 / self.upper_delta) + 2
        mean = self.mean(item)
        return mean + min(1.0, math.sqrt(bolder / judging)) * (self.upper(item) - mean)

    def tell(self, item, vote):
        super().tell(item, vote)
        if item in self.ranks:
            self.since[item].append(float(vote))
        leader = self.leader()
        if min(self.votes) == 0 or leader in self.ranks or self.votes[leader] < FEWEST:
            return
        near = self.mean(leader) + 1.5 * self.epsilon
        if max(map(self.upper, self.trailing())) < near:
            self.ranks[leader] = len(self.ranks) + 1
            self.since[leader] = []
            self.bets[leader] = self.bet_at_best_bar(leader)

    def bet_at_best_bar(self, leader):
        """Of twenty bars between the best rival's mean and the leader's, the cheapest decides."""
        need = math.log(1 / self.rank_delta(self.ranks[leader])) + 0.7
        lowest = max(map(self.mean, self.trailing()))
        highest = self.mean(leader) + self.epsilon
        found = []
        for step in range(1, 20):
            bar = lowest + (highest - lowest) * step / 20
            bet, wins = best_bet(self.told[leader], max(bar - self.epsilon, 0.0))
            if wins > 0.0:
                found.append((need / wins + self.votes_below(bar), step, bet))
        if found:
            return min(found)[2]
        return best_bet(self.told[leader], max(lowest - self.epsilon, 0.0))[0]

    def votes_below(self, bar):
        """About how many votes bring the upper bounds of all others below a bar."""
        total = 0.0
        for item in self.trailing():
            upper, mean = min(1.0, self.upper(item)), self.mean(item)
            if upper > bar:
                total += self.votes[item] * (((upper - mean) / (bar - mean)) ** 2 - 1)
        return total
