"""Crossing probabilities over long horizons: exact, simulated, and against each other.

The exact route is held against enumeration of all sequences of votes, against the plain
computation of tests/support/crossings.py, and against walks; the walks against a replay that
asks the library's bound at every single vote. Statistical tests use fixed seeds and exact
binomial limits.
"""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import beta, binom, kstest

from plaudit import bounds
from plaudit.bounds.lil_kl import LilLevel
from plaudit.errors import InvalidInput, UnknownName
from plaudit.simulation import VoteLaw, exact_crossing, simulate_crossing
from plaudit.simulation.crossing import crosses, event_of, falling_from
from plaudit.simulation.crossing_exact import CRITICAL, VOTES, _follow
from plaudit.simulation.draws import add_votes, draw_of, stream, uniform
from support.crossings import (
    DELTA,
    HORIZON,
    MEANS,
    crossing_probability,
    edges,
    misses_of,
    table_by_name,
)
from support.crossings import misses_by_definition as by_definition

SIDES = ["upper", "lower"]
SIGN = {"upper": 1, "lower": -1}
FALSE_ALARM = 1e-6
WALKS = 2000
LATTICES = {
    "votes 0 and 1": VoteLaw.bernoulli(0.2),
    "often 1": VoteLaw.bernoulli(0.97),
    "two points": VoteLaw.levels([0.3, 0.9], [0.7, 0.3]),
    "three levels": VoteLaw.levels([0, 0.5, 1], [0.3, 0.4, 0.3]),
    "a gap": VoteLaw.levels([0, 0.25, 0.5, 0.75, 1], [0.5, 0.2, 0.0, 0.0, 0.3]),
}
OTHERS = {
    "uniform": VoteLaw.uniform(),
    "narrow": VoteLaw.uniform(0.2, 0.3),
    "beta(1/2, 1)": VoteLaw.beta(0.5, 1),
    "beta(1, 4)": VoteLaw.beta(1, 4),
    "atoms": VoteLaw.levels([0, 0.1, 1], [0.5, 0.1, 0.4]),
    "mixture": VoteLaw.mixture(
        [VoteLaw.bernoulli(0.5), VoteLaw.uniform(0.3, 0.6), VoteLaw.beta(3, 1)], [0.4, 0.4, 0.2]
    ),
}
ALL_LAWS = LATTICES | OTHERS


def tight(name="lil-kl", scale=0.2):
    """A bound with too little evidence, which is crossed often: for power, not for honesty."""
    good = bounds.get(name)
    return bounds.Bound(
        name, good.formula._replace(scale=scale * good.formula.scale), good.level_of
    )


def spread(law, name):
    """The variance of a vote, as a share of what the bound allows for."""
    square = sum(
        part.weight
        * (
            part.low**2
            + 2 * part.low * (part.high - part.low) / (part.power + 1)
            + (part.high - part.low) ** 2 / (2 * part.power + 1)
        )
        for part in law.parts
    )
    allowed = law.mean * (1 - law.mean) if "kl" in name else 0.25
    return (square - law.mean**2) / allowed


def missed(bound, means, votes, true_mean, delta, side):
    """What the library's own bound says about empirical means."""
    if side == "upper":
        return bound.upper(means, votes, delta) < true_mean
    return bound.lower(means, votes, delta) > true_mean


def enumerated(bound, law, delta, side, horizon):
    """P(crossed by t) for each t, over all sequences of votes."""
    values = [part.low for part in law.parts]
    weights = np.array([part.weight for part in law.parts])
    paths = np.array(list(itertools.product(range(len(values)), repeat=horizon)))
    sums = np.cumsum(np.array(values)[paths], axis=1)
    times = np.arange(1, horizon + 1)
    out = missed(bound, np.clip(sums / times, 0, 1), times, law.mean, delta, side)
    ever = np.logical_or.accumulate(out, axis=1)
    return weights[paths].prod(axis=1) @ ever


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("law", "horizon"),
    [("votes 0 and 1", 14), ("often 1", 14), ("two points", 14), ("three levels", 9), ("a gap", 6)],
)
@pytest.mark.parametrize("name", ["lil-kl", "lil-kl-2", "sg1", "elimination"])
def test_exact_equals_enumeration(name, law, horizon, side):
    bound = tight(name, 0.1 * spread(LATTICES[law], name))
    truth = enumerated(bound, LATTICES[law], 0.9, side, horizon)
    result = exact_crossing(
        bound, LATTICES[law], 0.9, side=side, horizon=horizon, checkpoints=range(1, horizon + 1)
    )
    assert result.probability == pytest.approx(truth, rel=1e-11, abs=1e-12)
    # Too few votes for an item of mean 0.97 to look better than it is.
    assert truth[-1] > 0.001 or (law, side) == ("often 1", "lower")


