"""Bounds from values in order: against 50 digits, over all orders, and their general properties."""

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plaudit import bounds
from plaudit.bounds.in_order import OrderedBound, log_capital_in_order
from plaudit.errors import InvalidInput, UnknownName
from support import oracle

RNG = np.random.default_rng(11)
SETS = {
    "one value": ([1.0], 7),
    "none left": ([0.0, 1.0, 1.0, 0.25], 4),
    "yes and no": (RNG.integers(0, 2, 20).astype(float).tolist(), 30),
    "graded": (np.round(RNG.random(15), 2).tolist(), 17),
    "all ones": ([1.0] * 12, 15),
    "ones first": ([1.0] * 6 + [0.0] * 6, 13),
    "large set": (RNG.integers(0, 2, 12).astype(float).tolist(), 10**9),
    "afresh": (np.round(RNG.random(12), 2).tolist(), None),
}


@pytest.mark.parametrize(
    ("name", "least"), [*((name, 0.0) for name in SETS), ("graded", -1.0), ("afresh", -1.0)]
)
def test_within_1e_9_of_50_digits_and_never_inward(name, least):
    values, of = SETS[name]
    values = [least + (1 - least) * value for value in values]
    bound = OrderedBound("any", least, of)
    for delta in (0.3, 1e-6):
        for side, end in ((-1, bound.lower), (1, bound.upper)):
            exact = oracle.in_order(side, values, of, delta, least)
            outward = side * (mp.mpf(end(values, delta)) - exact)
            assert -1e-18 <= outward <= 1e-9


@pytest.mark.parametrize("name", SETS)
def test_drawn_afresh_it_is_the_betting_bound(name):
    values = [round(value, 2) for value in SETS[name][0]]
    levels = sorted(set(values))
    counts = [values.count(level) for level in levels]
    ours, betting = OrderedBound("any", 0.0), bounds.get("betting")
    for delta in (0.3, 0.001):
        by_counts = betting.lower_from_levels(counts, levels, delta)
        assert ours.lower(values, delta) == pytest.approx(by_counts, abs=1e-8)
        by_counts = betting.upper_from_levels(counts, levels, delta)
        assert ours.upper(values, delta) == pytest.approx(by_counts, abs=1e-8)


def crossings(kept, size, ones, side):
    """In which share of all orders of so many ones the true mean is ever outside: exact.

    Over all beginnings, as a tree: what is outside once is not followed further. Each beginning
    has as many orders as the rest can be placed in.
    """
    mean, crossed, alive = ones / size, 0, [()]
    for met in range(1, size + 1):
        following = []
        for start in alive:
            for value in (0.0, 1.0):
                values = (*start, value)
                left = ones - int(sum(values))
                if not 0 <= left <= size - met:
                    continue
                end = kept(values)
                if side * (end - mean) < -1e-12:
                    crossed += math.comb(size - met, left)
                else:
                    following.append(values)
        alive = following
    return crossed / math.comb(size, ones)


@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize("ones", [1, 3, 5, 8])
def test_the_error_over_all_orders_is_at_most_delta(ones, side):
    """Ten values of 0 and 1, up to the last: no sampling. The error is not far below delta."""
    for name, least in (("without-replacement", 0.0), ("differences", -1.0)):
        bound = bounds.in_order(name, of=10)
        end = bound.lower if side < 0 else bound.upper

        def kept(values, end=end, least=least):
            scaled = [least + (1 - least) * value for value in values]
            return (end(scaled, 0.3) - least) / (1 - least)

        assert crossings(kept, 10, ones, side) <= 0.3


def test_all_orders_see_a_bound_that_forgets_the_values_seen():
    """Planted: twice the delta; and the error is not promised for nothing."""
    bound = bounds.in_order("without-replacement", of=10)
    usual = [crossings(lambda v: bound.lower(v, 0.3), 10, ones, -1) for ones in (1, 3, 5)]
    assert 0.05 < max(usual) <= 0.3
    planted = [crossings(lambda v: bound.lower(v, 0.9), 10, ones, -1) for ones in (1, 3, 5)]
    assert max(planted) > 0.3


@pytest.mark.parametrize("least", [0.0, -1.0])
def test_graded_values_over_all_orders(least):
    """Six different values: all 720 orders, both sides at 0.2 each, up to the last value."""
    population = least + (1 - least) * np.array([0.0, 0.1, 0.45, 0.5, 0.9, 1.0])
    bound, mean = OrderedBound("any", least, 6), population.mean()
    missed = {-1: 0, 1: 0}
    for order in itertools.permutations(population.tolist()):
        for side, end in ((-1, bound.lower), (1, bound.upper)):
            ends = [end(order[:met], 0.2) for met in range(1, 7)]
            missed[side] += any(side * (one - mean) < -1e-12 for one in ends)
            assert ends[-1] == pytest.approx(mean, abs=1e-12)
    assert max(missed.values()) <= 0.2 * 720


@pytest.mark.parametrize("ones", [2, 5])
def test_the_capital_is_fair_without_replacement(ones):
    """Its mean over all orders of eight values is 1 after every value: exactly what is proven."""
    orders = set(itertools.permutations([1.0] * ones + [0.0] * (8 - ones)))
    for met in range(1, 9):
        capitals = [
            math.exp(log_capital_in_order(np.array(order[:met]), 8.0, ones / 8)) for order in orders
        ]
        assert np.mean(capitals) == pytest.approx(1.0, abs=1e-12)


unit_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(unit_values, st.integers(0, 20), st.floats(1e-9, 0.5), st.floats(1.1, 20))
@settings(max_examples=150, deadline=None)
def test_general_properties(values, left, delta, factor):
    bound = bounds.in_order("without-replacement", of=len(values) + left)
    lower, upper = bound.lower(values, delta), bound.upper(values, delta)
    mirrored = [1 - value for value in values]
    assert 0 <= lower <= 1
    assert 0 <= upper <= 1
    assert bound.upper(mirrored, delta) == pytest.approx(1 - lower, abs=1e-9)
    assert bound.lower(values, delta / factor) <= lower
    assert bound.upper(values, delta / factor) >= upper
    least, most = sum(values) / bound.of, (sum(values) + left) / bound.of
    assert least - 1e-9 <= lower <= most + 1e-9
    assert least - 1e-9 <= upper <= most + 1e-9


def test_before_the_first_value_nothing_is_known():
    for name, least in (("without-replacement", 0.0), ("differences", -1.0)):
        bound = bounds.in_order(name, of=9)
        assert (bound.lower([], 0.1), bound.upper([], 0.1)) == (least, 1.0)


def test_what_is_refused():
    bound = bounds.in_order("without-replacement", of=3)
    for values, words in (
        ([0.5, 2.0], r"\[0, 1\]; got 2.0"),
        ([1.0] * 4, "4 values, of 3 in all"),
        ([[0.5]], "one list"),
        (["a"], r"\[0, 1\]"),
    ):
        with pytest.raises(InvalidInput, match=words):
            bound.lower(values, 0.1)
    with pytest.raises(InvalidInput, match="delta"):
        bound.upper([0.5], 0.0)
    with pytest.raises(InvalidInput, match="of must be"):
        bounds.in_order("differences", of=0)
    with pytest.raises(InvalidInput, match="needs the size"):
        bounds.in_order("without-replacement")
    with pytest.raises(UnknownName, match="Did you mean 'differences'"):
        bounds.in_order("difference")
