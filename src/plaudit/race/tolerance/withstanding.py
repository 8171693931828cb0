"""How many dishonest raters a verdict withstands: the largest tolerance that its bounds support.

If m raters were dishonest, the bounds of every tolerance from m on hold with probability 1 - delta,
all of them at once (docs/theory/tolerance.md). So the largest one may be looked for, at any time.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled
from plaudit.race.all_good.camps import OWN_TIME
from plaudit.race.readings import lower_of, time_now, upper_of
from plaudit.race.state import ACTIVE, ALL_GOOD, WITHDRAWN, State


def largest_tolerance(state: State, named: NDArray[np.bool_], *, least: int) -> int:
    """The largest tolerance, above `least`, at which these items are certified; else `least`."""
    # Where all votes may be false nothing is known, so there is no larger one.
    most = int(state.header[0]["most_votes"])
    withstood, step = least, 1
    while withstood + step <= most and _holds(state, named, withstood + step):
        withstood += step
        step *= 2
    # Not certified at withstood + step.
    while step > 1:
        step //= 2
        if withstood + step <= most and _holds(state, named, withstood + step):
            withstood += step
    return withstood


def _holds(state: State, named: NDArray[np.bool_], tolerance: int) -> bool:
    header = state.header.copy()
    header["tolerance"] = tolerance
    h = header[0]
    other = state._replace(header=header, trim=state.trim.copy())
    if int(h["stopping"]) != ALL_GOOD:
        return bool(separates(other, named))
    if h["standing"] > 0:
        # How few items share delta was found out with another tolerance.
        h["upper_level"] = state.rare.step_levels[0]
    return bool(tells_good(other, named))


@compiled
def separates(state: State, named: Any) -> bool:
    """Whether the bounds part the named items from all others, up to epsilon."""
    h = state.header[0]
    now = time_now(h)
    inside = np.inf
    for item in range(h.items):
        if named[item]:
            inside = min(inside, lower_of(state, item, now))
    for item in range(h.items):
        if named[item] or state.items[item].status == WITHDRAWN:
            continue
        if min(1.0, upper_of(state, item, now)) - inside >= h.epsilon:
            return False
    return True


@compiled
def tells_good(state: State, named: Any) -> bool:
    """Whether all named items are good enough and all others too bad: see `all_good.camps`."""
    h = state.header[0]
    highest, best_lower, least_named, most_other = 0.0, 0.0, np.inf, -np.inf
    for item in range(h.items):
        if state.items[item].status != ACTIVE:
            continue
        upper = min(1.0, upper_of(state, item, OWN_TIME))
        lower = lower_of(state, item, OWN_TIME)
        highest, best_lower = max(highest, upper), max(best_lower, lower)
        if named[item]:
            least_named = min(least_named, lower)
        else:
            most_other = max(most_other, upper)
    outside = most_other - (best_lower - h.epsilon)
    return bool(max(outside, highest - 2.0 * h.epsilon - least_named) < 0.0)
