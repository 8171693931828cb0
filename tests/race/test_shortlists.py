"""Shortlists against their definition, and by their frequencies: all k and all times at once."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from plaudit import Race, Scale, bounds
from plaudit.bounds.error_budget import split_for_shortlists
from plaudit.errors import InvalidInput, NotAllowed
from plaudit.race import shortlist

FALSE_ALARM = 1e-6
RESERVE = 1 / 16
SEPARATING = ("lil-kl", "beta-mixture", "betting", "sg2", "kl-lucb", "hoeffding", "elimination")


def share(number):
    """The series that pays for changes, term by term."""
    digits = len(f"{number:b}")
    return 6 / np.pi**2 / digits**2 / 2 ** (digits - 1)


def by_definition(race, *, longest, initial, gone=(), added=0):
    """The epsilon of every k, from bounds computed one by one and every set spelled out."""
    delta, kept = race.settings.delta, RESERVE * race.settings.delta
    changes = added + len(gone)
    above = (delta - kept) / 2 / longest
    if changes:
        above = min(above, kept / 8 * share(changes))
    below = (delta - kept) / 2 / (initial - 1)
    below = [min(below, kept / 16) if added else below] * initial
    below += [kept / 16 * share(number) for number in range(1, added + 1)]
    table = race.intervals()
    bound = bounds.get(race.settings.bound)
    mean = np.nan_to_num(table.means, nan=0.0)
    time = max(1 + max(0, race.votes - initial) // 2, table.votes.max())
    upper = bound.upper(mean, table.votes, above, time=time)
    lower = bound.lower(mean, table.votes, below, time=time)
    present = [item for item in range(len(race)) if item not in gone]
    order = sorted(present, key=lambda item: -np.nan_to_num(table.means[item], nan=-1.0))
    found = []
    for k in range(1, min(longest, len(present) - 1) + 1):
        inside, outside = order[:k], order[k:]
        found.append(max(upper[j] for j in outside) - min(lower[i] for i in inside))
    return order, np.array(found)


def check(race, **given):
    lists = race.shortlists(given["longest"])
    order, gaps = by_definition(race, **given)
    assert lists.items.tolist() == order[: len(lists)]
    assert lists.k.tolist() == list(range(1, len(gaps) + 1))
    assert lists.gap == pytest.approx(gaps, abs=1e-12)
    assert (lists.epsilon == np.maximum(lists.gap, 0.0)).all()
    return lists


@pytest.mark.parametrize("bound", SEPARATING)
def test_every_small_table_is_that_of_the_definition(bound):
    # Sums that never tie: ties are looked at below.
    totals = (0.1, 0.8, 1.7, 2.2)
    for order in itertools.permutations(totals):
        for votes in ((3, 3, 3, 3), (3, 30, 300, 3000), (0, 7, 8, 9)):
            sums = [total * count / 3 for total, count in zip(order, votes, strict=True)]
            race = Race.from_votes(votes, sums, bound=bound, delta=0.1)
            for longest in (1, 2, 3):
                check(race, longest=longest, initial=4)


def test_a_scale_narrows_the_lists_of_betting():
    counts = np.array([[10, 80, 10], [50, 30, 20], [90, 5, 5]])
    scale = Scale(("no", "maybe", "yes"), (0.0, 0.5, 1.0))
    totals = counts @ [0.0, 0.5, 1.0]
    plain = Race.from_votes(counts.sum(axis=1), totals, bound="betting")
    fine = Race.from_votes(counts.sum(axis=1), totals, levels=counts, scale=scale, bound="betting")
    lists = fine.shortlists()
    assert (lists.gap < plain.shortlists().gap).all()
    budget = split_for_shortlists(0.01, items=3, longest=2, reserve=RESERVE)
    bound = bounds.get("betting")
    upper = bound.upper_from_levels(counts, scale.values, budget.upper)
    lower = bound.lower_from_levels(counts, scale.values, budget.lower)
    assert lists.gap == pytest.approx([upper[1] - lower[0], upper[2] - lower[1]], abs=1e-12)


def test_changes_have_the_levels_of_the_proof():
    votes, totals = [60, 70, 80, 90, 100], [50.0, 40.0, 30.0, 20.0, 10.0]
    race = Race.from_votes(votes, totals, delta=0.1, bound="lil-kl")
    check(race, longest=3, initial=5)
    race.withdraw(1)
    check(race, longest=3, initial=5, gone=(1,))
    race.add(6)
    race.tell_many([5] * 50 + [10] * 70, [1.0] * 47 + [0.0] * 3 + [1.0] * 30 + [0.0] * 40)
    check(race, longest=4, initial=5, gone=(1,), added=6)
    race.withdraw([0, 2, 3, 6, 7, 8, 9])
    lists = check(race, longest=4, initial=5, gone=(0, 1, 2, 3, 6, 7, 8, 9), added=6)
    # Three are left: the best two are the longest list that says something.
    assert lists.items.tolist() == [5, 10]
    assert lists.longest == 4


def test_the_first_of_the_lists_are_the_leaders_ties_or_not():
    rng = np.random.default_rng(5)
    for seed in range(50):
        votes = rng.integers(0, 4, 12)
        totals = rng.binomial(votes, 0.5)
        race = Race.from_votes(votes, totals, top=4, seed=seed)
        lists = race.shortlists()
        assert set(lists.items[:4].tolist()) == set(race.leaders)
        assert len(set(lists.items.tolist())) == len(lists) == 10
        again = Race.from_votes(votes, totals, top=4, seed=seed).shortlists()
        assert again.items.tolist() == lists.items.tolist()


def test_equal_items_and_no_votes_at_all():
    race = Race(3)
    lists = race.shortlists()
    assert lists.epsilon.tolist() == [1.0, 1.0]
    assert sorted({*lists.items.tolist()}) == sorted(lists.items.tolist())
    equal = Race.from_votes([10_000] * 3, [5_000] * 3).shortlists()
    assert (equal.epsilon > 0.0).all()
    assert (equal.epsilon < 0.1).all()


def test_the_longest_list():
    assert Race(3).shortlists().longest == 2
    assert Race(100).shortlists().longest == 10
    assert Race(100, top=20).shortlists().longest == 40
    assert Race(30, top=20).shortlists().longest == 29
    assert len(Race(30).shortlists(longest=np.int64(29))) == 29
    for wrong in (0, 30, 2.0, True, "3"):
        with pytest.raises(InvalidInput, match="longest must be"):
            Race(30).shortlists(longest=wrong)


@pytest.mark.parametrize("algorithm", ["lil-ucb", "lil-ucb-heuristic"])
def test_no_proof_no_lists(algorithm):
    with pytest.raises(NotAllowed, match="no proof for its shortlists"):
        Race(4, algorithm=algorithm).shortlists()


def test_the_papers_accounting_changes_nothing():
    votes, totals = [60, 70, 80], [50.0, 40.0, 30.0]
    paper = Race.from_votes(votes, totals, delta=0.1, accounting="paper").shortlists()
    total = Race.from_votes(votes, totals, delta=0.1, reserve=0.0).shortlists()
    assert paper.to_dict() == total.to_dict()
    assert paper.delta == 0.1


def test_asking_for_lists_leaves_the_race_alone():
    race = Race.from_votes([60, 70, 80], [50.0, 40.0, 30.0])
    before = race.intervals()
    race.shortlists(longest=2)
    after = race.intervals()
    assert (before.lower == after.lower).all()
    assert (before.upper == after.upper).all()


def test_what_it_prints_and_writes():
    race = Race.from_votes([400] * 3, [390.0, 200.0, 10.0], delta=0.05)
    lists = race.shortlists()
    assert str(lists).splitlines()[0].endswith("with 95 % confidence:")
    assert str(lists).splitlines()[2].split() == ["1", "0", "0.0000"]
    record = lists.to_dict()
    assert record["items"] == [0, 1]
    assert record["epsilon"] == [0.0, 0.0]
    assert record["gap"][0] < 0.0
    assert record["votes"] == 1200


# Frequencies


def is_wrong(lists, means):
    """Whether any k of these lists claims too much."""
    ranked = np.sort(means)[::-1]
    worst = np.minimum.accumulate(means[lists.items])
    return bool((worst < ranked[: len(lists)] - lists.epsilon - 1e-12).any())


LOOKS = [*range(1, 12), *range(12, 65, 4)]


def races_gone_wrong(means, races, *, delta, bound, narrow=1.0, seed=0):
    """Of many races with votes in turn, how many ever gave a wrong shortlist."""
    wrong = 0
    rng = np.random.default_rng(seed)
    for _ in range(races):
        sums = np.cumsum(rng.random((len(means), LOOKS[-1])) < np.array(means)[:, None], axis=1)
        race = Race(len(means), delta=delta, algorithm="lil-klucb", bound=bound, reserve=0.0)
        race.engine.state.header["scale"] *= narrow
        for count in LOOKS:
            race.recount([count] * len(means), sums[:, count - 1])
            if is_wrong(race.shortlists(), np.array(means)):
                wrong += 1
                break
    return wrong


@pytest.mark.statistical
@pytest.mark.parametrize("bound", ["lil-kl", "beta-mixture"])
@pytest.mark.parametrize("means", [(0.6, 0.5, 0.5, 0.4), (0.05, 0.0, 0.0), (1.0, 0.9, 0.9)])
def test_lists_are_wrong_no_more_often_than_delta(means, bound):
    """80 races of 64 rounds; a right code fails this once in a million."""
    delta = 0.2
    wrong = races_gone_wrong(means, 80, delta=delta, bound=bound)
    assert binom.sf(wrong - 1, 80, delta) > FALSE_ALARM


@pytest.mark.statistical
def test_bounds_that_are_too_narrow_are_noticed():
    wrong = races_gone_wrong((0.6, 0.5, 0.5, 0.4), 80, delta=0.2, bound="lil-kl", narrow=0.05)
    assert binom.sf(wrong - 1, 80, 0.2) < FALSE_ALARM


def test_the_split_adds_up():
    """The items of the proof, one by one, for a race that goes through many changes."""
    delta, items, longest = 0.1, 20, 5
    budget = split_for_shortlists(delta, items=items, longest=longest, reserve=RESERVE)
    many = 5000
    upper = longest * budget.upper
    upper += sum(budget.upper_after(r) for r in range(1, many))  # K + r, after r withdrawals
    upper += sum(budget.upper_after(b) for b in range(1, many))  # the b-th addition
    lower = (items - 1) * budget.lower + budget.lower_after(1)
    lower += sum(budget.lower_of_added(b) for b in range(1, many))
    assert upper + lower <= delta
    # The rest of the reserve is for items that stand for others.
    assert upper + lower > delta - 0.66 * RESERVE * delta
    assert shortlist.USUAL_LENGTH == 10
