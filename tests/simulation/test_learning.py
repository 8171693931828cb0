"""Weights that are learned from past contests: fewer votes on the next one, and what is refused."""

import numpy as np
import pytest

from plaudit import Bets, learn
from plaudit.errors import InvalidInput
from plaudit.simulation import Profile, SimulatedRace

WANTED = {"delta": 0.05, "epsilon": 0.1}


def contest(seed, items=150):
    """Items on three levels: most are bad, a few good."""
    rng = np.random.default_rng(seed)
    means = np.append(rng.beta(2.0, 12.0, items - 2), [0.5, 0.75])
    middle = 0.6 * means * (1 - means)
    rates = np.stack([1 - means - middle / 2, middle, means - middle / 2], axis=1)
    return Profile.frequencies(rates, [0.0, 0.5, 1.0])


@pytest.fixture(scope="module")
def learned():
    return learn([contest(1), contest(2)], rounds=6, source="made up", **WANTED)


def votes(profile, bets, races=12):
    runs = (SimulatedRace(profile, seed=seed, bets=bets, **WANTED) for seed in range(races))
    return sum(run.run().votes for run in runs)


def test_a_contest_like_the_past_ones_takes_fewer_votes(learned):
    """Judged on contests that nothing was learned from; turned round, the weights cost votes."""
    others = [contest(seed) for seed in (3, 4)]
    usual = sum(votes(profile, None) for profile in others)
    assert sum(votes(profile, learned) for profile in others) < 0.97 * usual
    worst = Bets(learned.upper[::-1], learned.lower[::-1])
    assert sum(votes(profile, worst) for profile in others) > 1.1 * usual


def test_equal_arguments_give_equal_weights_and_all_bets_stay(learned):
    again = learn([contest(1), contest(2)], rounds=6, **WANTED)
    assert again == learned
    assert learned.source == "made up"
    for side, usual in ((learned.upper, Bets.usual().upper), (learned.lower, Bets.usual().lower)):
        # Rounded to six digits.
        assert (np.array(side) >= 0.0999 * np.array(usual)).all()
        assert sum(side) == pytest.approx(1.0, abs=1e-4)


def test_progress_is_told_and_ends_at_one():
    told = []
    learn([contest(1, 20)], rounds=2, progress=told.append, **WANTED)
    assert told == sorted(told)
    assert told[-1] == 1.0


@pytest.mark.parametrize(
    ("past", "words", "given"),
    [
        ([], "at least one past contest", {}),
        ([[0.5, 0.1]], "at least one past contest", {}),
        ([contest(1, 20)], "None of the past contests found a verdict within 30 votes",
         {"max_votes": 30}),
        ([Profile(np.zeros(2), np.full((3, 1), 0.5))], "at each level of a scale", {}),
    ],
)  # fmt: skip
def test_what_teaches_nothing_is_refused(past, words, given):
    with pytest.raises(InvalidInput, match=words):
        learn(past, rounds=1, **WANTED | given)
