"""The lists of kernels, and the arguments that they are called with."""

import copy
import json
import pickle
import subprocess
import sys
from importlib import import_module

import numba
import numpy as np
import pytest

from plaudit import Race
from plaudit.compiled.loading import tuples
from plaudit.compiled.making import ALL_LISTS
from plaudit.compiled.packing import Unpackable, passed_as
from plaudit.compiled.with_numba import found, type_of
from plaudit.scale import FUNNY

EVERYTHING = """
import sys
import numpy as np
from plaudit import FiniteRace, PairedRace, Race, bounds, simulation
race = Race(4, scale=__import__("plaudit.scale").scale.FUNNY, seed=3)
race.forget(race.ask(1)[0])
race.tell(race.ask(2, exclude=[0])[0], 1.0)
race.tell_many([0, 1, 2, 3] * 30, [1.0, 0.0, 0.0, 0.0] * 30)
assert race.verdict().withstands
race.intervals(), race.shortlists(), race.add(), race.withdraw(1)
bounds.get("betting").upper(0.5, 10, 0.1)
paired = PairedRace(2)
paired.tell({0: 1.0, 1: 0.0})
paired.verdict(), paired.difference(0, 1)
finite = FiniteRace(2, examples=3)
finite.tell({0: 1.0, 1: 0.0})
finite.verdict(), finite.intervals()
simulation.SimulatedRace(simulation.Profile.bernoulli([0.9, 0.1]), seed=1).run()
assert "numba" not in sys.modules
"""

EVERY_SIMULATION = """
import numpy as np
from plaudit import simulation
from plaudit.compiled import building
from plaudit.simulation.attacks import ATTACKS, AttackedRaces
from plaudit.simulation.curves import follow_races
from plaudit.simulation.reruns import Reruns
profile = simulation.Profile.bernoulli([0.9, 0.1])
for algorithm in ("plaudit", "at-lucb"):
    simulation.VisitRace(profile, algorithm=algorithm, votes_per_rater=2).advance(9)
    follow_races(profile, [1], np.array([9]), shown=1, algorithm=algorithm)
Reruns(profile).block(1, seed=1, limit=9, attack="leader")
AttackedRaces(profile, tolerance=1).block(1, ATTACKS["adaptive"], raters=1, seed=1, limit=9)
simulation.OracleRace(profile).advance(9)
assert building._loaded and all(len(wanted) > 1 for wanted in building._loaded)
"""


def test_what_races_call_is_there_without_numba():
    subprocess.run([sys.executable, "-c", EVERYTHING], check=True)


def test_what_simulations_call_is_compiled_together():
    subprocess.run([sys.executable, "-c", EVERY_SIMULATION], check=True)


@pytest.mark.parametrize("module", ALL_LISTS)
def test_codes_stand_for_the_types_that_numba_gives(module):
    for listed in import_module(module).lists():
        for kernel, given in listed:
            assert found(kernel.name) is kernel
            for argument in given:
                code, _ = passed_as(argument)
                assert type_of(code) == numba.typeof(argument)
                assert type_of(tuples(json.loads(json.dumps(code)))) == numba.typeof(argument)


@pytest.mark.parametrize("given", [np.zeros(4)[::2], np.zeros((2, 3)).T, np.zeros(0)])
def test_codes_tell_how_an_array_lies_in_memory(given):
    code, _ = passed_as(given)
    assert type_of(code) == numba.typeof(given)
    given.setflags(write=False)
    code, _ = passed_as(given)
    assert type_of(code) == numba.typeof(given)


@pytest.mark.parametrize("given", ["text", None, np.zeros(1, dtype="V9")[0], [1.0]])
def test_what_cannot_be_passed_is_left_to_numba(given):
    with pytest.raises(Unpackable):
        passed_as(given)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda race: pickle.loads(pickle.dumps(race))])
def test_a_copy_of_a_race_has_its_own_memory(copied):
    race = Race(3, scale=FUNNY)
    race.tell(0, 1.0)
    other = copied(race)
    other.tell(0, 1.0)
    other.tell(1, 0.0)
    assert (race.votes, other.votes) == (1, 3)
    assert race.engine.state.address != other.engine.state.address
