"""Every named algorithm again: slow, obvious and independent of the package.

All bounds of all items are taken anew at every step, each from its definition and by
bisection where it is a root. It uses nothing of Plaudit.

A decision that hangs on less than CLOSE is noted in `close_calls`: two programs that are
both right may then differ, and a test that compares them must look. Exact ties are none
of these: equal votes give equal numbers, and the ticket decides.
"""

import math
from collections import Counter
from collections.abc import Callable
from functools import cache

CLOSE = 1e-12
HALVINGS = 64
RESERVE = 1 / 16

PAIR = ("lil-klucb", "kl-lucb", "lucb", "lucb++")
LARGEST_UPPER = ("lil-ucb", "lil-ucb-heuristic", "ucb")
DOMINANCE = ("lil-ucb", "lil-ucb-heuristic")
ALGORITHMS = (*PAIR, *LARGEST_UPPER, "uniform", "successive-elimination")
BOUND = {
    "lil-klucb": "lil-kl",
    "kl-lucb": "kl-lucb",
    "lucb": "hoeffding",
    "lucb++": "sg2",
    "ucb": "lil-kl",
    "uniform": "lil-kl",
    "successive-elimination": "elimination",
}
# With the rule and stopping of lil-klucb.
MIXTURES = ("beta-mixture", "betting")
COMPARISONS = ("kinf", "empirical-bernstein", "stitched")
PER_ITEM = ("kl-lucb", "lucb", "successive-elimination")


WORD = 2**64


@cache
def place_in_draw(seed, item, votes):
    """The ticket that breaks ties: splitmix64 of the three."""
    x = (seed + item * 0x9E3779B97F4A7C15 + votes * 0xD1B54A32D192ED03) % WORD
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


# Bounds


def divergence(x, y):
    total = 0.0
    for a, b in ((x, y), (1.0 - x, 1.0 - y)):
        if a > 0.0:
            if b <= 0.0:
                return math.inf
            total += a * math.log(a / b)
    return total


@cache
def kl_lower(mean, rate, lean):
    """The smallest m in [0, mean] with D(mean + lean (m - mean), m) <= rate."""
    outside, inside = 0.0, mean
    for _ in range(HALVINGS):
        m = (outside + inside) / 2.0
        if divergence(mean + lean * (m - mean), m) <= rate:
            inside = m
        else:
            outside = m
    return inside


@cache
def tail_sum(power, first):
    """The sum of k^-power over k >= first: the first terms, then Euler and Maclaurin."""
    last = first + 50
    head = math.fsum(k**-power for k in range(first, last))
    rest = last ** (1 - power) / (power - 1) + last**-power / 2
    slope = power * last ** (-power - 1) / 12
    bend = power * (power + 1) * (power + 2) * last ** (-power - 3) / 720
    return head + rest + slope - bend


@cache
def kappa(N, delta):
    """Theorem 1's constant, at the level that it is used with."""
    power = (N + 1) / N
    octave = int(math.log2(N))
    early = sum(math.log2(2 * t) ** -power for t in range(1, N + 1)) if octave else 0.0
    total = early + N * tail_sum(power, octave + 1)
    return delta ** (1 / (N + 1)) * total ** (N / (N + 1))


# The definitions in which the race's time stands; the others are the same at all times.
TIMED = ("kl-lucb", "hoeffding")


def evidence(bound, votes, delta, N, time):
    """What stands over the number of votes in each bound's definition."""
    if bound == "lil-kl":
        return math.log(kappa(N, delta) * math.log2(2 * votes) / delta)
    if bound == "kl-lucb":
        x = math.log(405.5 * time**1.1 / delta)
        return x + math.log(x)
    if bound == "hoeffding":
        return math.log(1.25 * time**4 / delta) / 2
    if bound == "sg2":
        x = math.log(1 / min(delta, 0.1))
        return (x + 3 * math.log(x) + 1.5 * math.log(math.log(math.e * votes))) / 2
    if bound == "stitched":
        return stitched_evidence(votes, delta)
    assert bound == "elimination"
    return math.log(5 * votes**2 / delta)


def stitched_evidence(votes, delta):
    """t times the squared radius k1^2 v l(v) / t^2, v the intrinsic time."""
    v = max(votes / 4, 1.0)
    zeta = tail_sum(1.4, 1)
    grown = 1.4 * math.log(math.log(2 * v)) + math.log(zeta / (delta * math.log(2) ** 1.4))
    k1 = (2**0.25 + 2**-0.25) / math.sqrt(2)
    return k1**2 * v * grown / votes


