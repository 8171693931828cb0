"""Makes forecasts: `plan` for a contest to come, `forecast_of` for a race that is under way."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.errors import InvalidInput
from plaudit.race.algorithms import intolerant
from plaudit.race.race import Race
from plaudit.scale import Scale
from plaudit.simulation.following import (
    WAVE,
    FollowedRace,
    Limits,
    Passages,
    Progress,
    follow_all,
)
from plaudit.simulation.forecast import Forecast, choices_of, curve_of, epsilons_with
from plaudit.simulation.posterior import draw_frequencies, fit_prior
from plaudit.simulation.profiles import Profile
from plaudit.simulation.runner import SimulatedRace
from plaudit.simulation.seeds import seed_at
from plaudit.simulation.shapes import CAPTION, Shape, parse_shape
from plaudit.simulation.visits import VisitRace

RACES = 12
MAX_VOTES = 3_000_000
VOTES_PER_RATER = 30
# The limits allow this many races of `max_votes`; more run only if races end sooner.
PAID_IN_FULL = 4


def plan(
    items: int | None = None,
    *,
    like: str | Shape | Profile = CAPTION,
    scale: Scale | None = None,
    epsilon: float = 0.05,
    votes_per_rater: int = VOTES_PER_RATER,
    no_repeat: bool | None = None,
    races: int = RACES,
    seed: int = 0,
    max_votes: int = MAX_VOTES,
    threads: int = 2,
    progress: Progress | None = None,
    tolerances: Sequence[int] = (),
    **settings: Any,
) -> Forecast:
    """How many votes a contest will need, before it starts; settings are those of `Race`.

    `like` is a shape by name (`caption`, `power:0.5`), a `Shape`, or a profile of known items.
    With `no_repeat` raters come one after the other and vote on `votes_per_rater` different items
    each. That takes longer to simulate, and matters for rules that would give a leader more votes
    than there are raters; so None means yes for balance and pair, and no for others. A race is
    given up after `max_votes`. Fewer than `races` run where they are long. `tolerances` are numbers
    of dishonest raters whose price is wanted too, such as `TOLERANCES`; a few races each say it.

    >>> forecast = plan(like=Profile.bernoulli([0.9, 0.5, 0.1]), epsilon=0.0, races=5, delta=0.05)
    >>> forecast.verdict.votes.median < 500
    True
    """
    shape = _shape(items, like, scale)
    limits = _limits(races, max_votes, threads)
    _check_whole("votes_per_rater", votes_per_rater)
    _check_whole("seed", seed, least=0)

    def simulated(number: int, visits: bool, tolerance: int) -> SimulatedRace:
        own = seed_at(seed, "plan", number)
        profile = shape.draw(np.random.default_rng(own))
        given = settings | {"epsilon": epsilon, "tolerance": tolerance}
        if not visits:
            return SimulatedRace(profile, seed=own, **given)
        return VisitRace(profile, seed=own, votes_per_rater=votes_per_rater, **given)

    sample = simulated(0, False, settings.get("tolerance", 0)).race
    visits = _with_visits(sample, no_repeat)
    about = {"like": shape.name, "note": shape.note, "votes_per_rater": votes_per_rater}
    return _forecast(
        sample,
        lambda number, tolerance: simulated(number, visits, tolerance),
        limits,
        tolerances,
        progress,
        about,
    )


def forecast_of(
    race: Race,
    *,
    votes_per_rater: int = VOTES_PER_RATER,
    no_repeat: bool | None = None,
    repetitions: int = RACES,
    seed: int = 0,
    max_votes: int = MAX_VOTES // 4,
    threads: int = 2,
    progress: Progress | None = None,
    tolerances: Sequence[int] = (),
) -> Forecast:
    """How many votes a race will need from where it is now; the race stays as it is.

    Every repetition draws what the items may truly be like, given their own votes and those of
    all items, and continues a copy of the race for at most `max_votes` more. Pending asks count as
    not asked. The race must not change while it is copied, at the start of this call. On another
    thread, pass `copy.deepcopy(race)`, made on the thread of the race.
    """
    if not isinstance(race, Race):
        raise InvalidInput(f"forecast_of takes a plaudit.Race; got {race!r}.")
    base = _settled(race)
    limits = _limits(repetitions, max_votes, threads)
    _check_whole("votes_per_rater", votes_per_rater)
    _check_whole("seed", seed, least=0)
    visits = _with_visits(base, no_repeat)
    counts, values = _counts(base)
    prior = fit_prior(counts)

    def simulated(number: int, tolerance: int) -> SimulatedRace:
        own = seed_at(seed, "forecast", number)
        rates = draw_frequencies(counts, prior, np.random.default_rng(own))
        profile = Profile.frequencies(rates, values)
        if visits:
            run: SimulatedRace = VisitRace.continue_with(
                base, profile, seed=own, votes_per_rater=votes_per_rater
            )
        else:
            run = SimulatedRace.continuing(base, profile, seed=own)
        if tolerance != base.tolerance:
            run.race.tolerate(tolerance)
        return run

    note = "items drawn given the votes so far"
    about = {"like": "race", "note": note, "votes_per_rater": votes_per_rater}
    return _forecast(base, simulated, limits, tolerances, progress, about)


def _forecast(
    race: Race,
    simulated: Callable[[int, int], SimulatedRace],
    limits: Limits,
    tolerances: Sequence[int],
    progress: Progress | None,
    about: dict[str, Any],
) -> Forecast:
    """The forecast of this race, from those that are simulated in its place.

    `simulated(number, tolerance)` makes one of them.
    """
    wanted = float(race.settings.epsilon)
    others = _other_tolerances(race, tolerances)
    steps = 1 + len(others)

    def followed(tolerance: int, epsilons: tuple[float, ...], most: Limits, step: int) -> Passages:
        def report(share: float) -> None:
            if progress is not None:
                progress((step + share) / steps)

        return follow_all(
            lambda number: FollowedRace(simulated(number, tolerance), epsilons),
            epsilons,
            wanted,
            most,
            progress=report,
        )

    epsilons = _epsilons(race)
    passages = followed(race.tolerance, epsilons, limits, 0)
    choices = choices_of(passages, epsilons, wanted, tolerance=race.tolerance)
    few = replace(limits, races=min(limits.races, WAVE))
    # The first of the same races, so that the prices can be compared.
    first = replace(passages, votes=passages.votes[:WAVE], raters=passages.raters[:WAVE])
    same = choices_of(first, epsilons, wanted, tolerance=race.tolerance) if others else ()
    priced = [choice for choice in same if choice.epsilon == wanted]
    for step, tolerance in enumerate(others, start=1):
        found = followed(tolerance, (wanted,), few, step)
        priced += choices_of(found, (wanted,), wanted, tolerance=tolerance)
    return Forecast(
        items=len(race) - len(race.withdrawn),
        top=race.settings.top,
        delta=race.settings.delta,
        epsilon=wanted,
        algorithm=race.engine.method.algorithm.name,
        races=len(passages.votes),
        start=race.votes,
        start_raters=race.engine.most_votes,
        choices=choices,
        tolerance=race.tolerance,
        tolerances=tuple(sorted(priced, key=lambda choice: choice.tolerance)),
        curve=curve_of(passages, epsilons, start=race.votes),
        **about,
    )


def _other_tolerances(race: Race, tolerances: Sequence[int]) -> list[int]:
    """The tolerances to simulate besides the race's own; none where it can have none."""
    if intolerant(race.engine.method.algorithm) is not None:
        return []
    return sorted(set(tolerances) - {race.tolerance})


