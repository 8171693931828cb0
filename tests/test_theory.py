"""Hardness, sample bound and vote floor, against SciPy's divergence and optimisers."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize, minimize_scalar
from scipy.special import rel_entr

from plaudit import theory
from plaudit.errors import InvalidInput

FUNCTIONS = {
    "gaps": theory.gaps,
    "hardness_kl": theory.hardness_kl,
    "hardness_sub_gaussian": theory.hardness_sub_gaussian,
    "sample_bound": lambda means: theory.sample_bound(means, 0.01),
    "characteristic_time": theory.characteristic_time,
    "optimal_shares": theory.optimal_shares,
    "vote_floor": lambda means: theory.vote_floor(means, 0.01),
}
SMALL = [
    [0.7, 0.4, 0.2],
    [0.5, 0.45, 0.1],
    [1.0, 0.6, 0.0],
    [1.0, 0.0, 0.0],
    [0.3, 0.2, 0.2],
    [0.02, 0.01, 0.0],
    [0.99, 0.9, 0.98],
]


def kl(x, y):
    return rel_entr(x, y) + rel_entr(1.0 - np.asarray(x), 1.0 - np.asarray(y))


def transport_costs(means, shares) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """w_1 D(mu_1, m_a) + w_a D(mu_a, m_a) of every other item, and the quotients of the Ds."""
    means, shares = np.asarray(means), np.asarray(shares)
    best = int(means.argmax())
    mu, w = np.delete(means, best), np.delete(shares, best)
    middle = (shares[best] * means[best] + w * mu) / (shares[best] + w)
    near, far = kl(means[best], middle), kl(mu, middle)
    return shares[best] * near + w * far, near / far


def chernoff(x, y):
    """-min over s of ln E: Chernoff's own definition, with no root to find."""

    def log_moment(s):
        return math.log(x**s * y ** (1 - s) + (1 - x) ** s * (1 - y) ** (1 - s))

    return -minimize_scalar(
        log_moment, bounds=(0, 1), method="bounded", options={"xatol": 1e-9}
    ).fun


def theorem(means, delta, c):
    """The expression inside the theorem's infimum, for one c_i per losing item."""
    best, *rivals = sorted(means, reverse=True)

    def term(mean, level, c_i):
        information = chernoff(mean, c_i)
        return math.log(level * math.log(max(math.e, 1 / information))) / information

    on_best = term(best, len(rivals) / delta, max(c))
    return on_best + sum(term(m, 1 / delta, c_i) for m, c_i in zip(rivals, c, strict=True))


@pytest.mark.parametrize(("exponent", "votes"), [(1.0, 18_148), (0.5, 2_082)])
def test_floor_of_the_papers_profiles(exponent, votes):
    assert round(theory.vote_floor(theory.power_profile(1000, exponent), 0.01)) == votes


@pytest.mark.parametrize(
    ("means", "shares"),
    [
        ([0.5, 0.45, 0.43, 0.4], [0.42, 0.39, 0.14, 0.06]),
        ([0.3, 0.21, 0.2, 0.19, 0.18], [0.34, 0.25, 0.18, 0.13, 0.10]),
    ],
)
def test_shares_that_garivier_and_kaufmann_print_in_their_section_6(means, shares):
    assert theory.optimal_shares(means).round(2).tolist() == shares


