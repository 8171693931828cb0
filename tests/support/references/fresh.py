"""A race that stops by a fresh lower bound, again: slow, obvious and independent of the package."""

import math
from collections import Counter
from functools import cache

from support.references.plaudit import PlauditReference, pull_of
from support.references.race import HALVINGS, SHARES, SIZES, divergence

UPPER, ALL_VOTES, APPOINTED, TOGETHER = 0.92, 0.001, 0.005, 0.074
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


def capital_at(votes, weights, m):
    """What bets that the mean is above m make of 1."""
    bets = zip(SIZES, weights, winnings(votes), strict=True)
    logs = ((w, won - len(votes) * math.log1p(size * m)) for size, w, won in bets)
    # More than any level needs, and no overflow.
    return math.fsum(w * math.exp(min(700.0, log)) for w, log in logs)


@cache
def fresh_bound(votes, bet, delta):
    """The smallest m that is not excluded; `votes` in order of size."""
    weights = weights_around(bet)

    def excludes(m):
        return capital_at(votes, weights, m) > 1 / delta

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
    """The default's rule; an item that was appointed has a second lower bound.

    And it is judged together with each rival. Where the rule aims is what it takes for the lower
    bound; `shown` is the bound itself.
    """

    def __init__(self, items, *, choosing=0.1, **given):
        super().__init__(items, **given)
        self.choosing = choosing
        self.upper_delta = UPPER * self.delta
        self.lower_delta = ALL_VOTES * self.delta / (items - 1)
        self.ranks, self.bets, self.since = {}, {}, {}
        self.rival, self.at = None, 0.0

    def leader(self):
        return self.doubtful_leaders()[0]

    def share(self, item):
        rank = self.ranks[item]
        return 1 / (rank * (rank + 1))

    def lower_from_all(self, item):
        return super().lower(item)

    def lower_since(self, item, delta):
        if not self.since.get(item):
            return 0.0
        return fresh_bound(tuple(sorted(self.since[item])), self.bets[item], delta)

    def shown(self, item):
        """The lower bound."""
        delta = APPOINTED * self.delta * self.share(item) if item in self.ranks else 1.0
        return max(self.lower_from_all(item), self.lower_since(item, delta))

    def lower(self, item):
        """Where the rule aims: what is missing there to the evidence of both, a rival has."""
        delta = TOGETHER * self.share(item) / UPPER if item in self.ranks else 1.0
        return max(self.lower_from_all(item), self.lower_since(item, delta))

    def may_stop(self):
        if not super().may_stop():
            return False
        alone = self.below(self.outside() - self.shown(self.leader()), self.epsilon)
        return alone or self.rival is None

    def next_items(self):
        if self.may_stop() or self.rival is None:
            return super().next_items()
        leader = self.leader()
        bar = min(self.at + self.epsilon, 1 - 1e-12)
        ours = divergence(max(self.mean(leader), self.at), self.at)
        theirs = divergence(min(self.mean(self.rival), bar), bar)
        return [leader if ours >= theirs else self.rival]

    def note_doubt(self):
        """The rival that still lacks evidence, or the first that does."""
        last, self.rival = self.rival, None
        if min(self.votes) == 0 or self.outside() - self.inside() >= self.epsilon:
            return
        low, high = self.shown(self.leader()), self.inside()
        doubtful = [j for j in self.trailing() if self.upper(j) >= low + self.epsilon]
        for rival in sorted(doubtful, key=lambda j: (j != last, j)):
            if self.least_together(rival, low, self.upper(rival) - self.epsilon) < 1 / (
                TOGETHER * self.delta * self.share(self.leader())
            ):
                self.rival = rival
                self.at = (low + min(high, self.upper(rival) - self.epsilon)) / 2
                return

    def least_together(self, rival, low, high):
        """The least that the leader's capital times that of a rival is between two means."""
        leader = self.leader()
        ours = tuple(sorted(self.since[leader])), weights_around(self.bets[leader])
        theirs = tuple(sorted(1.0 - x for x in self.told[rival])), SHARES

        def product(m):
            return capital_at(*ours, m) * capital_at(*theirs, max(0.0, 1.0 - m - self.epsilon))

        # Its logarithm is convex: thirds of the interval are cut off.
        for _ in range(60):
            third = (high - low) / 3
            if product(low + third) < product(high - third):
                high -= third
            else:
                low += third
        return product((low + high) / 2)

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
        self.appoint()
        self.note_doubt()

    def appoint(self):
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
        need = math.log(UPPER / TOGETHER / self.share(leader)) + 0.7
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
