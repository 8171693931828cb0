"""A crowd in a race, compiled: visits begin, votes come, fakes strike.

The list of a visit is chosen by one `ask` when the visit begins. That is what the theorem of
docs/theory/crowds.md needs. For comparison it can be chosen vote by vote.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaudit.compiled import compiled, inlined
from plaudit.race.asking import fill, forget
from plaudit.race.judge import look, may_stop
from plaudit.race.state import State
from plaudit.simulation.crowds.attacks import (
    ADAPTIVE,
    AWAKE,
    BAD_LUCK,
    EARLY,
    LATE,
    NEAR,
    WAKE,
    Strike,
)
from plaudit.simulation.crowds.drawing import place_of, tilt_of
from plaudit.simulation.crowds.people import Traits
from plaudit.simulation.runner import add_vote

# A row of the log: who, which item, which level.
LOG_COLUMNS = 3

TALLY = np.dtype(
    [("raters", np.int64), ("most_raters", np.int64), ("false_votes", np.int64),
     ("striking", np.int64), ("logged", np.int64)],
    align=True,
)  # fmt: skip

VISIT = np.dtype(
    [("rater", np.int64), ("place", np.int64), ("length", np.int64), ("own", np.float64),
     ("camp", np.float64), ("careless", np.int64)],
    align=True,
)  # fmt: skip


class Manner(NamedTuple):
    """How visits go: lists fixed at the start or not, shuffled or not.

    `leaving` is the chance to leave after each item; 0 where all stay to the end of their list.
    """

    listed: bool
    shuffled: bool
    leaving: float


class Visits(NamedTuple):
    """The visits under way: a record and a list of items each, the tally, and the log."""

    now: NDArray[Any]
    lists: NDArray[np.int64]
    tally: NDArray[Any]
    log: NDArray[np.int64]


@compiled
def run_crowd(
    state: State,
    values: NDArray[np.float64],
    below: NDArray[np.float64],
    generator: Any,
    limit: int,
    blocked: NDArray[np.uint8],
    visits: Visits,
    manner: Manner,
    traits: Traits,
    strike: Strike,
) -> bool:
    """Lets a crowd vote until the race may stop, has `limit` votes or nobody comes; whether it may.

    The verdict is read after every vote, also in the middle of a visit.
    """
    h = state.header[0]
    tally = visits.tally[0]
    while True:
        if h.unsampled == 0 and may_stop(state):
            leave_all(state, visits, manner)
            return True
        if h.votes >= limit:
            return False
        if strikes_now(state, tally, strike):
            target = tally.false_votes % strike.items.size
            number = -1 - tally.false_votes // strike.items.size
            tally.false_votes += 1
            level = strike.levels[target]
            note(visits, number, strike.items[target], level)
            add_vote(state, strike.items[target], values, level)
            continue
        slot = whose_turn(state, visits, manner, traits, blocked, generator)
        if slot < 0:
            return False
        visit = visits.now[slot]
        item = next_item(state, visits, slot, manner, blocked)
        if item < 0:
            visit.length = visit.place
            if visit.place == 0:
                # Not even a rater who has seen nothing can be asked: nobody came.
                tally.raters -= 1
                return False
            continue
        visit.place += 1
        if strike.when == AWAKE and visit.rater < strike.fakes and is_target(strike, item):
            # A sleeper: the vote on this item comes later, and is false.
            forget(state, item)
            continue
        level = vote_of(visit, item, below, traits, generator)
        note(visits, visit.rater, item, level)
        add_vote(state, item, values, level)


@inlined
def strikes_now(state: State, tally: Any, strike: Strike) -> bool:
    """Whether the next vote is a fake's; once they begin, fakes vote until all have."""
    if tally.false_votes >= strike.fakes * strike.items.size:
        return False
    if tally.striking == 0 and is_time(state, tally, strike):
        tally.striking = 1
    return bool(tally.striking == 1)


@compiled
def is_time(state: State, tally: Any, strike: Strike) -> bool:
    """Whether fakes begin to vote."""
    if strike.when == EARLY:
        return True
    if strike.when == AWAKE:
        return bool(tally.raters >= WAKE)
    if state.header[0].unsampled > 0:
        return False
    if strike.when == LATE:
        _, gap, _, _ = look(state)
        return bool(gap < state.header[0].epsilon + NEAR)
    best = state.items[strike.items[0]]
    missing = best.votes * strike.best_mean - best.total
    return strike.when == ADAPTIVE and bool(missing >= BAD_LUCK or tally.raters >= WAKE)


