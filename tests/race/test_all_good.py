"""The goal "all-good": against a plain reference, by its frequencies, and through a race's life."""

import io
import json

import numpy as np
import pytest
from scipy.stats import binom

from plaudit import Race, Scale
from plaudit.bounds.error_budget import split_for_all_good
from plaudit.errors import InvalidInput, NotAllowed
from plaudit.race import index
from plaudit.race.all_good.camps import descend
from plaudit.race.verdict import Verdict
from plaudit.simulation import Profile, SimulatedRace, run_races
from plaudit.simulation.streams import Stream
from support.references.good import ReferenceGood, run_reference

ROOM = 2500
FALSE_ALARM = 1e-6
BOUND_OF = {"lil-klucb": "lil-kl", "kl-lucb": "kl-lucb", "lucb": "hoeffding", "lucb++": "sg2"}


def good_race(items, **given):
    return Race(items, **{"goal": "all-good", "epsilon": 0.1, "delta": 0.1} | given)


def instance(seed, items, levels):
    """Some items near the best, some far below; in random order, a row of votes for each."""
    rng = np.random.default_rng([seed, items, levels])
    few = 1 + items // 3
    means = np.concatenate((rng.uniform(0.8, 0.95, few), rng.uniform(0, 0.4, items - few)))
    draws = rng.random((items, ROOM))
    return np.floor((levels - 1) * rng.permutation(means)[:, None] + draws) / (levels - 1)


def run_live(race, table, limit=ROOM):
    asked, seen = [], np.zeros(len(race), dtype=int)
    while len(asked) < limit and not race.verdict():
        (item,) = race.ask(1)
        race.tell(item, table[item, seen[item]])
        seen[item] += 1
        asked.append(item)
    return asked, race.verdict()


# The reference


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("algorithm", [*BOUND_OF, "uniform", "beta-mixture", "betting"])
def test_every_step_is_that_of_the_reference(algorithm, seed):
    uniform = algorithm == "uniform"
    given = {"algorithm": algorithm} if algorithm in (*BOUND_OF, "uniform") else {}
    bound = "lil-kl" if uniform else BOUND_OF.get(algorithm, algorithm)
    given |= {} if given else {"bound": algorithm}
    for items, levels, epsilon in ((2, 2, 0.3), (5, 3, 0.2), (11, 2, 0.25)):
        # A mean of 1/2 from one vote puts this bound too close to 1 to tell items apart.
        table = instance(seed, items, 2 if algorithm == "kl-lucb" else levels)
        common = {"delta": 0.1, "epsilon": epsilon, "seed": seed}
        reference = ReferenceGood(items, bound, uniform=uniform, **common)
        expected, stopped = run_reference(reference, lambda item, k, t=table: t[item, k], ROOM)
        if algorithm == "betting":
            common["scale"] = Scale(tuple("abc"[:levels]), tuple(np.linspace(0, 1, levels)))
        asked, verdict = run_live(good_race(items, **common | given), table)
        assert reference.close_calls == []
        assert asked == expected
        assert verdict.stopped == stopped
        if stopped:
            assert set(verdict.items) == reference.winners()
    assert stopped or algorithm in ("uniform", "kl-lucb", "lucb")


def test_stages_are_those_of_the_reference():
    table = instance(3, 16, 2)
    reference = ReferenceGood(16, "lil-kl", delta=0.1, epsilon=0.2)
    run_reference(reference, lambda item, k: table[item, k], ROOM)
    race = good_race(16, epsilon=0.2)
    run_live(race, table)
    assert race.engine.state.header[0]["standing"] == reference.standing < 16


@pytest.mark.parametrize("rule", ["pair", "fewest-votes"])
def test_a_simulated_race_is_a_live_one(rule):
    profile = Profile.bernoulli([0.9, 0.85, 0.6, 0.3, 0.2, 0.1])
    simulated = SimulatedRace(profile, seed=5, goal="all-good", epsilon=0.1, rule=rule)
    outcome = simulated.run()
    race = Race(6, seed=5, goal="all-good", epsilon=0.1, rule=rule)
    with Stream(5).lend() as generator:
        while not race.verdict() or race.engine.state.header[0]["unsampled"]:
            (item,) = race.ask(1)
            level = np.searchsorted(profile.below[item], generator.random(), side="right")
            race.tell(item, profile.values[level])
    assert race.votes == outcome.votes
    assert race.verdict().items == outcome.winners
    assert outcome.stopped
    assert outcome.certified