@cache
def bound_on_mean(bound, side, mean, votes, delta, N, time):
    """The upper (side 1) or lower (side -1) bound; a radius may pass 0 and 1."""
    rate = evidence(bound, votes, delta, N, time) / votes
    if bound not in ("lil-kl", "kl-lucb"):
        return mean + side * math.sqrt(rate)
    lean = 1 / (N + 1) if bound == "lil-kl" else 0.0
    return kl_lower(mean, rate, lean) if side < 0 else 1.0 - kl_lower(1.0 - mean, rate, lean)


SIZES = [0.001 * 100000 ** (k / 23) for k in range(24)]
SHARES = [size**0.4 / math.fsum(other**0.4 for other in SIZES) for size in SIZES]


@cache
def winnings(votes):
    """The logarithm of what each bet makes of a capital of 1, before the odds are taken off."""
    contest = Counter(votes).items()
    return [math.fsum(n * math.log1p(size * (1.0 - x)) for x, n in contest) for size in SIZES]


def betting_capital(votes, m):
    """What all bets that the mean is below m have made of a capital of 1."""
    bets = zip(SIZES, SHARES, winnings(votes), strict=True)
    return sum(
        # More than any level needs, and no overflow.
        share * math.exp(min(700.0, won - len(votes) * math.log1p(size * (1.0 - m))))
        for size, share, won in bets
    )


def mixture_excludes(bound, votes, m, delta):
    """Whether the mixtures say that m, above the mean of these votes, is too large."""
    t, rises = len(votes), math.fsum(votes)
    if bound == "betting":
        return betting_capital(votes, m) > 1 / delta
    falls = t - rises
    gammas = math.lgamma(rises + 0.5) + math.lgamma(falls + 0.5) - math.lgamma(t + 1)
    lost = falls * math.log1p(-m) + (rises * math.log(m) if rises else 0.0)
    weight = 2 / math.pi * math.asin(math.sqrt(m))
    return gammas - math.log(math.pi) - lost > math.log(weight / delta + 1 - weight)


@cache
def mixture_upper(bound, votes, delta):
    """The largest m that is not excluded; `votes` in order of size."""
    inside, outside = min(1.0, math.fsum(votes) / len(votes)), 1.0
    if bound == "betting" and not mixture_excludes(bound, votes, 1.0, delta):
        # Nothing is excluded: how much is missing still orders the items.
        return 1.0 + math.log(1 / delta) - math.log(betting_capital(votes, 1.0))
    if inside == 1.0:
        return 1.0
    for _ in range(HALVINGS):
        m = (inside + outside) / 2.0
        if m < 1.0 and not mixture_excludes(bound, votes, m, delta):
            inside = m
        else:
            outside = m
    return inside


def k_inf(contest, m):
    """The largest mean of ln(1 - lam (x-m)) over lam in [0, 1/(1-m)]; `contest`: values, votes."""
    low, high = 0.0, 1.0 / (1.0 - m)
    votes = sum(count for _, count in contest)
    steps = 50 if contest[-1][0] == 1.0 else 0
    if not steps and sum(c * (x - m) / (1.0 - x) for x, c in contest) > 0.0:
        steps = 50
    for _ in range(steps):
        lam = (low + high) / 2.0
        if sum(c * (x - m) / (1.0 - lam * (x - m)) for x, c in contest) < 0.0:
            low = lam
        else:
            high = lam
    lam = low if steps else high
    return sum(c * math.log1p(-lam * (x - m)) for x, c in contest) / votes


@cache
def kinf_upper(contest, delta):
    """Where the votes times `k_inf` reach ln((t+1)/delta)."""
    votes = sum(count for _, count in contest)
    inside, outside = sum(x * count for x, count in contest) / votes, 1.0
    for _ in range(HALVINGS):
        m = (inside + outside) / 2.0
        if m < 1.0 and votes * k_inf(contest, m) <= math.log((votes + 1) / delta):
            inside = m
        else:
            outside = m
    return inside