@pytest.mark.parametrize("side", SIDES)
def test_a_rate_that_rises_at_first(side):
    """With N = 1 and a large delta the second vote has a larger rate than the first."""
    plain = bounds.get("lil-kl", N=1)
    bound = bounds.Bound("rising", plain.formula._replace(scale=0.4), plain.level_of)
    assert falling_from(bound.formula, bound.level(0.95)) == 2
    law = VoteLaw.bernoulli(0.5)
    truth = enumerated(bound, law, 0.95, side, 12)
    times = range(1, 13)
    result = exact_crossing(bound, law, 0.95, side=side, horizon=12, checkpoints=times)
    assert result.probability == pytest.approx(truth, rel=1e-11, abs=1e-12)
    assert_replayed(bound, law, 0.95, side, horizon=50, walks=40)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("law", ["votes 0 and 1", "often 1", "three levels", "narrow"])
@pytest.mark.parametrize("name", ["kinf", "empirical-bernstein", "stitched"])
def test_walks_of_the_comparison_bounds(name, law, side):
    assert_replayed(bounds.get(name), ALL_LAWS[law], 0.95, side, horizon=400, walks=40)


@pytest.mark.parametrize("side", SIDES)
def test_a_rate_that_rises_after_it_fell(side):
    """The stitched boundary is flat up to the fourth vote; with a large delta it then widens."""
    plain = bounds.get("stitched")
    bound = bounds.Bound("rising", plain.formula._replace(scale=0.05), plain.level_of)
    assert falling_from(bound.formula, bound.level(0.9)) == 5
    law = VoteLaw.bernoulli(0.5)
    truth = enumerated(bound, law, 0.9, side, 12)
    times = range(1, 13)
    result = exact_crossing(bound, law, 0.9, side=side, horizon=12, checkpoints=times)
    assert result.probability == pytest.approx(truth, rel=1e-11, abs=1e-12)
    assert_replayed(bound, law, 0.9, side, horizon=50, walks=40)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("law", LATTICES)
@pytest.mark.parametrize("name", bounds.NAMES)
def test_the_critical_sum_is_where_the_library_puts_it(name, law, side):
    """At every time up to 300, the sums up to the critical one cross and no others.

    The sum is taken in the law's own units, so ties with the bound's outward rounding could
    differ in the last place of the mean; none does here.
    """
    bound, chosen = bounds.get(name), LATTICES[law]
    origin, spacing, chances = chosen.lattice
    if side == "lower":
        origin, spacing = origin + spacing * (len(chances) - 1), -spacing
    event = event_of(bound, chosen.mean, DELTA, side=side, first=origin, step=spacing)
    places = np.array([0, 0, 0, 0, -1])
    for votes in range(1, 301):
        sums = np.arange((len(chances) - 1) * votes + 1)
        places[VOTES] = votes
        _follow(event, places, int(sums[-1]))
        means = np.clip(origin + spacing * sums / votes, 0, 1)
        out = missed(bound, means, votes, chosen.mean, DELTA, side)
        assert ((sums <= places[CRITICAL]) == out).all()


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("name", ["lil-kl", "lil-kl-2", "sg1", "hoeffding"])
def test_exact_equals_the_plain_computation(name, mean, side):
    bound = bounds.get(name)
    sign = SIGN[side]
    plain = crossing_probability(mean, misses_of(table_by_name(name, sign), mean, sign))
    result = exact_crossing(bound, VoteLaw.bernoulli(mean), DELTA, side=side, horizon=HORIZON)
    assert result.probability[-1] == pytest.approx(plain, rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["lil-kl", "lil-kl-2"])
