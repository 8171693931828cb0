"""The rule `balance`: the next vote goes to the side that has spent too little; compiled.

Suppose that one bar must separate the intervals of the leaders from all others. At the best bar,
moving it towards the leaders costs them as many votes as it saves the others. The rule keeps the
two sides in this balance; docs/theory/algorithms/plaudit.md derives it.
"""

import math
from typing import Any

import numpy as np

from plaudit.bounds.bernoulli import divergence_kernel
from plaudit.compiled import compiled, inlined
from plaudit.race.lead.afresh import total_since, votes_since
from plaudit.race.lead.together import next_of_pair
from plaudit.race.readings import mean_of
from plaudit.race.state import (
    ACTIVE,
    BY_CHOICE,
    BY_UPPER,
    FRESH,
    NONE_BLOCKED,
    WEAKEST_LOWER,
    WEAKEST_MEAN,
    State,
)
from plaudit.race.tolerance.trimming import UNKNOWN
from plaudit.race.tree import best_key, winner

# Where the bar comes close to 0 or 1 the cost of moving it grows without limit.
STEEPEST = 8.0
PRICE = 2.0


@compiled
def pull_of(votes: int, total: float, pending: int, bound: float, level: float) -> Any:
    """The votes that moving the bar away from an item would save, in sixteenths.

    The divergence D of an item's mean from its bound took votes ~ 1/D, so moving the bound by
    a share of its distance r saves that share of r D'/D votes: 2 for middling means, 1 where
    the votes hardly vary, and more the closer the bound is to 0 or 1. A whole number, so that
    sums of it are exact in any order. Pending votes count as if they had come.
    """
    if votes == 0:
        return np.int64(0)
    mean = total / votes
    radius = max(abs(bound - mean), level / votes)
    steepness = STEEPEST
    if 0.0 < bound < 1.0:
        steepness = radius * abs(bound - mean) / (bound * (1.0 - bound))
        steepness /= max(divergence_kernel(mean, bound), 1e-300)
    steepness = min(max(steepness, 1.0), STEEPEST)
    grown = (votes + pending) / votes
    pull = votes * steepness / radius * grown * math.sqrt(grown)
    return np.int64(min(16.0 * pull, 1e15))


@compiled
def weigh(state: State, item: int) -> None:
    """Replaces what an item has put into the balance by its pull now."""
    h = state.header[0]
    record = state.items[item]
    pull = np.int64(0)
    if record.status == ACTIVE and record.place >= 0:
        lower = -state.leaders.nodes[WEAKEST_LOWER, record.place].key
        votes, total = record.votes, record.total
        if h.stopping == FRESH:
            votes, total = votes_since(state, item), total_since(state, item)
        pull = -pull_of(votes, total, record.pending, lower, record.lower_level)
    elif record.status == ACTIVE:
        upper = state.field.nodes[BY_UPPER, item].key
        bound = upper if upper < UNKNOWN else 1.0
        pull = pull_of(record.votes, record.total, record.pending, bound, h.upper_level)
    h.balance += pull - record.pull
    record.pull = pull


def boldness(level: float, judging: float) -> float:
    """About how much narrower intervals are at another level, as a factor of at most 1.

    A radius grows with the root of level + price, where the price of not knowing the mean is
    about 2 for the votes that matter here.
    """
    return min(1.0, math.sqrt((level + PRICE) / (judging + PRICE)))


@inlined
def is_bold(h: Any) -> bool:
    """Whether the next item outside is chosen boldly, as for every other vote.

    A bold choice finds good items soon; the others look at what keeps the verdict open. Pending
    votes count, so that the list of a visit has both kinds.
    """
    return bool(h.choice_stretch != 1.0) and (h.votes + h.pending) % 2 == 1


@inlined
def expected_radius(record: Any, radius: float) -> float:
    """The radius of an interval once the item's pending votes are in."""
    if record.pending == 0:
        return radius
    return radius / math.sqrt((record.votes + record.pending) / max(record.votes, 1))


@inlined
def leads_next(state: State) -> bool:
    """Whether a leader comes next: the items outside pull more, and the leader need not wait.

    Against n rivals of radius r the best share of votes narrows a leader's radius to r / n^(1/3),
    and fewer rivals call for less. A leader that is narrower waits: items that led once, by luck,
    pull with all their votes.

    No verdict can come while an upper bound outside is above the weakest leader's mean by more than
    epsilon: votes on leaders do not help. Until then a leader waits too, unless its own upper bound
    is larger: it is about as far from the mean as the lower bound, at another level.

    Pending votes count as if they had come: whoever asks and never answers must not keep others
    waiting.
    """
    h = state.header[0]
    if h.balance <= 0:
        return False
    rival = winner(state.field, BY_UPPER)
    if rival < 0:
        return True
    leader = state.items[state.seats[winner(state.leaders, WEAKEST_LOWER)]]
    inside = expected_radius(leader, mean_of(leader) + best_key(state.leaders, WEAKEST_LOWER))
    doubt = state.items[rival]
    mean = mean_of(doubt)
    outside = expected_radius(doubt, min(1.0, best_key(state.field, BY_UPPER)) - mean)
    if h.items * inside * inside * inside <= outside * outside * outside:
        return False
    if mean + outside <= h.epsilon - best_key(state.leaders, WEAKEST_MEAN):
        return True
    share = math.sqrt((h.upper_level + PRICE) / (leader.lower_level + PRICE))
    return bool(mean_of(leader) + share * inside >= mean + outside)


@inlined
def bold_reach(state: State) -> float:
    """The least upper bound of an item that is chosen boldly: one that needs votes anyway.

    The bar that the verdict will have is not known yet. It lies above the weakest lower bound, and
    about half of epsilon above the weakest mean or higher.
    """
    h = state.header[0]
    half = 0.5 * h.epsilon - best_key(state.leaders, WEAKEST_MEAN)
    return float(max(half, h.epsilon - best_key(state.leaders, WEAKEST_LOWER)))


@compiled
def next_in_balance(state: State) -> int:
    """The item that gets the next vote where none is pending and every item was seen."""
    h = state.header[0]
    if h.stopping == FRESH:
        item = next_of_pair(state, NONE_BLOCKED)
        if item >= 0:
            return item
    if leads_next(state):
        return int(state.seats[winner(state.leaders, WEAKEST_LOWER)])
    if is_bold(h):
        item = winner(state.field, BY_CHOICE)
        if min(1.0, state.field.nodes[BY_UPPER, item].key) >= bold_reach(state):
            return item
    return winner(state.field, BY_UPPER)