@inlined
def is_target(strike: Strike, item: int) -> bool:
    """Whether fakes have plans with an item."""
    found = False
    for target in strike.items:
        found = found or target == item
    return found


@compiled
def whose_turn(
    state: State, visits: Visits, manner: Manner, traits: Traits, blocked: Any, generator: Any
) -> int:
    """The visit that goes on, a new one if the last in this place is over; -1 where none can."""
    slots = visits.now.size
    first = 0 if slots == 1 else min(int(generator.random() * slots), slots - 1)
    for step in range(slots):
        slot = (first + step) % slots
        if visits.now[slot].place < visits.now[slot].length:
            return slot
        if begin(state, visits, slot, manner, traits, blocked, generator):
            return slot
    return -1


@compiled
def begin(
    state: State, visits: Visits, slot: int, manner: Manner, traits: Traits, blocked: Any,
    generator: Any,
) -> bool:  # fmt: skip
    """Lets a new rater come; false where nobody comes any more or nothing is left to ask."""
    tally = visits.tally[0]
    if tally.raters >= tally.most_raters:
        return False
    visit = visits.now[slot]
    visit.length = length_of(manner, visits.lists.shape[1], generator)
    items = visits.lists[slot][: visit.length]
    if manner.listed:
        visit.length = fill(state, blocked, True, items)
        for k in range(visit.length):
            blocked[items[k]] = 0
        if manner.shuffled:
            shuffle(items[: visit.length], generator)
    visit.place = 0
    if visit.length == 0:
        return False
    visit.rater = tally.raters
    visit.own = generator.random()
    visit.camp = generator.random()
    visit.careless = 1 if generator.random() < traits.careless else 0
    tally.raters += 1
    return True


@inlined
def length_of(manner: Manner, longest: int, generator: Any) -> int:
    """How many items a visit may have: all that there is room for, or as chance will have it.

    It is drawn before the first vote: people do not leave because of what they see.
    """
    if manner.leaving == 0.0:
        return longest
    length = 1
    while length < longest and generator.random() >= manner.leaving:
        length += 1
    return length


@inlined
def shuffle(items: NDArray[np.int64], generator: Any) -> None:
    """Puts items into a random order, each as likely as any other."""
    for last in range(items.size - 1, 0, -1):
        other = min(int(generator.random() * (last + 1)), last)
        items[last], items[other] = items[other], items[last]


@compiled
def next_item(state: State, visits: Visits, slot: int, manner: Manner, blocked: Any) -> int:
    """The item that the rater of a visit sees next; -1 if there is none."""
    place = visits.now[slot].place
    items = visits.lists[slot]
    if manner.listed:
        return int(items[place])
    for k in range(place):
        blocked[items[k]] = 1
    found = fill(state, blocked, True, items[place : place + 1])
    for k in range(place + found):
        blocked[items[k]] = 0
    return int(items[place]) if found == 1 else -1


@compiled
def vote_of(visit: Any, item: int, below: Any, traits: Traits, generator: Any) -> int:
    """The level of the vote that the rater of a visit gives an item now."""
    fresh = generator.random()
    if visit.careless == 1:
        return int(fresh * (below.shape[1] + 1))
    pick, again, tilted = generator.random(), generator.random(), generator.random()
    tilt = tilt_of(traits, visit.rater, item, visit.place - 1, visit.length)
    place = place_of(traits, visit.own, visit.camp, item, tilt, fresh, pick, again, tilted)
    level = 0
    while level < below.shape[1] and place >= below[item, level]:
        level += 1
    return level


@inlined
def note(visits: Visits, rater: int, item: int, level: int) -> None:
    """Writes a vote into the log, while there is room; fakes have the numbers -1, -2, …"""
    row = visits.tally[0].logged
    if row < visits.log.shape[0]:
        visits.log[row, 0] = rater
        visits.log[row, 1] = item
        visits.log[row, 2] = level
        visits.tally[0].logged += 1


@compiled
def leave_all(state: State, visits: Visits, manner: Manner) -> None:
    """Ends all visits; what was asked for and not answered is forgotten."""
    for slot in range(visits.now.size):
        visit = visits.now[slot]
        if manner.listed:
            for place in range(visit.place, visit.length):
                forget(state, visits.lists[slot, place])
        visit.length = visit.place
