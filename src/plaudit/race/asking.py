"""Which item a rater sees next: the rules, compiled.

A vote that was asked for and not yet told is pending. The rule sees the item as if its pending
votes had come as expected; the stopping rule never sees pending votes.
"""

from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.all_good.asking import pick_good
from plaudit.race.balance import bold_reach, is_bold, leads_next, weigh
from plaudit.race.index import (
    challenger,
    largest_upper,
    put_key,
    put_lower,
    refresh_choice,
    smallest_lower,
)
from plaudit.race.judge import may_stop, settle_stage
from plaudit.race.lead.afresh import note_asked, note_forgotten
from plaudit.race.lead.together import is_within_aim, next_of_pair, note_doubt
from plaudit.race.readings import (
    choice_of,
    expected_mean,
    lower_at,
    lower_of,
    takes_two,
    ticket_of,
    time_now,
    upper_of,
)
from plaudit.race.state import (
    ACTIVE,
    ALL_GOOD,
    BALANCE,
    BY_CHOICE,
    BY_MEAN,
    BY_UPPER,
    FRESH,
    LEAD,
    NEVER,
    PAIR,
    WEAKEST_LOWER,
    State,
)
from plaudit.race.top_two.choice import next_of_two
from plaudit.race.tree import best_allowed, best_key, set_key, winner

# NumPy's booleans: for Python's, numba would compile a copy of the function for each.
PICKY: Any = np.True_
EASY: Any = np.False_
# NumPy's integers, likewise: how many votes may be pending.
NONE_PENDING: Any = np.int64(0)
ANY_NUMBER: Any = np.int64(2**62)
# One ask of so many looks past what is pending.
PATIENCE = 16
# Less than bounds differ by, and enough to order leaders without votes.
TURN = 1e-12


@compiled
def ask(state: State, distinct: bool, count: int) -> int:
    """Finds up to `count` items, in `state.found`, none of those in `state.blocked`; how many."""
    return fill(state, state.blocked, distinct, state.found[:count])


@compiled
def fill(state: State, blocked: Any, distinct: bool, out: Any) -> int:
    """Fills `out` with items for one rater, pending from now on; how many were found.

    `blocked` marks the items that this rater must not get; with `distinct`, those found
    are marked too.
    """
    h = state.header[0]
    if h.stopping == NEVER:
        settle_stage(state)
    appoints = h.stopping == FRESH or h.stopping == LEAD
    found = 0
    while found < out.size:
        item = _pick(state, blocked)
        if item < 0:
            break
        state.items[item].pending += 1
        h.pending += 1
        if appoints:
            note_asked(state, item, out.size > 1)
        _note_pending(state, item)
        if distinct:
            blocked[item] = 1
        out[found] = item
        found += 1
        h.turn += 1
    return found


@compiled
def _pick(state: State, blocked: Any) -> int:
    h = state.header[0]
    if h.stopping == ALL_GOOD:
        return pick_good(state, blocked)
    if takes_two(h):
        return _one_of_two(state, blocked)
    if h.rule != PAIR and h.rule != BALANCE:
        return -1 if may_stop(state) else _best(state, BY_CHOICE, blocked)
    item = _best(state, BY_CHOICE, blocked)
    if item >= 0 and choice_of(state, item, 1.0) == np.inf:
        # Every item is seen once before the pairs begin; the first pair starts with a leader.
        h.turn = 1
        return item
    if h.stopping == FRESH:
        of_pair = next_of_pair(state, blocked)
        if of_pair >= 0:
            return of_pair
    waiting = h.rule == BALANCE and h.pending > 0 and h.unsampled == 0
    number = h.votes + h.pending
    if waiting and number % PATIENCE == PATIENCE - 1:
        # Some that are pending may never come: now and then the verdict's own needs decide.
        if number // PATIENCE % 2 == 0:
            item = _leading(state, blocked, EASY)
            return item if item >= 0 else _in_reach(state, blocked)
        item = _in_reach(state, blocked)
        return item if item >= 0 else _leading(state, blocked, EASY)
    leading = _leading(state, blocked, PICKY) if _leaders_turn(state, item) else -1
    if leading >= 0:
        return leading
    trailing = _trailing(state, item, blocked)
    return trailing if trailing >= 0 else _leading(state, blocked, EASY)


@inlined
def _leaders_turn(state: State, outside: int) -> bool:
    """Whether a leader comes next: every other time, or as the balance says.

    `outside` is the item that would come next otherwise, or -1.
    """
    h = state.header[0]
    if h.rule != BALANCE:
        return bool(h.turn % 2 == 0)
    if h.unsampled > 0:
        waiting = _fewest_waiting(state)
        if waiting >= 0:
            return outside < 0 or waiting < state.items[outside].pending
    return leads_next(state)


@compiled
def _fewest_waiting(state: State) -> int:
    """The fewest votes on their way for a leader that has none yet; -1 where all leaders have.

    Nothing is known about such a leader that a balance could weigh: it waits its turn.
    """
    fewest = -1
    for place in range(state.header[0].top):
        record = state.items[state.seats[place]]
        cold = record.votes == 0 and record.status == ACTIVE
        if cold and (fewest < 0 or record.pending < fewest):
            fewest = record.pending
    return fewest


