"""The default algorithm: its choices and its stopping against slow, obvious definitions."""

import math
from collections import Counter

import numpy as np
import pytest

from plaudit import InvalidInput, Race, Scale
from plaudit.bounds.bets import BETS, LOG_WEIGHTS, SIZES, gains, log_capital
from plaudit.race.evidence import shortfall
from plaudit.simulation import Profile, SimulatedRace, run_races
from support.references.plaudit import PlauditReference
from support.references.race import RESERVE
from support.same_race import assert_same_from_now_on, restored

BINARY = Scale.of({"no": 0, "yes": 1})
THREE = Scale.of({"no": 0, "maybe": 0.5, "yes": 1})
NEAR = 1e-7


SHARES = np.array([size**0.4 for size in SIZES]) / sum(size**0.4 for size in SIZES)


def log_wealth(votes, side):
    """ln of the capital of all bets that the mean is above m (side -1) or below it (side 1).

    A function of m: what was won does not depend on it.
    """
    tally = Counter(votes).items()
    won = np.array(
        [
            sum(count * math.log1p(size * ((1 - x) if side > 0 else x)) for x, count in tally)
            for size in SIZES
        ]
    )

    def at(m):
        lost = len(votes) * np.log1p(SIZES * ((1 - m) if side > 0 else m))
        terms = np.log(SHARES) + won - lost
        top = terms.max()
        return float(top + np.log(np.exp(terms - top).sum()))

    return at


class EvidenceReference(PlauditReference):
    """The same with the stopping `evidence`: all pairs anew at every step."""

    def __init__(self, items, **given):
        super().__init__(items, **given)
        spent = self.delta * (1 - RESERVE)
        self.lower_delta = 0.5 * 0.2 * spent / (items - self.top)
        self.upper_delta = 0.8 * spent / self.top
        self.odds = 0.8 * spent / (0.8 * spent + self.delta * RESERVE * 5 / 8) / self.top

    def evidence(self, i, j):
        """Of i above j, as a function of the mean that would part them."""
        above, below = log_wealth(self.told[i], -1), log_wealth(self.told[j], 1)
        return lambda m: above(m) + math.log1p(self.odds * math.exp(below(m + self.epsilon)))

    def pair_is_settled(self, i, j):
        low, high = self.lower(i), min(1.0, self.upper(j)) - self.epsilon
        if low > high:
            return True
        a, b, evidence = low, high, self.evidence(i, j)
        for _ in range(45):
            left, right = a + (b - a) / 3, b - (b - a) / 3
            if evidence(left) < evidence(right):
                b = right
            else:
                a = left
        least = evidence((a + b) / 2) - math.log(1 / self.lower_delta)
        if abs(least) < NEAR:
            self.close_calls.append((sum(self.votes), "evidence", i, j))
        return least >= 0

    def may_stop(self):
        if min(self.votes) == 0:
            return False
        pairs = ((i, j) for i in self.doubtful_leaders() for j in self.trailing())
        return all(self.pair_is_settled(i, j) for i, j in pairs)


@pytest.mark.parametrize(
    ("stopping", "reference"), [(None, PlauditReference), ("evidence", EvidenceReference)]
)
@pytest.mark.parametrize(
    ("scale", "top", "epsilon", "delta"),
    [(BINARY, 1, 0.0, 0.1), (THREE, 1, 0.1, 0.05), (THREE, 2, 0.15, 0.2), (None, 1, 0.0, 0.2)],
)
def test_asks_and_stops_as_defined(stopping, reference, scale, top, epsilon, delta):
    rng = np.random.default_rng(11)
    means = [0.85, 0.6, 0.4, 0.2]
    values = scale.values if scale else (0.0, 1.0)
    given = {"top": top, "epsilon": epsilon, "delta": delta, "seed": 4}
    race = Race(4, scale=scale, stopping=stopping, **given)
    plain = reference(4, **given)
    while not race.verdict():
        items = race.ask(1)
        assert items == plain.next_items()
        mean = means[items[0]]
        weights = (
            np.array([1 - mean, mean])
            if len(values) == 2
            else np.array([(1 - mean) * 0.8, 0.2, mean * 0.8])
        )
        vote = float(rng.choice(values, p=weights))
        race.tell(items[0], vote)
        plain.tell(items[0], vote)
        assert race.votes < 1000
    assert plain.next_items() == []
    assert not plain.close_calls
    assert race.verdict().items == tuple(plain.doubtful_leaders())


