"""Races vote by vote, against an implementation that recomputes everything at each step.

Every item's votes are drawn beforehand, so both see the same ones. Equality is exact: the
same items asked for in the same order, the same stop, the same winners. With delta of
0.01 and more no decision in these tests hangs on less than 1e-12 (the reference notes
those that do, and the tests assert that there are none), so rounding is no excuse. With
far smaller deltas the KL bounds of an item's first votes lie within 1e-16 of 0 and 1,
where numbers that differ round to the same: there, and only there, the order may differ.
"""

import itertools

import numpy as np
import pytest

from plaudit import Race, Scale
from plaudit.simulation import Profile, SimulatedRace
from support.references.race import (
    ALGORITHMS,
    COMPARISONS,
    DOMINANCE,
    MIXTURES,
    PAIR,
    ReferenceRace,
    run_reference,
)

# Without a proof that they stop soon: compared up to so many votes.
LIMIT = {"ucb": 400, "lil-ucb": 1500}
ROOM = 3000
PAPER = ("lil-klucb", "lucb++", "kl-lucb")


def instance(seed, items, top, levels):
    """Means with a gap below the top, in random order, and a row of votes for each."""
    rng = np.random.default_rng([seed, items, top, levels])
    means = np.concatenate((rng.uniform(0.7, 1, top), rng.uniform(0, 0.25, items - top)))
    means = rng.permutation(means)
    draws = rng.random((items, ROOM))
    steps = levels - 1
    return np.floor(steps * means[:, None] + draws) / steps


def run_live(race, table, limit):
    """The race by ask and tell: pairs once every item has a vote, where the rule has pairs."""
    asked, seen = [], np.zeros(len(race), dtype=int)
    while len(asked) < limit and not race.verdict():
        pairs = race.settings.algorithm in PAIR and seen.min() > 0
        items = race.ask(2 if pairs else 1)
        assert len(items) == (2 if pairs else 1)
        for item in items:
            race.tell(item, table[item, seen[item]])
            seen[item] += 1
        asked += items
    return asked, race.verdict()


def both(algorithm, table, **settings):
    limit = LIMIT.get(algorithm, ROOM)
    reference = ReferenceRace(len(table), algorithm, **settings)
    expected, stopped = run_reference(reference, lambda item, k: table[item, k], limit)
    race = Race(len(table), algorithm=algorithm, **settings)
    asked, verdict = run_live(race, table, limit)
    return reference, expected, stopped, asked, verdict


def check_same(algorithm, table, **settings):
    reference, expected, stopped, asked, verdict = both(algorithm, table, **settings)
    assert reference.close_calls == []
    assert asked == expected
    assert verdict.stopped == stopped
    assert verdict.votes == len(expected)
    if stopped:
        assert set(verdict.items) == reference.winners()
    return stopped


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_step_is_that_of_the_reference(algorithm, levels, seed):
    rng = np.random.default_rng(seed)
    stops = []
    for top, epsilon in itertools.product((1, 2, 3), (0.0, 0.05)):
        if algorithm in DOMINANCE and (top, epsilon) != (1, 0.0):
            continue
        items = int(rng.integers(top + 1, 13))
        delta = float(rng.choice([0.01, 0.1, 0.4]))
        table = instance(seed, items, top, levels)
        stops.append(check_same(algorithm, table, delta=delta, top=top, epsilon=epsilon, seed=seed))
    assert all(stops) or algorithm in LIMIT


@pytest.mark.parametrize(("algorithm", "epsilon"), [("ucb", 0.3), ("lil-ucb", 0.0)])
def test_rules_that_stop_late_stop_with_the_reference(algorithm, epsilon):
    for seed in range(3):
        table = instance(seed, 2, 1, 2)
        assert check_same(algorithm, table, delta=0.4, epsilon=epsilon, seed=seed)


@pytest.mark.parametrize("items", [2, 12])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_fewest_and_the_most_items(algorithm, items):
    check_same(algorithm, instance(7, items, 1, 3), delta=0.1, seed=items)


@pytest.mark.parametrize("algorithm", PAPER)
def test_the_papers_accounting_is_that_of_the_reference(algorithm):
    for seed, top in itertools.product(range(2), (1, 3)):
        table = instance(seed, 8, top, 2)
        settings = {"delta": 0.05, "top": top, "seed": seed, "accounting": "paper"}
        assert check_same(algorithm, table, **settings)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("levels", [2, 3, 5])
