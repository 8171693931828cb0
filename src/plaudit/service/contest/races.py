"""The races of a contest, built from its settings and its state: a function of the log."""

from contextlib import suppress

import numpy as np

from plaudit.errors import NotAllowed
from plaudit.race import Race
from plaudit.race.algorithms import check_tolerance
from plaudit.race.tolerance.excluded import same_without
from plaudit.scale import FUNNY, Scale
from plaudit.service.contest.settings import ContestSettings
from plaudit.service.contest.state import ContestState


def warm_up() -> None:
    """Compiles the kernels that most live races call, so that no rater waits for it."""
    _call_all(Race(3, scale=FUNNY, delta=0.5, epsilon=0.5), FUNNY)


def warm_up_for(settings: ContestSettings) -> None:
    """Compiles the kernels for one contest: some goals and algorithms have their own."""
    for lane in range(len(settings.lanes)):
        _call_all(make_race(settings, lane, settings.top + 3), settings.race_scale)


def _call_all(race: Race, scale: Scale) -> None:
    """Takes every step that a live race takes."""
    lowest, highest = scale.values[0], scale.values[-1]
    race.forget(race.ask(1)[0])
    race.tell(race.ask(1, exclude=np.array([0]))[0], highest)
    race.tell_many(range(len(race)), [highest, *[lowest] * (len(race) - 1)])
    race.verdict()
    race.withstands()
    race.intervals([1])
    same_without(race, [0], np.ones((len(race), len(scale.values))))
    # Some algorithms work on a fixed set of items only, and some give no shortlists.
    with suppress(NotAllowed):
        race.shortlists()
    with suppress(NotAllowed):
        race.add()
        race.withdraw(0)


def make_race(
    settings: ContestSettings,
    lane: int,
    items: int,
    *,
    raters: int = 0,
    stopping: str | None = None,
) -> Race:
    """The race of a lane before its first vote; an error if the settings do not allow one.

    `raters` is how many have voted so far. `stopping` takes the place of the algorithm's own.
    """
    race = Race(
        items,
        delta=settings.delta,
        epsilon=settings.epsilon,
        top=settings.top,
        goal=settings.goal,
        algorithm=settings.lanes[lane].algorithm,
        stopping=stopping,
        seed=settings.seed,
        scale=settings.race_scale,
        tolerance=settings.tolerated(raters),
        bets=settings.bets_of(lane),
    )
    if settings.tolerance:
        # A share is 0 raters at first: whether the algorithm can have any is asked now.
        check_tolerance(race.engine.method.algorithm)
    return race


def race_of(
    settings: ContestSettings, contest: ContestState, lane: int, *, stopping: str | None = None
) -> Race:
    """The race of a lane with the items and votes of a contest: a function of the log."""
    race = make_race(settings, lane, contest.initial, raters=contest.raters, stopping=stopping)
    if contest.items > contest.initial:
        race.add(contest.items - contest.initial)
    if contest.items > contest.initial or contest.withdrawn:
        race.arrange(
            joined=contest.joined,
            absent=contest.absent if contest.begun else contest.withdrawn,
            withdrawn=sorted(contest.withdrawn),
            pools=contest.pools.stand_ins,
        )
    counts = contest.race_counts(lane)
    if counts.any():
        totals = counts @ np.array(settings.race_scale.values)
        race.recount(counts.sum(axis=1), totals, levels=counts)
    return race