# Frequencies

# Numbers that are exact in binary, so that ties at both borders are ties.
HARD = {
    "at both borders": ([0.75, 0.625, 0.5, 0.25], 0.125),
    "all at the inner border": ([0.75, 0.5, 0.5, 0.5], 0.25),
    "just beyond the outer border": ([0.75, 0.2, 0.2, 0.2], 0.25),
    "all equal": ([0.5, 0.5, 0.5], 0.25),
    "none": ([0.0, 0.0, 0.0], 0.125),
    "all": ([1.0, 1.0, 1.0], 0.125),
    "all or none": ([1.0, 0.0, 0.0, 1.0], 0.25),
    "in between": ([0.8, 0.6, 0.6], 0.14),
}


@pytest.mark.statistical
@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("bound", ["lil-kl", "beta-mixture"])
def test_wrong_no_more_often_than_delta_and_always_stops(name, bound):
    """300 races each; a right code fails one of these tests once in a million."""
    means, epsilon = HARD[name]
    settings = {"goal": "all-good", "epsilon": epsilon, "bound": bound, "delta": 0.1}
    outcomes = list(run_races(Profile.bernoulli(means), 300, seed=3, **settings))
    assert all(outcome.stopped for outcome in outcomes)
    wrong = sum(not outcome.correct for outcome in outcomes)
    assert binom.sf(wrong - 1, 300, 0.1) > FALSE_ALARM


@pytest.mark.statistical
def test_bounds_that_are_too_narrow_are_noticed():
    means, epsilon = HARD["at both borders"]
    wrong = 0
    for seed in range(150):
        race = SimulatedRace(
            Profile.bernoulli(means),
            seed=seed,
            algorithm="lil-klucb",
            goal="all-good",
            epsilon=epsilon,
            delta=0.1,
        )
        race.race.engine.state.header["scale"] *= 0.02
        index.rebuild(race.race.engine.state)
        wrong += not race.run().correct
    assert binom.sf(wrong - 1, 150, 0.1) < FALSE_ALARM


@pytest.mark.statistical
def test_needs_far_fewer_votes_than_asking_in_turn():
    profile = Profile.power(60, 0.5)
    settings = {"goal": "all-good", "epsilon": 0.1, "delta": 0.05, "bound": "beta-mixture"}
    own = [one.votes for one in run_races(profile, 10, seed=1, **settings)]
    turns = [one.votes for one in run_races(profile, 10, seed=1, rule="fewest-votes", **settings)]
    assert np.mean(own) < 0.25 * np.mean(turns)


# The life of a race


def same_as_rebuilt(race):
    """Whether the trees are what the counts call for, leaf by leaf and at their roots."""
    kept = [
        forest.nodes.copy() for forest in (race.engine.state.field, race.engine.state.rare.camp)
    ]
    places = race.engine.state.items["place"].copy()
    index.rebuild(race.engine.state)
    fresh = [forest.nodes for forest in (race.engine.state.field, race.engine.state.rare.camp)]
    for old, new in zip(kept, fresh, strict=True):
        assert (old["key"] == new["key"]).all()
        living = new["key"] > -np.inf
        assert (old["ticket"][living] == new["ticket"][living]).all()
    assert (race.engine.state.items["place"] == places).all()


