"""How often a bound is crossed, simulated, for any law of votes and long horizons.

Each walk has a generator of its own, made from (seed, number of the walk). A walk is
therefore the same in any block, order, thread or machine (except that platforms may differ in the
last digit of a power), and the same for every bound, side and delta that is tried on it.

Most votes need no look at the bound. If even the worst votes from now on could not cross by
time t + s, nothing crosses on the way either: the worst votes push the mean ever farther,
and the rate only falls. So a walk checks the bound once for s votes, where s grows with its
distance to the bound; only near the bound it checks every vote. No crossing is missed, and times
are exact.

Off a lattice each vote rounds the sum, by 6e-11 at most below a million votes. Over so many
it drifts by some 3e-8, which is nothing beside a vote.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds import Bound
from plaudit.compiled import compiled
from plaudit.errors import InvalidInput
from plaudit.simulation.crossing import Event, crosses, event_of, whole_horizon
from plaudit.simulation.draws import Draw, add_votes, draw_of, stream
from plaudit.simulation.laws import VoteLaw

NEVER = -1
BLOCK = 16


def simulate_crossing(
    bound: Bound | str,
    law: VoteLaw,
    delta: float,
    *,
    side: str,
    horizon: int,
    walks: int | range | Sequence[int],
    seed: int = 0,
    threads: int = 1,
) -> NDArray[np.int64]:
    """The time of the first crossing of each walk, -1 where there is none up to the horizon.

    `walks` is how many, or the numbers of the walks wanted: a block `range(500, 1000)` is
    the second half of `walks=1000`.

    >>> law = VoteLaw.uniform()
    >>> times = simulate_crossing("lil-kl", law, 0.1, side="upper", horizon=1000, walks=50)
    >>> int((times > 0).sum())
    0
    """
    numbers = _numbers(walks)
    if threads < 1 or seed < 0:
        raise InvalidInput(
            f"threads must be at least 1 and seed at least 0; got {threads} and {seed}."
        )
    last = whole_horizon(horizon)
    draw = draw_of(law)
    event = event_of(bound, law.mean, delta, side=side, first=draw.origin, step=draw.spacing)
    ends = np.concatenate([draw.low, draw.low + draw.width])
    worst = float(ends.min() if event.upper else ends.max())

    def block(begin: int) -> list[int]:
        return [
            first_crossing(event, draw, worst, stream(seed, number), last)
            for number in numbers[begin : begin + BLOCK]
        ]

    with ThreadPoolExecutor(threads) as pool:
        blocks = pool.map(block, range(0, len(numbers), BLOCK))
        return np.fromiter(chain.from_iterable(blocks), dtype=np.int64, count=len(numbers))


def _numbers(walks: int | range | Sequence[int]) -> Sequence[int]:
    numbers = range(walks) if isinstance(walks, int | np.integer) else walks
    if len(numbers) < 1 or min(numbers) < 0:
        raise InvalidInput(f"walks must be at least 1, or numbers of at least 0; got {walks}.")
    return numbers


@compiled
def first_crossing(
    event: Event, draw: Draw, worst: float, state: NDArray[np.uint64], horizon: int
) -> int:
    """The time of the first crossing, or -1; `worst` is the k that leads there fastest."""
    total, votes, stride = 0.0, 0, 1
    while votes < horizon:
        # While the rate may still rise, votes are looked at one by one.
        stride = min(stride, horizon - votes) if votes >= event.falling else 1
        while stride > 0 and crosses(event, total + stride * worst, votes + stride):
            stride //= 2
        taken = max(stride, 1)
        total = add_votes(draw, state, total, taken)
        votes += taken
        if stride == 0 and crosses(event, total, votes):
            return votes
        stride = 2 * taken
    return NEVER
