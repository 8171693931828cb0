"""AT-LUCB against a program that takes every bound anew, and in contests that never stop."""

import math

import numpy as np
import pytest

from plaudit import InvalidInput, Race, Scale
from plaudit.race.tree import ticket
from plaudit.service.contest.settings import Lane
from plaudit.service.watch.results import make_results
from plaudit.simulation import Profile, SimulatedRace
from plaudit.store import open_store
from support.live_worker import Clock, create, working

ALPHA = 0.99
THIRDS = Scale(("no", "so", "yes"), (0.0, 0.5, 1.0))


class Reference:
    """The algorithm in rounds: all radii from the definition, at each stage tried."""

    def __init__(self, items, *, top, delta, seed):
        self.n, self.top, self.delta, self.seed = items, top, delta, seed
        self.votes, self.sums = [0] * items, [0.0] * items
        self.stage, self.time, self.chosen = 1, 0, None

    def ticket(self, item):
        return int(ticket(self.seed, item, self.votes[item]))

    def mean(self, item):
        return self.sums[item] / self.votes[item]

    def pair(self):
        """The weakest leader and the strongest of the others, and how far apart they are."""
        error = self.delta * ALPHA ** (self.stage - 1)
        evidence = math.log(1.25 * self.n * self.time**4 / error)
        radius = [math.sqrt(evidence / (2 * votes)) for votes in self.votes]
        ranked = sorted(range(self.n), key=lambda i: (self.mean(i), self.ticket(i)))[::-1]
        inside, outside = ranked[: self.top], ranked[self.top :]
        weak = min(inside, key=lambda i: (self.mean(i) - radius[i], self.ticket(i)))
        strong = max(outside, key=lambda i: (self.mean(i) + radius[i], self.ticket(i)))
        gap = self.mean(strong) + radius[strong] - (self.mean(weak) - radius[weak])
        return inside, weak, strong, gap

    def next_pair(self):
        self.time += 1
        inside, weak, strong, gap = self.pair()
        if gap < 0 or self.stage == 1:
            self.chosen = inside
        while gap < 0:
            self.stage += 1
            inside, weak, strong, gap = self.pair()
        return [weak, strong]

    def tell(self, item, vote):
        self.votes[item] += 1
        self.sums[item] += vote


@pytest.mark.parametrize(("items", "top"), [(2, 1), (6, 1), (9, 3), (40, 5)])
@pytest.mark.parametrize("delta", [0.005, 0.5])
def test_every_round_is_that_of_the_reference(items, top, delta):
    rng = np.random.default_rng([items, top])
    means = rng.permutation(np.where(np.arange(items) < top, 0.9, rng.uniform(0.0, 0.3, items)))
    table = (rng.random((items, 3000)) < means[:, None]).astype(float)
    race = Race(items, algorithm="at-lucb", top=top, delta=delta, seed=3, reserve=0.0)
    reference = Reference(items, top=top, delta=delta, seed=3)
    for item in range(items):
        race.tell(item, table[item, 0])
        reference.tell(item, table[item, 0])
    for _ in range(1200):
        asked = race.ask(2)
        expected = reference.next_pair()
        assert asked == expected
        assert set(race.leaders) == set(reference.chosen)
        assert race.engine.header["stage"] == reference.stage - 1
        for item in asked:
            vote = table[item, reference.votes[item]]
            race.tell(item, vote)
            reference.tell(item, vote)
    assert reference.stage > 1 or items == 40


def test_the_simulator_runs_the_same_rounds():
    profile = Profile.bernoulli([1.0, 0.0, 1.0, 0.0])
    simulated = SimulatedRace(profile, algorithm="at-lucb", top=2, seed=8)
    race = Race(4, algorithm="at-lucb", top=2, seed=8)
    for item in range(4):
        race.tell(item, profile.means[item])
    for _ in range(300):
        for item in race.ask(2):
            race.tell(item, profile.means[item])
    simulated.run(max_votes=604)
    assert simulated.race.intervals().votes.tolist() == race.intervals().votes.tolist()
    assert simulated.race.engine.header["stage"] == race.engine.header["stage"] > 10
    assert set(simulated.race.leaders) == {0, 2}


def test_recommendations_stay_until_a_stage_ends():
    race = Race(2, algorithm="at-lucb", delta=0.5, seed=1)
    race.tell_many([0] * 400 + [1] * 400, [1.0] * 400 + [0.0] * 400)
    race.ask(2)
    stage = race.engine.header["stage"]
    assert stage > 0
    # The other takes the lead, by too little for a stage to end.
    race.tell_many([0] * 420 + [1] * 700, [0.0] * 420 + [1.0] * 700)
    assert race.engine.state.seats[0] == 1
    assert race.leaders == (0,)
    race.tell_many([1] * 4000, [1.0] * 4000)
    race.tell_many([0] * 4000, [0.0] * 4000)
    assert race.leaders == (1,)
    assert race.engine.header["stage"] >= stage


