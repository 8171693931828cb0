"""Bets with learned weights: their text, their bounds to 50 digits, and how often they fail."""

import json
import math

import mpmath as mp
import numpy as np
import pytest
from scipy.special import logsumexp

from plaudit import Bets, bounds
from plaudit.bounds.bets import BETS, SIZES
from plaudit.errors import InvalidInput
from support import oracle
from support.crossings import DELTA, HORIZON, crossing_probability, misses_of, table_of

# Weights unlike the usual ones, and unlike each other.
UPPER = tuple(float(share) for share in np.round(np.exp(-0.3 * np.abs(np.arange(BETS) - 15)), 6))
LOWER = tuple(float(share) for share in np.round(np.exp(-0.5 * np.abs(np.arange(BETS) - 8)), 6))
LEARNED = Bets(UPPER, LOWER, "two hills")
THREE = (0.0, 0.5, 1.0)


def test_the_text_of_bets_gives_them_back():
    assert Bets.from_json(LEARNED.to_json()) == LEARNED
    assert Bets.from_json(LEARNED.to_json()).source == "two hills"
    assert "\n" not in LEARNED.to_json()


def record(**changed):
    return json.dumps(LEARNED.to_record() | changed)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("upper = 1", "not JSON"),
        ("[]", "no bets"),
        (record(plaudit="bets 9"), "no bets"),
        (record(sizes=[1]), "no bets"),
        (record(upper=None), "upper must be a list of 24"),
        (record(upper=[0.5] * 23), "24 shares, one for each bet; got 23"),
        (record(lower=[0.5] * 23 + [0]), "lower must be a number from 1e-09 to 1"),
        (record(lower=[0.5] * 23 + [float("nan")]), "from 1e-09 to 1"),
        (record(lower=[0.5] * 23 + [True]), "from 1e-09 to 1"),
        (record(upper=["1"] * 24), "upper must be a number"),
        (record(source="x" * 501), "at most 500"),
    ],
)
def test_what_is_no_bets_is_refused(text, words):
    with pytest.raises(InvalidInput, match=words):
        Bets.from_json(text)


def test_they_go_with_the_bound_that_bets_alone():
    with pytest.raises(InvalidInput, match="the bound here is 'lil-kl'"):
        bounds.get("lil-kl", bets=LEARNED)
    with pytest.raises(InvalidInput, match=r"plaudit\.Bets"):
        bounds.get("betting", bets={"upper": UPPER})


@pytest.mark.parametrize("bets", [LEARNED, Bets.usual(), Bets((1e-9,) * 23 + (1.0,), (1.0,) * 24)])
def test_the_first_capitals_hold_no_more_than_one(bets):
    with mp.workdps(50):
        for side in bets.log_weights:
            total = mp.fsum(mp.exp(mp.mpf(float(one))) for one in side)
            assert 1 - mp.mpf(10) ** -13 < total <= 1


def test_the_usual_weights_give_the_usual_bounds_to_the_last_bit():
    plain, same = bounds.get("betting"), bounds.get("betting", bets=Bets.usual())
    counts = np.random.default_rng(1).integers(0, 60, (200, 3))
    for take in ("upper_from_levels", "lower_from_levels"):
        ours = getattr(same, take)(counts, THREE, 0.01)
        assert np.abs(ours - getattr(plain, take)(counts, THREE, 0.01)).max() < 1e-13


def exact_bound(shares, counts, values, delta):
    """The upper bound by its definition, at the working precision."""
    low, high = mp.log(mp.mpf("0.001")), mp.log(100)
    sizes = [mp.exp(low + (high - low) * k / 23) for k in range(24)]
    total = mp.fsum(map(mp.mpf, shares))
    votes = sum(counts)
    mean = mp.fdot(counts, values) / votes

    def excess(m):
        capital = mp.fsum(
            mp.mpf(share)
            / total
            * mp.fprod(
                ((1 + size * (1 - x)) / (1 + size * (1 - m))) ** c
                for c, x in zip(counts, values, strict=True)
            )
            for size, share in zip(sizes, shares, strict=True)
        )
        return mp.log(capital * delta)

    if mean == 1 or excess(mp.mpf(1)) <= 0:
        return mp.mpf(1)
    return oracle.boundary(excess, mean, mp.mpf(1))


CASES = [(3, 0, 0), (40, 0, 0), (20, 15, 5), (900, 700, 400), (2, 30, 1), (0, 0, 9), (7000, 1, 0)]


@pytest.mark.parametrize("delta", [0.1, 1e-6])
@pytest.mark.parametrize("counts", CASES)
def test_bounds_are_right_to_the_last_digits_and_rounded_outward(counts, delta):
    bound = bounds.get("betting", bets=LEARNED)
    with mp.workdps(oracle.DIGITS + 20):
        values = [mp.mpf(x) for x in THREE]
        upper = exact_bound(UPPER, counts, values, mp.mpf(delta))
        mirrored = [1 - x for x in values]
        lower = 1 - exact_bound(LOWER, counts, mirrored, mp.mpf(delta))
        above = mp.mpf(bound.upper_from_levels(counts, THREE, delta)) - upper
        below = lower - mp.mpf(bound.lower_from_levels(counts, THREE, delta))
    assert 0 <= above <= 1e-12
    assert 0 <= below <= 1e-12


def excluded(shares, mean, side):
    """For each t and sum whether the definition excludes the true mean: no inversion at all."""
    weights, rows = np.array(shares) / math.fsum(shares), []
    for t in range(1, HORIZON + 1):
        falls = t - np.arange(t + 1) if side > 0 else np.arange(t + 1)
        rest = 1 - mean if side > 0 else mean
        grown = np.outer(falls, np.log1p(SIZES)) - t * np.log1p(SIZES * rest)
        rows.append(logsumexp(grown, axis=1, b=weights) > -math.log(DELTA))
    return rows


@pytest.mark.statistical
@pytest.mark.parametrize(("side", "shares"), [(1, UPPER), (-1, LOWER)])
def test_they_fail_as_often_as_the_definition_says_and_no_more_than_delta(side, shares):
    """Exact probabilities for votes of 0 and 1; bets with the sides exchanged fail the test."""
    table = table_of(bounds.get("betting", bets=LEARNED), DELTA, side)
    turned = table_of(bounds.get("betting", bets=Bets(LOWER, UPPER)), DELTA, side)
    exact = crossing_probability(0.3, excluded(shares, 0.3, side))
    ours = crossing_probability(0.3, misses_of(table, 0.3, side))
    planted = crossing_probability(0.3, misses_of(turned, 0.3, side))
    assert ours <= DELTA
    assert ours == pytest.approx(exact, rel=1e-9)
    assert planted != pytest.approx(exact, rel=1e-3)
    assert ours > DELTA / 3
