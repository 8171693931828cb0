"""Races that judge by other bounds: everything that a race with the paper's bound can do."""

import numpy as np
import pytest

from plaudit import Race, Scale, bounds
from plaudit.bounds.error_budget import split_error
from plaudit.simulation import Profile, SimulatedRace
from support.same_race import assert_same_from_now_on, intervals, restored

MIXTURES = ("beta-mixture", "betting")
READ_LEVELS = ("betting", "kinf", "empirical-bernstein")
JUDGES = (*MIXTURES, "kinf", "empirical-bernstein", "stitched")
RULES = ("pair", "largest-upper", "fewest-votes")
# Values that no binary fraction holds: sums round, and must round alike.
FUNNY = Scale.of({"Unfunny": 0.1, "Somewhat funny": 0.3, "Funny": 0.7})
THREE = Scale.of({"no": 0, "maybe": 0.5, "yes": 1})


def started(bound, *, items=6, scale=THREE, votes=40, seed=3, **given):
    """A race in which every item got some votes on the scale."""
    rng = np.random.default_rng(seed)
    race = Race(items, algorithm="lil-klucb", bound=bound, scale=scale, seed=seed, **given)
    race.tell_many(np.repeat(np.arange(items), votes), rng.choice(scale.values, items * votes))
    return race


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bound", JUDGES)
def test_votes_commute_to_the_last_bit(bound, rule):
    rng = np.random.default_rng(5)
    items, votes = rng.integers(0, 5, 400), rng.choice(FUNNY.values, 400)
    races = []
    for order in (np.arange(400), rng.permutation(400)):
        race = Race(5, algorithm="lil-klucb", bound=bound, rule=rule, scale=FUNNY, top=2, delta=0.1)
        race.tell_many(items[order], votes[order])
        races.append(race)
    assert intervals(races[0]) == intervals(races[1])
    assert races[0].ask(3) == races[1].ask(3)


@pytest.mark.parametrize("top", [1, 2])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("bound", JUDGES)
def test_a_restored_race_is_the_race(bound, rule, top):
    race = started(bound, rule=rule, top=top)
    race.ask(3)
    other = restored(race)
    assert intervals(other) == intervals(race)
    assert_same_from_now_on(race, other)


@pytest.mark.parametrize("bound", JUDGES)
def test_a_race_from_counts_is_the_race_that_was_told(bound):
    race = started(bound)
    levels = race.engine.state.levels[:6]
    other = Race.from_votes(
        levels.sum(axis=1),
        levels @ THREE.values,
        levels=levels,
        algorithm="lil-klucb",
        bound=bound,
        scale=THREE,
        seed=3,
    )
    assert_same_from_now_on(race, other)


@pytest.mark.parametrize("bound", JUDGES)
def test_intervals_are_the_bounds_at_the_budgets_levels(bound):
    race = started(bound, items=8, top=2, delta=0.07)
    budget = split_error(
        0.07, items=8, top=2, split="asymmetric", accounting="total", reserve=1 / 16
    )
    table, counts, named = race.intervals(), race.engine.state.levels[:8], bounds.get(bound)
    lower = named.lower_from_levels(counts, THREE.values, budget.lower)
    upper = named.upper_from_levels(counts, THREE.values, budget.upper)
    assert table.lower == pytest.approx(lower, abs=1e-15)
    assert table.upper == pytest.approx(upper, abs=1e-15)
    race.withdraw(0)
    race.add(1)
    upper = named.upper_from_levels(counts, THREE.values, budget.upper_after(2))
    assert race.intervals(range(1, 8)).upper == pytest.approx(upper[1:], abs=1e-15)


@pytest.mark.parametrize("bound", READ_LEVELS)
def test_levels_make_the_intervals_narrower(bound):
    scaled = started(bound, votes=200)
    table = scaled.intervals()
    plain = Race.from_votes(
        table.votes, table.means * table.votes, algorithm="lil-klucb", bound=bound, seed=3
    )
    wide = plain.intervals()
    assert (table.upper - table.lower < 0.9 * (wide.upper - wide.lower)).all()
    assert (table.upper < wide.upper).all()
    assert (table.lower > wide.lower).all()


@pytest.mark.parametrize("bound", JUDGES)
def test_pending_votes_spread_the_asks_and_never_judge(bound):
    race = started(bound, items=10, votes=20)
    before = intervals(race)
    asked = [race.ask(1)[0] for _ in range(300)]
    assert intervals(race) == before
    assert len(set(asked)) >= 5
    for item in asked:
        race.forget(item)
    assert_same_from_now_on(race, started(bound, items=10, votes=20), steps=20)


@pytest.mark.parametrize("bound", JUDGES)
@pytest.mark.parametrize("scale", [THREE, None])
def test_items_join_and_leave(bound, scale):
    race = Race(4, algorithm="lil-klucb", bound=bound, scale=scale, delta=0.1)
    race.withdraw(0)
    (new,) = race.add()
    while not race.verdict():
        for item in race.ask(2):
            race.tell(item, 1.0 if item == new else 0.0)
        assert race.votes < 5000
    assert race.verdict().items == (new,)


@pytest.mark.parametrize("bound", JUDGES)
def test_survivors_may_judge_by_it(bound):
    profile = Profile.bernoulli([0.9, 0.3, 0.2])
    given = {
        "algorithm": "lil-klucb",
        "bound": bound,
        "rule": "survivors",
        "stopping": "last-standing",
        "delta": 0.1,
    }
    assert SimulatedRace(profile, seed=2, **given).run().winners == (0,)


@pytest.mark.parametrize("bound", READ_LEVELS)
def test_votes_off_a_small_scale_are_taken_by_their_sum(bound):
    """A profile with more values than a scale holds runs on sums alone."""
    values = np.linspace(0, 1, 70)
    counts = np.ones((3, 70))
    counts[0, 60:] += 60
    profile = Profile.frequencies(counts, values.tolist())
    assert profile.scale is None
    race = SimulatedRace(profile, seed=1, algorithm="lil-klucb", bound=bound, delta=0.1)
    assert race.run().winners == (0,)
    assert race.race.settings.scale is None


@pytest.mark.parametrize("seed", range(3))
def test_fewer_votes_than_the_paper(seed):
    """On a three-level profile with slack: the order of the bounds, with room to spare."""
    rng = np.random.default_rng(seed)
    means = np.sort(rng.uniform(0.05, 0.3, 60))
    means[-1] = 0.5
    spread = 0.7 * means * (1 - means)
    table = np.stack([1 - means - spread, 2 * spread, means - spread], axis=1)
    profile = Profile.frequencies(table, [0.0, 0.5, 1.0])
    votes = [
        SimulatedRace(
            profile, seed=seed, algorithm="lil-klucb", bound=bound, delta=0.01, epsilon=0.05
        )
        .run()
        .votes
        for bound in ("lil-kl", *MIXTURES)
    ]
    assert votes[1] < 0.75 * votes[0]
    assert votes[2] < 0.85 * votes[1]
