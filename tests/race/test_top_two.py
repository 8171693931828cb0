"""The Top-Two rules against a program that takes every cost anew at each step.

The reference knows nothing of keys or trees: costs are minimised by bisection, indices
are taken from their definition. Of Plaudit it uses the coin and the draw from a
posterior, which are random choices. A choice that hangs on less than CLOSE is noted, and no
test has one.
"""

import math
from functools import cache

import numpy as np
import pytest
from scipy.special import lambertw
from scipy.stats import beta, kstest

from plaudit import InvalidInput, Race, Scale
from plaudit.race.state import TTUCB
from plaudit.race.top_two.keys import bonus_at
from plaudit.race.top_two.thompson import draw_mean, toss
from plaudit.race.top_two.transport import cost_kernel
from plaudit.simulation import Profile, SimulatedRace
from support.references.race import divergence, place_in_draw

CLOSE = 1e-9
RULES = ("eb-tc", "ttucb", "t3c")
THIRDS = Scale(("no", "so", "yes"), (0.0, 0.5, 1.0))


@cache
def least_cost(lead_votes, lead_mean, votes, mean, epsilon):
    """The infimum over all m: the sum is convex in m, so its slope changes sign there."""
    low, high = max(mean, epsilon), min(lead_mean + epsilon, 1.0)

    def cost(m):
        return lead_votes * divergence(lead_mean, m - epsilon) + votes * divergence(mean, m)

    def slope(m):
        return lead_votes * bend(lead_mean, m - epsilon) + votes * bend(mean, m)

    for _ in range(60):
        m = 0.5 * (low + high)
        if not low < m < high:
            break
        low, high = (m, high) if slope(m) < 0.0 else (low, m)
    return min(cost(low), cost(high))


def bend(x, m):
    """How the divergence of x from m grows with m."""
    return (m - x) / (m * (1.0 - m))


class Reference:
    """A race of one rule: the counts, and the next item from all of them."""

    def __init__(self, items, rule, *, seed, epsilon):
        self.n, self.rule, self.seed, self.epsilon = items, rule, seed, epsilon
        self.votes, self.sums, self.led = [0] * items, [0.0] * items, {}
        self.close_calls = 0

    def ticket(self, item):
        # A choice's ticket: the pending votes, none, stand before the draw.
        return (0xFFFF << 48) | (self.plain_ticket(item) >> 16)

    def plain_ticket(self, item):
        return place_in_draw(self.seed, item, self.votes[item])

    def mean(self, item):
        return self.sums[item] / self.votes[item]

    def pick(self, keys):
        """The smallest key, then the largest ticket."""
        least = min(keys.values())
        near = [key for key in keys.values() if 0.0 < key - least < CLOSE * abs(least)]
        self.close_calls += len(near) > 0
        return max((item for item in keys if keys[item] == least), key=self.ticket)

    def leader(self):
        items = range(self.n)
        if self.rule == "ttucb":
            time = sum(self.votes) + 1
            x = 2 * 1.44 * math.log(time) + 2 * math.log(2 + 1.2 * math.log(time)) + 2
            g = -lambertw(-math.exp(-x), -1).real if x < 700 else math.inf
            return self.pick({i: -self.mean(i) - math.sqrt(g / 4 / self.votes[i]) for i in items})
        if self.rule == "t3c":
            number = sum(self.votes)
            draws = [draw_mean(self.seed, number, i, self.votes[i], self.sums[i]) for i in items]
            return int(np.argmax(draws))
        return max(items, key=lambda i: (self.mean(i), self.plain_ticket(i)))

    def cost(self, leader, item):
        if self.mean(item) >= self.mean(leader) + self.epsilon:
            return -1.0 - self.mean(item)
        counts = self.votes[leader], self.mean(leader), self.votes[item], self.mean(item)
        return least_cost(*counts, self.epsilon)

    def next_item(self):
        unseen = [i for i in range(self.n) if self.votes[i] == 0]
        if unseen:
            return max(unseen, key=self.ticket)
        leader = self.leader()
        if self.rule == "ttucb" or (self.rule == "eb-tc" and self.epsilon > 0):
            turns, won = self.led.get(leader, (0, 0))
            turns += 1
            favoured = won <= turns / 2
            self.led[leader] = turns, won + favoured
        else:
            favoured = toss(self.seed, sum(self.votes))
        if favoured:
            return leader
        best = max(range(self.n), key=lambda i: (self.mean(i), self.plain_ticket(i)))
        if self.rule == "ttucb" and leader != best:
            return best
        return self.pick({i: self.cost(leader, i) for i in range(self.n) if i != leader})

    def tell(self, item, vote):
        self.votes[item] += 1
        self.sums[item] += vote