@inlined
def _note_pending(state: State, item: int) -> None:
    """Lets the rule see that an item's pending votes changed."""
    refresh_choice(state, item)
    if state.header[0].rule == BALANCE:
        weigh(state, item)


@rarely(-1)
def _one_of_two(state: State, blocked: Any) -> int:
    """The item of a Top-Two rule, once every item was asked for; -1 where the race may stop."""
    if may_stop(state):
        return -1
    item = _best(state, BY_CHOICE, blocked)
    return item if item >= 0 else next_of_two(state, blocked)


@compiled
def _trailing(state: State, preferred: int, blocked: Any) -> int:
    """An item outside the leading set that may still belong in it, or -1."""
    h = state.header[0]
    reach = _reach(state)
    if h.rule == BALANCE and h.choice_stretch != 1.0:
        if is_bold(h) and preferred >= 0 and _upper_now(state, preferred) >= bold_reach(state):
            return preferred
        doubtful = _best(state, BY_UPPER, blocked)
        if doubtful >= 0 and state.items[doubtful].pending > 0:
            # Its votes are on their way: the next one in doubt, or long lists would be all bold.
            doubtful = best_allowed(state.field, BY_UPPER, blocked, state.items, NONE_PENDING)
        if doubtful >= 0 and _upper_now(state, doubtful) >= reach:
            return doubtful
    if preferred >= 0 and _upper_now(state, preferred) >= reach:
        return preferred
    # The rest may still matter and only have many votes pending.
    return _in_reach(state, blocked)


@compiled
def _in_reach(state: State, blocked: Any) -> int:
    """The item outside that keeps the verdict open most, whatever is pending, or -1."""
    item = _best(state, BY_UPPER, blocked)
    return item if item >= 0 and _upper_now(state, item) >= _reach(state) else -1


@inlined
def _reach(state: State) -> float:
    """The upper bound at which an item outside may still belong among the leaders."""
    h = state.header[0]
    if h.stopping == NEVER:
        # Nothing is ever settled, so no item is out of reach.
        return -np.inf
    lower = smallest_lower(state)
    if h.stopping == FRESH and is_within_aim(state):
        # What is missing is on its way, or cannot be asked of this rater.
        lower = lower_of(state, state.seats[0], time_now(h))
    return lower + h.epsilon


@inlined
def _upper_now(state: State, item: int) -> float:
    """The upper bound of an item outside the leading set, cut at 1; most trees know it."""
    h = state.header[0]
    key: float = state.field.nodes[BY_UPPER, item].key
    return min(1.0, upper_of(state, item, time_now(h)) if h.uses_time else key)


@compiled
def _leading(state: State, blocked: Any, picky: bool) -> int:
    """The leader in most doubt, pending votes counted, or -1 where none needs votes.

    `picky` passes over a leader who is expected to fall once its pending votes are in.
    """
    h = state.header[0]
    now = time_now(h)
    outside = largest_upper(state)
    found = -1
    changed = 0
    while True:
        place = winner(state.leaders, WEAKEST_LOWER)
        if place < 0:
            break
        leader = state.seats[place]
        record = state.items[leader]
        excess = outside - lower_of(state, leader, now)
        useless = excess < h.epsilon and h.stopping != NEVER
        if useless or (picky and _falls(state, record)) or blocked[leader]:
            key = -np.inf
        elif record.votes <= h.tolerance:
            # All of these have the lower bound 0: those with the fewest votes come first.
            key = -TURN * (record.votes + record.pending)
        else:
            key = -lower_at(state, leader, record.votes + record.pending, now)
        if key == best_key(state.leaders, WEAKEST_LOWER):
            found = leader
            break
        state.scratch[changed] = place
        changed += 1
        drawn = ~ticket_of(h, state.items, leader)
        set_key(state.leaders, WEAKEST_LOWER, place, key, drawn)
    for k in range(changed):
        put_lower(state, state.scratch[k], h.horizon)
    return found


@inlined
def _falls(state: State, record: Any) -> bool:
    """Whether a leader is expected to lose its place once its pending votes are in."""
    return record.pending > 0 and expected_mean(record) < best_key(state.field, BY_MEAN)


@compiled
def _best(state: State, tree: Any, blocked: Any) -> int:
    """The item with the largest key that is not blocked, or -1."""
    item = challenger(state, tree)
    if item >= 0 and blocked[item] and not state.header[0].uses_time:
        return best_allowed(state.field, tree, blocked, state.items, ANY_NUMBER)
    hidden = 0
    while item >= 0 and blocked[item]:
        set_key(state.field, tree, item, -np.inf, np.uint64(0))
        state.scratch[hidden] = item
        hidden += 1
        item = challenger(state, tree)
    for k in range(hidden):
        put_key(state, tree, state.scratch[k], state.header[0].horizon)
    return item


@compiled
def forget(state: State, item: int) -> None:
    """Takes back one pending vote of an item."""
    h, record = state.header[0], state.items[item]
    if record.pending > 0:
        record.pending -= 1
        h.pending -= 1
        if (h.stopping == FRESH or h.stopping == LEAD) and note_forgotten(state, item):
            _look_again(state)
        _note_pending(state, item)


@rarely(None)
def _look_again(state: State) -> None:
    """Judges anew what an appointed leader and its rivals have won together: it has become less."""
    state.rare.lead.book[0].settled = False
    if state.header[0].stopping == FRESH:
        note_doubt(state)