def _shape(items: int | None, like: str | Shape | Profile, scale: Scale | None) -> Shape:
    if isinstance(like, Profile):
        if items not in (None, len(like)):
            raise InvalidInput(f"The profile has {len(like)} items, and items says {items}.")
        return Shape.of(like)
    if isinstance(like, Shape):
        return like
    if items is None:
        raise InvalidInput(f"The shape {like!r} needs a number of items: plan(5000).")
    return parse_shape(like, items, scale=scale)


def _with_visits(race: Race, no_repeat: bool | None) -> bool:
    """Whether raters are simulated one by one."""
    takes_sides = race.engine.method.algorithm.rule in ("balance", "pair")
    return takes_sides if no_repeat is None else bool(no_repeat)


def _epsilons(race: Race) -> tuple[float, ...]:
    """The epsilons to ask about; a stopping rule without slack is asked about its own only."""
    wanted = float(race.settings.epsilon)
    return (wanted,) if race.engine.method.dominance else epsilons_with(wanted)


def _limits(races: int, max_votes: int, threads: int) -> Limits:
    for name, given in (("races", races), ("max_votes", max_votes), ("threads", threads)):
        _check_whole(name, given)
    return Limits(races, max_votes, PAID_IN_FULL * max_votes, threads)


def _check_whole(name: str, given: Any, *, least: int = 1) -> None:
    if not isinstance(given, int) or isinstance(given, bool) or given < least:
        raise InvalidInput(f"{name} must be a whole number of at least {least}; got {given!r}.")


def _settled(race: Race) -> Race:
    """A copy of the race without pending asks."""
    base = copy.deepcopy(race)
    pending = base.engine.records["pending"]
    for item in np.flatnonzero(pending):
        for _ in range(int(pending[item])):
            base.forget(int(item))
    return base


def _counts(race: Race) -> tuple[NDArray[np.float64], list[float]]:
    """The votes at each level, one row for each item; without a scale, as if they were 0 and 1."""
    records = race.engine.records
    if race.settings.scale is not None:
        table = race.engine.level_counts.astype(np.float64)
        return table, list(race.settings.scale.values)
    totals = records["total"]
    return np.stack([np.maximum(records["votes"] - totals, 0.0), totals], axis=1), [0.0, 1.0]