def votes_of(means, levels, seed, room=4000):
    draws = np.random.default_rng(seed).random((len(means), room))
    steps = levels - 1
    return np.floor(steps * np.asarray(means)[:, None] + draws) / steps


def compare(rule, table, *, limit, epsilon=0.0, seed=0):
    """How many votes were alike: all of them, or the test fails at the first that differs."""
    reference = Reference(len(table), rule, seed=seed, epsilon=epsilon)
    race = Race(
        len(table),
        algorithm="lil-klucb",
        rule=rule,
        epsilon=epsilon,
        seed=seed,
        delta=1e-12,
        reserve=0.0,
    )
    told = 0
    while told < limit and (items := race.ask(1)):
        assert items == [reference.next_item()], told
        item = items[0]
        vote = table[item, reference.votes[item]]
        race.tell(item, vote)
        reference.tell(item, vote)
        told += 1
    assert reference.close_calls == 0
    return told


@pytest.mark.parametrize("epsilon", [0.0, 0.07])
@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("rule", RULES)
def test_every_ask_is_that_of_the_reference(rule, levels, epsilon):
    rng = np.random.default_rng([levels, len(rule)])
    for seed, items in enumerate((2, 5, 23)):
        table = votes_of(rng.random(items), levels, seed)
        assert compare(rule, table, limit=500, epsilon=epsilon, seed=seed) > 20


@pytest.mark.parametrize("means", [(0.0,) * 9, (1.0,) * 9, (0.5,) * 40, (1.0, 0.97, 0.94, 0.0)])
@pytest.mark.parametrize("rule", RULES)
def test_equal_items_and_certain_votes(rule, means):
    assert compare(rule, votes_of(means, 2, 3), limit=400, seed=5) == 400


@pytest.mark.parametrize("rule", ["eb-tc", "ttucb"])
def test_many_alike_are_searched_as_one_by_one(rule):
    """Several levels of the tree, and thousands of ties in all places of it."""
    means = np.linspace(0.0, 0.9, 150)
    assert compare(rule, votes_of(means, 2, 4), limit=1500, seed=2) == 1500


@pytest.mark.parametrize("rule", RULES)
def test_the_simulator_asks_what_a_race_asks(rule):
    profile = Profile.bernoulli([1.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    race = Race(6, algorithm="lil-klucb", rule=rule, seed=4, delta=1e-9)
    simulated = SimulatedRace(profile, algorithm="lil-klucb", rule=rule, seed=4, delta=1e-9)
    for _ in range(60):
        simulated.advance(1)
        item = race.ask(1)[0]
        race.tell(item, profile.means[item])
        expected = simulated.race.intervals().votes
        assert race.intervals().votes.tolist() == expected.tolist()


# Costs and random choices


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 0.3])
def test_the_cost_is_the_least_over_all_common_means(epsilon):
    rng = np.random.default_rng(7)
    for _ in range(300):
        lead_votes, votes = (int(v) for v in rng.integers(1, 400, 2))
        lead, own = (float(v) for v in rng.choice([0.0, 1.0, *rng.random(4)], 2))
        found = cost_kernel(lead_votes, lead, votes, own, epsilon)
        if own >= lead + epsilon:
            assert found == -1.0 - own
        else:
            least = least_cost(lead_votes, lead, votes, own, epsilon)
            assert found == pytest.approx(least, rel=1e-7, abs=1e-12)


