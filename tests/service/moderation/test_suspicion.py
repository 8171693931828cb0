"""Tests of suspicion: exact small cases, honest crowds that stay unnamed, cheats that are found."""

import math

import numpy as np
import pytest
from scipy.stats import betabinom, binom

from plaudit.scale import FUNNY, Scale
from plaudit.service.moderation.agreement import agreement
from plaudit.service.moderation.bursts import WINDOWS_MS, bursts
from plaudit.service.moderation.overdispersion import NARROWEST, between, log_tail, spread
from plaudit.service.moderation.preference import halves, preference
from plaudit.service.moderation.same_answer import same_answer
from plaudit.service.moderation.suspicion import EARLY_PART, FALSE_ALARM, OTHERS, PART, examine
from plaudit.service.moderation.suspicion_words import FINDERS
from plaudit.service.moderation.too_fast import too_fast
from plaudit.service.moderation.vote_table import Votes, votes_of
from support.crowds import MINUTE, START, cheats, honest, joined

THUMBS = Scale(("Down", "Up"), (0.0, 1.0))
VALUES = np.array(FUNNY.values)


def suspicions(answers, *, origins=None, excluded=(), scale=FUNNY):
    raters = int(answers.rater.max()) + 1
    origins = np.full(raters, -1) if origins is None else origins
    return examine(answers, origins=origins, excluded=set(excluded), scale=scale)


def small(*rows, levels=3):
    """Votes written by hand: rater, item, level."""
    rater, item, level = np.array(rows).T
    zeros = np.zeros(len(rater), dtype=np.int64)
    return Votes(zeros, rater, item, level, zeros - 1, int(rater.max()) + 1, levels)


# How rare a count is among raters who differ


@pytest.mark.parametrize(("count", "trials"), [(0, 7), (5, 7), (7, 7), (40, 50), (1, 1)])
def test_the_tail_is_that_of_a_beta_binomial_variable(count, trials):
    expected, wide = 0.3, 0.2
    total = 1.0 / wide - 1.0
    law = betabinom(trials, expected * total, (1.0 - expected) * total)
    wanted = sum(law.pmf(k) for k in range(count, trials + 1))
    found = log_tail(np.array([count]), np.array([trials]), np.array([expected]), wide)
    assert math.exp(found[0]) == pytest.approx(wanted, rel=1e-9)


def test_tails_of_many_raters_are_those_of_each():
    count, trials = np.array([3, 0, 9]), np.array([4, 5, 9])
    expected = np.array([0.2, 0.5, 0.7])
    together = log_tail(count, trials, expected, 0.1)
    apart = [
        log_tail(count[k : k + 1], trials[k : k + 1], expected[k : k + 1], 0.1)[0] for k in range(3)
    ]
    np.testing.assert_allclose(together, apart, rtol=1e-12)


@pytest.mark.parametrize("true", [0.05, 0.2])
def test_the_spread_is_found_and_a_few_cheats_do_not_widen_it(true):
    draw = np.random.default_rng(5)
    trials = draw.integers(20, 80, 4000)
    total = 1.0 / true - 1.0
    count = draw.binomial(trials, draw.beta(0.4 * total, 0.6 * total, 4000))
    expected = np.full(4000, 0.4)
    found = spread(count, trials, expected)
    # The estimate may be a little wide, but never narrow.
    assert true * 0.95 < found < true * 1.6
    count[:200] = trials[:200]
    assert spread(count, trials, expected) < 1.8 * true


def test_raters_who_are_alike_have_no_variance_between_them():
    draw = np.random.default_rng(6)
    variance = draw.uniform(0.5, 2.0, 4000)
    alike = draw.normal(0.0, np.sqrt(variance))
    assert between(alike, variance)[1] < 0.15
    differing = alike + draw.normal(0.3, 1.0, 4000)
    middle, apart = between(differing, variance)
    assert middle == pytest.approx(0.3, abs=0.1)
    assert 0.9 < apart < 1.4


# The tests by hand


def test_agreement_by_hand():
    # Item 0 has votes 2, 2, 2, 0; item 1 has 0, 1.
    votes = small((0, 0, 2), (1, 0, 2), (2, 0, 2), (3, 0, 0), (0, 1, 0), (3, 1, 1))
    found = agreement(votes, np.arange(4))
    # Two of three others say the same on item 0, none of one on item 1.
    np.testing.assert_allclose(found.own, [1 / 3, 2 / 3, 2 / 3, 0.0])
    # Of item 0's votes three have agreement 2/3, one has 0; item 1's have none.
    np.testing.assert_allclose(found.expected, [0.25, 0.5, 0.5, 0.25])


def test_taste_by_hand():
    # All but rater 2 prefer item 0 to item 1.
    votes = small((0, 0, 2), (0, 1, 0), (1, 0, 2), (1, 1, 0), (2, 0, 0), (2, 1, 2))
    found = preference(votes, np.arange(3), VALUES)
    np.testing.assert_allclose(found.better, [1 / 6, -1 / 6] * 3)
    assert halves(votes, found, 0) == ([1.0, 0.0], pytest.approx([2 / 3, 1 / 3]))
    assert halves(votes, found, 2) == ([0.0, 1.0], pytest.approx([2 / 3, 1 / 3]))


