"""Early knock-outs: the scores by hand, exact chances in any honest crowd, fakes that are named."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

from plaudit.scale import FUNNY
from plaudit.service.moderation.knock_out import (
    WRONGLY,
    KnockOut,
    arrivals,
    knock_out,
    log_hypergeometric_tail,
    standing_out,
)
from plaudit.service.moderation.low_votes import FIRST, judged, tails
from plaudit.service.moderation.suspicion import EARLY, EARLY_PART, FALSE_ALARM, examine
from plaudit.service.moderation.suspicion_words import knock_out_words
from plaudit.service.moderation.vote_table import Votes
from support.crowded_contests import Attack, Contest, Crowd

VALUES = np.array(FUNNY.values)


def table(rater, item, level):
    rater, item, level = (np.asarray(column, dtype=np.int64) for column in (rater, item, level))
    zeros = np.zeros(len(rater), dtype=np.int64)
    return Votes(zeros, rater, item, level, zeros - 1, int(rater.max()) + 1, 3)


def opposed(seed, *, raters=400, fakes=0):
    """Raters with ten votes on items drawn uniformly; a third has the opposite taste.

    The fakes are half of the first, and vote low on the better half of the items.
    """
    draw = np.random.default_rng(seed)
    quality = np.sort(draw.normal(0.3, 0.8, 60))[::-1]
    rater = np.repeat(np.arange(raters), 10)
    item = np.concatenate([draw.choice(60, 10, replace=False) for _ in range(raters)])
    taste = np.where(draw.random(raters) < 1 / 3, -1.0, 1.0) if not fakes else np.ones(raters)
    felt = taste[rater] * quality[item] - draw.normal(0.0, 0.8, raters)[rater]
    level = np.searchsorted((0.4, 1.6), felt + draw.logistic(0.0, 1.0, len(rater)))
    fake = np.isin(rater, 2 * np.arange(fakes))
    return table(rater, item, np.where(fake & (item < 30), 0, level))


def in_order(votes, order):
    """The same votes, with the raters coming in another order and numbered by it."""
    place = np.argsort(order)
    rater = place[votes.rater]
    moved = np.argsort(rater, kind="stable")
    return table(rater[moved], votes.item[moved], votes.level[moved])


# By hand


def test_tails_are_those_of_all_outcomes():
    chances = np.array([0.1, 0.5, 0.8, 0.0])
    wanted = np.zeros(5)
    for outcome in product((0, 1), repeat=4):
        weight = np.prod(np.where(outcome, chances, 1.0 - chances))
        wanted[: sum(outcome) + 1] += weight
    np.testing.assert_allclose(tails(chances[None, :])[0], wanted, atol=1e-15)


@pytest.mark.parametrize(
    ("inside", "block", "furthest"), [(0, 5, 4), (3, 5, 4), (4, 5, 4), (9, 9, 9)]
)
def test_the_tail_is_hypergeometric(inside, block, furthest):
    wanted = hypergeom.sf(inside - 1, 12, block, furthest)
    found = log_hypergeometric_tail(inside, 12, block, furthest)
    assert math.exp(found) == pytest.approx(wanted, rel=1e-9)


def test_scores_by_hand():
    # Raters 0 and 1 are the reference: item 0 has 2, 2; item 1 has 0, 0. Only item 0 is good.
    votes = table([0, 1, 0, 1, 2, 2, 3], [0, 0, 1, 1, 0, 1, 0], [2, 2, 0, 0, 0, 0, 1])
    reference = np.array([True, True, False, False])
    found = judged(votes, reference, ~reference, VALUES)
    np.testing.assert_array_equal(found.votes, [0, 0, 1, 1])
    np.testing.assert_array_equal(found.low, [0, 0, 1, 0])
    # Of the two votes there and the rater's own, one is low, or none.
    np.testing.assert_allclose(found.expected, [0.0, 0.0, 1 / 3, 0.0])
    np.testing.assert_allclose(found.score, [0.0, 0.0, math.log(3.0), 0.0])


def test_only_the_first_votes_of_a_rater_count():
    items = FIRST + 4
    judges = [(rater, item, 2) for rater in (0, 1) for item in range(items)]
    judges += [(rater, items + item, 0) for rater in (0, 1) for item in range(items)]
    own = [(2, item, 2 if item < FIRST else 0) for item in range(items)]
    reference = np.array([True, True, False])
    found = judged(table(*zip(*judges, *own, strict=True)), reference, ~reference, VALUES)
    assert (found.votes[2], found.low[2]) == (FIRST, 0)


def test_raters_come_in_the_order_of_their_first_votes():
    assert arrivals(table([4, 1, 4, 0, 1], [0] * 5, [0] * 5)).tolist() == [4, 1, 0]


def test_the_sentence_says_what_was_counted():
    votes = opposed(3, fakes=25)
    found = knock_out(votes, VALUES)
    words = str(knock_out_words(found, found.named[0]))
    low, of = found.judged.low[found.named[0]], found.judged.votes[found.named[0]]
    assert f"Voted low on {low} of {of} items that later raters prefer" in words
    assert f"{found.inside} came among the first {found.block}." in words


def test_few_raters_say_nothing():
    votes = opposed(1, raters=99)
    assert knock_out(votes, VALUES) is None
    assert knock_out(votes.kept(votes.rater < 0), VALUES) is None


# The chances, where raters come in any order


@pytest.mark.statistical
def test_in_any_order_the_chance_is_the_stated_one():
    """Claim: with probability at most p a crowd of opposed camps seems as rare as p.

    One crowd in 1,000 random orders, two blocks; how often p is at most 0.2 is binomial, with a
    chance of at most 0.2. It is less, since two blocks overlap and hypergeometric chances jump, but
    not below 0.06. A false alarm has a chance of 1 in 1,000. A chance of 0.27 would be seen with
    probability 0.99, and so would one of 0.03: p-values that are three times too large.
    """
    votes, draw = opposed(5, raters=220), np.random.default_rng(6)
    rare = 0
    for _ in range(1000):
        found = knock_out(in_order(votes, draw.permutation(220)), VALUES)
        rare += found.log_p <= math.log(0.2)
    assert binom.ppf(0.0005, 1000, 0.06) <= rare <= binom.ppf(0.9995, 1000, 0.2)


@pytest.mark.statistical
def test_a_tenth_of_those_named_are_honest():
    """Claim: the mean share of honest raters among those named is at most a tenth.

    150 blocks of 100 with 50 fakes, scores drawn. The standard error of the mean share is 0.004:
    a limit of 0.115 has a false-alarm rate below 1 in 1,000 and catches a share of 0.13.
    """
    draw = np.random.default_rng(7)
    shares = []
    for _ in range(150):
        own = np.concatenate([draw.exponential(1.0, 50), draw.normal(5.0, 1.0, 50)])
        named = standing_out(own, np.sort(draw.exponential(1.0, 100)))
        shares.append(float((named < 50).sum() / max(1, len(named))))
    assert 0.5 * WRONGLY <= np.mean(shares) <= 0.115


def test_nobody_stands_out_where_all_are_alike():
    assert len(standing_out(np.zeros(50), np.zeros(50))) == 0


# Contests with a race


def named_in(contest):
    found = examine(
        contest.run(), origins=np.arange(len(contest.fakes)), excluded=set(), scale=FUNNY
    ).suspects
    return {one.rater: {reason.test for reason in one.reasons} for one in found}


@pytest.mark.slow
@pytest.mark.statistical
def test_early_fakes_are_named():
    """Claim: four fifths of 5 % fakes with nine votes each are named, few honest raters with them.

    Four contests of 1,000 raters and 200 fakes: 99 % are named in the table of the docs, so fewer
    than 160 would have a chance far below 1 in 1,000. If the test did not see a half of the votes
    against leaders, it would name fewer than half of the fakes.
    """
    hits = wrong = 0
    for seed in range(4):
        contest = Contest(20_000 + seed, Crowd(), Attack())
        named = named_in(contest)
        assert all(tests == {EARLY} for tests in named.values())
        hits += sum(bool(contest.fakes[rater]) for rater in named)
        wrong += sum(not contest.fakes[rater] for rater in named)
    assert hits >= 0.8 * 200
    assert wrong <= 0.25 * (hits + wrong)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(
    "crowd",
    [
        Crowd(raters=500, kind=1.0, seconds=0.8),
        Crowd(raters=500, kind=-1.0, seconds=12.0),
        Crowd(raters=500, camp=0.1),
        Crowd(raters=500, camp=0.3),
        Crowd(raters=500, camp=0.2, strength=2.0),
        Crowd(raters=500, drift=1.0),
    ],
    ids=["kind and fast", "stern and slow", "a tenth", "three tenths", "twice", "drifting"],
)
def test_honest_crowds_have_nobody_named(crowd):
    """Claim: at most one honest crowd in a hundred has anyone named, whatever its tastes.

    Five crowds of each kind: two or more with a name have a chance of 1 in 1,000.
    """
    named = sum(bool(named_in(Contest(30_000 + seed, crowd))) for seed in range(5))
    assert named <= binom.ppf(0.999, 5, FALSE_ALARM)


def test_fakes_are_not_seen_where_nobody_votes_on_what_they_knocked_out():
    """All votes on an item are those of fakes and of the first raters: nothing says it is good."""
    votes = opposed(3, fakes=25)
    assert seen(knock_out(votes, VALUES))
    silent = votes.kept((votes.rater < 100) | (votes.item >= 30))
    assert not seen(knock_out(silent, VALUES))


def seen(found: KnockOut) -> bool:
    return found.log_p <= math.log(FALSE_ALARM * EARLY_PART) and len(found.named) > 0