def test_the_cost_grows_with_the_leader():
    """What the kept keys rest on."""
    rng = np.random.default_rng(8)
    for _ in range(2000):
        votes, own, lead, epsilon = rng.integers(1, 50), *rng.random(2), rng.choice([0.0, 0.1])
        weak = cost_kernel(10.0, lead, votes, own, epsilon)
        assert cost_kernel(13.0, lead, votes, own, epsilon) >= weak - 1e-12 * abs(weak)
        stronger = min(1.0, lead + 0.01)
        assert cost_kernel(10.0, stronger, votes, own, epsilon) >= weak - 1e-12 * abs(weak)


def test_the_bonus_solves_its_equation():
    for time in (2.0, 100.0, 1e9):
        log = 1.2 * math.log(time)
        w = bonus_at(time)
        right = 2.4 * log + 2 * math.log(2 + log) + 2
        assert w - math.log(w) == pytest.approx(right, rel=1e-14)


@pytest.mark.parametrize(("votes", "total"), [(0, 0.0), (1, 1.0), (9, 2.5), (400, 399.0)])
def test_draws_follow_the_posterior(votes, total):
    """Kolmogorov and Smirnov at level 1e-4 on 4,000 draws: four false alarms in 10,000 runs."""
    draws = [draw_mean(11, number, 3, votes, total) for number in range(4000)]
    assert kstest(draws, beta(1 + total, 1 + votes - total).cdf).pvalue > 1e-4
    assert len(set(draws)) == 4000


def test_the_coin_is_fair_and_draws_of_items_and_seeds_are_unrelated():
    tosses = np.array([toss(5, number) for number in range(20_000)])
    assert abs(tosses.mean() - 0.5) < 4 * 0.5 / math.sqrt(20_000)
    pairs = np.mean(tosses[1:] == tosses[:-1])
    assert abs(pairs - 0.5) < 4 * 0.5 / math.sqrt(20_000)
    one, two, other = ([draw_mean(seed, k, item, 4, 2.0) for k in range(2000)]
                       for seed, item in ((5, 0), (5, 1), (6, 0)))  # fmt: skip
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.09
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.09


# A live race


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
@pytest.mark.parametrize("rule", RULES)
def test_batches_exclusions_and_late_votes(rule, epsilon):
    rng = np.random.default_rng(3)
    race = Race(
        20, algorithm="lil-klucb", rule=rule, seed=1, epsilon=epsilon, delta=0.01, scale=THIRDS
    )
    waiting = []
    for _ in range(400):
        seen = rng.permutation(20)[: rng.integers(0, 20)].tolist()
        distinct = bool(rng.random() < 0.5)
        items = race.ask(int(rng.integers(1, 6)), exclude=seen, distinct=distinct)
        assert items, "an item that was not seen is left"
        assert not set(items) & set(seen)
        assert not distinct or len(set(items)) == len(items)
        waiting += items
        rng.shuffle(waiting)
        for _ in range(int(rng.integers(0, 5))):
            if waiting and rng.random() < 0.1:
                race.forget(waiting.pop())
            elif waiting:
                race.tell(waiting.pop(), float(rng.choice([0.0, 0.5, 1.0])))
    assert race.pending == len(waiting) == race.engine.header["pending"]


@pytest.mark.parametrize("rule", RULES)
def test_a_blocked_leader_gives_way_and_a_blocked_field_gives_the_leader(rule):
    race = Race(4, algorithm="lil-klucb", rule=rule, seed=2, delta=0.01)
    for item, vote in enumerate((1.0, 0.0, 0.0, 0.0)):
        race.tell(item, vote)
    others = [1, 2, 3]
    for _ in range(6):
        assert race.ask(1, exclude=[0])[0] in others
        assert race.ask(2, exclude=others) == [0]
        assert race.ask(1, exclude=range(4)) == []
    assert sorted(race.ask(10)) == [0, 1, 2, 3]


@pytest.mark.parametrize("rule", RULES)
def test_many_raters_at_once_are_spread(rule):
    race = Race(50, algorithm="lil-klucb", rule=rule, seed=2, delta=0.01)
    table = votes_of(np.linspace(0.2, 0.8, 50), 2, 1)
    for item in range(50):
        race.tell_many([item] * 20, table[item, :20])
    asked = race.ask(200, distinct=False)
    assert len(set(asked)) > 3
    assert max(np.bincount(asked)) < 150


