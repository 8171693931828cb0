"""Who leads a race on a finite set of examples, and when leaders are chosen anew; compiled."""

import math
from typing import Any

from plaudit.compiled import compiled, inlined
from plaudit.race.finite.state import CHOSEN, NEXT_CHOICE, ROWS, SPLIT, Capitals

# Leaders are chosen anew when the number of examples has grown by this factor.
NEW_LEADERS = 1.15


@inlined
def is_ahead(state: Capitals, one: int, other: int) -> bool:
    """Whether one candidate leads another by its sum, ties by `order`."""
    ahead: bool = state.order[one] < state.order[other]
    if state.sums[one] != state.sums[other]:
        ahead = state.sums[one] > state.sums[other]
    return ahead


@compiled
def rank(state: Capitals) -> None:
    """Puts those of largest sum that are in into `chosen`, best first."""
    places, found = state.chosen.size, 0
    for i in range(state.sums.size):
        if not state.inside[i]:
            continue
        place = min(found, places)
        while place > 0 and is_ahead(state, i, state.chosen[place - 1]):
            if place < places:
                state.chosen[place] = state.chosen[place - 1]
            place -= 1
        if place < places:
            state.chosen[place] = i
        found += 1
    for place in range(found, places):
        state.chosen[place] = -1


@inlined
def holds(places: Any, count: int, candidate: int) -> bool:
    """Whether a candidate is in one of the first places."""
    found = False
    for place in range(count):
        found |= places[place] == candidate
    return found


@compiled
def choose(state: Capitals) -> None:
    """Chooses leaders anew if it is time or one of them is out; carries on what was won."""
    leaders, top = state.leaders, state.leaders.size - 1
    due = state.clock[ROWS] >= state.clock[NEXT_CHOICE]
    for place in range(top + 1):
        due |= leaders[place] < 0 or not state.inside[leaders[place]]
    if not due:
        return
    rank(state)
    same = True
    for place in range(top):
        same &= holds(state.chosen, top, leaders[place])
    next_one = state.chosen[top]
    for j in range(state.sums.size):
        if state.inside[j] and (not same or (next_one != leaders[top] and holds(leaders, top, j))):
            _carry(state, j)
    if not same:
        for place in range(top):
            leaders[place] = state.chosen[place]
        state.clock[CHOSEN] += 1
        state.near[:] = 0.0
    leaders[top] = next_one
    grown = math.ceil(NEW_LEADERS * state.clock[ROWS])
    state.clock[NEXT_CHOICE] = max(state.clock[ROWS] + 1, grown)


@inlined
def _carry(state: Capitals, j: int) -> None:
    for fraction in range(SPLIT):
        state.carried[j, fraction] += least(state.stakes, j, fraction)
    state.stakes[j] = 0.0


@inlined
def least(stakes: Any, j: int, fraction: int) -> float:
    """The least that one fraction of the bets on a candidate has won against any opponent."""
    found: float = stakes[j, 0, fraction]
    for slot in range(1, stakes.shape[1]):
        found = min(found, stakes[j, slot, fraction])
    return found
