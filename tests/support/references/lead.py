"""A race that stops by a fresh lead, again: slow, obvious and independent of the package.

What the race remembers on purpose is remembered here too: a rival's evidence is that of the last
time it was looked at, and all are looked at anew when docs/theory/lead.md says so.
"""

import math
from collections import Counter
from functools import partial

from support.references.race import SHARES, SIZES, ReferenceRace, divergence

RIVAL, LEADER, BOTH = 0.3, 0.1, 0.6
UNIT = 1024


def bets_on(votes):
    """How many votes these are, and ln of what each bet makes of its share, odds apart."""
    counts = Counter(votes)
    won = [
        math.log(share) + math.fsum(n * math.log1p(size * (1.0 - x)) for x, n in counts.items())
        for size, share in zip(SIZES, SHARES, strict=True)
    ]
    return len(votes), won


def capital(bets, m):
    """ln of what bets that the mean is below m make of 1, and its slope in m."""
    votes, won = bets
    odds = [1.0 + size * (1.0 - m) for size in SIZES]
    terms = [one - votes * math.log(odd) for one, odd in zip(won, odds, strict=True)]
    top = max(terms)
    parts = [math.exp(term - top) for term in terms]
    whole = math.fsum(parts)
    slopes = (p * votes * size / odd for p, size, odd in zip(parts, SIZES, odds, strict=True))
    return top + math.log(whole), math.fsum(slopes) / whole


class LeadReference(ReferenceRace):
    """Everything about a leader and its rivals from the votes themselves."""

    def __init__(self, items, **given):
        super().__init__(items, "betting", **given)
        self.upper_delta = RIVAL * self.delta
        self.ranks, self.since = {}, {}
        self.known, self.known_for, self.renewal = {}, None, 0
        self.settled = False

    def leader(self):
        return self.doubtful_leaders()[0]

    def votes_of(self, leader):
        return self.since[leader] if leader in self.ranks else self.told[leader]

    def evidence_at(self, leaders_bets, rivals_bets, share, m):
        """The evidence at m, its slope, and the parts that hang on the leader and on the rival."""
        ours, fall = capital(leaders_bets, 1.0 - m)
        theirs, rise = capital(rivals_bets, min(1.0, m + self.epsilon))
        terms = [
            math.log(RIVAL) + theirs,
            math.log(LEADER * share) + ours,
            math.log(BOTH * share) + ours + theirs,
        ]
        top = max(terms)
        one, two, three = (math.exp(term - top) for term in terms)
        whole = one + two + three
        own, other = (two + three) / whole, (one + three) / whole
        return top + math.log(whole), other * rise - own * fall, own, other

    def compare(self, leader, rival):
        rank = self.ranks.get(leader, len(self.ranks) + 1)
        evidence_at = partial(
            self.evidence_at,
            bets_on([1.0 - x for x in self.votes_of(leader)]),
            bets_on(self.told[rival]),
            1.0 / (rank * (rank + 1)),
        )
        low, high = 0.0, 1.0 - self.epsilon
        if evidence_at(low)[1] >= 0.0:
            high = low
        elif evidence_at(high)[1] <= 0.0:
            low = high
        for _ in range(60 if low < high else 0):
            m = (low + high) / 2
            low, high = (m, high) if evidence_at(m)[1] < 0.0 else (low, m)
        value, _, own, other = evidence_at(high)
        bar = high + self.epsilon
        ours = divergence(self.mean(leader), min(max(high, 1e-12), 1 - 1e-12))
        theirs = divergence(self.mean(rival), min(max(bar, 1e-12), 1 - 1e-12))
        return value, min(own * ours / max(other * theirs, 1e-12), 1e6)

    def look_at(self, leader, rival):
        value, ratio = self.compare(leader, rival)
        enough = value >= math.log(1 / self.delta)
        self.known[rival] = (value, 0 if enough else int(UNIT * ratio), len(self.votes_of(leader)))

    def renew(self, leader):
        self.known, self.known_for = {}, leader
        for rival in range(self.n):
            if rival != leader:
                self.look_at(leader, rival)
        votes = len(self.votes_of(leader))
        self.renewal = votes + votes // 8 + 2

    def least(self):
        """The rival that has the least evidence, by what is known."""

        def lack(rival):
            return -self.known[rival][0]

        return self.first(list(self.known), lack)

    def is_searching(self):
        uppers = [self.upper(j) for j in range(self.n) if j != self.leader()]
        return min(1.0, max(uppers)) >= self.mean(self.leader()) + self.epsilon

    def tell(self, item, vote):
        super().tell(item, vote)
        if item in self.ranks:
            self.since[item].append(float(vote))
        if min(self.votes) == 0:
            return
        leader = self.leader()
        if self.known_for == leader and item != leader:
            self.look_at(leader, item)
        self.settled = False
        if self.is_searching():
            return
        self.make_sure(leader)
        if leader not in self.ranks and self.known[self.least()][0] >= -1.0:
            self.ranks[leader] = len(self.ranks) + 1
            self.since[leader] = []
            self.renew(leader)

    def make_sure(self, leader):
        votes = len(self.votes_of(leader))
        if self.known_for != leader or votes >= self.renewal:
            self.renew(leader)
        while self.known[self.least()][2] != votes:
            self.look_at(leader, self.least())
        if leader in self.ranks and self.known[self.least()][0] >= math.log(1 / self.delta):
            self.renew(leader)
            self.settled = self.known[self.least()][0] >= math.log(1 / self.delta)

    def may_stop(self):
        return self.settled

    def next_items(self):
        if self.may_stop():
            return []
        unseen = [i for i in range(self.n) if self.votes[i] == 0]
        if unseen:
            return [max(unseen, key=self.ticket)]
        leader = self.leader()
        if self.is_searching():
            rival = self.first([j for j in range(self.n) if j != leader], self.upper)
            return [leader if self.votes[leader] < self.votes[rival] else rival]
        saved = sum(ratio for _, ratio, _ in self.known.values())
        due = not self.votes_of(leader) or saved > UNIT
        return [leader if due else self.least()]
