"""Divergence, its inverses and Chernoff information, against 50 digits and closed forms."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plaudit.bounds import chernoff_information, divergence, inverse_lower, inverse_upper
from plaudit.errors import InvalidInput
from support import oracle

POINTS = [0.0, 1e-30, 1e-20, 1e-9, 1e-3, 0.2, 0.5, 0.500001, 0.8, 1 - 1e-9, 1.0]
unit = st.floats(0, 1)


@pytest.mark.parametrize("x", POINTS)
@pytest.mark.parametrize("y", POINTS)
def test_divergence_to_full_relative_precision(x, y):
    with mp.workdps(120):
        exact = oracle.divergence(mp.mpf(x), mp.mpf(y))
        ours = divergence(x, y)
        if math.isinf(ours) or mp.isinf(exact):
            assert math.isinf(ours)
            assert mp.isinf(exact)
        else:
            assert abs(ours - exact) <= 4e-15 * exact


def test_divergence_near_equal_arguments_keeps_its_digits():
    for x, gap in [(0.3, 1e-8), (0.5, 1e-12), (0.999, 1e-10)]:
        with mp.workdps(60):
            exact = oracle.divergence(mp.mpf(x), mp.mpf(x + gap))
        assert divergence(x, x + gap) == pytest.approx(float(exact), rel=1e-12)


@given(unit, unit)
def test_chernoff_is_symmetric_and_equalises(x, y):
    ours = chernoff_information(x, y)
    assert ours == chernoff_information(y, x)
    assert ours >= (x - y) ** 2 / 2 * (1 - 1e-12)


@pytest.mark.parametrize(("x", "y"), [(0.1, 0.4), (1e-9, 0.5), (0.49, 0.51), (0.7, 1 - 1e-6)])
def test_chernoff_against_its_definition(x, y):
    with mp.workdps(50):
        low, high = mp.mpf(x), mp.mpf(y)
        z = mp.findroot(
            lambda z: oracle.divergence(z, low) - oracle.divergence(z, high),
            (low + (high - low) / 100, high - (high - low) / 100),
            solver="anderson",
            tol=mp.mpf(10) ** -40,
        )
        assert chernoff_information(x, y) == pytest.approx(
            float(oracle.divergence(z, low)), rel=1e-13
        )


def test_chernoff_at_the_ends():
    assert chernoff_information(0.0, 0.25) == pytest.approx(-math.log(0.75), rel=1e-15)
    assert chernoff_information(0.25, 1.0) == pytest.approx(-math.log(0.25), rel=1e-15)
    assert chernoff_information(0.0, 1.0) == math.inf
    assert chernoff_information(1.0, 1.0) == 0.0


@given(unit, st.floats(0, 50))
@settings(max_examples=300)
def test_inverses_bracket_the_value(x, value):
    upper, lower = inverse_upper(x, value), inverse_lower(x, value)
    assert 0 <= lower <= x <= upper <= 1
    assert upper == 1 or divergence(x, upper) >= value * (1 - 1e-9) - 1e-15
    assert lower == 0 or divergence(x, lower) >= value * (1 - 1e-9) - 1e-15


@pytest.mark.parametrize("x", [5e-324, 1e-310, 2.3e-308, 1e-300])
def test_means_next_to_nothing(x):
    assert divergence(x, 0.63) == pytest.approx(-math.log1p(-0.63), rel=1e-14)
    assert inverse_upper(x, 1.0) == pytest.approx(1 - math.exp(-1), rel=1e-14)


def test_inverses_at_the_ends():
    assert inverse_upper(0.0, 2.0) == pytest.approx(1 - math.exp(-2), rel=1e-14)
    assert inverse_lower(1.0, 2.0) == pytest.approx(math.exp(-2), rel=1e-13)
    assert inverse_upper(1.0, 2.0) == 1.0
    assert inverse_lower(0.0, 2.0) == 0.0
    assert inverse_upper(0.3, math.inf) == 1.0


def test_arrays_broadcast_and_keep_their_shape():
    grid = inverse_upper(np.linspace(0, 1, 5)[:, None], np.array([0.1, 0.2]))
    assert grid.shape == (5, 2)
    assert grid[2, 1] == inverse_upper(0.5, 0.2)


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, "a", math.inf])
def test_bad_numbers_are_named(bad):
    with pytest.raises(InvalidInput, match=r"x must be a number in \[0, 1\]"):
        divergence(bad, 0.5)
    with pytest.raises(InvalidInput):
        chernoff_information(0.5, bad)


def test_bad_shapes_are_named():
    with pytest.raises(InvalidInput, match="do not fit"):
        divergence([0.1, 0.2], [0.1, 0.2, 0.3])
