"""The compiled runner: a whole race without Python between its votes.

It calls the functions that a live race calls, so what a simulation shows is what a race
does. Every race has its own random numbers, so that many races give the same results on any
number of threads.
"""

import copy
import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.bounds.kernels import reads_levels
from plaudit.compiled import compiled, inlined
from plaudit.errors import InvalidInput
from plaudit.race.all_good.camps import next_good
from plaudit.race.balance import next_in_balance
from plaudit.race.index import challenger, weakest
from plaudit.race.judge import may_stop, tell
from plaudit.race.race import Race
from plaudit.race.readings import takes_two
from plaudit.race.state import ALL_GOOD, BALANCE, BY_CHOICE, BY_UPPER, PAIR, State
from plaudit.race.top_two.choice import next_unhindered
from plaudit.race.unasked import UnaskedRace
from plaudit.simulation.profiles import Profile
from plaudit.simulation.streams import Stream

STRIDE = 200_000
# NumPy's integer: for a literal, numba would compile a second `tell`.
NO_LEVEL: Any = np.int64(-1)


@dataclass(frozen=True)
class Outcome:
    """How a simulated race ended.

    `stopped` is False where the votes ran out first; `certified` also where the algorithm
    has no proven error.
    """

    stopped: bool
    certified: bool
    winners: tuple[int, ...]
    votes: int
    gap: float
    correct: bool


class SimulatedRace:
    """One race on a profile, run in strides; settings are those of `Race`.

    `asked` says whether items are asked for as in a contest, instead of chosen by the runner.

    >>> race = SimulatedRace(Profile.bernoulli([0.9, 0.1]), seed=1, delta=0.05)
    >>> race.run().winners
    (0,)
    """

    asked = False

    def __init__(self, profile: Profile, *, seed: int = 0, **settings: Any) -> None:
        self.profile = profile
        # The race that a user would make checks the settings and holds the state.
        self.race: Race = UnaskedRace(
            len(profile), drawn=profile.scale, asked=self.asked, seed=seed, **settings
        )
        self.stream = Stream(seed)

    @classmethod
    def continuing(cls, race: Race, profile: Profile, *, seed: int = 0) -> "SimulatedRace":
        """A copy of a race, to run on from where it is; its scale is the profile's, if any."""
        simulated = cls.__new__(cls)
        simulated.profile = profile
        simulated.race = copy.deepcopy(race)
        simulated.stream = Stream(seed)
        return simulated

    @property
    def means(self) -> NDArray[np.float64]:
        """What a verdict is about: the items' true means."""
        return self.profile.means

    def advance(self, votes: int) -> bool:
        """Runs for up to this many more votes; whether the race has ended."""
        limit = self.race.votes + votes
        profile = self.profile
        with self.stream.lend() as generator:
            state = self.race.engine.state
            return bool(run(state, profile.values, profile.below, generator, limit))

    def run(
        self, *, max_votes: int | None = None, progress: Callable[[int, float], None] | None = None
    ) -> Outcome:
        """Runs to the verdict, to `max_votes` or until nobody votes any more.

        Calls `progress(votes, gap)` now and then. A pair is never cut in two, so one vote over the
        limit is possible.
        """
        if max_votes is not None and max_votes < 1:
            raise InvalidInput(f"max_votes must be at least 1; got {max_votes}.")
        if max_votes is None and self.race.engine.method.algorithm.stopping == "never":
            raise InvalidInput("at-lucb never stops by itself: give max_votes.")
        limit = math.inf if max_votes is None else max_votes
        done, before = False, -1
        while not done and before < self.race.votes < limit:
            before = self.race.votes
            done = self.advance(int(min(STRIDE, limit - before)))
            if progress:
                progress(self.race.votes, self.race.engine.stop_and_gap()[1])
        return self.outcome()

    def outcome(self) -> Outcome:
        """How the race stands."""
        verdict = self.race.verdict()
        means = self.means
        if verdict.goal == "all-good":
            correct = names_all_good(verdict.items, means, epsilon=verdict.epsilon)
        else:
            least = np.sort(means)[-verdict.top] - verdict.epsilon
            correct = bool((means[list(verdict.items)] >= least - 1e-12).all())
        return Outcome(
            verdict.stopped,
            verdict.certified,
            verdict.items,
            verdict.votes,
            verdict.gap,
            correct,
        )


def names_all_good(items: tuple[int, ...], means: NDArray[np.float64], *, epsilon: float) -> bool:
    """Whether these are all items within epsilon of the best, and none 2 epsilon below it.

    >>> names_all_good((0, 1), np.array([0.9, 0.7, 0.3]), epsilon=0.1)
    True
    """
    named = np.isin(np.arange(means.size), items)
    below = means.max() - means - 1e-12
    return bool(named[below <= epsilon].all() and (below[named] <= 2 * epsilon).all())


def run_races(
    profile: Profile,
    repetitions: int,
    *,
    seed: int = 0,
    threads: int = 2,
    max_votes: int | None = None,
    **settings: Any,
) -> Iterator[Outcome]:
    """The outcomes of many races, in order, the same on any number of threads."""
    if repetitions < 1 or threads < 1:
        raise InvalidInput(
            f"repetitions and threads must be at least 1; got {repetitions} and {threads}."
        )
    seeds = np.random.SeedSequence(seed).generate_state(repetitions, dtype=np.uint64)

    def one(number: int) -> Outcome:
        own = int(seeds[number] >> np.uint64(1))
        return SimulatedRace(profile, seed=own, **settings).run(max_votes=max_votes)

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(one, range(repetitions))


@compiled
def draw(below: NDArray[np.float64], item: int, generator: Any) -> int:
    """The level of one vote on an item."""
    chance = generator.random()
    level = 0
    while level < below.shape[1] and chance >= below[item, level]:
        level += 1
    return level


@inlined
def add_vote(state: State, item: int, values: NDArray[np.float64], level: int) -> None:
    """Counts a vote that was drawn: at its level, where the race keeps the votes at each level."""
    h = state.header[0]
    counts_levels = state.values.size > 0 and (reads_levels(h.shape) or h.tolerance > 0)
    tell(state, item, values[level], level if counts_levels else NO_LEVEL)


@compiled
def run(
    state: State,
    values: NDArray[np.float64],
    below: NDArray[np.float64],
    generator: Any,
    limit: int,
) -> bool:
    """Runs a race until it may stop or has `limit` votes; whether it may stop."""
    h = state.header[0]
    tree = BY_CHOICE if h.keeps_choice else BY_UPPER
    while True:
        if h.unsampled == 0 and may_stop(state):
            return True
        if h.votes >= limit:
            return False
        if h.stopping == ALL_GOOD:
            item = next_good(state)
        elif h.unsampled == 0 and h.rule == BALANCE:
            item = next_in_balance(state)
        elif h.unsampled == 0 and takes_two(h):
            item = next_unhindered(state)
        else:
            item = challenger(state, tree)
        if h.rule == PAIR and h.unsampled == 0:
            # Both are chosen before either gets its vote, as in the paper.
            leader = state.seats[weakest(state)]
            add_vote(state, leader, values, draw(below, leader, generator))
        add_vote(state, item, values, draw(below, item, generator))