@cache
def bernstein_distance(contest, delta):
    """The distance from the mean from which on one of the sizes says no; 1 where none does."""
    votes = sum(count for _, count in contest)
    mean = sum(x * count for x, count in contest) / votes
    squares = sum(count * (x - mean) ** 2 for x, count in contest)
    inside, outside = 0.0, 1.0
    for _ in range(HALVINGS):
        d = (inside + outside) / 2.0
        for k in range(24):
            lam = 2.0 ** (-1 - k / 2)
            lost = (-math.log1p(-lam) - lam) * (squares + votes * d * d)
            if lam * votes * d - lost > math.log((k + 1) * (k + 2) / delta):
                outside = d
                break
        else:
            inside = d
    return outside


def tallied(votes):
    """Values and how many votes each has, in order."""
    return tuple((x, votes.count(x)) for x in sorted(set(votes)))


# lil'UCB's own numbers


@cache
def lil_ucb_numbers(algorithm, delta, items):
    """Its epsilon, beta, omega and lambda."""
    if algorithm == "lil-ucb-heuristic":
        return 0.0, 0.5, delta / 5, 1 + 10 / items
    eps, beta = 0.01, 1.0
    c = (2 + eps) / eps * (1 / math.log(1 + eps)) ** (1 + eps)
    # 4 sqrt(c omega) + 4 c omega = delta, solved for omega.
    omega = ((-1 + math.sqrt(1 + delta)) / 2) ** 2 / c
    square = ((2 + beta) / beta) ** 2
    lam = square * (1 + math.log(2 * math.log(square / omega)) / math.log(1 / omega))
    return eps, beta, omega, lam


def lil_ucb_radius(votes, eps, omega):
    """For variance proxy 1/4; infinite where the iterated logarithm is not defined."""
    inner = math.log((1 + eps) * votes)
    if inner <= 0.0:
        return math.inf
    spread = 2 * (1 / 4) * (1 + eps) * math.log(inner / omega) / votes
    return (1 + math.sqrt(eps)) * math.sqrt(max(0.0, spread))


