"""Evidence about two items together: when a leader and a rival need no more votes; compiled.

M_i(m) is what bets against "item i's mean is m or less" have made of a capital of 1, M_j(m) the
same against "item j's mean is m or more". A leader i and a rival j are settled once

    ln M_i(m) + ln(1 + odds M_j(m + epsilon)) >= level of i

for every m from i's lower bound to j's upper bound less epsilon; elsewhere one of them settles
the pair alone. The left side is convex in m, so that few tangents tell whether it is ever less.
docs/theory/evidence.md has the proof, which needs votes that are independent: two votes of one
rater on the two items may not be, and the default does without (docs/theory/crowds.md).
"""

import math
from typing import Any

from plaudit.bounds.bets import log_capital
from plaudit.compiled import compiled, inlined
from plaudit.race.lead.product import product_at
from plaudit.race.state import (
    ACTIVE,
    BY_UPPER,
    FRESH,
    LOWER_SIDE,
    UPPER_SIDE,
    WEAKEST_LOWER,
    State,
)
from plaudit.race.tree import next_leaf

# More than the logarithms together can be wrong.
MARGIN = 1e-9
MAX_STEPS = 40
TINY = 1e-300


@compiled
def all_settled(state: State) -> bool:
    """Whether every leader is settled against every rival.

    A pair that was open is checked first, and only once votes may have settled it.
    """
    h = state.header[0]
    if _still_open(state):
        return False
    for place in range(h.top):
        reach = _lower(state, state.seats[place]) + h.epsilon
        rival = next_leaf(state.field, BY_UPPER, -1, reach)
        while rival >= 0:
            if _is_open(state, state.seats[place], rival):
                return False
            rival = next_leaf(state.field, BY_UPPER, rival, reach)
    return True


@inlined
def _still_open(state: State) -> bool:
    """Whether the pair that was open when last looked at is open now.

    At the m where evidence was missing, a vote on the leader adds at most -ln m, and one on the
    rival at most -ln(1 - m - epsilon). While these cannot add up to what was missing, the pair
    is open without another look.
    """
    h = state.header[0]
    own, other = state.items[h.open_item], state.items[h.open_rival]
    apart = own.place >= 0 and own.status == ACTIVE and other.place < 0 and other.status == ACTIVE
    if not apart:
        return False
    added = (own.votes - h.open_item_votes) * h.open_item_gain
    added += (other.votes - h.open_rival_votes) * h.open_rival_gain
    if added < h.open_shortfall and h.epsilon == h.open_epsilon:
        return True
    return _is_open(state, h.open_item, h.open_rival)


@inlined
def _is_open(state: State, item: int, rival: int) -> bool:
    """Whether a leader and a rival need more votes; if so, this is noted."""
    short, m = shortfall(state, item, rival)
    if short < 0.0:
        return False
    h = state.header[0]
    # A little less, for what rounding may have added.
    h.open_epsilon, h.open_shortfall = h.epsilon, short - 2.0 * MARGIN
    h.open_item, h.open_item_votes = item, state.items[item].votes
    h.open_rival, h.open_rival_votes = rival, state.items[rival].votes
    h.open_item_gain = -math.log(max(m, TINY))
    h.open_rival_gain = -math.log(max(1.0 - m - h.epsilon, TINY))
    return True


@inlined
def _lower(state: State, leader: int) -> float:
    """A leader's lower bound, as its tree has it."""
    return float(-state.leaders.nodes[WEAKEST_LOWER, state.items[leader].place].key)


@compiled
def shortfall(state: State, item: int, rival: int) -> Any:
    """How much evidence a leader and a rival lack, and at which m; -1 where they lack none."""
    level = state.items[item].lower_level + MARGIN
    high = min(1.0, state.field.nodes[BY_UPPER, rival].key) - state.header[0].epsilon
    return lacking(state, item, rival, _lower(state, item), high, level)


@compiled
def lacking(state: State, item: int, rival: int, low: float, high: float, level: float) -> Any:
    """How much evidence is missing to `level` for some m between these, and where; else -1.

    The evidence is that of the race's stopping.
    """
    # The tangents at both ends; flat and far below until they are known.
    low_value, low_slope, high_value, high_slope = -math.inf, 0.0, -math.inf, 0.0
    m = 0.5 * (low + high)
    if low > high:
        return -1.0, m
    for _ in range(MAX_STEPS):
        if state.header[0].stopping == FRESH:
            value, slope = product_at(state, item, rival, m)
        else:
            value, slope = _evidence(state, item, rival, m)
        if value < level:
            return level - value, m
        # The function falls towards this end, and beyond it one of the two settles the pair alone.
        if (slope <= 0.0 and m >= high) or (slope > 0.0 and m <= low):
            return -1.0, m
        if slope <= 0.0:
            low, low_value, low_slope = m, value, slope
        else:
            high, high_value, high_slope = m, value, slope
        if high_value == -math.inf:
            m, least = high, low_value + low_slope * (high - low)
        elif low_value == -math.inf:
            m, least = low, high_value + high_slope * (low - high)
        else:
            rise = high_value - low_value + low_slope * low - high_slope * high
            m = min(max(rise / (low_slope - high_slope), low), high)
            least = low_value + low_slope * (m - low)
        if least >= level:
            return -1.0, m
    return 0.0, m


@inlined
def _evidence(state: State, item: int, rival: int, m: float) -> Any:
    """ln M_i(m) + ln(1 + odds M_j(m + epsilon)), and its derivative."""
    h = state.header[0]
    own, other = state.items[item], state.items[rival]
    votes, total = float(own.votes), own.total
    ours, fall = log_capital(votes, total, state.levels[item], state.logs[LOWER_SIDE], m)
    votes, total = float(other.votes), other.votes - other.total
    rest = max(1.0 - (m + h.epsilon), 0.0)
    theirs, rise = log_capital(votes, total, state.levels[rival], state.logs[UPPER_SIDE], rest)
    theirs += h.log_odds
    share = 1.0 / (1.0 + math.exp(-theirs)) if theirs > -700.0 else 0.0
    together = max(theirs, 0.0) + math.log1p(math.exp(-abs(theirs)))
    return ours + together, fall - rise * share
