"""Races that withstand dishonest raters: bounds without the votes that may be false."""

import itertools
import json
import math

import numpy as np
import pytest

from plaudit import Race, Scale, bounds
from plaudit.bounds.kernels import rate_kernel
from plaudit.errors import InvalidInput
from plaudit.race.saving import FORMAT
from plaudit.scale import FUNNY

TRIMMED = [name for name in bounds.NAMES if name != "empirical-bernstein"]
STARS = Scale.of({"3": 0.5, "1": 0.0, "5": 1.0, "2": 0.25, "4": 0.75})
# Above the rounding of bounds that are computed in two ways.
CLOSE = 1e-9


def judged(bound, votes, *, tolerance, scale=FUNNY, delta=0.2):
    """The interval of an item with these votes, by which a race judges it."""
    race = Race(3, delta=delta, bound=bound, rule="fewest-votes", scale=scale, tolerance=tolerance)
    for vote in votes:
        race.tell(0, vote)
    table = race.intervals([0])
    return float(table.lower[0]), float(table.upper[0])


def subsets(votes, most):
    """The votes without any `most` of them or fewer."""
    kept = set()
    for size in range(most + 1):
        for gone in itertools.combinations(range(len(votes)), size):
            kept.add(tuple(sorted(v for k, v in enumerate(votes) if k not in gone)))
    return kept


@pytest.mark.parametrize("bound", TRIMMED)
def test_the_bounds_cover_every_choice_of_false_votes(bound):
    """By brute force over all sets of at most m votes that could be false."""
    rng = np.random.default_rng(7)
    for _ in range(6):
        votes = rng.choice(FUNNY.values, size=9, p=rng.dirichlet([0.7, 0.7, 0.7])).tolist()
        for m in (1, 2, 3):
            lower, upper = judged(bound, votes, tolerance=m)
            each = [judged(bound, kept, tolerance=0) for kept in subsets(votes, m)]
            assert lower <= min(one[0] for one in each) + CLOSE
            assert upper >= max(one[1] for one in each) - CLOSE


# Others move with the race's time, which counts all votes.
@pytest.mark.parametrize("bound", [n for n in TRIMMED if not bounds.get(n).uses_time])
def test_no_wider_than_without_the_lowest_or_the_highest_votes(bound):
    """The bounds are those of one set of votes that could be the honest ones: none narrower is."""
    votes = [0.0] * 6 + [0.5] * 5 + [1.0] * 9
    lower, upper = judged(bound, votes, tolerance=8)
    assert upper == pytest.approx(judged(bound, votes[8:], tolerance=0)[1], abs=CLOSE)
    assert lower == pytest.approx(judged(bound, votes[:-8], tolerance=0)[0], abs=CLOSE)


def test_levels_need_not_be_in_order():
    votes = [0.0, 0.25, 0.25, 0.5, 0.75, 1.0, 1.0] * 4
    lower, upper = judged("betting", votes, tolerance=5, scale=STARS)
    ordered = sorted(votes)
    assert upper == pytest.approx(judged("betting", ordered[5:], tolerance=0, scale=STARS)[1])
    assert lower == pytest.approx(judged("betting", ordered[:-5], tolerance=0, scale=STARS)[0])


def test_without_a_scale_false_votes_are_taken_for_the_worst():
    votes = [0.2, 0.4, 0.9, 0.9, 0.7, 0.3, 0.6, 0.8, 0.9, 0.5] * 3
    lower, upper = judged("betting", votes, tolerance=2, scale=None)
    for kept in (sorted(votes)[2:], sorted(votes)[1:], votes):
        assert upper >= judged("betting", kept, tolerance=0, scale=None)[1]
    for kept in (sorted(votes)[:-2], sorted(votes)[:-1], votes):
        assert lower <= judged("betting", kept, tolerance=0, scale=None)[0]
    # Votes of 0 and 1 say all with their sum: a scale adds nothing.
    ones = [1.0, 0.0, 1.0, 1.0, 0.0] * 5
    thumbs = Scale.of({"down": 0, "up": 1})
    assert judged("betting", ones, tolerance=4, scale=None) == pytest.approx(
        judged("betting", ones, tolerance=4, scale=thumbs)
    )