def test_evidence_stops_where_intervals_do_not_part():
    """The product is at work: some verdict comes while the intervals still overlap."""
    gaps = []
    for seed in range(10):
        profile = Profile.bernoulli([0.7, 0.4])
        race = SimulatedRace(profile, seed=seed, delta=0.05, stopping="evidence")
        verdict = race.race.verdict() if race.run().stopped else None
        table = verdict.intervals
        inside = verdict.items[0]
        gaps.append(table.upper[1 - inside] - table.lower[inside])
        assert verdict.gap <= 0.0
        assert race.race.standings()[inside] == "in"
    assert max(gaps) > 0.02


def test_the_default_stops_only_where_intervals_part():
    """What is shown is what is judged: no verdict comes while two intervals overlap."""
    for seed in range(10):
        race = SimulatedRace(Profile.bernoulli([0.7, 0.4]), seed=seed, delta=0.05)
        assert race.run().stopped
        verdict = race.race.verdict()
        inside = verdict.items[0]
        gap = verdict.intervals.upper[1 - inside] - verdict.intervals.lower[inside]
        assert gap < 0.0
        assert verdict.gap == gap


@pytest.mark.parametrize("counts", [(), (3, 2, 5), (0, 0, 900), (10**6, 10**5, 3)])
@pytest.mark.parametrize("rest", [0.0, 0.01, 0.5, 1.0])
def test_log_capital_and_its_derivative(counts, rest):
    table = np.array(counts, dtype=np.int32)
    values = np.array(THREE.values if counts else [])
    votes = float(sum(counts)) or 12.5
    falls = votes - float(table @ values) if counts else 4.25
    logs = gains(values)[0]
    value, slope = log_capital(votes, falls, table, logs, rest)
    growth = table @ logs[:-1] if counts else falls * np.log1p(SIZES)
    terms = LOG_WEIGHTS + growth - votes * np.log1p(SIZES * rest)
    exact = np.logaddexp.reduce(terms)
    assert len(terms) == BETS
    assert exact - 1e-13 * abs(exact) - 1e-9 <= value <= exact + 1e-9
    shares = np.exp(terms - exact)
    assert slope == pytest.approx(-votes * (shares * SIZES / (1 + SIZES * rest)).sum(), rel=1e-9)


def test_no_pair_is_settled_where_the_least_evidence_is_short():
    """Against a dense grid, over random pairs on both sides of the threshold."""
    rng = np.random.default_rng(5)
    said = []
    for _ in range(120):
        epsilon = float(rng.choice([0.0, 0.1]))
        race = Race(3, scale=THREE, delta=0.1, epsilon=epsilon, stopping="evidence")
        for item, mean in ((0, 0.75), (1, rng.uniform(0.2, 0.6)), (2, 0.1)):
            count = int(rng.integers(20, 90))
            votes = rng.choice(THREE.values, count, p=[1 - mean - 0.1, 0.2, mean - 0.1 + 1e-17])
            race.tell_many([item] * count, votes)
        if race.leaders != (0,):
            continue
        state = race.engine.state
        plain = EvidenceReference(3, delta=0.1, epsilon=epsilon)
        plain.told = [np.repeat(THREE.values, state.levels[item]).tolist() for item in range(3)]
        plain.votes = [len(votes) for votes in plain.told]
        plain.sums = [sum(votes) for votes in plain.told]
        table = race.intervals()
        grid = np.linspace(table.lower[0], table.upper[1] - epsilon, 81)
        least = min(map(plain.evidence(0, 1), grid), default=math.inf)
        open_now = grid[0] <= grid[-1] and least < math.log(1 / plain.lower_delta)
        answer = bool(shortfall(state, 0, 1)[0] < 0)
        assert not (answer and open_now)
        said.append((answer, not open_now))
    assert sum(a for a, _ in said) > 20
    assert sum(not a for a, _ in said) > 20
    # The grid's least is above the true one: a little may be missed, no more.
    assert sum(a != b for a, b in said) <= 1


@pytest.mark.parametrize("scale", [THREE, None])
@pytest.mark.parametrize("top", [1, 2])
def test_the_order_of_votes_and_a_pause_leave_no_trace(scale, top):
    rng = np.random.default_rng(8)
    items, votes = rng.integers(0, 5, 300), rng.choice(THREE.values, 300)
    races = []
    for order in (np.arange(300), rng.permutation(300)):
        race = Race(5, scale=scale, top=top, delta=0.1, seed=2)
        race.tell_many(items[order], votes[order])
        race.ask(2)
        races.append(race)
    assert_same_from_now_on(races[0], restored(races[1]))


