"""Whom a race that stops by a fresh lead asks for next; compiled.

As long as some upper bound is above the leader's mean, the item with the largest one is next, or
the leader if it has fewer votes. Then it is the leader's turn if a vote on it saves more than one
vote on all rivals together, and else that of the rival with the least evidence. At the best shares
of the votes the two are in balance (Garivier and Kaufmann 2016).
"""

from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined
from plaudit.race.lead.counting import ONLY, is_searching
from plaudit.race.lead.evidence import MARGIN, UNIT, votes_of_leader
from plaudit.race.readings import mean_of
from plaudit.race.state import BY_UPPER, State
from plaudit.race.tree import best_allowed, winner

NONE_PENDING: Any = np.int64(0)
ANY_NUMBER: Any = np.int64(2**62)


@compiled
def next_for_lead(state: State, blocked: Any) -> int:
    """The next item that a rater may see, or -1; `blocked` is empty where all may be seen."""
    leader = int(state.seats[0])
    hidden = blocked.size > 0 and blocked[leader]
    if not hidden and _is_due(state, leader, blocked.size > 0):
        return leader
    rival = _rival(state, blocked)
    return -1 if rival < 0 and hidden else leader if rival < 0 else rival


@inlined
def _is_due(state: State, leader: int, asked: bool) -> bool:
    """Whether the leader is next. Of votes on their way it gets no more than half."""
    h, record = state.header[0], state.items[leader]
    if asked and 2 * record.pending > h.pending:
        return False
    if is_searching(state):
        return bool(record.votes < state.items[winner(state.field, BY_UPPER)].votes)
    return bool(votes_of_leader(state, leader) == 0 or state.rare.lead.book[0].ratios > UNIT)


@compiled
def _rival(state: State, blocked: Any) -> int:
    """The rival that is next, or -1 where none that may be seen can change the verdict."""
    if blocked.size == 0:
        return _first(state)
    rival = _allowed(state, blocked, NONE_PENDING)
    return rival if rival >= 0 else _allowed(state, blocked, ANY_NUMBER)


@inlined
def _first(state: State) -> int:
    searching = is_searching(state)
    return winner(state.field, BY_UPPER) if searching else winner(state.rare.lead.tree, ONLY)


@inlined
def _allowed(state: State, blocked: Any, most: Any) -> int:
    """The first that a rater may see with no more votes pending than this, if it is in doubt."""
    h, lead = state.header[0], state.rare.lead
    if is_searching(state):
        item = best_allowed(state.field, BY_UPPER, blocked, state.items, most)
        bar = mean_of(state.items[state.seats[0]]) + h.epsilon
        return item if item >= 0 and state.field.nodes[BY_UPPER, item].key >= bar else -1
    item = best_allowed(lead.tree, ONLY, blocked, state.items, most)
    doubt = item >= 0 and lead.fresh[item].evidence < lead.book[0].level + MARGIN
    return item if doubt else -1