def test_a_burst_by_hand():
    # Six raters of one address begin within a minute; ten others, one of them in that minute.
    own = START + np.arange(6) * 10_000
    others = START + np.array([30_000, *(np.arange(1, 10) * 3_600_000 * 5)])
    began = np.concatenate([own, others])
    zeros = np.zeros(16, dtype=np.int64)
    votes = Votes(began, np.arange(16), zeros, zeros, zeros, 16, 3)
    origins = np.array([0] * 6 + list(range(1, 11)))
    (found,), looked_at = bursts(votes, origins)
    assert (found.raters, found.minutes) == ((0, 1, 2, 3, 4, 5), 1)
    assert (found.elsewhere, found.others, looked_at) == (1, 10, 1)
    # Five more within a window from the first, which has 2 of 11: see the module's docstring.
    chance = 6 * len(WINDOWS_MS) * binom.sf(4, 5, 2 / 11)
    assert math.exp(found.log_p) == pytest.approx(chance)


def test_a_class_behind_one_address_is_no_burst_where_all_are_of_it():
    crowd = joined(cheats(1, "burst", raters=40, votes=12))
    assert suspicions(crowd, origins=np.zeros(40, dtype=np.int64)).bursts == []


def test_a_day_on_which_all_come_at_once_is_no_burst():
    crowd = joined(cheats(1, "burst", raters=200, votes=12))
    origins = np.concatenate([np.zeros(40, dtype=np.int64), np.arange(1, 161)])
    assert suspicions(crowd, origins=origins).suspects == []


# Honest crowds

CROWDS = (
    {},
    {"raters": 25},
    {"raters": 60, "votes": 15},
    {"stern": 1.2, "quick": 0.6},
    {"stern": 0.0, "quick": 0.0},
    {"stern": 1.2, "cuts": (1.5, 3.0)},
    {"votes": 120, "items": 1000},
    {"cuts": (1.0,)},
)


def test_honest_crowds_have_nobody_named():
    """At most one crowd in a hundred by design; of 80, four or more have a chance of 1 %."""
    named = 0
    for kind, given in enumerate(CROWDS):
        for seed in range(10):
            crowd = joined(honest(100 * kind + seed, **given))
            scale = FUNNY if len(given.get("cuts", (0, 0))) == 2 else THUMBS
            origins = np.random.default_rng(seed).integers(0, 30, given.get("raters", 200))
            named += bool(suspicions(crowd, origins=origins, scale=scale).suspects)
    assert named <= binom.ppf(0.99, 8 * 10, FALSE_ALARM)


@pytest.mark.parametrize("test", ["agreement", "preference"])
def test_rarities_are_not_too_small_where_raters_are_alike(test):
    """Votes shuffled within each item, so that no rater differs: one in twenty is below 0.05."""
    draw = np.random.default_rng(11)
    votes = votes_of(joined(honest(9, raters=3000, votes=30)), excluded=set(), levels=3)
    order = np.lexsort([draw.random(len(votes.item)), votes.item])
    place = np.argsort(votes.item, kind="stable")
    level = np.empty_like(votes.level)
    level[place] = votes.level[order]
    dealt = votes._replace(level=level)
    tested = np.flatnonzero(dealt.of_raters() >= 10)
    found = agreement(dealt, tested) if test == "agreement" else preference(dealt, tested, VALUES)
    for chance in (0.01, 0.001):
        below = int((found.log_p < math.log(chance)).sum())
        assert below <= binom.ppf(0.999, len(tested), chance)
    # The bound is not vacuous: it is computed for some raters, and close for them.
    assert (found.log_p < math.log(0.05)).sum() >= 3


def test_haste_and_sameness_are_not_too_small_among_honest_raters():
    votes = votes_of(joined(honest(21, raters=3000, votes=60)), excluded=set(), levels=3)
    tested = np.flatnonzero(votes.of_raters() >= 10)
    for found in (too_fast(votes, tested), same_answer(votes, tested)):
        below = int((found.log_p < math.log(0.001)).sum())
        assert below <= binom.ppf(0.999, len(tested), 0.001)


# Cheats