@pytest.mark.parametrize("bound", TRIMMED)
def test_a_bound_narrows_with_every_vote(bound):
    """Condition (C) of docs/theory/tolerance.md, as long as the mean stays the same."""
    found = bounds.get(bound)
    if bound in ("betting", "beta-mixture"):
        # Their threshold is a constant.
        assert found.level(0.5) == pytest.approx(math.log(2))
        return
    # A bound that moves with the race's time has one time for all numbers of votes.
    time = 1e6 if found.uses_time else 1.0
    for delta in (0.5, 0.1, 0.01, 1e-4, 1e-9):
        level = found.level(delta)
        rates = [rate_kernel(found.formula, level, float(t), time) for t in range(1, 3000)]
        assert (np.diff(rates) <= 1e-15).all()


def test_hoeffding_at_its_own_time_may_widen():
    """So all good items are refused with it: there each item has a time of its own."""
    found = bounds.get("hoeffding")
    rates = [rate_kernel(found.formula, found.level(0.5), float(t), 1.0) for t in (1, 2)]
    assert rates[0] < rates[1]


@pytest.mark.parametrize("votes", [0, 1, 2, 3])
def test_with_as_many_votes_as_liars_nothing_is_known(votes):
    assert judged("betting", [0.0] * votes, tolerance=3) == (0.0, 1.0)
    assert judged("lil-kl", [1.0] * votes, tolerance=3) == (0.0, 1.0)


def run(race, means, seed, *, knocked=(), most=100_000):
    """Asks and tells until the verdict; `knocked` are votes of 0 that come before all others."""
    rng = np.random.default_rng(seed)
    for item in knocked:
        race.tell(item, 0.0)
    while not race.verdict() and race.votes < most:
        asked = race.ask(2)
        assert asked, "the race waits for nothing"
        for item in asked:
            race.tell(item, float(rng.random() < means[item]))
    return race.verdict()


MEANS = np.array([0.75] + [0.62 - 0.004 * k for k in range(49)])


@pytest.mark.parametrize("algorithm", ["plaudit", "lil-klucb"])
def test_four_early_fakes_overturn_a_race_that_trusts_everybody_and_no_other(algorithm):
    """The knock-out: zeros on the best before anybody else votes. Without tolerance it is final."""
    trusting = [
        run(Race(50, delta=0.05, epsilon=0.05, seed=seed), MEANS, seed, knocked=[0] * 4).items
        for seed in range(6)
    ]
    wary = [
        run(
            Race(50, delta=0.05, epsilon=0.05, seed=seed, tolerance=4, algorithm=algorithm),
            MEANS, seed, knocked=[0] * 4,
        ).items
        for seed in range(6)
    ]  # fmt: skip
    assert all(items != (0,) for items in trusting)
    assert all(items == (0,) for items in wary)


@pytest.mark.parametrize(
    "given",
    [
        {"algorithm": "plaudit"},
        {"algorithm": "plaudit", "top": 2},
        {"algorithm": "lil-klucb"},
        {"algorithm": "kl-lucb"},
        {"algorithm": "lucb"},
        {"algorithm": "lucb++", "top": 2},
        {"algorithm": "ucb"},
        {"algorithm": "uniform"},
        {"algorithm": "successive-elimination"},
        {"bound": "beta-mixture", "rule": "pair"},
        {"bound": "kinf", "rule": "pair"},
        {"goal": "all-good"},
    ],
    ids=str,
)
def test_every_kind_of_race_with_tolerance_ends(given):
    means = np.array([0.9, 0.85, 0.3, 0.2])
    race = Race(4, delta=0.1, epsilon=0.15, tolerance=5, seed=3, **given)
    verdict = run(race, means, 1, knocked=[0] * 5)
    assert verdict.certified
    assert verdict.withstands >= 5
    assert race.intervals().votes.min() > 5
    best = {0, 1} if race.engine.is_all_good or given.get("top") == 2 else None
    assert set(verdict.items) == best if best else verdict.items[0] in (0, 1)