def test_trees_stay_what_the_counts_call_for():
    rng = np.random.default_rng(8)
    race = good_race(12, epsilon=0.15, seed=4)
    means = rng.random(60)
    for step in range(600):
        gone = set(race.withdrawn)
        exclude = [i for i in range(len(race)) if rng.random() < 0.3]
        items = race.ask(int(rng.integers(1, 5)), exclude=exclude)
        assert not set(items) & (set(exclude) | gone)
        assert len(set(items)) == len(items)
        for item in items:
            if rng.random() < 0.7:
                race.tell(item, float(rng.random() < means[item]))
            elif rng.random() < 0.5:
                race.forget(item)
        if step in (100, 350):
            race.add(7)
        if step in (200, 400):
            race.withdraw([i for i in range(step // 100, 5) if i not in gone])
        same_as_rebuilt(race)


def test_leaders_are_the_camp_by_its_definition():
    rng = np.random.default_rng(2)
    race = good_race(9, epsilon=0.2)
    for _ in range(300):
        item = int(rng.integers(9))
        race.tell(item, float(rng.random() < 0.1 * item))
        means = race.intervals().means
        best = np.nanmax(means)
        camp = [i for i in range(9) if means[i] >= best - 1.5 * 0.2]
        assert set(race.leaders) == set(camp)
        assert sorted(race.leaders, key=lambda i, m=means: (-m[i], i)) == list(race.leaders)


def test_a_restored_race_goes_on_as_the_saved_one():
    table = instance(6, 10, 2)
    race = good_race(10, epsilon=0.2)
    run_live(race, table, limit=120)
    race.ask(3)
    file = io.BytesIO()
    race.save(file)
    file.seek(0)
    again = Race.restore(file)
    assert again.settings == race.settings
    for _ in range(200):
        items = race.ask(2)
        assert again.ask(2) == items
        for item in items:
            vote = float(item % 3 == 0)
            race.tell(item, vote)
            again.tell(item, vote)
        assert again.verdict().to_dict() == race.verdict().to_dict()


def test_saves_of_races_before_there_were_goals():
    race = Race.from_votes([10, 10], [9.0, 1.0])
    file = io.BytesIO()
    race.save(file)
    file.seek(0)
    with np.load(file) as archive:
        arrays = dict(archive)
    about = json.loads(str(arrays["about"]))
    assert about["settings"].pop("goal") == "top"
    arrays["about"] = np.array(json.dumps(about))
    old = io.BytesIO()
    np.savez(old, **arrays)
    old.seek(0)
    assert Race.restore(old).settings == race.settings


def test_votes_that_exist_already():
    votes, totals = [2000] * 4, [1600.0, 1580.0, 1000.0, 100.0]
    race = Race.from_votes(votes, totals, goal="all-good", epsilon=0.1, delta=0.05)
    verdict = race.verdict()
    assert verdict.certified
    assert verdict.items == (0, 1)
    assert verdict.top == 2
    assert race.ask(2) == []
    assert race.standings().tolist() == ["in", "in", "out", "out"]
    # Two are not out: the level is that of two.
    budget = split_for_all_good(0.05, items=4, reserve=1 / 16)
    assert race.engine.state.header[0]["upper_level"] == race.engine.method.bound.level(
        budget.upper_among(2)
    )
    race.recount([1] * 4, [1.0] * 4)
    assert not race.verdict()
    assert race.engine.state.header[0]["standing"] == 4


def test_changes_take_their_levels_and_reopen_the_verdict():
    votes, totals = [5000] * 4, [4000.0, 3950.0, 2500.0, 250.0]
    race = Race.from_votes(votes, totals, goal="all-good", epsilon=0.1, delta=0.05)
    assert race.verdict().items == (0, 1)
    race.withdraw([0, 1])
    kept, level = 0.05 / 16, race.engine.method.bound.level
    header = race.engine.state.header[0]
    assert header["standing"] == 0
    assert header["upper_level"] == pytest.approx(level(kept / 8))
    assert race.verdict().items == (2,)
    assert race.standings().tolist() == ["withdrawn", "withdrawn", "in", "out"]
    race.add(3)
    header = race.engine.state.header[0]
    assert header["upper_level"] == pytest.approx(level(min(kept / 8, kept / 4 * 6 / np.pi**2 / 8)))
    assert race.engine.state.items["lower_level"][2] == pytest.approx(level(0.05 * 15 / 16 / 8))
    assert not race.verdict()
    descend(race.engine.state)
    assert header["standing"] == 0
    race.tell_many([4, 5, 6] * 5000, [1.0, 0.95, 0.0] * 5000)
    assert race.verdict().items == (4, 5)


def test_the_split_adds_up_with_any_number_of_good_items():
    delta, items, many = 0.1, 40, 5000
    budget = split_for_all_good(delta, items=items, reserve=1 / 16)
    for good in (1, 7, 40):
        spent = items * budget.lower + good * budget.upper_among(good)
        spent += items * budget.upper_after_additions(0)
        for number in range(1, many):
            series = budget.reserve / 4 * 6 / (np.pi * number.bit_length()) ** 2
            share = series / 2 ** (number.bit_length() - 1)
            assert budget.upper_after_additions(number) <= share * (1 + 1e-12)
            assert budget.lower_of_added(number) == pytest.approx(share)
            spent += 2 * share
        assert 0.95 * delta < spent <= delta


def test_raters_at_once_are_spread_and_late_votes_count():
    race = good_race(6, epsilon=0.2)
    first = race.ask(6)
    assert sorted(first) == list(range(6))
    race.tell_many(first, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    batch = race.ask(60, distinct=False)
    assert len(set(batch)) == 6
    assert race.pending == 60
    for item in batch:
        race.forget(item)
    assert race.pending == 0
    same_as_rebuilt(race)


def test_lost_asks_do_not_stop_a_race():
    """Items with any number of votes that never come are asked for again."""
    rng = np.random.default_rng(1)
    race = good_race(5, epsilon=0.25)
    race.ask(400, distinct=False)
    for _ in range(20_000):
        if race.verdict():
            break
        (item,) = race.ask(1)
        race.tell(item, float(rng.random() < (0.8, 0.7, 0.4, 0.2, 0.2)[item]))
    assert race.verdict()


def test_a_rater_who_has_seen_all_that_matters_gets_nothing():
    votes, totals = [3000] * 3, [2700.0, 2400.0, 300.0]
    race = Race.from_votes(votes, totals, goal="all-good", epsilon=0.066, delta=0.05)
    assert not race.verdict()
    assert race.standings()[2] == "out"
    assert 2 not in race.ask(3)
    assert race.ask(3, exclude=[0, 1]) == []


def test_a_scale_and_its_bound():
    scale = Scale(("no", "maybe", "yes"), (0.0, 0.5, 1.0))
    race = good_race(4, scale=scale, bound="betting", epsilon=0.2)
    for item, value in enumerate((0.95, 0.9, 0.25, 0.0)):
        whole = int(400 * value)
        race.tell_many([item] * 400, [1.0] * whole + [0.5] * 20 + [0.0] * (380 - whole))
    assert race.verdict().items == (0, 1)


# What it says


def test_the_sentence_is_the_claim():
    votes = [5000] * 3
    two = Race.from_votes(votes, [4500, 4400, 500], goal="all-good", epsilon=0.05).verdict()
    assert str(two).startswith(
        "Items 0, 1 after 15,000 votes: with at least 99 % confidence, every item within 0.05 of "
        "the best is one of these, and none of them is more than 0.1 below it."
    )
    one = Race.from_votes(votes, [4500, 500, 500], goal="all-good", epsilon=0.05).verdict()
    assert "the best of all, and no other is within 0.05 of it." in str(one)
    open_ = Race.from_votes([9] * 3, [8, 7, 1], goal="all-good", epsilon=0.05).verdict()
    assert str(open_).startswith("Not yet after 27 votes: 1 items lead, ")
    assert two.to_dict()["goal"] == "all-good"
    again = Verdict.from_record(json.loads(json.dumps(two.to_record())))
    assert again.to_dict() == two.to_dict()
    assert "goal" not in Race.from_votes(votes, [4500, 500, 500]).verdict().to_dict()


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"epsilon": 0.0}, "epsilon must be above 0"),
        ({"top": 2}, "leave top out"),
        ({"algorithm": "lil-ucb"}, "its own rule"),
        ({"algorithm": "ucb"}, "its own rule"),
        ({"algorithm": "successive-elimination"}, "its own rule"),
        ({"accounting": "paper"}, "accounting"),
        ({"choosing_delta": 0.2}, "choosing_delta"),
        ({"goal": "all-god"}, "Did you mean 'all-good'"),
    ],
)
def test_what_does_not_go_together(given, word):
    with pytest.raises(InvalidInput, match=word):
        good_race(5, **given)


def test_without_a_reserve_no_changes():
    race = good_race(5, reserve=0.0)
    with pytest.raises(NotAllowed, match="no share of delta"):
        race.withdraw(1)


def test_shortlists_of_the_same_votes():
    race = good_race(5, bound="hoeffding")
    assert race.shortlists().epsilon.tolist() == [1.0] * 4