def test_exact_equals_the_theorem_by_its_definition(name, side):
    plain = crossing_probability(0.02, by_definition(name, 0.02, DELTA, SIGN[side]))
    result = exact_crossing(name, VoteLaw.bernoulli(0.02), DELTA, side=side, horizon=HORIZON)
    assert result.probability[-1] == pytest.approx(plain, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("mean", [0.004, 0.5])
def test_exact_equals_all_cells_carried_over_a_long_horizon(mean, side):
    """5,000 votes without a window, with edges that test_coverage.py finds by bisection."""
    horizon = 5000
    above, inside = edges(bounds.get("lil-kl"), mean, 0.1, horizon)
    halves = 2 * np.arange(horizon + 2)
    alive = np.zeros(horizon + 2)
    alive[0], crossed = 1.0, 0.0
    for t in range(1, horizon + 1):
        alive[1 : t + 1] = alive[1 : t + 1] * (1 - mean) + alive[:t] * mean
        alive[0] *= 1 - mean
        # Cells of no weight that computers are slow with.
        alive[: t + 1][alive[: t + 1] < 1e-200] = 0.0
        reached = halves[: t + 1]
        out = reached < inside[t - 1] if side == "upper" else reached >= above[t - 1]
        crossed += alive[: t + 1][out].sum()
        alive[: t + 1][out] = 0.0
    result = exact_crossing("lil-kl", VoteLaw.bernoulli(mean), 0.1, side=side, horizon=horizon)
    assert result.probability[-1] == pytest.approx(crossed, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("law", LATTICES)
def test_the_mass_adds_up_and_what_is_lost_is_stated(law):
    """A coarse trim must bracket the truth; a fine one must keep its promise."""
    bound, chosen = tight(), LATTICES[law]
    times = [10, 100, 1000, 3000]
    fine = exact_crossing(bound, chosen, 0.1, side="upper", horizon=3000, checkpoints=times)
    assert (fine.lost <= 1e-12).all()
    for loss in (1e-1, 1e-3, 1e-6):
        coarse = exact_crossing(
            bound, chosen, 0.1, side="upper", horizon=3000, checkpoints=times, loss=loss
        )
        assert 0 < coarse.lost[-1] <= loss
        assert (coarse.probability <= fine.probability + fine.lost + 1e-12).all()
        assert (coarse.probability + coarse.lost >= fine.probability - 1e-12).all()
        total = coarse.probability[-1] + coarse.lost[-1] + coarse.remaining
        assert total == pytest.approx(1, abs=1e-11)


def test_checkpoints_and_horizons_do_not_matter():
    law, times = VoteLaw.bernoulli(0.1), [1, 7, 500, 20_000]
    whole = exact_crossing("lil-kl", law, 0.1, side="lower", horizon=50_000, checkpoints=times)
    assert whole.checkpoints.tolist() == times
    assert (np.diff(whole.probability) > 0).all()
    for until, probability in zip(times, whole.probability, strict=True):
        single = exact_crossing("lil-kl", law, 0.1, side="lower", horizon=until)
        assert single.probability[0] == pytest.approx(probability, rel=1e-9, abs=2e-12)


@pytest.mark.parametrize("name", ["lil-kl", "lil-kl-2", "sg1"])
def test_sides_mirror(name):
    """Also three times out of four votes of 0: the far side is another law's near side."""
    upper = exact_crossing(name, VoteLaw.bernoulli(0.25), 0.1, side="upper", horizon=20_000)
    lower = exact_crossing(name, VoteLaw.bernoulli(0.75), 0.1, side="lower", horizon=20_000)
    assert upper.probability == pytest.approx(lower.probability, rel=1e-9)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("mean", [0.01, 0.5, 0.9])
@pytest.mark.parametrize("name", bounds.NAMES)
def test_the_promise_holds_over_a_long_horizon(name, mean, side):
    result = exact_crossing(name, VoteLaw.bernoulli(mean), 0.1, side=side, horizon=100_000)
    assert result.probability[-1] + result.lost[-1] <= 0.1


@pytest.mark.parametrize("name", ["lil-kl", "lil-kl-2", "sg1"])
def test_planted_bugs_change_the_probability(name):
    """Half delta, kappa at delta/10, the other side: each moves it far beyond the tolerances."""
    law, bound = VoteLaw.bernoulli(0.3), bounds.get(name)

    def probability(bound, delta=DELTA, side="lower"):
        return exact_crossing(bound, law, delta, side=side, horizon=10_000).probability[-1]

    def wrong_kappa(delta):
        return LilLevel(8)(delta) - math.log(10) / 9

    right = probability(bound)
    assert probability(bound, delta=DELTA / 2) < 0.8 * right
    assert probability(bounds.Bound(name, bound.formula, wrong_kappa)) > 1.1 * right
    assert abs(probability(bound, side="upper") / right - 1) > 0.1


def replayed(bound, law, delta, side, horizon, seed, number):
    """The first crossing of a walk, from NumPy's own generator and the library's own bound."""
    sequence = np.random.SeedSequence(seed, spawn_key=(number,))
    generator = np.random.Generator(np.random.SFC64(sequence))
    weights = np.cumsum([part.weight for part in law.parts])[:-1]
    draws = len(law.parts) > 1, any(part.low != part.high for part in law.parts)
    chances = generator.random((horizon, sum(draws)))
    chosen = (
        np.searchsorted(weights, chances[:, 0], side="right") if draws[0] else np.zeros(horizon)
    )
    votes = np.empty(horizon)
    for number_of, part in enumerate(law.parts):
        here = chosen == number_of
        votes[here] = part.low + (part.high - part.low) * chances[here, -1] ** part.power
    times = np.arange(1, horizon + 1)
    means = np.clip(np.cumsum(votes) / times, 0, 1)
    out = missed(bound, means, times, law.mean, delta, side)
    return int(np.argmax(out)) + 1 if out.any() else -1


def assert_replayed(bound, law, delta, side, *, horizon, walks):
    times = simulate_crossing(
        bound, law, delta, side=side, horizon=horizon, walks=walks, seed=20261116
    )
    again = [replayed(bound, law, delta, side, horizon, 20261116, walk) for walk in range(walks)]
    assert times.tolist() == again
    return times


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("law", ALL_LAWS)
@pytest.mark.parametrize("name", ["lil-kl", "lil-kl-2", "sg2"])
def test_walks_miss_no_crossing(name, law, side):
    """Skipping ahead must give the very times that looking at every vote gives."""
    bound = tight(name, 0.3 * spread(ALL_LAWS[law], name))
    times = assert_replayed(bound, ALL_LAWS[law], 0.1, side, horizon=3000, walks=40)
    assert (times > 0).any()
    assert (times < 0).any()


def test_walks_do_not_depend_on_blocks_order_or_threads():
    def walks(numbers, seed=7, threads=1):
        first = simulate_crossing(
            tight(scale=0.1),
            OTHERS["mixture"],
            0.3,
            side="upper",
            horizon=500,
            walks=numbers,
            seed=seed,
            threads=threads,
        )
        return first.tolist()

    whole = walks(60)
    assert len(set(whole)) > 10
    assert walks(range(1)) + walks(range(1, 45)) + walks(range(45, 60)) == whole
    assert walks(list(range(59, -1, -1))) == whole[::-1]
    assert walks(60, threads=3) == whole
    assert walks(60, seed=8) != whole


@pytest.mark.statistical
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("law", LATTICES)
def test_walks_agree_with_the_exact_probability(law, side):
    """Claim: the share of walks that crossed by 100 and by 10,000 votes is the exact one.

    2,000 walks on each side of each law, a bound of so little evidence that 5 to 25 % of them
    cross; false alarm 1e-6 for each of twenty comparisons. Power: at 10,000 votes a share
    that was off by a half, either way, would be seen with probability 0.99.
    """
    chosen = LATTICES[law]
    bound, times = tight(scale=0.33 * spread(chosen, "lil-kl")), [100, 10_000]
    result = exact_crossing(bound, chosen, 0.3, side=side, horizon=10_000, checkpoints=times)
    first = simulate_crossing(
        bound, chosen, 0.3, side=side, horizon=10_000, walks=WALKS, seed=11, threads=2
    )
    for until, probability in zip(times, result.probability, strict=True):
        crossed = ((first > 0) & (first <= until)).sum()
        assert binom.ppf(FALSE_ALARM / 2, WALKS, probability) <= crossed
        assert crossed <= binom.ppf(1 - FALSE_ALARM / 2, WALKS, probability)


def test_uniform_numbers_are_those_of_numpy():
    state = stream(5, 3)
    sequence = np.random.SeedSequence(5, spawn_key=(3,))
    generator = np.random.Generator(np.random.SFC64(sequence))
    assert [uniform(state) for _ in range(1000)] == generator.random(1000).tolist()
    assert stream(5, 3).tolist() != stream(5, 4).tolist()


@pytest.mark.statistical
@pytest.mark.parametrize("a_b", [(0.5, 1), (3, 1), (1, 0.5), (1, 4), (1, 1)])
def test_beta_votes_follow_their_law(a_b):
    """Kolmogorov and Smirnov's test on 20,000 votes; false alarm 1e-6 a law."""
    draw, state = draw_of(VoteLaw.beta(*a_b)), stream(1, 2)
    votes = [add_votes(draw, state, 0.0, 1) for _ in range(20_000)]
    assert kstest(votes, beta(*a_b).cdf).pvalue > FALSE_ALARM
    assert VoteLaw.beta(*a_b).mean == pytest.approx(beta(*a_b).mean())


@pytest.mark.statistical
@pytest.mark.parametrize("law", ALL_LAWS)
def test_the_stated_mean_is_the_mean_of_the_votes(law):
    """A million votes, five standard errors at most: false alarm below 1e-6 a law."""
    draw, chosen = draw_of(ALL_LAWS[law]), ALL_LAWS[law]
    total = add_votes(draw, stream(1, 2), 0.0, 10**6)
    average = draw.origin + draw.spacing * total / 10**6
    assert abs(average - chosen.mean) < 5 * math.sqrt(chosen.mean * (1 - chosen.mean) / 10**6)


def test_lattices_are_recognised():
    assert VoteLaw.levels([1, 0, 0.5], [0.5, 0.2, 0.3]).lattice.chances.tolist() == [0.2, 0.3, 0.5]
    assert VoteLaw.levels([0.3, 0.9], [0.5, 0.5]).lattice.spacing == pytest.approx(0.6)
    assert all(law.lattice is None for law in OTHERS.values())
    assert VoteLaw.levels([0.5], [1.0]).lattice is None


def test_means_of_zero_and_one_are_never_crossed():
    for mean, side in itertools.product((0.0, 1.0), SIDES):
        law = VoteLaw.bernoulli(mean)
        result = exact_crossing("lil-kl", law, 0.5, side=side, horizon=2000)
        assert result.probability.tolist() == [0.0]
        assert result.remaining == 1.0
        walks = simulate_crossing("lil-kl", law, 0.5, side=side, horizon=2000, walks=3)
        assert walks.tolist() == [-1, -1, -1]


def test_everything_may_cross_at_once():
    bound = bounds.Bound("none", bounds.get("sg1").formula._replace(scale=0.0), lambda d: d)
    result = exact_crossing(bound, VoteLaw.bernoulli(0.5), 0.5, side="upper", horizon=1)
    assert result.probability.tolist() == [0.5]
    every = VoteLaw.levels([0.2, 0.9], [1.0, 0.0])
    event = event_of(bound, 0.9, 0.5, side="upper", first=0.2, step=0.7)
    assert crosses(event, 0.0, 1)
    assert exact_crossing(bound, every, 0.5, side="lower", horizon=9).probability.tolist() == [0.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"side": "left"}, "no side named"),
        ({"horizon": 0}, "horizon"),
        ({"horizon": 2.5}, "horizon"),
        ({"checkpoints": [5, 5]}, "rise"),
        ({"checkpoints": [5, 11]}, "1 to 10"),
        ({"checkpoints": []}, "1 to 10"),
        ({"loss": 0.0}, "loss"),
        ({"delta": 1.0}, "delta"),
        ({"bound": "lil-k"}, "Did you mean 'lil-kl'"),
        ({"law": OTHERS["uniform"]}, "simulate_crossing"),
    ],
)
def test_wrong_questions_are_named(change, message):
    given = {"bound": "lil-kl", "law": VoteLaw.bernoulli(0.5), "delta": 0.1} | change
    settings = {"side": "upper", "horizon": 10} | given
    with pytest.raises((InvalidInput, UnknownName), match=message):
        exact_crossing(**settings)


def test_wrong_walks_and_laws_are_named():
    law = VoteLaw.uniform()
    for walks in (0, [], [-1]):
        with pytest.raises(InvalidInput, match="walks"):
            simulate_crossing("lil-kl", law, 0.1, side="upper", horizon=10, walks=walks)
    with pytest.raises(InvalidInput, match="threads"):
        simulate_crossing("lil-kl", law, 0.1, side="upper", horizon=10, walks=1, threads=0)
    with pytest.raises(InvalidInput, match="seed"):
        simulate_crossing("lil-kl", law, 0.1, side="upper", horizon=10, walks=1, seed=-1)
    with pytest.raises(InvalidInput, match="add up to 1"):
        VoteLaw.levels([0, 1], [0.5, 0.6])
    with pytest.raises(InvalidInput, match="as many chances"):
        VoteLaw.levels([0, 1], [1.0])
    with pytest.raises(InvalidInput, match="votes"):
        VoteLaw.uniform(0.5, 1.5)
    with pytest.raises(InvalidInput, match="must be 1"):
        VoteLaw.beta(2, 5)
    with pytest.raises(InvalidInput, match="a number above 0"):
        VoteLaw.beta(-2, 1)
