"""The oracle: shares against theory and against each other, and a race that follows them."""

import numpy as np
import pytest

from plaudit import InvalidInput
from plaudit.bounds.bernoulli import divergence
from plaudit.race.top_two.transport import cost_kernel
from plaudit.simulation import OracleRace, Profile, SimulatedRace, best_bar, information_shares
from plaudit.theory import characteristic_time, optimal_shares

MEANS = ([0.9, 0.6, 0.5, 0.1], [0.3, 0.31], [0.2, 1.0, 0.0], [0.5, 0.45, 0.45, 0.02, 0.4])


def smallest_cost(means, shares, epsilon):
    best = int(np.argmax(means))
    others = [i for i in range(len(means)) if i != best]
    return min(cost_kernel(shares[best], means[best], shares[i], means[i], epsilon) for i in others)


@pytest.mark.parametrize("means", MEANS)
def test_without_epsilon_the_shares_are_those_of_theory(means):
    shares = information_shares(means)
    assert shares == pytest.approx(optimal_shares(means), rel=1e-4)
    assert smallest_cost(means, shares, 0.0) == pytest.approx(1 / characteristic_time(means))


@pytest.mark.parametrize("epsilon", [0.02, 0.2])
@pytest.mark.parametrize("means", [*MEANS, [0.5, 0.5, 0.2]])
def test_no_other_shares_make_the_smallest_cost_larger(means, epsilon):
    rng = np.random.default_rng(1)
    shares = information_shares(means, epsilon=epsilon)
    best = smallest_cost(means, shares, epsilon)
    assert shares.sum() == pytest.approx(1.0)
    for _ in range(300):
        other = shares * np.exp(rng.normal(0.0, rng.choice([0.01, 0.3]), shares.size))
        assert smallest_cost(means, other / other.sum(), epsilon) <= best * (1 + 1e-7)


@pytest.mark.parametrize(("top", "epsilon"), [(1, 0.0), (1, 0.1), (2, 0.0), (2, 0.1)])
def test_bars_balance_votes_over_radius(top, epsilon):
    means = np.array([0.9, 0.7, 0.5, 0.45, 0.1])
    bar, shares = best_bar(means, top=top, epsilon=epsilon, inside=9.0, outside=5.0)
    bars = np.linspace(means[top] + 1e-6, min(1.0, means[top - 1] + epsilon) - 1e-6, 200_001)
    needs = np.array([
        (9.0 if i < top else 5.0)
        / np.asarray(divergence(np.full(bars.size, mean), bars - epsilon * (i < top)))
        for i, mean in enumerate(means)
    ])  # fmt: skip
    best = int(needs.sum(axis=0).argmin())
    assert bar == pytest.approx(bars[best], abs=1e-4)
    assert shares == pytest.approx(needs[:, best] / needs[:, best].sum(), rel=1e-2)


def test_votes_follow_the_shares():
    shares = np.array([0.5, 0.3, 0.15, 0.05])
    profile = Profile.bernoulli([0.8, 0.6, 0.5, 0.1])
    race = OracleRace(profile, shares=10 * shares, seed=3, delta=1e-300)
    race.run(max_votes=5000)
    votes = race.race.intervals().votes
    assert np.abs(votes - 5000 * shares).max() <= 2


def test_it_stops_by_the_races_own_stopping_and_needs_fewer_votes_on_average():
    profile = Profile.bernoulli([0.6, 0.45, 0.45, 0.4, 0.3, 0.2, 0.1, 0.1])
    settings = {"delta": 0.05, "bound": "beta-mixture"}
    ours = [SimulatedRace(profile, seed=seed, **settings).run() for seed in range(40)]
    best = [OracleRace(profile, seed=seed, **settings).run() for seed in range(40)]
    assert all(outcome.certified and outcome.correct for outcome in best)
    assert np.mean([o.votes for o in best]) < np.mean([o.votes for o in ours])


def test_what_cannot_be_is_said():
    profile = Profile.bernoulli([0.5, 0.5, 0.1])
    with pytest.raises(InvalidInput, match="share"):
        OracleRace(profile)
    with pytest.raises(InvalidInput, match="share"):
        information_shares([0.5, 0.5])
    with pytest.raises(InvalidInput, match="positive"):
        OracleRace(profile, shares=[1.0, 0.0, 1.0])
    with pytest.raises(InvalidInput, match="at least 2"):
        best_bar([0.5])
