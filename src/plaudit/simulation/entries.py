"""The kernels of simulations (see `plaudit.compiled`): all run a race.

They are compiled together, as what they share, a whole race, is most of the work.
"""

from collections.abc import Iterator

import numpy as np

from plaudit.race.entries import Listed, states
from plaudit.race.state import State
from plaudit.race.tree import plant
from plaudit.simulation import curves, oracle, reruns, runner
from plaudit.simulation.attacks import lies, watching
from plaudit.simulation.crowds import attacks, kernel, people

_NUMBERS, _WHOLE = np.zeros(1), np.zeros(1, dtype=np.int64)
_PROFILE = (_NUMBERS, np.zeros((1, 1)))
_GENERATOR = np.random.default_rng(0)


def lists() -> Iterator[Listed]:
    """A list for each kind of state: kernels with examples of their arguments."""
    for state in states():
        yield [*_races(state), *_usual_races(state)] if not state.rare else _races(state)


def _races(state: State) -> Listed:
    """What races of every algorithm are run with."""
    table = np.zeros((1, 1), dtype=np.int64)
    visits = kernel.Visits(
        np.zeros(1, dtype=kernel.VISIT), table, np.zeros(1, dtype=kernel.TALLY), table
    )
    traits = people.Traits(*np.zeros(len(people.Traits._fields)).tolist())
    crowd = (
        visits,
        kernel.Manner(True, True, 0.0),
        traits,
        attacks.Strike(0, 0, _WHOLE, _WHOLE, 0.0),
    )
    return [
        (runner.run, (state, *_PROFILE, _GENERATOR, 0)),
        (curves.follow, (state, *_PROFILE, _GENERATOR, _WHOLE, _WHOLE, _WHOLE, 0, table)),
        (kernel.run_crowd, (state, *_PROFILE, _GENERATOR, 0, state.blocked, *crowd)),
    ]


def _usual_races(state: State) -> Listed:
    """What only races of usual algorithms are run with."""
    crowd = watching.Crowd(*_PROFILE, _NUMBERS, _WHOLE, 0, 0, 0)
    orders = watching.Orders(0, 0, 0, True, True, True, 0.0, 0, 0.0, 0.0, 0)
    notes = watching.Notes(_WHOLE, _WHOLE, _NUMBERS, _NUMBERS)
    due, named = plant(1, 1), np.zeros(1, dtype=np.uint8)
    return [
        (reruns.mislead, (state, *_PROFILE, _GENERATOR, 0, 0, _NUMBERS, _WHOLE)),
        (lies.run_attacked, (state, crowd, orders, notes, _GENERATOR, 0)),
        (oracle.fill_due, (state, due, _NUMBERS)),
        (oracle.run_by_shares, (state, due, _NUMBERS, named, 0.0, *_PROFILE, _GENERATOR, 0)),
    ]