def test_many_raters_at_once_are_not_all_sent_to_the_leader():
    race = Race(6, scale=THREE, seed=1)
    rng = np.random.default_rng(2)
    race.tell_many(np.repeat(np.arange(6), 30), rng.choice(THREE.values, 180))
    asked = [race.ask(1)[0] for _ in range(200)]
    shares = np.bincount(asked, minlength=6) / 200
    assert shares.max() < 0.8
    assert (shares > 0.02).sum() >= 3
    for item in asked:
        race.forget(item)
    fresh = Race(6, scale=THREE, seed=1)
    rng = np.random.default_rng(2)
    fresh.tell_many(np.repeat(np.arange(6), 30), rng.choice(THREE.values, 180))
    assert race.engine.header["balance"] == fresh.engine.header["balance"]


@pytest.mark.parametrize(("items", "top"), [(2, 1), (4, 2), (5, 1), (5, 4), (8, 3)])
def test_a_cold_batch_is_spread(items, top):
    """Asks before the first vote comes in: nothing is known, so every item gets as many."""
    race = Race(items, top=top, seed=3)
    asked = race.ask(40 * items, distinct=False)
    assert np.bincount(asked, minlength=items).tolist() == [40] * items
    one_by_one = Race(items, top=top, seed=3)
    assert [one_by_one.ask(1)[0] for _ in asked] == asked


def test_items_join_and_leave_and_the_balance_follows():
    race = Race(5, scale=THREE, delta=0.1, seed=3)
    rng = np.random.default_rng(3)
    race.tell_many(np.repeat(np.arange(5), 20), rng.choice(THREE.values, 100))
    race.withdraw(race.leaders[0])
    (new,) = race.add()
    while not race.verdict():
        for item in race.ask(2):
            race.tell(item, 1.0 if item == new else float(rng.choice([0.0, 0.5])))
        pulls = race.engine.state.items["pull"][: len(race)]
        assert race.engine.header["balance"] == pulls.sum()
        assert race.votes < 5000
    assert race.verdict().items == (new,)


def test_items_that_led_by_luck_do_not_keep_the_leaders_busy():
    """One good item among many: were all pulls to count, a wrong leader might get all votes."""
    profile = Profile.bernoulli([0.5] + [0.1] * 1999)
    for seed in range(6):
        outcome = SimulatedRace(profile, seed=seed, delta=0.01).run(max_votes=400_000)
        assert outcome.stopped
        assert outcome.winners == (0,)


def test_two_items_end_wherever_the_bound_of_the_rival_comes_to_lie():
    """Just above the leader's mean it must not send all votes to the leader."""
    profile = Profile.bernoulli([0.7, 0.4])
    assert all(race.stopped for race in run_races(profile, 300, seed=5, max_votes=20_000))


def test_parts_that_do_not_go_together_say_so():
    with pytest.raises(InvalidInput, match="needs the bound 'betting'"):
        Race(4, bound="sg1", stopping="evidence")
    with pytest.raises(InvalidInput, match="moves with the race's time"):
        Race(4, bound="kl-lucb", rule="balance")
    # A part that was not asked for gives way.
    assert Race(4, bound="sg1").verdict().algorithm == "sg1/balance/separation"
    assert Race(4, rule="pair").verdict().algorithm == "betting/pair/separation"
    # The default's split stays with its bound and its stopping; other bounds have LUCB++'s.
    shares = {"pair": 0.9, "balance": 0.9, None: 0.9}
    for rule, share in shares.items():
        budget = Race(4, rule=rule, reserve=0.0).engine.method.budget
        assert budget.upper == pytest.approx(share * 0.01)
    assert Race(4, bound="sg1", reserve=0.0).engine.method.budget.upper == pytest.approx(0.005)
    assert Race(4, bound="kl-lucb").verdict().algorithm == "kl-lucb/pair/separation"


@pytest.mark.parametrize("means", [[0.5, 0.5, 0.2], [1.0, 0.9, 0.0], [0.05, 0.02, 0.0, 0.0]])
def test_needs_fewer_votes_than_the_paper(means):
    profile = Profile.bernoulli(means)
    given = {"epsilon": 0.1 if means[0] == means[1] else 0.0, "delta": 0.05}
    ours = [race.votes for race in run_races(profile, 20, seed=1, **given)]
    theirs = [race.votes for race in run_races(profile, 20, seed=1, algorithm="lil-klucb", **given)]
    assert np.mean(ours) < 0.9 * np.mean(theirs)