@pytest.mark.parametrize(
    "means", [[0.7, 0.4], [0.51, 0.5], [1.0, 0.3], [0.6, 0.0], [1.0, 0.0], [0.99, 0.98]]
)
def test_two_items_by_direct_maximisation(means):
    search = minimize_scalar(
        lambda w: -transport_costs(means, [w, 1 - w])[0][0],
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert theory.characteristic_time(means) == pytest.approx(-1 / search.fun, rel=1e-9)
    assert theory.optimal_shares(means)[0] == pytest.approx(search.x, abs=1e-6)


@pytest.mark.parametrize("means", SMALL)
def test_three_items_by_optimisation_over_the_simplex(means):
    scale = theory.characteristic_time(means)
    # Variables: two shares, and a level below both costs that is to be as high as possible.
    found = minimize(
        lambda v: -v[2],
        x0=[0.4, 0.4, 0.0],
        bounds=[(1e-5, 0.98), (1e-5, 0.98), (0.0, None)],
        constraints=[
            {"type": "ineq", "fun": lambda v: 0.99 - v[0] - v[1]},
            {
                "type": "ineq",
                "fun": lambda v: (
                    scale * transport_costs(means, [1 - v[0] - v[1], v[0], v[1]])[0] - v[2]
                ),
            },
        ],
        method="SLSQP",
        options={"ftol": 1e-13, "maxiter": 500},
    )
    assert found.x[2] == pytest.approx(1.0, rel=1e-7)
    assert theory.optimal_shares(means)[1:] == pytest.approx(found.x[:2], abs=2e-4)


@pytest.mark.parametrize(
    "means",
    [
        *SMALL,
        [0.2, 0.9, 0.5, 0.5, 0.0],
        [1.0] + [0.0] * 50 + [0.999] * 3,
        [1e-6] + [0.0] * 9,
        theory.power_profile(20_000, 0.25),
        theory.power_profile(20_000, 1.5)[::-1],
    ],
)
def test_at_the_optimum_costs_are_equal_and_the_quotients_sum_to_one(means):
    shares = theory.optimal_shares(means)
    costs, quotients = transport_costs(means, shares)
    assert shares.min() > 0
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert costs * theory.characteristic_time(means) == pytest.approx(1, rel=1e-7)
    assert quotients.sum() == pytest.approx(1, rel=1e-6)


def test_limits_of_close_means():
    # Gaussian with variance 1/4: T* = 8 (1/4) / gap^2. Poisson against 0: T* = e / mean.
    for gap in (1e-5, 1e-9, 2.0**-52):
        assert theory.characteristic_time([0.5, 0.5 + gap]) * (
            (0.5 + gap) - 0.5
        ) ** 2 == pytest.approx(2, rel=1e-8)
    assert theory.characteristic_time([1e-10, 0.0]) == pytest.approx(math.e * 1e10, rel=1e-8)
    assert theory.optimal_shares([1e-10, 0.0])[1] == pytest.approx(1 - 1 / math.e, rel=1e-8)


def test_floor_in_delta():
    time = theory.characteristic_time([0.6, 0.5])
    assert theory.vote_floor([0.6, 0.5], 0.1) == pytest.approx(time * kl(0.1, 0.9))
    assert theory.vote_floor([0.6, 0.5], 1e-100) == pytest.approx(time * 100 * math.log(10))
    assert theory.vote_floor([0.6, 0.5], 0.5) == theory.vote_floor([0.6, 0.5], 0.9) == 0.0


def test_hardness_of_known_means():
    assert theory.hardness_kl([0.2, 0.7, 0.6]) == pytest.approx(
        1 / chernoff(0.2, 0.7) + 1 / chernoff(0.6, 0.7)
    )
    assert theory.hardness_kl([0.0, 1.0]) == 0.0
    assert theory.hardness_kl([0.75, 0.0, 0.0]) == pytest.approx(2 / math.log(4))
    assert theory.hardness_sub_gaussian([0.0, 1.0, 0.5]) == 5.0
    assert theory.gaps([0.0, 1.0, 0.5]).tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    ("exponent", "kl_order", "sub_gaussian_order"),
    [(0.25, 1, 1), (0.5, 1, None), (0.75, 1, 1.5), (1.0, None, 2), (1.5, 1.5, 3), (2.0, 2, 4)],
)
def test_orders_of_table_1(exponent, kl_order, sub_gaussian_order):
    """S grows as n^order between 10^5 and 10^6; None stands for n log n."""
    few, many = (theory.power_profile(n, exponent) for n in (100_000, 1_000_000))
    for hardness, order in (
        (theory.hardness_kl, kl_order),
        (theory.hardness_sub_gaussian, sub_gaussian_order),
    ):
        if order is None:
            # S = n ln n + b n: the first coefficient is 1 in both cases of the table.
            rise = hardness(many) / many.size - hardness(few) / few.size
            assert rise / math.log(10) == pytest.approx(1, abs=1e-3)
        else:
            growth = math.log10(hardness(many) / hardness(few))
            assert growth == pytest.approx(order, abs=0.03)


def test_power_profile():
    assert theory.power_profile(4, 2).tolist() == [1.0, 15 / 16, 3 / 4, 7 / 16]


CONTESTS = st.integers(1, 64).flatmap(
    lambda best: st.lists(st.integers(0, best - 1), min_size=1, max_size=5).map(
        lambda rivals: [k / 64 for k in (best, *rivals)]
    )
)