def withstood(race):
    """The largest tolerance at which a fresh race with the same votes has the same verdict."""
    named, last = set(race.verdict().items), -1
    table = race.engine
    for m in itertools.count():
        again = Race.from_votes(
            table.records["votes"], table.records["total"], levels=table.level_counts,
            **{**SETTINGS, "tolerance": m},
        )  # fmt: skip
        if not again.verdict() or set(again.leaders) != named:
            return last
        last = m
    return None


SETTINGS = {"delta": 0.05, "epsilon": 0.1, "scale": FUNNY, "seed": 2}


@pytest.mark.parametrize("tolerance", [0, 3])
def test_withstands_is_the_largest_tolerance_that_the_votes_certify(tolerance):
    race = Race(5, **SETTINGS, tolerance=tolerance)
    rng = np.random.default_rng(5)
    while not race.verdict():
        for item in race.ask(3):
            race.tell(item, FUNNY.values[rng.binomial(2, 0.8 if item == 2 else 0.3)])
    verdict = race.verdict()
    assert verdict.items == (2,)
    assert verdict.withstands == withstood(race) >= tolerance
    for item in range(5):
        race.tell_many([item] * 60, [FUNNY.values[2 if item == 2 else 0]] * 60)
    assert race.verdict() is verdict, "a verdict stands"
    assert race.withstands() == withstood(race) > verdict.withstands


def test_late_votes_that_change_the_leader_change_no_verdict():
    race = Race(2, delta=0.1, tolerance=2)
    race.tell_many([0] * 40 + [1] * 40, [1.0] * 40 + [0.0] * 40)
    assert race.verdict().items == (0,)
    race.tell_many([0] * 400 + [1] * 400, [0.0] * 400 + [1.0] * 400)
    assert race.leaders == (1,)
    assert race.verdict().items == (0,)
    # What was proven of item 0 stays; nothing is claimed of item 1.
    assert race.withstands() == 2


def test_a_race_says_what_it_withstands():
    race = Race(2, delta=0.1, tolerance=2)
    assert race.withstands() is None
    assert race.verdict().withstands is None
    race.tell_many([0] * 40 + [1] * 40, [1.0] * 40 + [0.0] * 40)
    verdict = race.verdict()
    assert verdict.withstands > 2
    assert f"even if any {verdict.withstands} raters were dishonest" in str(verdict)
    assert json.loads(json.dumps(verdict.to_dict()))["withstands"] == verdict.withstands
    assert verdict.to_dict()["tolerance"] == 2


def test_a_tolerance_may_change_at_any_time():
    race = Race(2, delta=0.1, seed=4)
    race.tell_many([0] * 40 + [1] * 40, [1.0] * 40 + [0.0] * 40)
    most = race.withstands()
    race.tolerate(most)
    assert race.verdict().withstands == most == race.tolerance
    race.tolerate(most + 1)
    assert not race.verdict()
    assert race.withstands() == most
    fresh = Race(2, delta=0.1, seed=4, tolerance=most + 1)
    fresh.recount([40, 40], [40.0, 0.0])
    same, other = race.intervals(), fresh.intervals()
    assert np.array_equal(same.upper, other.upper)
    assert np.array_equal(same.lower, other.lower)