class ReferenceRace:
    """A race that recomputes everything; `next_items` is empty once it may stop."""

    def __init__(
        self, items, algorithm, *, delta, top=1, epsilon=0.0, seed=0, N=8, accounting="total"
    ):
        self.n, self.top, self.epsilon, self.seed, self.N = items, top, epsilon, seed, N
        self.algorithm, self.delta = algorithm, delta
        self.votes, self.sums = [0] * items, [0.0] * items
        self.told = [[] for _ in range(items)]
        self.accepted, self.rejected = set(), set()
        self.round = 1
        self.close_calls = []
        self.lower_delta, self.upper_delta = self.levels(accounting)

    def levels(self, accounting):
        """Total accounting keeps 1/16 of delta for items that come and go."""
        spent = self.delta if accounting == "paper" else self.delta * (1 - RESERVE)
        if self.algorithm in PER_ITEM:
            return spent / self.n, spent / self.n
        sides = 1 if accounting == "paper" else 2
        return spent / (sides * (self.n - self.top)), spent / (sides * self.top)

    # What the votes say

    def ticket(self, item):
        return place_in_draw(self.seed, item, self.votes[item])

    def mean(self, item):
        return self.sums[item] / self.votes[item] if self.votes[item] else -1.0

    def time(self):
        """Rounds of LUCB: 1 when all items were seen once, then one more for each pair."""
        return max(1 + max(0, sum(self.votes) - self.n) // 2, *self.votes)

    def bound(self, item, side, delta):
        if self.algorithm in MIXTURES:
            votes = [x if side > 0 else 1.0 - x for x in self.told[item]]
            upper = mixture_upper(self.algorithm, tuple(sorted(votes)), delta)
            return upper if side > 0 else 1.0 - min(1.0, upper)
        mean, votes = self.mean(item), self.votes[item]
        if self.algorithm == "kinf":
            upper = kinf_upper(
                tallied([x if side > 0 else 1.0 - x for x in self.told[item]]), delta
            )
            return upper if side > 0 else 1.0 - upper
        if self.algorithm == "empirical-bernstein":
            return mean + side * bernstein_distance(tallied(self.told[item]), delta)
        name = "stitched" if self.algorithm == "stitched" else BOUND[self.algorithm]
        time = self.time() if name in TIMED else None
        return bound_on_mean(name, side, mean, votes, delta, self.N, time)

    def upper(self, item):
        """Not cut at 1."""
        return self.bound(item, 1, self.upper_delta) if self.votes[item] else math.inf

    def lower(self, item):
        return max(0.0, self.bound(item, -1, self.lower_delta)) if self.votes[item] else 0.0

    def index(self, item):
        """What the rules that take one item at a time compare."""
        if self.algorithm in ("uniform", "successive-elimination"):
            return -self.votes[item]
        if self.votes[item] == 0:
            return math.inf
        if self.algorithm not in DOMINANCE:
            return self.upper(item)
        eps, beta, omega, _ = lil_ucb_numbers(self.algorithm, self.delta, self.n)
        return self.mean(item) + (1 + beta) * lil_ucb_radius(self.votes[item], eps, omega)

    # Choices

    def first(self, items, key, *, ties=max):
        """The item of the largest key; the ticket decides among equals."""
        keys = {item: key(item) for item in items}
        best = max(keys.values())
        near = [item for item in items if 0.0 < best - keys[item] < CLOSE]
        if near:
            self.close_calls.append((sum(self.votes), key.__name__, near))
        return ties((item for item in items if keys[item] == best), key=self.ticket)

    def standing(self):
        return [i for i in range(self.n) if i not in self.accepted | self.rejected]

    def doubtful_leaders(self):
        """The items of largest mean that fill the places not given away for good."""
        ranked = sorted(self.standing(), key=lambda i: (self.mean(i), self.ticket(i)))[::-1]
        return ranked[: self.top - len(self.accepted)]

    def trailing(self):
        leaders = self.doubtful_leaders()
        return [i for i in self.standing() if i not in leaders]

    def inside(self):
        """The smallest lower bound of the leaders that are still in doubt."""
        return min((self.lower(i) for i in self.doubtful_leaders()), default=math.inf)

    def outside(self):
        """The largest upper bound of the rest."""
        return min(1.0, max((self.upper(i) for i in self.trailing()), default=-math.inf))

    def below(self, gap, slack):
        if 0.0 < abs(gap - slack) < CLOSE:
            self.close_calls.append((sum(self.votes), "gap", gap))
        return gap < slack

    def may_stop(self):
        if min(self.votes) == 0:
            return False
        if self.algorithm in DOMINANCE:
            return self.dominant() is not None
        if self.algorithm == "successive-elimination" and self.epsilon == 0.0:
            return not self.standing()
        return self.below(self.outside() - self.inside(), self.epsilon)

    def dominant(self):
        *_, lam = lil_ucb_numbers(self.algorithm, self.delta, self.n)
        for item, votes in enumerate(self.votes):
            if votes >= 1 + lam * (sum(self.votes) - votes):
                return item
        return None

    def next_items(self):
        if self.may_stop():
            return []
        unseen = [i for i in range(self.n) if self.votes[i] == 0]
        if self.algorithm not in (*PAIR, *MIXTURES, *COMPARISONS):
            return [self.first(self.standing(), self.index)]
        if unseen:
            return [max(unseen, key=self.ticket)]

        def doubt(item):
            return -self.lower(item)

        weakest = self.first(self.doubtful_leaders(), doubt, ties=min)
        return [weakest, self.first(self.trailing(), self.upper)]

    def tell(self, item, vote):
        self.votes[item] += 1
        self.sums[item] += float(vote)
        self.told[item].append(float(vote))
        if self.algorithm == "successive-elimination":
            standing = self.standing()
            if min(self.votes[i] for i in standing) == self.round:
                self.end_round()
                self.round += 1

    def end_round(self):
        """Elimination itself gives no slack: epsilon only ends the race sooner."""
        inside, outside = self.inside(), self.outside()
        leaders, trailing = self.doubtful_leaders(), self.trailing()
        self.accepted.update([i for i in leaders if self.below(outside - self.lower(i), 0.0)])
        out = [i for i in trailing if self.below(min(1.0, self.upper(i)) - inside, 0.0)]
        self.rejected.update(out)

    def winners(self):
        item = self.dominant() if self.algorithm in DOMINANCE else None
        return {item} if item is not None else {*self.accepted, *self.doubtful_leaders()}


def run_reference(race: ReferenceRace, vote_on: Callable[[int, int], float], max_votes: int):
    """Runs to the stop or `max_votes`; the items asked for in order, and whether it stopped.

    `vote_on(item, number)` gives an item's votes, numbered from 0.
    """
    asked = []
    while len(asked) < max_votes:
        items = race.next_items()
        if not items:
            return asked, True
        votes = [vote_on(item, race.votes[item]) for item in items]
        for item, vote in zip(items, votes, strict=True):
            race.tell(item, vote)
        asked += items
    return asked, not race.next_items()
