"""What one vote changes in a race, and when the race may stop; all compiled."""

from typing import Any

from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.all_good.camps import OWN_TIME, count_good, excess_of_all
from plaudit.race.evidence import all_settled
from plaudit.race.index import (
    exchange,
    extend_horizon,
    largest_upper,
    refresh,
    smallest_lower,
    some_upper,
)
from plaudit.race.lead.afresh import count_afresh
from plaudit.race.lead.appointing import appoint
from plaudit.race.lead.counting import count_lead, fresh_lower, is_settled
from plaudit.race.lead.together import is_sure, note_doubt
from plaudit.race.readings import (
    alike,
    keeps_lower,
    lower_of,
    noted_like,
    surely_above_lower,
    time_now,
    upper_of,
)
from plaudit.race.state import (
    ACTIVE,
    ALL_GOOD,
    DOMINANCE,
    EVIDENCE,
    FRESH,
    LAST_STANDING,
    LEAD,
    NEVER,
    SETTLED,
    SURVIVORS,
    WITHDRAWN,
    State,
)


@compiled
def tell(state: State, item: int, value: float, level: int) -> None:
    """Counts a vote and updates all that it changes: one item, in O(log n).

    It answers a pending ask, if there is one.
    """
    h = state.header[0]
    record = state.items[item]
    if record.pending > 0:
        record.pending -= 1
        h.pending -= 1
    record.votes += 1
    if level >= 0:
        state.levels[item, level] += 1
        # Summed anew in one order: votes commute, to the last bit.
        total = 0.0
        for k in range(state.values.size):
            total += state.levels[item, k] * state.values[k]
        record.total = total
    else:
        record.total += value
    if record.status == WITHDRAWN:
        return
    h.votes += 1
    h.most_votes = max(h.most_votes, record.votes)
    if record.votes == 1:
        h.unsampled -= 1
    if h.stopping == ALL_GOOD:
        count_good(state, item)
        return
    if h.uses_time and (time_now(h) > h.horizon or h.looks > h.items):
        extend_horizon(state)
    if h.stopping == FRESH or h.stopping == LEAD:
        count_afresh(state, item, value, level)
    refresh(state, item)
    exchange(state)
    if h.rule == SURVIVORS and record.status == ACTIVE and record.votes == h.round:
        h.behind -= 1
        if h.behind == 0:
            end_round(state)
    if h.stopping == DOMINANCE and h.unsampled == 0 and dominates(h, record):
        h.dominant = item
    if h.stopping >= NEVER:
        # A round is a pair of votes.
        if h.stopping == NEVER and (h.votes - h.initial) % 2 == 0:
            settle_stage(state)
        if h.stopping == LEAD:
            count_lead(state, item)
        if h.stopping == FRESH:
            if appoint(state):
                refresh(state, state.seats[0])
            note_doubt(state)


@compiled
def tell_all(state: State, items: Any, values: Any, levels: Any) -> None:
    """Counts many votes."""
    for k in range(items.size):
        tell(state, items[k], values[k], levels[k])


@rarely(None)
def settle_stage(state: State) -> None:
    """Raises the stage until LUCB would not stop; the leaders of that moment are recommended."""
    h = state.header[0]
    if h.unsampled > 0:
        return
    ended = h.stage == 0
    while largest_upper(state) < smallest_lower(state):
        ended = True
        h.stage += 1
        if time_now(h) > h.horizon:
            extend_horizon(state)
    if ended:
        for place in range(h.top):
            state.chosen[place] = state.seats[place]


@inlined
def dominates(h: Any, record: Any) -> bool:
    """Whether an item has more votes than `dominance` times all others together."""
    return record.votes >= 1.0 + h.dominance * (h.votes - record.votes)


@inlined
def may_stop(state: State) -> bool:
    """Whether the stopping rule lets the race name its winners."""
    h = state.header[0]
    if h.stopping >= NEVER:
        if h.stopping == ALL_GOOD:
            return excess_of_all(state) < 0.0
        if h.stopping == FRESH:
            return is_sure(state)
        return h.stopping == LEAD and is_settled(state)
    if h.stopping == DOMINANCE:
        return h.dominant >= 0
    if h.stopping == LAST_STANDING and h.epsilon == 0.0:
        return h.standing == 0
    outside = some_upper(state)
    if not keeps_lower(h) and surely_open(state, outside):
        return False
    inside = smallest_lower(state)
    if outside - inside >= h.epsilon:
        return h.stopping == EVIDENCE and all_settled(state)
    return not h.uses_time or largest_upper(state) - inside < h.epsilon


