"""Every bound against its definition in 50-digit arithmetic, and its general properties."""

import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plaudit import bounds
from plaudit.bounds.kernels import (
    lower_kernel,
    rate_kernel,
    surely_below,
    upper_index,
    upper_limit,
)
from plaudit.bounds.lil_kl import kappa, peeling_total, theorem_2_constant
from plaudit.errors import InvalidInput, UnknownName
from support import oracle

MEANS = [0.0, 1e-9, 1e-3, 0.3, 0.5, 0.98, 1 - 1e-9, 1.0]
VOTES = [1, 2, 7, 50, 10**4, 10**9]
DELTAS = [0.5, 0.01, 1e-30]

name_of_bound = st.sampled_from(bounds.NAMES)
unit = st.floats(0, 1)
votes_count = st.integers(1, 10**9)
error = st.floats(1e-30, 0.5)


@pytest.mark.parametrize("name", bounds.NAMES)
def test_within_1e_9_of_50_digits_and_never_inward(name):
    bound = bounds.get(name)
    for mean in MEANS:
        for votes in VOTES:
            for delta in DELTAS:
                upper = oracle.bound(name, 1, mean, votes, delta)
                lower = oracle.bound(name, -1, mean, votes, delta)
                assert 0 <= mp.mpf(bound.upper(mean, votes, delta)) - upper <= 1e-12
                assert 0 <= lower - mp.mpf(bound.lower(mean, votes, delta)) <= 1e-12


@pytest.mark.parametrize("name", ["lil-kl", "lil-kl-2", "sg1"])
@pytest.mark.parametrize("N", [1, 2, 64])
def test_other_resolutions(name, N):
    bound = bounds.get(name, N=N)
    for mean, votes in [(0.2, 3), (0.9, 1000)]:
        for side, ours in ((1, bound.upper), (-1, bound.lower)):
            exact = oracle.bound(name, side, mean, votes, 0.05, N=N)
            assert ours(mean, votes, 0.05) == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize("name", ["kl-lucb", "hoeffding"])
def test_time_of_the_race_widens_the_bound(name):
    bound = bounds.get(name)
    assert bound.uses_time
    exact = oracle.bound(name, 1, 0.3, 100, 0.01, time=5000)
    assert bound.upper(0.3, 100, 0.01, time=5000) == pytest.approx(float(exact), abs=1e-12)
    assert bound.upper(0.3, 100, 0.01, time=5000) > bound.upper(0.3, 100, 0.01)
    assert bound.upper(0.3, 100, 0.01, time=7) == bound.upper(0.3, 100, 0.01)


def test_the_papers_constants():
    assert kappa(8, 0.01) == pytest.approx(22.049407, abs=5e-7)
    assert math.log(kappa(8, 0.01)) == pytest.approx(3.093286, abs=5e-7)
    assert theorem_2_constant(8) == pytest.approx(1.550982, abs=5e-7)
    # N = 1 has no first sum: C is zeta(2).
    assert peeling_total(1) == pytest.approx(math.pi**2 / 6, rel=1e-14)
    # kappa belongs to its error level: delta^(1/(N+1)) is part of it.
    assert kappa(8, 0.01) / kappa(8, 0.0001) == pytest.approx(100 ** (1 / 9), rel=1e-12)


def test_the_inequality_behind_theorem_2():
    """D(p, m) <= c(N) D((N p + m)/(N+1), m) for N = 1 to 64, in 50 digits; c(N) is the least.

    For p above m; the other side is its mirror. It is tightest for p = 1 and m close to 1.
    """
    near = [mp.mpf(10) ** -k for k in (1, 3, 6, 9)]
    means = [*near, mp.mpf("0.3"), mp.mpf("0.5"), mp.mpf("0.7"), *(1 - x for x in near)]
    shares = [mp.mpf(10) ** -6, mp.mpf("0.1"), mp.mpf("0.5"), mp.mpf("0.9"), 1 - near[2], mp.mpf(1)]

    def divergence(p, m):
        return sum(a * mp.log(a / b) for a, b in ((p, m), (1 - p, 1 - m)) if a > 0)

    with mp.workdps(50):
        for N in range(1, 65):
            c = mp.mpf(N + 1) / (N - mp.log(N + 1))
            ratios = []
            for m in means:
                for share in shares:
                    p = m + share * (1 - m)
                    ratios.append(divergence(p, m) / divergence((N * p + m) / (N + 1), m))
            assert max(ratios) <= c
            # With the sign that the paper's proof ends with, the constant would be too small.
            assert max(ratios) > mp.mpf(N + 1) / (N + mp.log(N + 1))
            assert max(ratios) > c * (1 - mp.mpf(10) ** -8)
            if N & (N - 1) == 0:
                assert theorem_2_constant(N) == pytest.approx(float(c), rel=1e-15)


