"""What the arrays of a race say about an item: mean, bounds, and what the rule compares."""

import math
from typing import Any

import numpy as np

from plaudit.bounds.bets import capital_within
from plaudit.bounds.from_levels import levels_lower, levels_upper
from plaudit.bounds.kernels import (
    BETTING,
    TIME_SUM,
    Formula,
    betting_lower,
    betting_upper,
    lower_kernel,
    rate_kernel,
    reads_levels,
    upper_index,
)
from plaudit.compiled import compiled, inlined
from plaudit.race.stages import staged_time
from plaudit.race.state import (
    ACTIVE,
    BALANCE,
    EVIDENCE,
    FEWEST_VOTES,
    FIRST_OF_TWO,
    LARGEST_UPPER,
    LAST_OF_TWO,
    LOWER_SIDE,
    PAIR,
    SURVIVORS,
    UPPER_SIDE,
    State,
)
from plaudit.race.tree import ticket


@inlined
def formula_of(h: Any) -> Formula:
    """The race's bound."""
    return Formula(h.shape, h.growth, h.factor, h.scale, h.weight)


@inlined
def time_now(h: Any) -> float:
    """Rounds so far, as LUCB counts them: 1 after every item's first vote, then pairs.

    Never below the votes of any item, so that bounds which use it hold under any rule.
    """
    rounds = max(1.0 + max(0, h.votes - h.initial) // 2, float(h.most_votes))
    return staged_time(rounds, h.stage) if h.growth == TIME_SUM else rounds


@inlined
def ticket_of(h: Any, items: Any, item: int) -> Any:
    """An item's ticket, which decides ties."""
    return ticket(h.seed, item, items[item].votes)


@inlined
def choice_ticket(h: Any, items: Any, item: int) -> Any:
    """The ticket among equal choices: the item with fewer pending votes comes first."""
    fewer = np.uint64(0xFFFF) - np.uint64(min(items[item].pending, 0xFFFF))
    return (fewer << np.uint64(48)) | (ticket_of(h, items, item) >> np.uint64(16))


@inlined
def mean_of(record: Any) -> float:
    """The empirical mean; -1 before the first vote, below every mean."""
    return record.total / record.votes if record.votes > 0 else -1.0


@inlined
def upper_of(state: State, item: int, time: float) -> float:
    """The upper bound that judges, uncut; infinite before the first vote."""
    h, record = state.header[0], state.items[item]
    if h.shape == BETTING:
        return _betting_upper(record, h.upper_level, 1.0, state.levels[item], state.logs)
    if reads_levels(h.shape):
        return _levels_upper(h, record, h.upper_level, 1.0, state.levels[item], state.values)
    return _upper(h, record, time)


@compiled
def _upper(h: Any, record: Any, time: float) -> float:
    if record.votes == 0:
        return np.inf
    return upper_index(formula_of(h), h.upper_level, mean_of(record), float(record.votes), time)


@compiled
def _betting_upper(record: Any, level: float, share: float, counts: Any, logs: Any) -> float:
    """The upper index from `share` times the votes of an item."""
    if record.votes == 0:
        return np.inf
    votes = float(record.votes)
    return betting_upper(level, votes, record.total, share, counts, logs[UPPER_SIDE])


@compiled
def _levels_upper(
    h: Any, record: Any, level: float, share: float, counts: Any, values: Any
) -> float:
    """The same for the other bounds that read levels."""
    if record.votes == 0:
        return np.inf
    votes = float(record.votes)
    return levels_upper(formula_of(h), level, votes, record.total, share, counts, values)


@inlined
def lower_of(state: State, item: int, time: float) -> float:
    """The lower bound that judges."""
    return lower_at(state, item, float(state.items[item].votes), time)


@inlined
def lower_at(state: State, item: int, votes: float, time: float) -> float:
    """The lower bound if that many votes fell as those so far."""
    h, record = state.header[0], state.items[item]
    if h.shape == BETTING:
        return _betting_lower(record, votes, state.levels[item], state.logs)
    if reads_levels(h.shape):
        return _levels_lower(h, record, votes, state.levels[item], state.values)
    return _lower(h, record, votes, time)


@compiled
def _lower(h: Any, record: Any, votes: float, time: float) -> float:
    mean = max(mean_of(record), 0.0)
    if h.growth == TIME_SUM and votes > 0.0:
        # Not cut at 0: AT-LUCB tells leaders apart whose lower bounds are negative.
        return mean - math.sqrt(rate_kernel(formula_of(h), record.lower_level, votes, time))
    return lower_kernel(formula_of(h), record.lower_level, mean, votes, time)


@compiled
def _betting_lower(record: Any, votes: float, counts: Any, logs: Any) -> float:
    if record.votes == 0:
        return 0.0
    own = float(record.votes)
    level, side = record.lower_level, logs[LOWER_SIDE]
    return betting_lower(level, own, record.total, votes / own, counts, side)


@compiled
def _levels_lower(h: Any, record: Any, votes: float, counts: Any, values: Any) -> float:
    if record.votes == 0:
        return 0.0
    own, level = float(record.votes), record.lower_level
    return levels_lower(formula_of(h), level, own, record.total, votes / own, counts, values)


@inlined
def bets_leave(state: State, item: int, value: float) -> bool:
    """Whether `value` is surely at or above the lower bound by betting; no root to find."""
    record = state.items[item]
    counts, logs = state.levels[item], state.logs[LOWER_SIDE]
    votes = float(record.votes)
    return capital_within(record.lower_level, votes, record.total, 1.0, counts, logs, value)


@inlined
def weakness_of(state: State, item: int, time: float) -> float:
    """A leader's key in WEAKEST_LOWER: its lower bound, negative.

    An only leader is the weakest, whatever its bound. So its key is 0, and its bound is computed
    not at every vote but only when it may decide something (`judge.may_stop`).
    """
    if state.items[item].status != ACTIVE:
        return -np.inf
    return -lower_of(state, item, time) if keeps_lower(state.header[0]) else 0.0


@inlined
def keeps_lower(h: Any) -> bool:
    """Whether the lower bound of every leader is kept up to date."""
    return h.top > 1 or h.rule == BALANCE or h.stopping == EVIDENCE


@inlined
def expected_mean(record: Any) -> float:
    """The mean once the pending votes are in, if they fall as (total+1/2)/(votes+1) says.

    Never above the current mean: pending votes make no item more attractive, so that an item
    which has only votes of 1 does not get all raters.
    """
    if record.pending == 0:
        return mean_of(record)
    rate = (record.total + 0.5) / (record.votes + 1)
    expected = (record.total + record.pending * rate) / (record.votes + record.pending)
    return min(mean_of(record), expected) if record.votes > 0 else expected


@inlined
def _has_sides(h: Any) -> bool:
    """Whether the rule asks for leaders and for items outside by different keys."""
    return h.rule == PAIR or h.rule == BALANCE


@inlined
def takes_two(h: Any) -> bool:
    """Whether the rule is of the Top-Two family."""
    return FIRST_OF_TWO <= h.rule <= LAST_OF_TWO


@inlined
def choice_of(state: State, item: int, time: float) -> float:
    """What the rule compares; votes asked for and not yet told count here, and only here."""
    h, record = state.header[0], state.items[item]
    by_bound = h.rule == LARGEST_UPPER or (_has_sides(h) and record.place < 0)
    if reads_levels(h.shape) and by_bound and record.votes > 0:
        if h.shape == BETTING:
            return _betting_choice(h, record, state.levels[item], state.logs)
        return _levels_choice(h, record, state.levels[item], state.values)
    return _choice(h, record, time)


@compiled
def _betting_choice(h: Any, record: Any, counts: Any, logs: Any) -> float:
    """The bound of the votes so far in the number expected, moved to the mean expected."""
    if record.status != ACTIVE:
        return -np.inf
    share = (record.votes + record.pending) / record.votes
    index = _betting_upper(record, h.choice_level, share, counts, logs)
    mean = mean_of(record)
    return stretched(h, mean, index) - (mean - expected_mean(record))


@compiled
def _levels_choice(h: Any, record: Any, counts: Any, values: Any) -> float:
    if record.status != ACTIVE:
        return -np.inf
    share = (record.votes + record.pending) / record.votes
    index = _levels_upper(h, record, h.choice_level, share, counts, values)
    mean = mean_of(record)
    return stretched(h, mean, index) - (mean - expected_mean(record))


@compiled
def _choice(h: Any, record: Any, time: float) -> float:
    if record.status != ACTIVE:
        return -np.inf
    expected = record.votes + record.pending
    if h.rule == FEWEST_VOTES or h.rule == SURVIVORS:
        return -float(expected)
    if expected == 0:
        return np.inf
    if takes_two(h) or (_has_sides(h) and record.place >= 0):
        return -np.inf
    mean = expected_mean(record)
    index = upper_index(formula_of(h), h.choice_level, mean, float(expected), time)
    return stretched(h, mean, index)


@inlined
def stretched(h: Any, mean: float, index: float) -> float:
    """The upper index as the rule sees it: closer to the mean, or farther from it.

    Where nothing is stretched it is not rounded again, and so is exactly the bound that judges.
    """
    return mean + h.choice_stretch * (index - mean) if h.choice_stretch != 1.0 else index


@inlined
def judges_choice(h: Any, record: Any) -> bool:
    """Whether what the rule compares is the upper bound that judges, to the last bit."""
    by_bound = _has_sides(h) or h.rule == LARGEST_UPPER
    return by_bound and not h.own_choice_level and record.pending == 0 and record.votes > 0