@pytest.mark.parametrize("bound", [*MIXTURES, *COMPARISONS])
def test_every_step_of_a_bound_is_that_of_the_reference(bound, levels, seed):
    scale = Scale(tuple("abcde"[:levels]), tuple(np.linspace(0, 1, levels)))
    for top, epsilon in ((1, 0.0), (2, 0.05)):
        table = instance(seed, 6, top, levels)
        given = {"delta": 0.1, "top": top, "epsilon": epsilon, "seed": seed}
        reference = ReferenceRace(6, bound, **given)
        expected, stopped = run_reference(reference, lambda item, k, t=table: t[item, k], ROOM)
        race = Race(6, algorithm="lil-klucb", bound=bound, scale=scale, **given)
        asked, verdict = run_live(race, table, ROOM)
        assert reference.close_calls == []
        assert asked == expected
        assert stopped
        assert verdict.stopped
        assert set(verdict.items) == reference.winners()


@pytest.mark.parametrize("N", [1, 2, 64, 1024])
def test_every_peeling_resolution_is_that_of_the_reference(N):
    for seed in range(2):
        table = instance(seed, 6, 2, 3)
        assert check_same("lil-klucb", table, delta=0.1, top=2, seed=seed, N=N)


@pytest.mark.parametrize("algorithm", ["lil-klucb", "kl-lucb", "ucb"])
def test_tiny_delta_differs_only_where_bounds_round_to_the_same(algorithm):
    """At delta = 1e-15, KL bounds of one and two votes are 0 or 1 to the last digit."""
    equal = 0
    for seed in range(6):
        table = instance(seed, 8, 2, 3)[:, :150]
        reference = ReferenceRace(8, algorithm, delta=1e-15, top=2, seed=seed)
        expected, _ = run_reference(reference, lambda item, k, t=table: t[item, k], 150)
        race = Race(8, algorithm=algorithm, delta=1e-15, top=2, seed=seed)
        asked, _ = run_live(race, table, 150)
        differ = [k for k, pair in enumerate(zip(expected, asked, strict=True)) if len({*pair}) > 1]
        close = {votes for votes, *_ in reference.close_calls}
        if differ:
            # A pair is chosen at once: its second item lies one further.
            assert {differ[0], differ[0] - 1} & close
        equal += not differ
    assert equal >= 3


# The simulator


def draw(profile, item, generator):
    chance = generator.random()
    return profile.values[int((chance >= profile.below[item]).sum())]


def live_with_the_runners_draws(profile, seed, **settings):
    """Race.ask and tell, fed with the draws of the runner's generator in its order.

    While items without votes are left, the runner may take them in another order than
    `ask` does: votes commute, so they are told in its order. From then on ask decides.
    """
    generator = np.random.default_rng(seed)
    race = Race(len(profile), seed=seed, **settings)
    runner = SimulatedRace(profile, seed=seed, **settings)
    while (before := runner.race.intervals().votes).min() == 0:
        runner.advance(1)
        (item,) = np.flatnonzero(runner.race.intervals().votes - before)
        race.tell(item, draw(profile, item, generator))
    count = 2 if settings["algorithm"] in PAIR else 1
    while not race.verdict():
        items = race.ask(count)
        votes = [draw(profile, item, generator) for item in items]
        race.tell_many(items, votes)
    return race.verdict()


def profile_of(rng, items, top, levels):
    """`top` items whose votes are mostly 1, the others' mostly 0."""
    counts = rng.uniform(0, 1, (items, levels))
    counts[:top, -1] += 6
    counts[top:, 0] += 6
    return Profile.frequencies(counts, np.linspace(0, 1, levels))


@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("bound", [*MIXTURES, *COMPARISONS])
def test_the_simulator_runs_the_live_race_of_a_bound(bound, levels):
    rng = np.random.default_rng(levels)
    for seed in range(2):
        profile = profile_of(rng, 7, 1 + seed, levels)
        settings = {"algorithm": "lil-klucb", "bound": bound, "delta": 0.2, "top": 1 + seed}
        outcome = SimulatedRace(profile, seed=seed, **settings).run()
        verdict = live_with_the_runners_draws(profile, seed, scale=profile.scale, **settings)
        assert outcome.stopped
        assert (outcome.votes, set(outcome.winners)) == (verdict.votes, set(verdict.items))
        assert outcome.gap == verdict.gap


@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_simulator_runs_the_live_race(algorithm, levels):
    rng = np.random.default_rng(levels)
    for seed in range(2):
        top, items = (1, 2) if algorithm in ("ucb", *DOMINANCE) else (1 + seed, 7)
        profile = profile_of(rng, items, top, levels)
        settings = {"algorithm": algorithm, "delta": 0.2, "top": top}
        if algorithm == "ucb":
            settings["epsilon"] = 0.3
        outcome = SimulatedRace(profile, seed=seed, **settings).run()
        verdict = live_with_the_runners_draws(profile, seed, **settings)
        assert outcome.stopped
        assert (outcome.votes, set(outcome.winners)) == (verdict.votes, set(verdict.items))
        assert outcome.gap == verdict.gap