@pytest.mark.parametrize("name", ["lil-kl", "lil-kl-2", "kl-lucb"])
@pytest.mark.parametrize("mean", [1e-300, 1e-30, 1e-20, 1e-16, 1e-15])
def test_means_next_to_0(name, mean):
    for delta in (0.0078125, 0.0078, 0.01, 0.3):
        exact = oracle.bound(name, 1, mean, 6164, delta)
        assert 0 <= mp.mpf(bounds.get(name).upper(mean, 6164, delta)) - exact <= 1e-12


def test_sg2_holds_for_delta_up_to_a_tenth():
    bound = bounds.get("sg2")
    assert bound.upper(0.3, 90, 0.3) == bound.upper(0.3, 90, 0.1) > bound.upper(0.3, 90, 0.09) - 1
    assert bound.upper(0.3, 9000, 0.1) < bound.upper(0.3, 9000, 0.09)


@given(name_of_bound, unit, votes_count, error)
@settings(max_examples=300)
def test_interval_contains_the_mean_and_stays_in_the_unit_interval(name, mean, votes, delta):
    bound = bounds.get(name)
    lower, upper = bound.lower(mean, votes, delta), bound.upper(mean, votes, delta)
    assert 0 <= lower <= mean <= upper <= 1


@given(name_of_bound, unit, votes_count, error, st.floats(1.01, 100))
@settings(max_examples=300)
def test_intervals_shrink_as_delta_grows(name, mean, votes, delta, factor):
    bound = bounds.get(name)
    larger = min(0.999, delta * factor)
    assert bound.upper(mean, votes, larger) <= bound.upper(mean, votes, delta) + 1e-13
    assert bound.lower(mean, votes, larger) >= bound.lower(mean, votes, delta) - 1e-13


@given(name_of_bound, st.integers(0, 2**30), votes_count, error)
@settings(max_examples=300)
def test_intervals_mirror(name, numerator, votes, delta):
    mean = numerator / 2**30  # 1 - mean is then exact
    bound = bounds.get(name)
    mirrored = 1 - bound.lower(1 - mean, votes, delta)
    assert bound.upper(mean, votes, delta) == pytest.approx(mirrored, abs=3e-14)


@given(name_of_bound, unit, error)
def test_nothing_is_known_before_the_first_vote(name, mean, delta):
    bound = bounds.get(name)
    assert (bound.lower(mean, 0, delta), bound.upper(mean, 0, delta)) == (0.0, 1.0)


@pytest.mark.parametrize("name", bounds.NAMES)
def test_scalar_and_vectorised_agree_bit_for_bit(name):
    bound = bounds.get(name)
    means = np.linspace(0, 1, 7)[:, None]
    votes = np.array([1, 10, 1000])
    table = bound.upper(means, votes, 0.01)
    assert table.shape == (7, 3)
    for i, mean in enumerate(means.ravel()):
        for j, count in enumerate(votes):
            assert table[i, j] == bound.upper(mean, count, 0.01)


@pytest.mark.parametrize("N", [0, 3, 12, -8, 2**21, True, 8.0, "8"])
def test_n_must_be_a_power_of_two(N):
    with pytest.raises(InvalidInput, match="power of two"):
        bounds.get("lil-kl", N=N)


@pytest.mark.parametrize(("given_name", "near"), [("lil-k", "lil-kl"), ("Hoefding", "hoeffding")])
def test_an_unknown_bound_offers_the_nearest(given_name, near):
    with pytest.raises(UnknownName, match=f"Did you mean '{near}'"):
        bounds.get(given_name)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((math.nan, 5, 0.1), "mean"),
        ((1.5, 5, 0.1), "mean"),
        ((0.5, -1, 0.1), "votes"),
        ((0.5, math.inf, 0.1), "votes"),
        ((0.5, 5, 0.0), "delta"),
        ((0.5, 5, 1.0), "delta"),
        ((0.5, 5, math.nan), "delta"),
    ],
)
def test_bad_input_is_named(arguments, word):
    with pytest.raises(InvalidInput, match=word):
        bounds.get("lil-kl").upper(*arguments)