@given(means=CONTESTS, data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_order_of_the_items_does_not_matter(means, data):
    order = np.array(data.draw(st.permutations(range(len(means)))))
    shuffled = np.array(means)[order]
    for name in ("hardness_kl", "hardness_sub_gaussian", "sample_bound", "vote_floor"):
        assert FUNCTIONS[name](shuffled) == pytest.approx(FUNCTIONS[name](means), rel=1e-9)
    assert theory.optimal_shares(shuffled) == pytest.approx(theory.optimal_shares(means)[order])


@given(means=CONTESTS)
@settings(max_examples=100, deadline=None)
def test_kl_hardness_is_at_most_twice_the_sub_gaussian(means):
    assert theory.hardness_kl(means) <= 2 * theory.hardness_sub_gaussian(means) * (1 + 1e-12)


@given(means=CONTESTS, more=st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_one_more_item_costs_more(means, more):
    extra = round(64 * more * max(means) - 0.5) / 64
    longer = [*means, min(max(extra, 0.0), max(means) - 1 / 64)]
    assert theory.characteristic_time(longer) > theory.characteristic_time(means)
    assert theory.sample_bound(longer, 0.1) > theory.sample_bound(means, 0.1)


@pytest.mark.parametrize("means", SMALL)
def test_sample_bound_is_the_least_over_c(means):
    best, second = sorted(means, reverse=True)[:2]
    bound = theory.sample_bound(means, 0.05)
    grid = np.linspace(second, best, 42)
    c = min(grid[1:-1], key=lambda c: theorem(means, 0.05, [c] * 2))
    search = minimize_scalar(
        lambda c: theorem(means, 0.05, [c] * 2),
        bounds=(c - (grid[1] - second), c + (grid[1] - second)),
        method="bounded",
        options={"xatol": 1e-6},
    )
    assert bound == pytest.approx(search.fun, rel=1e-7)


def test_sample_bound_gains_nothing_from_a_c_for_each_item():
    means = [0.8, 0.6, 0.3, 0.0]
    bound = theory.sample_bound(means, 0.01)
    draws = np.random.default_rng(1).random((300, 3))
    for c in (np.array(means[1:]) + draws * theory.gaps(means)).tolist():
        assert theorem(means, 0.01, c) >= bound


def test_sample_bound_with_most_items_at_zero():
    # With D*(1, c) = -ln c and D*(0, c) = -ln(1-c), the best c is about 1 - 3e-3.
    rivals, delta = 100_000, 0.01
    u = np.geomspace(1e-8, 0.5, 400_001)
    near, far = -np.log1p(-u), -np.log(u)
    inner = np.log(np.maximum(math.e, 1 / near))
    votes = np.log(rivals / delta * inner) / near + rivals * math.log(1 / delta) / far
    assert 1e-4 < u[votes.argmin()] < 1e-2
    bound = theory.sample_bound([0.0] * rivals + [1.0], delta)
    assert bound == pytest.approx(votes.min(), rel=1e-8)


def test_sample_bound_of_neighbouring_floats():
    assert theory.sample_bound([1.0, 1.0 - 2.0**-53], 0.1) == math.inf
    assert math.isfinite(theory.sample_bound([0.5, 0.5 + 2.0**-51], 0.1))


@pytest.mark.parametrize("means", [[1.0, 1.0 - 2.0**-53], [0.5, 0.5 + 2.0**-52], [1e-100, 0.0]])
def test_the_smallest_gaps_have_finite_answers(means):
    for name in ("hardness_kl", "hardness_sub_gaussian", "characteristic_time"):
        assert 0.0 < FUNCTIONS[name](means) < math.inf


def test_a_mean_below_the_smallest_counts_as_zero():
    assert theory.characteristic_time([1.0, 5e-324]) == theory.characteristic_time([1.0, 0.0])


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("means", "message"),
    [
        ([], "at least 2"),
        ([0.5], "at least 2"),
        (0.5, "at least 2"),
        ([[0.5, 0.6]], "at least 2"),
        ([0.5, 0.7, 0.7], "0.7, is shared by 2 items"),
        ([0.0, 0.0], "shared"),
        ([0.5, math.nan], r"in \[0, 1\]; got nan"),
        ([0.5, 1.1], r"in \[0, 1\]; got 1.1"),
        ([0.5, -0.1], r"in \[0, 1\]; got -0.1"),
        (["a", "b"], r"in \[0, 1\]"),
    ],
)
def test_means_that_are_refused(name, means, message):
    with pytest.raises(InvalidInput, match=message):
        FUNCTIONS[name](means)


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, math.nan])
def test_levels_that_are_refused(delta):
    for function in (theory.sample_bound, theory.vote_floor):
        with pytest.raises(InvalidInput, match="delta must be a probability"):
            function([0.5, 0.4], delta)


@pytest.mark.parametrize(
    ("items", "exponent", "message"),
    [(1, 1.0, "items"), (2.5, 1.0, "items"), (5, 0.0, "exponent"), (5, math.nan, "exponent")],
)
def test_profiles_that_are_refused(items, exponent, message):
    with pytest.raises(InvalidInput, match=message):
        theory.power_profile(items, exponent)
