"""Learns the weights of bets from past contests: they are raced again, and what won is noted.

When a race stops, the capital of each item's bets says which sizes won it. The weights with which
races take the fewest votes are those that such shares of capital, each item counted with its
votes, give back (docs/theory/learned-bets.md). So contests are raced again and again, each time
with the weights that the last round showed.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.bets import BETS, SIZES
from plaudit.bounds.learned import Bets
from plaudit.errors import InvalidInput
from plaudit.race.engine import Engine
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace
from plaudit.simulation.seeds import seed_at

ROUNDS = 12
MAX_VOTES = 3_000_000
# The share of capital that stays with the usual weights: whatever a contest is like, its bounds
# need no more than ln(1/share) of evidence beyond the usual.
KEPT = 0.1
# Lower bounds are those of few items: what they show is spread to neighbouring sizes.
SPREAD = np.array([0.25, 0.5, 0.25])
DIGITS = 6

Floats = NDArray[np.float64]


def learn(
    past: Sequence[Profile],
    *,
    delta: float = 0.01,
    epsilon: float = 0.05,
    top: int = 1,
    rounds: int = ROUNDS,
    max_votes: int = MAX_VOTES,
    seed: int = 0,
    source: str = "",
    progress: Callable[[float], None] | None = None,
) -> Bets:
    """Weights with which races like those on past contests take few votes.

    `past` are the contests, each as a profile with the frequencies of its votes:
    `Profile.frequencies(table.levels, table.scale.values)`. `delta`, `epsilon` and `top` are those
    of the contest to come. Past contests that find no verdict within `max_votes` teach nothing.
    Equal arguments give equal weights.

    The weights must be fixed before the first vote of the contest that they are used in.

    >>> old = Profile.bernoulli([0.9, 0.5, 0.4, 0.3])
    >>> learn([old], delta=0.05, epsilon=0.1, rounds=2) == learn([old], delta=0.05, epsilon=0.1,
    ...     rounds=2)
    True
    """
    contests = list(past)
    if not contests or not all(isinstance(contest, Profile) for contest in contests):
        raise InvalidInput(
            "learn needs at least one past contest, each as a plaudit.simulation.Profile."
        )
    bets = usual = Bets.usual()
    wanted: dict[str, Any] = {"delta": delta, "epsilon": epsilon, "top": top}
    for number in range(rounds):
        shown = []
        for place, contest in enumerate(contests):
            own = seed_at(seed, "learn", number, place)
            shown.append(_shown(contest, max_votes, seed=own, bets=bets, **wanted))
            if progress is not None:
                progress((number + (place + 1) / len(contests)) / rounds)
        upper, lower = (_mean(side) for side in zip(*shown, strict=True))
        if upper is None or lower is None:
            raise InvalidInput(
                f"None of the past contests found a verdict within {max_votes:,} votes, so they "
                "say nothing: take a larger epsilon, or other contests."
            )
        bets = _mixed(upper, lower, usual, source)
    return bets


def _shown(
    contest: Profile, max_votes: int, **settings: Any
) -> tuple[Floats | None, Floats | None]:
    """Which bets won a race on a past contest, for upper bounds and for lower ones."""
    simulated = SimulatedRace(contest, **settings)
    if simulated.race.settings.scale is None:
        raise InvalidInput(
            "Bets are learned from the votes at each level of a scale: this contest has none."
        )
    if not simulated.run(max_votes=max_votes).stopped:
        return None, None
    engine, epsilon = simulated.race.engine, simulated.race.settings.epsilon
    inside = np.zeros(engine.size, dtype=bool)
    inside[list(engine.named)] = True
    ends = engine.intervals(np.arange(engine.size))
    bar = min(float(ends.lower[inside].min()) + epsilon, 1.0)
    foot = max(float(ends.upper[~inside].max()) - epsilon, 0.0)
    return _winning(engine, ~inside, 0, 1.0 - bar), _winning(engine, inside, 1, foot)


def _winning(engine: Engine, items: NDArray[np.bool_], side: int, rest: float) -> Floats:
    """The mean over the votes on these items of how their capital is shared by the bets.

    It is the capital against the bar that the verdict was judged at.
    """
    logs, counts = engine.state.logs[side], engine.level_counts[items].astype(np.float64)
    votes = counts.sum(axis=1)
    capital = logs[-1] + counts @ logs[:-1] - votes[:, None] * np.log1p(SIZES * rest)
    capital = np.exp(capital - capital.max(axis=1, keepdims=True))
    shares = capital / capital.sum(axis=1, keepdims=True)
    mean: Floats = votes @ shares / votes.sum()
    return mean


def _mean(shown: Sequence[Floats | None]) -> Floats | None:
    """The mean over the contests that found a verdict, each counted alike."""
    known = [shares for shares in shown if shares is not None]
    return np.mean(known, axis=0) if known else None


def _mixed(upper: Floats, lower: Floats, usual: Bets, source: str) -> Bets:
    """The weights that were shown, with a share of the usual ones."""
    spread = np.convolve(lower, SPREAD)[1 : BETS + 1]
    sides = (
        (1.0 - KEPT) * shown / shown.sum() + KEPT * np.array(before)
        for shown, before in ((upper, usual.upper), (spread, usual.lower))
    )
    first, second = (tuple(float(f"{share:.{DIGITS}g}") for share in side) for side in sides)
    return Bets(first, second, source)
