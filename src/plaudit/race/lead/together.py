"""When a leader needs no more evidence against any rival, by what both have won; compiled.

F(m) is what bets against "the leader's mean is m or less" have made of 1 since it was appointed,
and K(m) what bets against "the rival's mean is m or more" have made of 1, from votes that no rater
gave together with others. Once every upper bound is below where the rule aims plus epsilon, a pair
is settled if

    ln F(m) + ln K(m + epsilon) >= level

for every m from the leader's lower bound to the rival's upper bound less epsilon; elsewhere one of
the two settles it alone. A search for a pair that is open costs n; it comes when the last one is
settled. docs/theory/fresh.md has the proof.
"""

from typing import Any

import numpy as np

from plaudit.bounds.bernoulli import divergence_kernel
from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.evidence import lacking
from plaudit.race.lead.afresh import level_together
from plaudit.race.lead.book import NOBODY
from plaudit.race.readings import lower_of, mean_of
from plaudit.race.state import BY_UPPER, WEAKEST_LOWER, State
from plaudit.race.tree import best_key, next_leaf

TINY = 1e-12
# No bound of this stopping moves with the race's time.
ANY_TIME = 1.0


@inlined
def _aim(state: State) -> float:
    return float(-best_key(state.leaders, WEAKEST_LOWER))


@inlined
def is_within_aim(state: State) -> bool:
    """Whether no upper bound outside is in the way of what the rule aims for."""
    outside = min(1.0, best_key(state.field, BY_UPPER))
    return bool(outside - _aim(state) < state.header[0].epsilon)


@rarely(False)
def is_sure(state: State) -> bool:
    """Whether the leader may be named: by its own lower bound, or together with every rival.

    Together, only while no answer is on its way: then the same visits count for both.
    """
    h, book = state.header[0], state.rare.lead.book[0]
    if not is_within_aim(state):
        return False
    lower = lower_of(state, state.seats[0], ANY_TIME)
    if min(1.0, best_key(state.field, BY_UPPER)) - lower < h.epsilon:
        return True
    if h.pending > 0:
        return False
    if h.epsilon == book.epsilon:
        return bool(book.rival == NOBODY)
    return bool(_rival_in_doubt(state, lower, _aim(state)) == NOBODY)


@rarely(None)
def note_doubt(state: State) -> None:
    """Notes a rival against which the leader lacks evidence; after every vote.

    So what is asked next does not depend on when somebody reads the verdict.
    """
    h, book = state.header[0], state.rare.lead.book[0]
    book.epsilon = h.epsilon
    if h.unsampled > 0 or not is_within_aim(state):
        book.rival = NOBODY
        return
    low, high = lower_of(state, state.seats[0], ANY_TIME), _aim(state)
    book.rival = _rival_in_doubt(state, low, high)
    if book.rival != NOBODY:
        book.at = 0.5 * (low + _reach_of(state, book.rival, high))


@compiled
def _rival_in_doubt(state: State, low: float, high: float) -> Any:
    """A rival against which the leader lacks evidence: the last one as long as it does."""
    leader, last = state.seats[0], state.rare.lead.book[0].rival
    if state.rare.lead.fresh[leader].votes == 0:
        # It has its own lower bound alone, and aims at nothing else.
        return np.int64(NOBODY)
    reach = low + state.header[0].epsilon
    known = last >= 0 and state.field.nodes[BY_UPPER, last].key >= reach
    if known and _lacks(state, leader, last, low, high):
        return last
    rival = next_leaf(state.field, BY_UPPER, -1, reach)
    while rival >= 0:
        if _lacks(state, leader, rival, low, high):
            return np.int64(rival)
        rival = next_leaf(state.field, BY_UPPER, rival, reach)
    return np.int64(NOBODY)


@inlined
def _lacks(state: State, leader: int, rival: int, low: float, high: float) -> bool:
    """Whether a leader and a rival lack evidence for some m between these."""
    lead = state.rare.lead
    level = level_together(lead.book[0].level, lead.fresh[leader].rank)
    high = _reach_of(state, rival, high)
    return bool(lacking(state, leader, rival, low, high, level)[0] >= 0.0)


@inlined
def _reach_of(state: State, rival: int, high: float) -> float:
    """The m up to which both need evidence: above it the rival's own votes are enough."""
    return float(min(high, state.field.nodes[BY_UPPER, rival].key - state.header[0].epsilon))


@rarely(-1)
def next_of_pair(state: State, blocked: Any) -> int:
    """The item to ask about where a pair lacks evidence: that on which a vote adds more.

    What it adds is taken in the middle of where evidence may be missing; an item whose mean is on
    the wrong side of that adds nothing. Where the item may not be seen or is on its way, it is the
    other one; -1 where there is no such pair, or neither will do. `blocked` is empty where all may
    be seen.
    """
    h, book = state.header[0], state.rare.lead.book[0]
    if book.rival == NOBODY:
        return -1
    leader, rival, m = state.seats[0], book.rival, min(max(book.at, TINY), 1.0 - TINY)
    ours = divergence_kernel(max(mean_of(state.items[leader]), m), m)
    bar = min(m + h.epsilon, 1.0 - TINY)
    theirs = divergence_kernel(min(mean_of(state.items[rival]), bar), bar)
    first, second = (leader, rival) if ours >= theirs else (rival, leader)
    if _may_be_asked(state, first, blocked):
        return int(first)
    return int(second) if _may_be_asked(state, second, blocked) else -1


@inlined
def _may_be_asked(state: State, item: int, blocked: Any) -> bool:
    seen = blocked.size > 0 and blocked[item]
    return not seen and state.items[item].pending == 0
