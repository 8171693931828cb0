"""Verdicts after raters were excluded by their votes: against all subsets, and by simulation."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest

from plaudit import Race, Scale
from plaudit.errors import InvalidInput
from plaudit.race.tolerance.excluded import same_without

THREE = Scale.of({"no": 0, "maybe": 0.5, "yes": 1})
TWO = Scale.of({"yes": 1, "no": 0})
VALUES = {3: THREE, 2: TWO}
BOUNDS = ("betting", "beta-mixture", "lil-kl", "hoeffding", "kl-lucb", "kinf", "stitched")


def race_from(counts, *, scale=THREE, **settings):
    counts = np.array(counts)
    totals = counts @ np.array(scale.values)
    return Race.from_votes(counts.sum(axis=1), totals, levels=counts, scale=scale, **settings)


def parts(counts, *, most=10**9):
    """Every number of votes at each level that can be taken from these, at most so many in all."""
    ranges = [range(min(times, most) + 1) for times in counts]
    return [part for part in product(*ranges) if sum(part) <= most]


def worst(race, left, extra, *, tolerance, upper, time):
    """The bound that covers all cases, by trying every subset of votes; equal votes are alike."""
    engine, values = race.engine, np.array(race.settings.scale.values)
    bound, budget = engine.method.bound, engine.method.budget
    error = budget.upper_after(0) if upper else budget.lower_after(0)
    without = np.array([np.subtract(left, gone) for gone in parts(left, most=tolerance)])
    rows = (without[:, None, :] + np.array(parts(extra))).reshape(-1, values.size)
    if bound.uses_levels:
        found = (bound.upper_from_levels if upper else bound.lower_from_levels)(rows, values, error)
    else:
        votes = rows.sum(axis=1)
        means = rows @ values / np.maximum(votes, 1)
        found = (bound.upper if upper else bound.lower)(means, votes, error, time=time)
    return np.max(found) if upper else np.min(found)


def brute_force(race, winners, excluded, *, tolerance=0):
    left = race.engine.level_counts
    votes = left.sum(axis=1) + excluded.sum(axis=1)
    time = max(1.0 + max(0, votes.sum() - len(votes)) // 2, float(votes.max()))
    ends = [
        worst(race, left[i], excluded[i], tolerance=tolerance, upper=i not in winners, time=time)
        for i in range(len(votes))
    ]
    inside = min(ends[i] for i in winners)
    outside = max(end for i, end in enumerate(ends) if i not in winners)
    return outside - inside


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("tolerance", [0, 2])
def test_the_covering_bounds_are_those_of_the_worst_subset(bound, tolerance):
    """The verdict is called the same exactly where it is by all subsets: for any epsilon.

    The gap of the covering bounds is found from both sides of the epsilon that brute force gives.
    """
    random = np.random.default_rng(7)
    tried = 0
    for levels in (2, 3):
        for votes in (8, 40, 400, 400):
            left = random.multinomial(votes, np.ones(levels) / levels, size=3)
            excluded = random.multinomial(9, np.ones(levels) / levels, size=3)
            excluded[random.integers(3)] = 0
            scale = VALUES[levels]
            exact = race_from(left, scale=scale, delta=0.5, bound=bound, reserve=0.0)
            winners = exact.verdict().items
            gap = brute_force(exact, winners, excluded, tolerance=tolerance)
            for epsilon in (gap - 1e-7, gap + 1e-7):
                if not 0.0 <= epsilon < 1.0:
                    continue
                race = race_from(
                    left, scale=scale, delta=0.5, bound=bound, reserve=0.0, epsilon=epsilon
                )
                same = same_without(race, winners, excluded, tolerance=tolerance)
                assert same == (epsilon > gap), (left, excluded, gap)
                tried += 1
    assert tried >= 8


def test_more_levels_than_one_j_matter():
    """The worst number of excluded votes is neither none nor all of them."""
    left = [[0, 0, 60], [50, 10, 0]]
    race = race_from(left, delta=0.05)
    assert race.verdict().items == (0,)
    bound, error = race.engine.method.bound, race.engine.method.budget.upper_after(0)
    # Item 1 with none, with the six best and with all of [30, 0, 6].
    rows = [[50, 10, 0], [50, 10, 6], [80, 10, 6]]
    ends = bound.upper_from_levels(rows, np.array(THREE.values), error)
    assert ends.argmax() == 1


def test_nobody_excluded_is_the_same_for_every_algorithm():
    for algorithm in ("plaudit", "lil-klucb", "lil-ucb", "lucb", "successive-elimination"):
        race = race_from([[0, 0, 200], [200, 0, 0]], algorithm=algorithm)
        assert same_without(race, [0], np.zeros((2, 3)))


@pytest.mark.parametrize("algorithm", ["plaudit", "lil-klucb", "lucb", "uniform"])
def test_few_excluded_votes_leave_a_clear_verdict(algorithm):
    race = race_from([[0, 0, 900], [900, 0, 0]], algorithm=algorithm)
    assert race.verdict()
    few, many = [[3, 0, 0], [0, 0, 3]], [[0, 0, 0], [0, 0, 200_000]]
    assert same_without(race, race.verdict().items, few)
    assert not same_without(race, race.verdict().items, many)


@pytest.mark.parametrize("settings", [{"bound": "empirical-bernstein"}, {"algorithm": "lil-ucb"}])
def test_what_is_not_proven_is_not_claimed(settings):
    race = race_from([[0, 0, 2000], [2000, 0, 0]], **settings)
    assert not same_without(race, [0], [[1, 0, 0], [0, 0, 0]])


def test_top_two_with_slack_counts_every_winner():
    left = [[0, 0, 300], [0, 0, 300], [300, 0, 0]]
    race = race_from(left, top=2, epsilon=0.1)
    assert same_without(race, [0, 1], [[5, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert not same_without(race, [0, 1], [[0, 0, 0], [2000, 0, 0], [0, 0, 2000]])


def test_tolerance_takes_votes_away():
    race = race_from([[0, 0, 30], [30, 0, 0]], delta=0.05)
    assert race.verdict()
    excluded = [[1, 0, 0], [0, 0, 0]]
    assert same_without(race, [0], excluded)
    assert not same_without(race, [0], excluded, tolerance=25)


def good_race(counts, **settings):
    return race_from(counts, goal="all-good", epsilon=0.2, **settings)


def test_all_good_items_by_covering_bounds():
    left = [[0, 0, 900], [0, 0, 880], [900, 0, 0], [880, 0, 0]]
    race = good_race(left)
    winners = race.verdict().items
    assert race.verdict()
    assert winners == (0, 1)
    nobody = np.zeros((4, 3), dtype=int)
    hurt_winner, help_loser, few = nobody.copy(), nobody.copy(), nobody.copy()
    hurt_winner[1, 0], help_loser[2, 2], few[1, 0] = 2000, 9000, 4
    assert same_without(race, winners, few)
    assert not same_without(race, winners, hurt_winner)
    assert not same_without(race, winners, help_loser)


def test_all_good_agrees_with_the_race_where_one_vote_was_excluded_and_changes_nothing():
    """A vote beside thousands moves no bound by much: both judge alike, away from the edge."""
    random = np.random.default_rng(3)
    for _ in range(20):
        means = random.uniform(0.1, 0.9, size=12)
        yes = random.binomial(3000, means)
        left = np.stack([3000 - yes, np.zeros_like(yes), yes], axis=1)
        race = good_race(left, delta=0.05)
        one = np.zeros_like(left)
        one[0, 2] = 1
        gap = race.verdict().gap
        if abs(gap) > 0.005:
            assert same_without(race, race.verdict().items, one) == bool(race.verdict())


def test_items_that_joined_left_and_merged_have_the_levels_of_the_race():
    """With one vote excluded the covering bounds are nearly those of the race itself."""
    left = np.array([[0, 0, 400], [400, 0, 0], [390, 0, 0], [380, 0, 0], [770, 0, 0]])
    race = Race(3, scale=THREE, delta=0.05)
    race.add(2)
    race.arrange(joined=[3], withdrawn=[1, 2], pools={4: [1, 2]})
    race.recount(left.sum(axis=1), left @ np.array(THREE.values), levels=left)
    gap = race.verdict().gap
    one = np.zeros_like(left)
    one[3, 0] = 1
    for slack, same in ((gap - 0.01, False), (gap + 0.01, True)):
        if not 0.0 <= slack < 1.0:
            slack = 0.0
            same = gap < 0.0
        again = Race(3, scale=THREE, delta=0.05, epsilon=slack)
        again.add(2)
        again.arrange(joined=[3], withdrawn=[1, 2], pools={4: [1, 2]})
        again.recount(left.sum(axis=1), left @ np.array(THREE.values), levels=left)
        assert same_without(again, [0], one) == same


@pytest.mark.parametrize("wrong", [np.zeros((3, 3)), np.full((2, 3), -1), np.zeros(6)])
def test_counts_of_another_shape_are_refused(wrong):
    with pytest.raises(InvalidInput, match="a row for each of 2 items"):
        same_without(race_from([[1, 0, 0], [0, 0, 1]]), [0], wrong)


def test_a_race_without_a_scale_is_refused():
    with pytest.raises(InvalidInput, match="scale"):
        same_without(Race(2), [0], np.zeros((2, 0)))


RACES, DELTA, RATERS = 300, 0.1, 200


def moderated(seed):
    """A contest of two items, the second better by a hair, moderated to make the first win.

    All raters are honest and vote on both items. The moderator, who sees all votes, excludes
    everyone who prefers the better item. Returns whether a wrong verdict fell, and whether it was
    called the same.
    """
    random = np.random.default_rng([5, seed])
    race = Race(2, delta=DELTA, scale=TWO, reserve=0.0)
    excluded = np.zeros((2, 2), dtype=int)
    for _ in range(RATERS):
        votes = (random.random(2) < (0.49, 0.51)).astype(int)
        if votes[1] > votes[0]:
            excluded[[0, 1], 1 - votes] += 1
            continue
        for item in (0, 1):
            race.tell(item, float(votes[item]))
        if race.verdict():
            break
    verdict = race.verdict()
    wrong = bool(verdict) and verdict.items == (0,)
    return wrong, wrong and same_without(race, (0,), excluded)


@pytest.mark.statistical
def test_an_adversarial_moderator_gets_no_wrong_verdict_called_the_same():
    """Claim: wrong verdicts called the same have probability at most delta, here 0.1.

    False alarm: 1e-4, by the exact binomial test. Power: verdicts that rest on the exclusion are
    wrong in far more than delta of the races, so that calling them the same would be caught.
    """
    found = np.array([moderated(seed) for seed in range(RACES)])
    wrong, same = found.sum(axis=0)
    assert binomtest(int(same), RACES, DELTA, alternative="greater").pvalue > 1e-4
    assert binomtest(int(wrong), RACES, DELTA, alternative="greater").pvalue < 1e-9
