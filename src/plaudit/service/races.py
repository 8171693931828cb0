"""The races of a contest, made from its settings and its tally: a function of the log."""

import numpy as np

from plaudit.race import Race
from plaudit.race.goals import TOP_GOAL
from plaudit.scale import FUNNY
from plaudit.service.contest import ContestSettings
from plaudit.service.tally import Tally


def warm_up(goal: str = TOP_GOAL) -> None:
    """Compiles what a live race for a goal calls, so that no rater waits for it."""
    race = Race(3, scale=FUNNY, delta=0.5, epsilon=0.5, goal=goal)
    race.forget(race.ask(1)[0])
    race.tell(race.ask(1, exclude=np.array([0]))[0], 0.5)
    race.tell_many([0, 1, 2], [0.0, 0.5, 1.0])
    race.verdict()
    race.add()
    race.withdraw(0)
    race.intervals([1])
    race.shortlists()


def warm_up_for(settings: ContestSettings) -> None:
    """The same for a contest whose goal has kernels of its own."""
    if settings.wants_all_good:
        warm_up(settings.goal)


def make_race(settings: ContestSettings, lane: int, items: int) -> Race:
    """The race of a lane before its first vote; an error where the settings allow none."""
    return Race(
        items,
        delta=settings.delta,
        epsilon=settings.epsilon,
        top=settings.top,
        goal=settings.goal,
        algorithm=settings.lanes[lane].algorithm,
        seed=settings.seed,
        scale=settings.race_scale,
    )


def race_of(settings: ContestSettings, tally: Tally, lane: int) -> Race:
    """The race of a lane that a tally calls for: a function of the log."""
    race = make_race(settings, lane, tally.initial)
    if tally.items > tally.initial:
        race.add(tally.items - tally.initial)
    if tally.items > tally.initial or tally.withdrawn:
        race.arrange(
            joined=tally.joined,
            absent=tally.absent if tally.begun else tally.withdrawn,
            withdrawn=sorted(tally.withdrawn),
            pools=tally.pools.stand_ins,
        )
    counts = tally.race_counts(lane)
    if counts.any():
        totals = counts @ np.array(settings.race_scale.values)
        race.recount(counts.sum(axis=1), totals, levels=counts)
    return race
