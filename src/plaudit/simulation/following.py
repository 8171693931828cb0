"""Follows races on their way: after how many votes each epsilon was certified.

A race runs with the epsilon that is wanted, as the real one will, so that its verdict comes at
exactly the right vote. Every few votes, whenever their number has grown by a hundredth, its own
stopping rule is asked about other epsilons too. After its verdict a race can go on, to smaller
epsilons.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from plaudit.simulation.runner import SimulatedRace
from plaudit.simulation.visits import VisitRace

LOOKS_A_FACTOR = 100
# This many races run before it is checked whether the limits allow more.
WAVE = 4
# How far beyond the usual verdict the smaller epsilons are followed.
BEYOND = 4.0
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Limits:
    """How much may be simulated: in votes, so that the answer never depends on the machine.

    At most `races` run, each for at most `max_votes` beyond those that it starts with. No new wave
    of races starts after `budget` votes in all.
    """

    races: int
    max_votes: int
    budget: int
    threads: int


@dataclass(frozen=True)
class Passages:
    """When races certified epsilons: one row for each race, one column for each epsilon.

    `votes` is infinite where an epsilon was not certified. `raters` is how many different raters
    had voted by then, at least. Epsilons from the wanted one upwards were followed for `limit`
    votes, those below it for `limit_below`; both count the votes at the start.
    """

    votes: NDArray[np.float64]
    raters: NDArray[np.float64]
    limit: int
    limit_below: int


class FollowedRace:
    """A simulated race, and when it certified each of `epsilons`, largest first.

    `start` is the number of votes that it began with.
    """

    def __init__(self, simulated: SimulatedRace, epsilons: Sequence[float]) -> None:
        self._simulated = simulated
        self._epsilons = epsilons
        self._engine = simulated.race.engine
        self.start = self.votes
        self._start_raters = self._engine.most_votes
        self._passed = 0
        self.passages = np.full((2, len(epsilons)), np.inf)
        if simulated.race.ended:
            # A verdict stands, whatever late votes say.
            self._pass(simulated.race.settings.epsilon)
        self._look()

    @property
    def votes(self) -> int:
        """Votes so far."""
        return self._simulated.race.votes

    def follow(self, epsilon: float, limit: int, go_on: Callable[[], None]) -> None:
        """Runs on until `epsilon` is certified or there are `limit` votes.

        `go_on` is called every few milliseconds, and raises if nobody wants to know any more.
        """
        self._engine.epsilon = epsilon
        while self._passed < len(self._epsilons) and self._next >= epsilon and self.votes < limit:
            go_on()
            items = len(self._simulated.profile)
            stride = 1 + (self.votes - self.start + items) // LOOKS_A_FACTOR
            before = self.votes
            if self._simulated.advance(min(stride, limit - before)):
                self._pass(epsilon)
            elif self.votes == before:
                # Nothing is left to ask for.
                break
            self._look()
            self._engine.epsilon = epsilon

    @property
    def _raters(self) -> int:
        """How many different raters this took; without visits, the votes of the most voted item."""
        if isinstance(self._simulated, VisitRace):
            return self._start_raters + self._simulated.raters
        return self._engine.most_votes

    @property
    def _next(self) -> float:
        return self._epsilons[self._passed]

    def _look(self) -> None:
        """Asks the race's own stopping rule about one epsilon after the other."""
        while self._passed < len(self._epsilons) and self._engine.all_sampled:
            self._engine.epsilon = self._next
            if not self._engine.stop_and_gap()[0]:
                return
            self._pass(self._next)

    def _pass(self, epsilon: float) -> None:
        """Notes that this epsilon is certified now, and with it all that are larger."""
        while self._passed < len(self._epsilons) and self._next >= epsilon:
            self.passages[:, self._passed] = self.votes, self._raters
            self._passed += 1


def follow_all(
    start: Callable[[int], FollowedRace],
    epsilons: Sequence[float],
    wanted: float,
    limits: Limits,
    *,
    progress: Progress | None = None,
) -> Passages:
    """When each race certified each epsilon; `start(number)` makes a race.

    All races run to the wanted epsilon first, then all to the same number of votes. `progress`
    is called with the share that is done, many times a second, by one of the threads at a time;
    the share never falls. What it raises ends the races that run.
    """
    races: list[FollowedRace] = []
    told, turn = [0.0], Lock()

    def go_on() -> None:
        if progress is not None:
            # One at a time: who read the share before another told more would tell less after it.
            with turn:
                progress(told[0])

    def report(share: float) -> None:
        told[0] = share
        go_on()

    with ThreadPoolExecutor(limits.threads) as pool:

        def to_verdict(number: int) -> FollowedRace:
            race = start(number)
            race.follow(wanted, race.votes + limits.max_votes, go_on)
            return race

        def beyond(race: FollowedRace) -> None:
            race.follow(epsilons[-1], limit_below, go_on)

        spent = 0
        while len(races) < limits.races and spent < limits.budget:
            numbers = range(len(races), min(len(races) + WAVE, limits.races))
            for race in pool.map(to_verdict, numbers):
                races.append(race)
                spent += race.votes - race.start
                report(0.5 * max(len(races) / limits.races, min(1.0, spent / limits.budget)))
        first = races[0].start
        limit_below = first + _beyond(races, wanted, epsilons, limits)
        for done, _ in enumerate(pool.map(beyond, races)):
            report(0.5 + 0.5 * (done + 1) / len(races))
    table = np.array([race.passages for race in races])
    return Passages(table[:, 0], table[:, 1], first + limits.max_votes, limit_below)


def _beyond(
    races: list[FollowedRace], wanted: float, epsilons: Sequence[float], limits: Limits
) -> int:
    """To how many votes all races go on: well beyond the usual verdict, while the budget lasts."""
    column = list(epsilons).index(wanted)
    needed = np.array([race.passages[0, column] for race in races]) - races[0].start
    usual = np.median(needed)
    share = limits.budget / len(races)
    return int(max(1, min(limits.max_votes, max(BEYOND * usual, needed.max()), share)))