@pytest.mark.parametrize(
    ("kind", "test", "votes", "words"),
    [
        ("fast", "too fast", 50, "in under"),
        ("same", "same answer", 50, "Answered “Funny”"),
        ("against", "against everyone", 150, "On the items that others like more"),
        ("burst", "burst", 40, "from one address began within"),
    ],
)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_cheats_of_each_kind_are_found(kind, test, votes, words, seed):
    crowd = joined(honest(seed, raters=400), cheats(seed, kind, raters=8, votes=votes))
    origins = np.arange(408)
    origins[400:] = 400
    found = suspicions(crowd, origins=origins if kind == "burst" else None)
    assert {one.rater for one in found.suspects} == set(range(400, 408))
    for one in found.suspects:
        reason = next(reason for reason in one.reasons if reason.test == test)
        assert words in str(reason.words)
        assert reason.chance <= FALSE_ALARM
    chances = [one.reasons[0].chance for one in found.suspects]
    assert chances == sorted(chances)
    assert [len(burst.raters) for burst, _ in found.bursts] == ([8] if kind == "burst" else [])


def test_one_who_is_far_from_everyone_is_found():
    """Items that all find funny, and one who says the contrary of everyone: by agreement."""
    crowd = honest(3, raters=100, votes=60, cuts=(-2.0, -1.0), stern=0.3)
    odd = cheats(4, "same", raters=2, votes=80, cuts=(-2.0, -1.0))
    odd["level"] = np.random.default_rng(1).integers(0, 2, len(odd["level"]))
    found = suspicions(joined(crowd, odd))
    assert {one.rater for one in found.suspects} == {100, 101}
    assert "far from everyone" in {reason.test for reason in found.suspects[0].reasons}


def test_a_twentieth_of_cheats_does_not_hide_itself():
    for kind in ("fast", "same"):
        crowd = joined(honest(3, raters=400), cheats(4, kind, raters=20))
        assert {one.rater for one in suspicions(crowd).suspects} == set(range(400, 420))


# What counts


@pytest.mark.parametrize("seed", [4, 5])
def test_who_is_too_fast_does_not_depend_on_any_vote(seed):
    """Quick raters among whom some are named for their votes: leaving those out tells nothing."""
    draw = np.random.default_rng(seed)
    same, quick = cheats(seed + 50, "same", raters=12), cheats(seed + 90, "", raters=6, votes=30)
    for some in (same, quick):
        some["response_ms"] = draw.integers(400, 700, len(some["rater"]))
    crowd = joined(honest(seed, raters=120), same, quick, cheats(seed, "fast", raters=1))
    named = []
    for level in (crowd.level, draw.permutation(crowd.level)):
        found = suspicions(crowd._replace(level=level)).suspects
        fast = {one.rater for one in found if "too fast" in {r.test for r in one.reasons}}
        named.append((fast, len(found) - len(fast)))
    assert named[0][0] == named[1][0]
    assert named[0][1] >= 6  # named for their votes, which were put in another order
    assert named[1][1] == 0


def test_excluded_raters_are_not_looked_at():
    crowd = joined(honest(1, raters=200), cheats(1, "same", raters=4))
    assert {one.rater for one in suspicions(crowd).suspects} == {200, 201, 202, 203}
    found = suspicions(crowd, excluded={200, 202})
    assert {one.rater for one in found.suspects} == {201, 203}
    assert found.of(200) is None
    assert found.of(201).votes > 10


def test_times_that_nobody_knows_say_nothing():
    crowd = joined(honest(1, raters=200), cheats(1, "fast", raters=4))
    unknown = crowd._replace(response_ms=np.full_like(crowd.response_ms, -1))
    assert suspicions(unknown).suspects == []


def test_one_who_is_merely_quick_is_not_named():
    """All answers just under the limit: a rare count, but not a rare mean."""
    crowd = joined(honest(1, raters=200), cheats(1, "fast", raters=2))
    votes = votes_of(crowd, excluded=set(), levels=3)
    limit = too_fast(votes, np.arange(202)).limit_ms
    quick = np.where(crowd.rater >= 200, int(0.95 * limit), crowd.response_ms)
    assert suspicions(crowd._replace(response_ms=quick.astype(np.int32))).suspects == []
    assert len(suspicions(crowd).suspects) == 2


def test_a_small_crowd_says_nothing():
    crowd = joined(honest(1, raters=12), cheats(1, "same", raters=4))
    found = suspicions(crowd)
    assert (found.suspects, found.tested) == ([], 16)
    empty = crowd._replace(**{name: getattr(crowd, name)[:0] for name in crowd._fields})
    nothing = examine(empty, origins=np.zeros(0, np.int64), excluded=set(), scale=FUNNY)
    assert nothing.suspects == []


def test_names_of_raters_do_not_matter():
    crowd = joined(honest(2, raters=200), cheats(2, "fast", raters=4))
    order = np.random.default_rng(3).permutation(204)
    other = crowd._replace(rater=order[crowd.rater].astype(np.int32))
    first, second = suspicions(crowd), suspicions(other)
    assert {int(order[one.rater]) for one in first.suspects} == {
        one.rater for one in second.suspects
    }


def test_all_tests_are_counted():
    # Bursts are one more; early knock-outs have a part of their own.
    assert len(FINDERS) + 1 == OTHERS
    assert pytest.approx(1.0) == OTHERS * PART + EARLY_PART
    assert NARROWEST > 0.0
    assert MINUTE in WINDOWS_MS