@pytest.mark.parametrize("rule", RULES)
def test_a_restored_race_asks_the_same(rule, tmp_path):
    race = Race(12, algorithm="lil-klucb", rule=rule, seed=3, delta=1e-9)
    table = votes_of(np.linspace(0.1, 0.9, 12), 2, 2)
    for number in range(150):
        for item in race.ask(1):
            race.tell(item, table[item, number])
    race.ask(3)
    race.save(tmp_path / "race")
    restored = Race.restore(tmp_path / "race")
    for number in range(150, 300):
        items = race.ask(2)
        assert items == restored.ask(2)
        for item in items:
            race.tell(item, table[item, number])
            restored.tell(item, table[item, number])


@pytest.mark.parametrize("rule", RULES)
def test_items_join_and_leave(rule):
    race = Race(3, algorithm="lil-klucb", rule=rule, seed=3, delta=0.05)
    for item in race.ask(3):
        race.tell(item, 0.0)
    assert set(race.add(9)) == set(race.ask(9))
    race.withdraw([0, 4])
    race.withdraw(race.leaders[0])
    for _ in range(60):
        for item in race.ask(2):
            assert item not in race.withdrawn
            race.tell(item, float(item == 7))
    race.verdict()
    assert race.leaders == (7,)


@pytest.mark.parametrize("rule", RULES)
def test_more_than_one_place_is_refused(rule):
    with pytest.raises(InvalidInput, match="top=1"):
        Race(5, algorithm="lil-klucb", rule=rule, top=2)


# What the rules are for


@pytest.mark.parametrize("rule", RULES)
def test_half_of_the_votes_go_to_the_leader(rule):
    """A fixed seed; the coin's share lies within 4 standard deviations of 1/2."""
    race = SimulatedRace(
        Profile.bernoulli([0.9, 0.4, 0.4, 0.3]),
        algorithm="lil-klucb",
        rule=rule,
        seed=1,
        delta=1e-300,
    )
    race.run(max_votes=4000)
    share = race.race.intervals().votes[0] / 4000
    assert abs(share - 0.5) < 4 * 0.5 / math.sqrt(4000)


def best_shares(means):
    """Half for the best; the other half so that all rivals cost the same."""
    best, rivals = means[0], means[1:]

    def total(cost):
        def share(rival):
            low, high = 0.0, 1.0
            for _ in range(60):
                middle = (low + high) / 2
                below = cost_kernel(0.5, best, middle, rival, 0.0) < cost
                low, high = (middle, high) if below else (low, middle)
            return low

        return [share(rival) for rival in rivals]

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(total(middle)) < 0.5 else (low, middle)
    return np.array([0.5, *total(low)])


@pytest.mark.parametrize("rule", RULES)
def test_shares_approach_the_best_with_half_for_the_leader(rule):
    means = [0.8, 0.6, 0.5, 0.3]
    race = SimulatedRace(
        Profile.bernoulli(means), algorithm="lil-klucb", rule=rule, seed=6, delta=1e-300
    )
    race.run(max_votes=20_000)
    shares = race.race.intervals().votes / 20_000
    assert shares == pytest.approx(best_shares(means), abs=0.02)


@pytest.mark.parametrize("rule", RULES)
def test_verdicts_are_right_and_rest_on_the_stopping(rule):
    race = SimulatedRace(
        Profile.bernoulli([0.8, 0.4, 0.3]), algorithm="lil-klucb", rule=rule, seed=6, delta=0.05
    )
    outcome = race.run()
    assert outcome.correct
    assert outcome.certified
    assert race.race.verdict().algorithm == f"lil-kl/{rule}/separation"


def test_turns_as_leader_are_kept():
    race = SimulatedRace(
        Profile.bernoulli([0.8, 0.4]), algorithm="lil-klucb", rule="ttucb", seed=6, delta=1e-99
    )
    race.run(max_votes=500)
    assert race.race.engine.header["rule"] == TTUCB
    assert race.race.engine.state.items["led"].sum() == 498