def test_time_must_be_at_least_one():
    with pytest.raises(InvalidInput, match="time"):
        bounds.get("hoeffding").upper(0.5, 5, 0.1, time=0)


@pytest.mark.parametrize(
    "name", ["lil-kl", "lil-kl-2", "kl-lucb", "beta-mixture", "betting", "kinf"]
)
@given(
    votes=st.integers(1, 10**6),
    share=st.floats(0, 1),
    place=st.floats(0, 1),
    delta=st.floats(1e-9, 0.5),
)
@settings(max_examples=200)
def test_the_cheap_inequality_never_contradicts_the_lower_bound(name, votes, share, place, delta):
    bound = bounds.get(name, N=8)
    level, mean = bound.level(delta), round(share * votes) / votes
    value = place * mean
    exact = lower_kernel(bound.formula, level, mean, float(votes), float(votes))
    if surely_below(bound.formula, level, mean, float(votes), float(votes), value):
        assert exact <= value


@pytest.mark.parametrize("mean", [0.2, 0.9, 1.0])
@pytest.mark.parametrize("votes", [100.0, 10_000.0])
@pytest.mark.parametrize("name", ["lil-kl", "beta-mixture", "betting", "kinf"])
def test_the_cheap_inequality_decides_most_cases(name, mean, votes):
    """A quarter of the way from the lower bound to the mean it has no doubt left."""
    bound = bounds.get(name, N=8)
    level = bound.level(1e-5)
    exact = lower_kernel(bound.formula, level, mean, votes, 1.0)
    value = exact + 0.25 * (mean - exact)
    assert surely_below(bound.formula, level, mean, votes, 1.0, value)
    below = exact - 1e-6
    assert not surely_below(bound.formula, level, mean, votes, 1.0, below)


def index_and_limit(name, votes, mean, delta, now, later):
    """The upper index now, and its limit from that of a later time."""
    bound = bounds.get(name)
    formula, level = bound.formula, bound.level(delta)
    ahead = upper_index(formula, level, mean, float(votes), later)
    rates = [rate_kernel(formula, level, float(votes), time) for time in (now, later)]
    limit = upper_limit(formula, mean, ahead, rates[1] - rates[0])
    return upper_index(formula, level, mean, float(votes), now), limit, ahead


@pytest.mark.parametrize("name", ["kl-lucb", "hoeffding"])
@given(
    votes=st.integers(1, 10**6),
    share=st.floats(0, 1),
    delta=st.floats(1e-9, 0.5),
    before=st.floats(0, 15),
    ahead=st.floats(0, 15),
)
@settings(max_examples=300)
def test_the_limit_from_a_later_time_is_never_too_small(name, votes, share, delta, before, ahead):
    now = votes * math.exp(before)
    mean = round(share * votes) / votes
    exact, limit, _ = index_and_limit(name, votes, mean, delta, now, now * math.exp(ahead))
    assert limit >= exact - 1e-13


@pytest.mark.parametrize("name", ["kl-lucb", "hoeffding"])
@pytest.mark.parametrize(("votes", "mean"), [(3, 0.0), (40, 0.3), (2000, 0.9)])
def test_the_limit_from_a_later_time_is_close(name, votes, mean):
    """Its error falls with the square of the time between."""
    errors = []
    for step in (0.1, 0.01):
        exact, limit, later = index_and_limit(name, votes, mean, 1e-5, 1e4, 1e4 * (1 + step))
        errors.append((limit - exact) / (later - exact))
    assert errors[0] < 0.05
    assert errors[1] < 0.2 * errors[0]


# Levels of a scale

READ_LEVELS = ("betting", *oracle.FROM_LEVELS)
SCALES = [[0.0, 1.0], [0.0, 0.5, 1.0], [0.1, 0.35, 0.9], [0.0, 0.25, 0.5, 0.75, 1.0]]


@pytest.mark.parametrize("values", SCALES, ids=str)
@pytest.mark.parametrize("votes", [1, 2, 3, 40, 10**4, 2 * 10**8])
@pytest.mark.parametrize("name", READ_LEVELS)
def test_levels_against_50_digits(name, values, votes):
    rng = np.random.default_rng([votes, len(values)])
    bound = bounds.get(name)
    for delta in (0.3, 1e-6):
        counts = rng.multinomial(votes, rng.dirichlet(np.full(len(values), 0.5)))
        upper = oracle.from_levels(name, 1, counts, values, delta)
        lower = oracle.from_levels(name, -1, counts, values, delta)
        got = (
            bound.lower_from_levels(counts, values, delta),
            bound.upper_from_levels(counts, values, delta),
        )
        assert 0 <= mp.mpf(got[1]) - upper <= 1e-12
        assert 0 <= lower - mp.mpf(got[0]) <= 1e-12


