"""How likely a bound is ever crossed, exactly, for votes on equally spaced levels.

The distribution of the sum is carried forward vote by vote; what crosses is counted and
removed. At each time the sums that cross are those up to a critical one, which is followed
from time to time. Cells of tiny mass at the edges are dropped and counted, so the true
probability lies in [probability, probability + lost]. On top comes the rounding of sums of
positive terms: relatively 2 levels 2^-53 a vote at most, 4.5e-10 for a million votes 0 and 1.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds import Bound
from plaudit.bounds.arrays import level_of_error
from plaudit.compiled import compiled
from plaudit.errors import InvalidInput
from plaudit.simulation.crossing import Crossing, Event, crosses, event_of, whole_horizon
from plaudit.simulation.laws import Lattice, VoteLaw

LOSS = 1e-12
# The places of a sum: votes so far, the lowest live sum, where its cell is, how many cells
# live, and the largest sum that crosses.
VOTES, LOWEST, START, WIDTH, CRITICAL = range(5)


def exact_crossing(
    bound: Bound | str,
    law: VoteLaw,
    delta: float,
    *,
    side: str,
    horizon: int,
    checkpoints: Sequence[int] | None = None,
    loss: float = LOSS,
) -> Crossing:
    """The probability that the bound is crossed by each checkpoint, or by the horizon.

    The levels of the law must be equally spaced; any of them may have probability 0. No more
    than `loss` of the mass is dropped. Bounds of the race's time take the item's own votes.

    An item of mean 0.9 is first missed at the fourth vote of 0 in a row:

    >>> law = VoteLaw.bernoulli(0.9)
    >>> result = exact_crossing("lil-kl", law, 0.1, side="upper", horizon=4, checkpoints=[3, 4])
    >>> [round(float(chance), 12) for chance in result.probability]
    [0.0, 0.0001]
    """
    times = _checkpoints(whole_horizon(horizon), checkpoints)
    origin, spacing, chances = _lattice(law, side)
    event = event_of(bound, law.mean, delta, side=side, first=origin, step=spacing)
    # A vote adds levels - 1 cells; no more can be dropped than were ever added.
    least = float(level_of_error("loss", loss)) / (1 + (len(chances) - 1) * int(times[-1]))
    cells, places = _begin(len(chances), int(times[-1]), least)
    masses = np.zeros((len(times) + 1, 2))
    for row, until in enumerate(times, start=1):
        masses[row] = masses[row - 1]
        _carry(event, chances, cells, places, masses[row], int(until), least)
    live = cells[places[VOTES] % 2, places[START] : places[START] + places[WIDTH]]
    return Crossing(times, masses[1:, 0], masses[1:, 1], math.fsum(live))


def _lattice(law: VoteLaw, side: str) -> Lattice:
    """The law's levels, counted from the end where sums cross."""
    lattice = law.lattice
    if lattice is None:
        raise InvalidInput(
            f"The votes of {law.name!r} are not on equally spaced levels: add the missing levels "
            "with probability 0, or use simulate_crossing."
        )
    if side == "upper":
        return lattice
    origin, spacing, chances = lattice
    return Lattice(origin + spacing * (len(chances) - 1), -spacing, chances[::-1].copy())


def _checkpoints(horizon: int, given: Sequence[int] | None) -> NDArray[np.int64]:
    times = np.asarray([horizon] if given is None else given, dtype=np.int64)
    inside = times.ndim == 1 and times.size and times[0] >= 1 and times[-1] <= horizon
    if not inside or (np.diff(times) <= 0).any():
        raise InvalidInput(f"Checkpoints must rise within 1 to {horizon}; got {given}.")
    return times


def _begin(
    levels: int, horizon: int, least: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two rows of cells, used in turn, and the places of the sum before the first vote."""
    # Hoeffding: cells farther than this from the mean hold less than `least`, so are dropped.
    reach = (levels - 1) * math.sqrt(0.5 * horizon * -math.log(least))
    width = int(min(2.0 * reach, (levels - 1) * horizon)) + 6 * levels
    cells = np.zeros((2, width))
    cells[0, levels - 1] = 1.0
    return cells, np.array([0, 0, levels - 1, 1, -1], dtype=np.int64)


@compiled
def _carry(
    event: Event,
    chances: NDArray[np.float64],
    cells: NDArray[np.float64],
    places: NDArray[np.int64],
    masses: NDArray[np.float64],
    until: int,
    least: float,
) -> None:
    """Carries the sum on until that time; adds to the masses crossed and lost."""
    more = chances.size - 1
    for votes in range(places[VOTES] + 1, until + 1):
        old, new = cells[1 - votes % 2], cells[votes % 2]
        _spread(old, new, places[START], places[WIDTH], chances)
        places[VOTES], places[START] = votes, more
        places[WIDTH] += more
        _follow(event, places, more * votes)
        while places[WIDTH] > 0 and places[LOWEST] <= places[CRITICAL]:
            masses[0] += _drop_lowest(new, places)
        while places[WIDTH] > 0 and new[places[START]] < least:
            masses[1] += _drop_lowest(new, places)
        while places[WIDTH] > 0 and new[places[START] + places[WIDTH] - 1] < least:
            places[WIDTH] -= 1
            masses[1] += new[places[START] + places[WIDTH]]
        # The next spread reads as many cells beyond both ends.
        end = places[START] + places[WIDTH]
        new[places[START] - more : places[START]] = 0.0
        new[end : end + more] = 0.0


@compiled
def _spread(
    old: NDArray[np.float64],
    new: NDArray[np.float64],
    start: int,
    width: int,
    chances: NDArray[np.float64],
) -> None:
    """One vote more: cell k gets chances[j] of each cell k - j."""
    more = chances.size - 1
    # Slices and chances by name let the compiler see that nothing overlaps or wraps around.
    into, here, before = new[more:], old[start:], old[start - 1 :]
    zero, one = chances[0], chances[1]
    if more == 1:
        for cell in range(width + 1):
            into[cell] = zero * here[cell] + one * before[cell]
        return
    two, second = chances[2], old[start - 2 :]
    for cell in range(width + more):
        into[cell] = zero * here[cell] + one * before[cell] + two * second[cell]
    for step in range(3, chances.size):
        chance, source = chances[step], old[start - step :]
        for cell in range(width + more):
            into[cell] += chance * source[cell]


@compiled
def _follow(event: Event, places: NDArray[np.int64], largest: int) -> None:
    """Moves the critical sum to this time: up, and down only while the rate still rises."""
    votes, critical = places[VOTES], places[CRITICAL]
    while critical < largest and crosses(event, critical + 1.0, votes):
        critical += 1
    if votes <= event.falling:
        while critical >= 0 and not crosses(event, float(critical), votes):
            critical -= 1
    places[CRITICAL] = critical


@compiled
def _drop_lowest(new: NDArray[np.float64], places: NDArray[np.int64]) -> float:
    """The mass of the lowest cell, which is dropped."""
    mass = float(new[places[START]])
    places[START] += 1
    places[LOWEST] += 1
    places[WIDTH] -= 1
    return mass