@inlined
def surely_open(state: State, outside: float) -> bool:
    """Whether the lower bound of an only leader surely leaves the race open, by cheap inequalities.

    They never say so where the bounds themselves would not; else the bounds decide.
    """
    h = state.header[0]
    record = state.items[state.seats[0]]
    if record.votes <= h.tolerance or record.status != ACTIVE:
        return False
    now = time_now(h) if h.uses_time else 1.0
    return surely_above_lower(state, state.seats[0], outside - h.epsilon, now)


@compiled
def open_round(state: State) -> None:
    """Puts every item that competes back among the standing, and starts their next round."""
    h = state.header[0]
    h.standing = 0
    for item in range(h.items):
        if state.items[item].status != WITHDRAWN:
            state.items[item].status = ACTIVE
            state.standing[h.standing] = item
            h.standing += 1
    start_round(state)


@compiled
def start_round(state: State) -> None:
    """Sets the number of votes that every standing item is to reach next."""
    h = state.header[0]
    fewest = state.items[state.standing[0]].votes
    for k in range(h.standing):
        fewest = min(fewest, state.items[state.standing[k]].votes)
    h.round = fewest + 1
    h.behind = 0
    for k in range(h.standing):
        if state.items[state.standing[k]].votes < h.round:
            h.behind += 1


@rarely(None)
def end_round(state: State) -> None:
    """Settles the items that need no more votes, after every standing one got its vote.

    A trailing item is out once its upper bound is below the weakest leader's lower bound;
    a leader is in once its lower bound is above every upper bound outside.
    """
    h = state.header[0]
    now = time_now(h)
    inside, outside = smallest_lower(state), largest_upper(state)
    left = 0
    for k in range(h.standing):
        item = state.standing[k]
        record = state.items[item]
        if record.place >= 0:
            excess = outside - lower_of(state, item, now)
        else:
            excess = min(1.0, upper_of(state, item, now)) - inside
        # Without epsilon: slack given against a leader who falls later would add up.
        if excess < 0.0:
            record.status = SETTLED
            refresh(state, item)
        else:
            state.standing[left] = item
            left += 1
    h.standing = left
    if left > 0:
        start_round(state)


@compiled
def look(state: State) -> Any:
    """Whether the race may stop, its gap, its votes, and the one item that a verdict would name.

    The gap is that between the leading set and the rest. Where several items may be named, -1
    stands for them.
    """
    h = state.header[0]
    if h.stopping == ALL_GOOD:
        gap = excess_of_all(state)
    else:
        gap = largest_upper(state) - smallest_lower(state)
        if h.stopping == LEAD:
            gap = largest_upper(state) - fresh_lower(state, state.seats[0])
        if h.stopping == FRESH:
            # Where the rule aims is no bound.
            gap = largest_upper(state) - lower_of(state, state.seats[0], time_now(h))
    named = h.dominant
    if named < 0 and h.stopping != ALL_GOOD and h.top == 1:
        waits = h.stopping == NEVER and h.stage > 0
        named = state.chosen[0] if waits else state.seats[0]
    return may_stop(state), gap, h.votes, named


@compiled
def fill_intervals(state: State, items: Any, lower: Any, upper: Any) -> None:
    """The judging bounds of these items, now."""
    h = state.header[0]
    now = OWN_TIME if h.stopping == ALL_GOOD else time_now(h)
    for k in range(items.size):
        known = noted_like(state, items[k], k)
        if 0 <= known < k and alike(state, items[k], items[known]):
            lower[k], upper[k] = lower[known], upper[known]
        else:
            lower[k] = max(0.0, lower_of(state, items[k], now))
            upper[k] = min(1.0, upper_of(state, items[k], now))
        if h.stopping == LEAD:
            lower[k] = fresh_lower(state, items[k])
