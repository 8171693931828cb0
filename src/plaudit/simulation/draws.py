"""Votes drawn from a law, compiled.

The uniform numbers are those of NumPy's SFC64, bit for bit. They are computed here because
a call of NumPy's generator costs more than the rest of a vote.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled, inlined
from plaudit.simulation.laws import VoteLaw


class Draw(NamedTuple):
    """A law as compiled code reads it: parts low + width u^power, by cumulative weight.

    What is drawn is k, and a vote is origin + spacing k: on a lattice k is a whole number,
    so that sums are exact.
    """

    origin: float
    spacing: float
    only_atoms: bool
    below: NDArray[np.float64]
    low: NDArray[np.float64]
    width: NDArray[np.float64]
    power: NDArray[np.float64]


def draw_of(law: VoteLaw) -> Draw:
    """How to draw from a law."""
    low = np.array([part.low for part in law.parts])
    width = np.array([part.high for part in law.parts]) - low
    power = np.array([part.power for part in law.parts])
    below = np.cumsum([part.weight for part in law.parts])
    origin, spacing, only_atoms = 0.0, 1.0, not width.any()
    if law.lattice is not None:
        origin, spacing = law.lattice.origin, law.lattice.spacing
        low = np.arange(len(low), dtype=np.float64)
    return Draw(origin, spacing, only_atoms, below, low, width, power)


def stream(seed: int, number: int) -> NDArray[np.uint64]:
    """The state of the generator that belongs to (seed, number)."""
    sequence = np.random.SeedSequence(seed, spawn_key=(number,))
    inner: Any = np.random.SFC64(sequence).state["state"]
    return np.array(inner["state"], dtype=np.uint64)


@inlined
def uniform(state: NDArray[np.uint64]) -> float:
    """A multiple of 2^-53 in [0, 1): one step of C. Doty-Humphrey's SFC64."""
    out = state[0] + state[1] + state[3]
    state[3] += np.uint64(1)
    state[0] = state[1] ^ (state[1] >> np.uint64(11))
    state[1] = state[2] + (state[2] << np.uint64(3))
    state[2] = ((state[2] << np.uint64(24)) | (state[2] >> np.uint64(40))) + out
    return float(out >> np.uint64(11)) * 2.0**-53


@compiled
def add_votes(draw: Draw, state: NDArray[np.uint64], total: float, votes: int) -> float:
    """The total after this many more votes, added one by one."""
    if draw.below.size == 1:
        return _add_one_part(draw, state, total, votes)
    if draw.only_atoms:
        return _add_atoms(draw, state, total, votes)
    for _ in range(votes):
        # Atoms draw a place too, of no width: processors guess a branch wrong half of the time.
        part = _part(draw, state)
        total += draw.low[part] + draw.width[part] * _raised(uniform(state), draw.power[part])
    return total


@compiled
def _add_one_part(draw: Draw, state: NDArray[np.uint64], total: float, votes: int) -> float:
    low, width, power = draw.low[0], draw.width[0], draw.power[0]
    for _ in range(votes):
        total += low + width * _raised(uniform(state), power)
    return total


@compiled
def _add_atoms(draw: Draw, state: NDArray[np.uint64], total: float, votes: int) -> float:
    for _ in range(votes):
        total += draw.low[_part(draw, state)]
    return total


@inlined
def _part(draw: Draw, state: NDArray[np.uint64]) -> int:
    """A part, by weight; counted without a branch, for the same reason."""
    chance = uniform(state)
    part = 0
    for other in range(draw.below.size - 1):
        part += chance >= draw.below[other]
    return part


@inlined
def _raised(chance: float, power: float) -> float:
    """chance^power, without the logarithm where it can be spared."""
    if power == 1.0:
        return chance
    if power == 2.0:
        return chance * chance
    return math.pow(chance, power)
