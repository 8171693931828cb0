"""Profiles and the runner: the right votes, drawn with the right frequencies."""

import gc
from pathlib import Path

import numba
import numpy as np
import pytest

from plaudit.errors import InvalidInput
from plaudit.simulation import Profile, SimulatedRace, parse_profile, run_races
from plaudit.simulation.runner import draw


def test_means_of_profiles():
    assert Profile.bernoulli([0.25, 1.0]).means.tolist() == [0.25, 1.0]
    assert Profile.power(4, 1).means == pytest.approx([1, 0.75, 0.5, 0.25])
    table = Profile.frequencies([[1, 1, 2], [4, 0, 0]], (0.0, 0.5, 1.0))
    assert table.means == pytest.approx([0.625, 0.0])
    assert len(table) == 2


@numba.njit
def drawn(below, generator, count):
    """The levels of so many votes on the first item."""
    return np.array([draw(below, 0, generator) for _ in range(count)])


def test_draws_follow_the_frequencies():
    """200,000 draws a level set: five standard errors, a false alarm below 1e-6 a level."""
    shares = np.array([0.2, 0.5, 0.3])
    profile = Profile.frequencies([shares * 10, [10, 0, 0]], (0.0, 0.5, 1.0))
    generator = np.random.default_rng(5)
    votes = profile.values[drawn(profile.below, generator, 200_000)]
    for value, share in zip(profile.values, shares, strict=True):
        error = np.sqrt(share * (1 - share) / votes.size)
        assert abs((votes == value).mean() - share) < 5 * error
    assert {profile.values[draw(profile.below, 1, generator)] for _ in range(1000)} == {0.0}


def test_extreme_items_always_vote_the_same():
    profile = Profile.bernoulli([0.0, 1.0])
    generator = np.random.default_rng(5)
    assert {profile.values[draw(profile.below, 0, generator)] for _ in range(1000)} == {0.0}
    assert {profile.values[draw(profile.below, 1, generator)] for _ in range(1000)} == {1.0}


def test_strides_do_not_matter():
    profile = Profile.power(50, 0.5)
    whole = SimulatedRace(profile, seed=3).run()
    stepped = SimulatedRace(profile, seed=3)
    while not stepped.advance(7):
        pass
    # A pair is never cut in two, so a stride may run over by one vote.
    assert stepped.outcome() == whole


def test_many_races_are_the_same_on_any_number_of_threads():
    profile = Profile.power(30, 0.5)
    alone = list(run_races(profile, 8, seed=4, threads=1, delta=0.1))
    assert alone == list(run_races(profile, 8, seed=4, threads=2, delta=0.1))
    assert len({outcome.votes for outcome in alone}) > 1
    assert alone != list(run_races(profile, 8, seed=5, threads=2, delta=0.1))


def test_an_outcome_tells_right_from_wrong():
    race = SimulatedRace(Profile.bernoulli([0.4, 0.6]), seed=1, delta=0.3)
    right = race.run()
    assert right.correct
    wrong = SimulatedRace(Profile.bernoulli([0.4, 0.6]), seed=1)
    wrong.race.tell_many([0, 0, 1, 1], [1, 1, 0, 0])
    assert wrong.outcome().winners == (0,)
    assert not wrong.outcome().correct


def test_an_item_without_votes_cannot_be_drawn_from():
    with pytest.raises(InvalidInput, match="Item 1 has no votes"):
        Profile.frequencies([[1, 1], [0, 0]], (0.0, 1.0))


def test_parsing():
    assert parse_profile("means: 0.5, 0.25").means.tolist() == [0.5, 0.25]
    with pytest.raises(InvalidInput, match=r"power:0\.5"):
        parse_profile("beta:2")


def test_races_in_turns_draw_their_own_numbers():
    """One generator serves all races of a thread; each goes on where it was."""
    profile = Profile.power(30, 0.5)
    alone = [SimulatedRace(profile, seed=seed).run() for seed in (1, 2)]
    races = [SimulatedRace(profile, seed=seed) for seed in (1, 2)]
    while sum(race.advance(9) for race in races) < len(races):
        pass
    assert [race.outcome() for race in races] == alone


def test_a_race_leaves_nothing_behind():
    """Every race's generator once stayed in memory: 2.8 kB a race, here 5.6 MB."""
    profile = Profile.bernoulli([0.9, 0.1, 0.1])

    def growth(races):
        before = memory()
        for seed in range(races):
            SimulatedRace(profile, seed=seed, delta=0.1).run()
        gc.collect()
        return memory() - before

    growth(300)
    assert growth(2000) < 1_000_000


def memory():
    """Bytes that this process holds."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("this system has no /proc/self/status")
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return 1024 * int(line.split()[1])
