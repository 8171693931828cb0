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
    surely_below,
    upper_index,
)
from plaudit.compiled import compiled, inlined
from plaudit.race.lead.afresh import aim_of, fresh_lower_at
from plaudit.race.stages import staged_time
from plaudit.race.state import (
    ACTIVE,
    BALANCE,
    EVIDENCE,
    FEWEST_VOTES,
    FIRST_OF_TWO,
    FRESH,
    KEPT,
    LARGEST_UPPER,
    LAST_OF_TWO,
    LOWER_SIDE,
    PAIR,
    SURVIVORS,
    UPPER_SIDE,
    State,
)
from plaudit.race.tolerance.trimming import (
    UNKNOWN,
    WITHOUT_HIGHEST,
    WITHOUT_LOWEST,
    votes_kept,
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
    """The upper bound that judges, uncut; infinite before the first vote.

    With a tolerance it is the bound without the item's lowest votes.
    """
    h, record = state.header[0], state.items[item]
    if h.tolerance > 0:
        return _trimmed_upper(state, item, time)
    votes, total = float(record.votes), record.total
    return _upper_from(state, votes, total, state.levels[item], h.upper_level, 1.0, time)


@compiled
def _trimmed_upper(state: State, item: int, time: float) -> float:
    h, record = state.header[0], state.items[item]
    if record.votes <= h.tolerance:
        return _unknown_upper(h, record.votes)
    votes, total = votes_kept(state, item, WITHOUT_LOWEST)
    return _upper_from(state, votes, total, state.trim[KEPT], h.upper_level, 1.0, time)


@inlined
def _unknown_upper(h: Any, votes: int) -> float:
    """The upper index of an item all of whose votes may be false: fewer votes come first."""
    return UNKNOWN + h.tolerance - votes if votes > 0 else np.inf


@inlined
def judged_votes(state: State, item: int) -> Any:
    """Mean and number of the votes that an item's upper bound rests on; there must be some."""
    if state.header[0].tolerance > 0:
        votes, total = votes_kept(state, item, WITHOUT_LOWEST)
        return total / votes, votes
    return mean_of(state.items[item]), float(state.items[item].votes)


@inlined
def _upper_from(
    state: State, votes: float, total: float, counts: Any, level: float, share: float, time: float
) -> float:
    """The upper index from `share` times these votes."""
    h = state.header[0]
    if h.shape == BETTING:
        return _betting_upper(votes, total, level, share, counts, state.logs)
    if reads_levels(h.shape):
        return _levels_upper(h, votes, total, level, share, counts, state.values)
    return _upper(h, votes, total, level, time)


@compiled
def _upper(h: Any, votes: float, total: float, level: float, time: float) -> float:
    if votes == 0.0:
        return np.inf
    return upper_index(formula_of(h), level, total / votes, votes, time)


@compiled
def _betting_upper(
    votes: float, total: float, level: float, share: float, counts: Any, logs: Any
) -> float:
    if votes == 0.0:
        return np.inf
    return betting_upper(level, votes, total, share, counts, logs[UPPER_SIDE])


@compiled
def _levels_upper(
    h: Any, votes: float, total: float, level: float, share: float, counts: Any, values: Any
) -> float:
    """The same for the other bounds that read levels."""
    if votes == 0.0:
        return np.inf
    return levels_upper(formula_of(h), level, votes, total, share, counts, values)


@inlined
def lower_of(state: State, item: int, time: float) -> float:
    """The lower bound that judges; with a tolerance, without the item's highest votes."""
    return lower_at(state, item, state.items[item].votes, time)


@inlined
def lower_at(state: State, item: int, votes: int, time: float) -> float:
    """The lower bound if that many votes fell as those so far."""
    h, record = state.header[0], state.items[item]
    if h.tolerance > 0:
        return _trimmed_lower(state, item, votes, time)
    own = float(record.votes)
    lower = _lower_from(state, item, own, record.total, float(votes), state.levels[item], time)
    return max(lower, fresh_lower_at(state, item, votes)) if h.stopping == FRESH else lower


@compiled
def _trimmed_lower(state: State, item: int, votes: int, time: float) -> float:
    h, record = state.header[0], state.items[item]
    if record.votes <= h.tolerance:
        return 0.0
    own, total = votes_kept(state, item, WITHOUT_HIGHEST)
    wanted = float(votes - h.tolerance)
    return _lower_from(state, item, own, total, wanted, state.trim[KEPT], time)


@inlined
def _lower_from(
    state: State, item: int, own: float, total: float, votes: float, counts: Any, time: float
) -> float:
    """The lower bound if `votes` fell as `own` votes with this sum."""
    h, level = state.header[0], state.items[item].lower_level
    if h.shape == BETTING:
        return _betting_lower(own, total, level, votes, counts, state.logs)
    if reads_levels(h.shape):
        return _levels_lower(h, own, total, level, votes, counts, state.values)
    mean = total / own if own > 0.0 else 0.0
    return _lower(h, mean, level, votes, time)


@compiled
def _lower(h: Any, mean: float, level: float, votes: float, time: float) -> float:
    if h.growth == TIME_SUM and votes > 0.0:
        # Not cut at 0: AT-LUCB tells leaders apart whose lower bounds are negative.
        return mean - math.sqrt(rate_kernel(formula_of(h), level, votes, time))
    return lower_kernel(formula_of(h), level, mean, votes, time)


@compiled
def _betting_lower(
    own: float, total: float, level: float, votes: float, counts: Any, logs: Any
) -> float:
    if own == 0.0:
        return 0.0
    return betting_lower(level, own, total, votes / own, counts, logs[LOWER_SIDE])


@compiled
def _levels_lower(
    h: Any, own: float, total: float, level: float, votes: float, counts: Any, values: Any
) -> float:
    if own == 0.0:
        return 0.0
    return levels_lower(formula_of(h), level, own, total, votes / own, counts, values)


@compiled
def surely_above_lower(state: State, item: int, value: float, time: float) -> bool:
    """Whether `value` is surely at or above the lower bound, by cheap inequalities.

    They never say so where the bound itself would not. The item has more votes than may be false.
    """
    h, record = state.header[0], state.items[item]
    if h.tolerance > 0:
        votes, total = votes_kept(state, item, WITHOUT_HIGHEST)
        counts = state.trim[KEPT]
    else:
        votes, total = float(record.votes), record.total
        counts = state.levels[item]
    mean = total / votes
    if value >= mean:
        return True
    if h.shape == BETTING:
        level, logs = record.lower_level, state.logs[LOWER_SIDE]
        return value > 0.0 and capital_within(level, votes, total, 1.0, counts, logs, value)
    if reads_levels(h.shape) and state.values.size > 0:
        # The inequality is for sums: levels may say more.
        return False
    return surely_below(formula_of(h), record.lower_level, mean, votes, time, value)


@inlined
def weakness_of(state: State, item: int, time: float) -> float:
    """A leader's key in WEAKEST_LOWER: its lower bound, negative.

    With the stopping FRESH it is where the rule aims, if that is higher.

    An only leader is the weakest, whatever its bound. So its key is 0, and its bound is computed
    not at every vote but only when it may decide something (`judge.may_stop`).
    """
    h, record = state.header[0], state.items[item]
    if record.status != ACTIVE:
        return -np.inf
    if h.stopping == FRESH:
        own = float(record.votes)
        lower = _lower_from(state, item, own, record.total, own, state.levels[item], time)
        return -max(lower, aim_of(state, item))
    return -lower_of(state, item, time) if keeps_lower(h) else 0.0


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
    if reads_levels(h.shape) and by_bound and record.votes > h.tolerance:
        return _levels_choice(state, item)
    return _choice(h, record, time)


@compiled
def _levels_choice(state: State, item: int) -> float:
    """The bound of the votes so far in the number expected, moved to the mean expected."""
    h, record = state.header[0], state.items[item]
    if record.status != ACTIVE:
        return -np.inf
    if h.tolerance > 0:
        votes, total = votes_kept(state, item, WITHOUT_LOWEST)
        counts = state.trim[KEPT]
    else:
        votes, total = float(record.votes), record.total
        counts = state.levels[item]
    share = (votes + record.pending) / votes
    index = _upper_from(state, votes, total, counts, h.choice_level, share, 1.0)
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
    if expected <= h.tolerance:
        return _unknown_upper(h, expected)
    mean, votes = expected_votes(h, record)
    index = upper_index(formula_of(h), h.choice_level, mean, votes, time)
    return stretched(h, mean, index)


@inlined
def expected_votes(h: Any, record: Any) -> Any:
    """Mean and number of the votes of an item once the pending ones are in, as the rule sees them.

    Votes that may be false are taken for votes of 0 and left out.
    """
    expected = record.votes + record.pending
    mean, left = expected_mean(record), float(expected - h.tolerance)
    return (min(mean * expected / left, 1.0), left) if h.tolerance > 0 else (mean, left)


@inlined
def stretched(h: Any, mean: float, index: float) -> float:
    """The upper index as the rule sees it: closer to the mean, or farther from it.

    Where nothing is stretched it is not rounded again, and so is exactly the bound that judges.
    Of an item all of whose votes may be false there is nothing to stretch.
    """
    if h.choice_stretch == 1.0 or index >= UNKNOWN:
        return index
    return mean + h.choice_stretch * (index - mean)


@inlined
def judges_choice(h: Any, record: Any) -> bool:
    """Whether what the rule compares is the upper bound that judges, to the last bit."""
    by_bound = _has_sides(h) or h.rule == LARGEST_UPPER
    return by_bound and not h.own_choice_level and record.pending == 0 and record.votes > 0


@inlined
def noted_like(state: State, item: int, place: int) -> Any:
    """The place noted last for an item whose votes may be the same; notes this place instead.

    For whoever computes bounds of many items in turn. Whatever else a search left in `scratch` may
    come back too, so the caller checks that it is an earlier place, and `alike`.
    """
    slot = state.items[item].votes % state.scratch.size
    for level in range(state.values.size):
        slot = (31 * slot + state.levels[item, level]) % state.scratch.size
    noted = state.scratch[slot]
    state.scratch[slot] = place
    return noted


@inlined
def alike(state: State, item: int, other: int) -> bool:
    """Whether two items surely have the same bounds, to the last bit: they have the same votes.

    So do most of a million items with a dozen votes each. Bounds that began afresh are apart.
    """
    record, second = state.items[item], state.items[other]
    same: bool = record.votes == second.votes and record.total == second.total
    for level in range(state.values.size):
        same = same and bool(state.levels[item, level] == state.levels[other, level])
    same = same and bool(record.lower_level == second.lower_level)
    return same and bool(state.header[0].stopping != FRESH)
