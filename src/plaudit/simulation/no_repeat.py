"""Races under no-repeat: raters come one after the other, and none sees an item twice.

Asks and votes take the way of a live race, `asking.ask` and `judge.tell`: a rater who has
seen what the rule wants most gets what it wants next. So no item can have more votes than
there are raters, and a rater helps less with every vote.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled
from plaudit.errors import InvalidInput
from plaudit.race.asking import ask
from plaudit.race.judge import may_stop, tell
from plaudit.race.race import Race
from plaudit.race.state import State
from plaudit.simulation.lending import Stream
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import NO_LEVEL, draw


@dataclass(frozen=True)
class NoRepeatOutcome:
    """How a race under no-repeat ended: whether by a verdict, after how many votes, and how
    close it came. `most_votes` is the most that one item got.
    """

    stopped: bool
    votes: int
    correct: bool
    gap: float
    most_votes: int


def run_no_repeat(
    profile: Profile, *, raters: int, votes: int, seed: int = 0, **settings: Any
) -> NoRepeatOutcome:
    """The outcome of a race with so many raters, who give so many votes together.

    Each rater comes once and gives an even share of the votes, one by one, each told before
    the next ask. A rater for whom nothing useful is left goes earlier.

    >>> easy = Profile.bernoulli([0.9, 0.1, 0.1])
    >>> run_no_repeat(easy, raters=200, votes=400, seed=1, delta=0.05).stopped
    True
    """
    if raters < 1 or votes < 1:
        raise InvalidInput(f"raters and votes must be at least 1; got {raters} and {votes}.")
    race = Race(len(profile), seed=seed, scale=profile.scale, **settings)
    state = race._state
    seen = np.zeros(state.items.size, dtype=np.uint8)
    with Stream(seed).lend() as generator:
        _run(state, profile.values, profile.below, generator, seen, np.empty(1, dtype=np.int64),
             raters, votes)  # fmt: skip
    verdict = race.verdict()
    means = profile.means
    least = np.sort(means)[-verdict.top] - verdict.epsilon
    correct = bool((means[list(verdict.items)] >= least - 1e-12).all())
    most = int(state.header[0]["most_votes"])
    return NoRepeatOutcome(verdict.stopped, verdict.votes, correct, verdict.gap, most)


@compiled
def _run(
    state: State,
    values: NDArray[np.float64],
    below: NDArray[np.float64],
    generator: Any,
    seen: NDArray[np.uint8],
    out: NDArray[np.int64],
    raters: int,
    votes: int,
) -> None:
    """Lets the raters come one by one, until the race may stop or all have been."""
    h = state.header[0]
    for rater in range(raters):
        seen[:] = 0
        share = (rater + 1) * votes // raters - rater * votes // raters
        for _ in range(share):
            # Marks the item as seen by this rater, too.
            if ask(state, seen, True, out) == 0:
                break
            level = draw(below, out[0], generator)
            tell(state, out[0], values[level], level if state.values.size > 0 else NO_LEVEL)
            if h.unsampled == 0 and may_stop(state):
                return
