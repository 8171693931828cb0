"""What a vote changes in a race that stops by a fresh lead; compiled.

The tree has the rivals by what evidence they lack. A vote on the leader changes the evidence of
all of them, and computing that at once would cost n for each vote. So a rival's evidence is that of
the last time it was computed, except for the least, which is made sure of; all are computed anew
when the leader has an eighth more votes, when another item leads, and before the race may stop.
"""

import math
from typing import Any

import numpy as np

from plaudit.bounds.bets import rest_kernel
from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.lead.afresh import share_of
from plaudit.race.lead.evidence import (
    LEADER,
    MARGIN,
    UNIT,
    compare,
    votes_of_leader,
)
from plaudit.race.readings import mean_of, ticket_of
from plaudit.race.state import BY_UPPER, LEAD, LOWER_SIDE, State
from plaudit.race.tree import best_key, set_key, set_node, settle, winner

# An item is appointed once it has this much evidence against all rivals, with all its votes.
ENOUGH = -1.0
NEVER_COMPUTED: Any = np.int64(-1)
ONLY: Any = np.int64(0)


@rarely(None)
def count_lead(state: State, item: int) -> None:
    """Looks at evidence anew after a vote on an item, and appoints a leader if it is time."""
    h, lead = state.header[0], state.rare.lead
    if h.unsampled > 0:
        return
    leader = state.seats[0]
    if lead.book[0].leader == leader and item != leader:
        _look_at(state, leader, item)
    lead.book[0].settled = False
    if is_searching(state):
        return
    _make_sure(state, leader)
    if lead.fresh[leader].rank == 0 and least_evidence(state) >= ENOUGH:
        _appoint(state, leader)


@inlined
def is_searching(state: State) -> bool:
    """Whether some rival may well be better than the leader: then votes find out who leads."""
    h = state.header[0]
    outside = min(1.0, best_key(state.field, BY_UPPER))
    return bool(outside >= mean_of(state.items[state.seats[0]]) + h.epsilon)


@inlined
def least_evidence(state: State) -> float:
    """The least evidence against a rival."""
    return -best_key(state.rare.lead.tree, ONLY)


@inlined
def _enough(state: State) -> bool:
    return bool(least_evidence(state) >= state.rare.lead.book[0].level + MARGIN)


@compiled
def _make_sure(state: State, leader: int) -> None:
    """Sees to it that the least evidence is that of now, and whether the race may stop."""
    lead = state.rare.lead
    book, votes = lead.book[0], votes_of_leader(state, leader)
    if book.leader != leader or votes >= book.renewal:
        _renew(state, leader)
    rival = winner(lead.tree, ONLY)
    while lead.fresh[rival].at != votes:
        _look_at(state, leader, rival)
        rival = winner(lead.tree, ONLY)
    if lead.fresh[leader].rank > 0 and _enough(state):
        # Some may have been looked at before the leader had bad luck.
        _renew(state, leader)
        book.settled = _enough(state)


@compiled
def _appoint(state: State, leader: int) -> None:
    """Gives a leader the next rank: from now on only votes that are still to come count for it."""
    lead = state.rare.lead
    lead.book[0].appointed += 1
    lead.fresh[leader].rank = lead.book[0].appointed
    lead.fresh[leader].waits = state.items[leader].pending
    _renew(state, leader)


@compiled
def _renew(state: State, leader: int) -> None:
    """Computes the evidence of all rivals against this leader."""
    h, lead = state.header[0], state.rare.lead
    book, votes = lead.book[0], votes_of_leader(state, leader)
    book.leader, book.epsilon, book.ratios = leader, h.epsilon, 0
    book.renewal = votes + votes // 8 + 2
    for item in range(h.items):
        lead.fresh[item].ratio = 0
        key = -np.inf
        if item != leader:
            _compute(state, leader, item)
            key = -lead.fresh[item].evidence
        set_node(lead.tree, ONLY, item, key, ticket_of(h, state.items, item))
    settle(lead.tree, ONLY)


@inlined
def _look_at(state: State, leader: int, rival: int) -> None:
    """Computes the evidence of one rival against the leader of now."""
    lead = state.rare.lead
    _compute(state, leader, rival)
    drawn = ticket_of(state.header[0], state.items, rival)
    set_key(lead.tree, ONLY, rival, -lead.fresh[rival].evidence, drawn)


@compiled
def _compute(state: State, leader: int, rival: int) -> None:
    """A rival's evidence and ratio; a vote on the leader saves nothing where there is enough."""
    lead = state.rare.lead
    book, fresh = lead.book[0], lead.fresh[rival]
    fresh.evidence, ratio = compare(state, leader, rival)
    fresh.at = votes_of_leader(state, leader)
    whole = np.int64(UNIT * ratio) if fresh.evidence < book.level + MARGIN else np.int64(0)
    book.ratios += whole - fresh.ratio
    fresh.ratio = whole


@rarely(None)
def rebuild_lead(state: State) -> None:
    """Fills the tree from what is known of the rivals, as it was; on restoring."""
    h, lead = state.header[0], state.rare.lead
    if h.stopping != LEAD:
        return
    for item in range(h.items):
        known = item != lead.book[0].leader and lead.fresh[item].at >= 0
        key = -lead.fresh[item].evidence if known else -np.inf
        set_node(lead.tree, ONLY, item, key, ticket_of(h, state.items, item))
    settle(lead.tree, ONLY)


@rarely(False)
def is_settled(state: State) -> bool:
    """Whether the leader has enough evidence against every rival.

    While answers are on their way, what has come of two items is not of the same visits: then only
    bounds count.
    """
    h, book = state.header[0], state.rare.lead.book[0]
    if h.pending > 0:
        outside = min(1.0, best_key(state.field, BY_UPPER))
        return bool(h.unsampled == 0 and outside - fresh_lower(state, state.seats[0]) < h.epsilon)
    if h.epsilon == book.epsilon:
        return bool(book.settled)
    leader = state.seats[0]
    if h.unsampled > 0 or state.rare.lead.fresh[leader].rank == 0:
        return False
    for item in range(h.items):
        if item != leader and compare(state, leader, item)[0] < book.level + MARGIN:
            return False
    return True


@rarely(0.0)
def fresh_lower(state: State, item: int) -> float:
    """The lower bound of an item from the votes since it was appointed; 0 before."""
    lead = state.rare.lead
    fresh = lead.fresh[item]
    if fresh.votes == 0:
        return 0.0
    level = lead.book[0].level - math.log(LEADER * share_of(fresh.rank))
    logs, votes = state.logs[LOWER_SIDE], float(fresh.votes)
    return max(0.0, rest_kernel(level, votes, fresh.total, 1.0, lead.levels[item], logs))