def test_saved_races_keep_their_tolerance_and_old_ones_have_none(tmp_path):
    race = Race(3, tolerance=2, scale=FUNNY)
    race.tell_many([0, 0, 0, 1, 1, 2], [1.0, 1.0, 0.5, 0.0, 0.5, 0.0])
    race.save(tmp_path / "race.npz")
    again = Race.restore(tmp_path / "race.npz")
    assert again.tolerance == 2
    assert np.array_equal(again.intervals().upper, race.intervals().upper)
    assert again.ask(3) == race.ask(3)
    plain = Race(3, seed=5)
    plain.tell_many([0, 1, 2], [1.0, 0.0, 0.5])
    plain.save(tmp_path / "old.npz")
    write_as_before(tmp_path / "old.npz")
    old = Race.restore(tmp_path / "old.npz")
    assert (old.tolerance, old.votes, old.ask(2)) == (0, 3, plain.ask(2))


def write_as_before(path):
    """Takes everything about tolerance out of a saved race."""
    with np.load(path, allow_pickle=False) as archive:
        arrays = {key: archive[key] for key in archive}
    about = json.loads(str(arrays["about"]))
    assert about["format"] == FORMAT
    about["format"] = "plaudit race 3"
    del about["settings"]["tolerance"]
    arrays["about"] = np.array(json.dumps(about))
    names = [name for name in arrays["header"].dtype.names if name != "tolerance"]
    header = np.zeros(1, dtype=[(name, arrays["header"].dtype[name]) for name in names])
    for name in names:
        header[name] = arrays["header"][name]
    arrays["header"] = header
    np.savez_compressed(path, **arrays)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"algorithm": "lil-ucb"}, "dominance"),
        ({"algorithm": "at-lucb"}, "never"),
        ({"stopping": "evidence"}, "evidence"),
        ({"bound": "empirical-bernstein", "rule": "pair"}, "empirical-bernstein"),
        ({"rule": "eb-tc"}, "eb-tc"),
        ({"algorithm": "lucb", "goal": "all-good", "epsilon": 0.1}, "hoeffding"),
        ({"tolerance": -1}, "tolerance"),
        ({"tolerance": 1.5}, "tolerance"),
    ],
    ids=str,
)
def test_what_cannot_withstand_anybody_says_so(given, word):
    with pytest.raises(InvalidInput, match=word):
        Race(3, **{"tolerance": 1} | given)
    if given.get("tolerance") is None:
        race = Race(3, **given)
        with pytest.raises(InvalidInput, match=word):
            race.tolerate(1)
        assert race.tolerance == 0


def test_verdicts_by_evidence_and_without_proof():
    race = Race(2, delta=0.1, stopping="evidence")
    race.tell_many([0] * 40 + [1] * 40, [1.0] * 40 + [0.0] * 40)
    assert race.verdict().withstands > 0
    bare = Race(2, delta=0.1, bound="empirical-bernstein", rule="pair")
    bare.tell_many([0] * 60 + [1] * 60, [1.0] * 60 + [0.0] * 60)
    assert bare.verdict().withstands == 0


def test_where_all_items_are_good_there_is_an_end_to_what_is_withstood():
    race = Race(3, goal="all-good", epsilon=0.6, delta=0.1)
    race.tell_many([0, 1, 2] * 10, [1.0] * 30)
    assert set(race.verdict().items) == {0, 1, 2}
    assert 0 <= race.verdict().withstands <= 10


@pytest.mark.parametrize("tolerance", [0, 3])
def test_raters_who_never_answer_do_not_stop_a_race(tolerance):
    """Ten visitors take lists of twenty items first, and leave them unanswered for good."""
    for seed in range(12):
        race = Race(30, delta=0.05, epsilon=0.1, seed=seed, tolerance=tolerance)
        for _ in range(10):
            race.ask(20)
        means = np.linspace(0.2, 0.6, 30)
        means[7] = 0.75
        assert run(race, means, seed, most=20_000).items == (7,)


def test_a_cold_race_with_tolerance_is_spread():
    """Eighty asks over two items, and over two leaders, before any vote."""
    for given in ({}, {"top": 2}):
        race = Race(4 if given else 2, tolerance=10, **given)
        asked = race.ask(80, distinct=False)
        counts = np.bincount(asked, minlength=len(race))
        assert counts.max() - counts.min() <= 1
