"""Very many short races: they must be the races of the library."""

import numpy as np
import pytest

from plaudit.simulation.profiles import Profile
from plaudit.simulation.reruns import ATTACKS, Reruns
from plaudit.simulation.runner import SimulatedRace, run
from plaudit.simulation.streams import Stream
from plaudit.studies.level_laws import three_levels

THREE = three_levels([0.7, 0.5, 0.45, 0.4, 0.3, 0.2])
BINARY = Profile.bernoulli([0.7, 0.5, 0.45, 0.4, 0.3, 0.2])


@pytest.mark.parametrize(
    "settings",
    [
        {"algorithm": "lil-klucb"},
        {"algorithm": "lil-klucb", "bound": "betting", "top": 2},
        {"algorithm": "successive-elimination"},
    ],
)
def test_a_block_is_the_races_of_its_seeds(settings):
    settings = {"delta": 0.2, "epsilon": 0.0, "reserve": 0.0} | settings
    block = Reruns(THREE, **settings).block(8, seed=5, limit=1500)
    votes, stopped = 0, 0
    stream = Stream(5)
    for number in range(8):
        race = SimulatedRace(THREE, seed=5 + number, **settings)
        with stream.lend() as generator:
            stopped += run(race.race.engine.state, THREE.values, THREE.below, generator, 1500)
        votes += race.race.votes
    assert (block.votes, block.races - block.cut) == (votes, stopped)


def test_wrong_and_cut_are_told_apart():
    reruns = Reruns(Profile.bernoulli([0.9, 0.1]), delta=0.1, algorithm="lil-klucb")
    fine = reruns.block(30, seed=1, limit=2000)
    assert (fine.wrong, fine.cut) == (0, 0)
    assert reruns.block(30, seed=1, limit=5).cut == 30
    # Were the last of all the only right answer, every verdict would be wrong.
    reruns._least = 0.95
    assert reruns.block(30, seed=1, limit=2000).wrong == 30
    assert reruns.block(30, seed=1, limit=5).wrong == 0


def test_either_of_two_equals_is_right():
    equals = Profile.bernoulli([0.8, 0.8, 0.2])
    reruns = Reruns(equals, delta=0.2, epsilon=0.3, algorithm="lil-klucb")
    assert reruns.block(40, seed=2, limit=5000).wrong == 0
    assert reruns._good.tolist() == [1, 1, 0]


@pytest.mark.parametrize("attack", ATTACKS)
def test_attacks_ask_where_they_say(attack):
    reruns = Reruns(Profile.bernoulli([0.6, 0.5]), delta=0.01, algorithm="lil-klucb")
    block = reruns.block(1, seed=4, limit=400, attack=attack)
    assert (block.races, block.cut, block.votes) == (1, 1, 400)
    votes = reruns.engine.state.items["votes"]
    means = reruns.engine.state.items["total"] / votes
    assert votes.min() > 0
    off = np.array([0.6, 0.5]) - means
    if attack == "leader":
        assert votes[means.argmax()] > 150
    elif attack == "cherry-picking":
        # What misleads is kept: neither item ends far on the right side of the truth.
        assert off[0] > -0.06
        assert off[1] < 0.06