def test_it_never_gives_a_verdict_nor_claims_an_error():
    race = SimulatedRace(Profile.bernoulli([0.9, 0.1, 0.1]), algorithm="at-lucb", seed=2)
    outcome = race.run(max_votes=30_000)
    assert not outcome.stopped
    assert not outcome.certified
    assert outcome.correct
    verdict = race.race.verdict()
    assert verdict.delta is None
    assert "certifies nothing" in str(verdict)
    with pytest.raises(InvalidInput, match="never stops"):
        race.run()


def test_raters_always_get_something():
    """Late votes in odd numbers, exclusions and batches: whoever has not seen all gets an item."""
    rng = np.random.default_rng(4)
    race = Race(12, algorithm="at-lucb", top=3, delta=0.5, scale=THIRDS, epsilon=0.05)
    waiting = []
    for _ in range(600):
        seen = rng.permutation(12)[: rng.integers(0, 12)].tolist()
        items = race.ask(1, exclude=seen)
        assert len(items) == 1
        assert not set(items) & set(seen)
        waiting += items
        while len(waiting) > 5:
            item = waiting.pop(int(rng.integers(len(waiting))))
            race.tell(item, 1.0 if item < 3 else 0.0)
    assert set(race.leaders) == {0, 1, 2}


def test_a_restored_race_goes_on_alike_and_counts_find_a_stage(tmp_path):
    race = Race(5, algorithm="at-lucb", delta=0.5, seed=1)
    rng = np.random.default_rng(1)
    for _ in range(800):
        for item in race.ask(2):
            race.tell(item, float(rng.random() < (0.9 if item == 4 else 0.2)))
    race.save(tmp_path / "race")
    restored = Race.restore(tmp_path / "race")
    assert restored.leaders == race.leaders
    assert restored.engine.header["stage"] == race.engine.header["stage"] > 0
    for _ in range(50):
        items = race.ask(2)
        assert items == restored.ask(2)
        for item in items:
            for each in (race, restored):
                each.tell(item, float(item == 4))
    # The last vote may have left a round half done.
    race.ask(1)
    table = race.intervals()
    totals = table.means * table.votes
    counted = Race.from_votes(table.votes, totals, algorithm="at-lucb", delta=0.5, seed=1)
    assert counted.leaders == (4,)
    assert 0 < counted.engine.header["stage"] <= race.engine.header["stage"]


def test_items_join_and_leave():
    race = Race(3, algorithm="at-lucb", delta=0.5)
    for _ in range(200):
        for item in race.ask(2):
            race.tell(item, float(item == 0))
    race.add(2)
    assert set(race.ask(2)) == {3, 4}
    race.withdraw(0)
    for _ in range(300):
        for item in race.ask(2):
            assert item != 0
            race.tell(item, float(item == 4))
    assert race.leaders == (4,)


@pytest.mark.parametrize("parts", [{"bound": "lil-kl"}, {"rule": "largest-upper"}])
def test_other_parts_are_refused(parts):
    with pytest.raises(InvalidInput, match="at-lucb"):
        Race(4, algorithm="at-lucb", **parts)
    with pytest.raises(InvalidInput, match="at-lucb"):
        Race(4, stopping="never")


def test_a_live_contest_goes_on(tmp_path):
    """Hundreds of clear votes: nothing is decided, all raters get items, a restart goes on."""
    database, clock = str(tmp_path / "contest.db"), Clock()
    store = open_store(database)
    create(store, clock=clock, lanes=(Lane("at-lucb"),), delta=0.5, epsilon=0.1)
    store.close()
    for _ in range(2):
        with working(database, clock) as worker:
            for _ in range(150):
                rater = worker.new_rater()
                for _ in range(3):
                    item = worker.vote_once(rater, lambda item: 2 if item == 3 else 0)
                    assert item is not None
            live = worker.settled()
            assert not live.all_decided
            assert live.verdict_due() == []
            assert live.races[0].leaders == (3,)
            results = make_results(live.snapshot())
            assert "certifies nothing" in str(results)
    with working(database, clock) as worker:
        rater = worker.new_rater()
        seen = [worker.vote_once(rater, lambda item: 1) for _ in range(12)]
        assert sorted(seen) == list(range(12))