# Votes at the ends alone, beside an end, at one level, and far more at one than at another.
EDGES = [
    ([0.0, 0.5, 1.0], [7, 0, 0]),
    ([0.0, 0.5, 1.0], [0, 0, 7]),
    ([0.0, 0.5, 1.0], [0, 900, 0]),
    ([0.0, 0.5, 1.0], [1, 10**9, 0]),
    ([0.0, 0.5, 1.0], [10**9, 0, 1]),
    ([0.0, 0.5, 1.0], [1, 0, 1]),
    ([1e-9, 0.5, 1 - 1e-9], [5, 1, 30]),
    ([0.3, 0.3000001], [400, 700]),
    ([0.0, 1e-12, 1.0], [50, 60, 2]),
    ([0.2, 0.7], [3, 10**6]),
]


@pytest.mark.parametrize(("values", "counts"), EDGES, ids=str)
@pytest.mark.parametrize("name", READ_LEVELS)
def test_edges_of_levels_against_50_digits(name, values, counts):
    bound = bounds.get(name)
    for delta in (0.5, 1e-3, 1e-40):
        upper = mp.mpf(bound.upper_from_levels(counts, values, delta))
        lower = mp.mpf(bound.lower_from_levels(counts, values, delta))
        assert 0 <= upper - oracle.from_levels(name, 1, counts, values, delta) <= 1e-12
        assert 0 <= oracle.from_levels(name, -1, counts, values, delta) - lower <= 1e-12


@given(
    st.sampled_from(READ_LEVELS),
    st.sampled_from(SCALES),
    st.lists(st.integers(0, 10**6), min_size=5, max_size=5),
    st.floats(1e-12, 0.5),
)
@settings(max_examples=300)
def test_levels_never_say_less_than_the_mean(name, values, drawn, delta):
    counts = np.array(drawn[: len(values)])
    votes = counts.sum()
    mean = float(np.dot(counts, values) / max(votes, 1))
    bound = bounds.get(name)
    lower, upper = (f(min(mean, 1.0), votes, delta) for f in (bound.lower, bound.upper))
    low = bound.lower_from_levels(counts, values, delta)
    high = bound.upper_from_levels(counts, values, delta)
    assert lower - 1e-12 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= upper + 1e-12


@pytest.mark.parametrize("name", bounds.NAMES)
def test_levels_of_other_bounds_are_their_mean(name):
    bound = bounds.get(name)
    table = [[5, 3, 2], [0, 0, 0], [10, 0, 0]]
    upper = bound.upper_from_levels(table, [0, 0.5, 1], [0.1, 0.1, 0.2])
    assert upper.shape == (3,)
    assert upper[1] == 1.0
    for k, (mean, votes) in enumerate([(0.35, 10), (0.5, 0), (0.0, 10)]):
        plain = bound.upper(mean, votes, [0.1, 0.1, 0.2][k])
        assert upper[k] <= plain + 1e-13
        assert upper[k] == pytest.approx(plain, abs=1e-12) or (bound.uses_levels and k == 0)


@pytest.mark.parametrize(
    ("counts", "values", "word"),
    [([1, 2], [0, 0.5, 1], "column"), ([1, -2], [0, 1], "counts"), ([1, 2], [0, 2], "values")],
)
def test_bad_levels_are_named(counts, values, word):
    with pytest.raises(InvalidInput, match=word):
        bounds.get("betting").upper_from_levels(counts, values, 0.1)


@pytest.mark.parametrize("votes", [5, 60, 2000])
def test_the_one_sided_beta_mixture_is_wider_than_the_cut_one(votes):
    """(2) of its page: the mixture of the means below alone is at least 1/delta there."""
    with mp.workdps(30):
        for rises in (0, votes // 5, votes // 2):
            m = mp.mpf(bounds.get("beta-mixture").upper(rises / votes, votes, 0.01))
            parts = (rises + mp.mpf(1) / 2, votes - rises + mp.mpf(1) / 2)
            cut = mp.betainc(*parts, 0, m) / (m**rises * (1 - m) ** (votes - rises))
            mixture = cut / (mp.pi * oracle.weight_below(m))
            weight = oracle.weight_below(m)
            assert 100 <= mixture <= 100 + (1 - weight) / weight + mp.mpf("1e-9")
