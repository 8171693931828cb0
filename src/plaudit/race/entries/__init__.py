"""The kernels of a race that Python calls, which are compiled together (see `plaudit.compiled`).

This room imports the modules of a race that have kernels, and touches nothing else.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from plaudit.race import asking, index, judge, seating, shortlist
from plaudit.race.all_good import camps
from plaudit.race.state import PAIR, State, make_rare, make_state
from plaudit.race.tolerance import withstanding

Listed = list[tuple[Any, tuple[Any, ...]]]


def states() -> Iterator[State]:
    """A state of each kind that has kernels of its own: the usual one first."""
    for rare in ((), make_rare(2, PAIR, np.zeros(0))):
        yield make_state(2, 1, PAIR, np.zeros(0), rare)


def lists() -> Iterator[Listed]:
    """Each kernel with an example of its arguments; about half of the work is in each list."""
    for state in states():
        yield _counting(state)
        yield _asking(state)


def _counting(state: State) -> Listed:
    numbers, whole = np.zeros(1), np.zeros(1, dtype=np.int64)
    named = np.zeros(1, dtype=np.bool_)
    rare: Listed = [
        (judge.settle_stage, (state,)),
        (judge.open_round, (state,)),
        (judge.end_round, (state,)),
        (camps.descend, (state,)),
        (withstanding.tells_good, (state, named)),
    ]
    return [
        (seating.fill_tickets, (state, whole, whole.view(np.uint64))),
        (index.rebuild, (state,)),
        (judge.tell, (state, 0, 0.0, 0)),
        (judge.tell_all, (state, whole, numbers, whole)),
        (judge.fill_intervals, (state, whole, numbers, numbers)),
        (seating.seat_by_seed, (state, 0)),
        (withstanding.separates, (state, named)),
        (shortlist.fill, (state, whole, whole, numbers, numbers)),
        *(rare if state.rare else []),
    ]


def _asking(state: State) -> Listed:
    return [
        (judge.look, (state,)),
        (asking.ask, (state, True, 0)),
        (asking.forget, (state, 0)),
    ]
