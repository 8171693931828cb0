"""Bets that a candidate is not among the best, on examples without replacement; compiled.

N examples are met in random order, and every candidate that is still in meets the same ones. Let
S_i be the sum of candidate i's scores on the examples so far, R the number of examples left, and
"opponent" another candidate that is still in. If the opponent is no better than j over all N
examples, the mean of the difference D = X_opponent - X_j over the examples left is at most

    m = -(S_opponent - S_j) / R,

and a bet of any size lam that the past decides multiplies its capital by 1 + lam (D - m), which is
expected to be 1 or less. If j is among the best k, at least one of any k opponents is no better.
So the least of k capitals, one against each of the k leaders, is never more than a fair one; that
is still so if the leaders are chosen anew at times, and each time the least so far is carried on.
docs/theory/finite.md has the proof.

The size of a bet is Kelly's by what is known so far, times each of `FRACTIONS`: capital is split
over the fractions at the start.
"""

import math
from typing import Any

import numpy as np

from plaudit.compiled import compiled, inlined
from plaudit.race.finite.leaders import choose, holds, is_ahead, least
from plaudit.race.finite.state import CHOSEN, ENDED, FRACTIONS, INSIDE, ROWS, SPLIT, Capitals

# No bet loses more than this share of its capital.
MOST_LOST = 0.97
# The variance of differences is taken for this until there are some, with the weight of so many.
FIRST_VARIANCE, FIRST_WEIGHT = 0.25, 4.0
# More than rounding adds up to in the logarithm of a capital.
MARGIN = 1e-6
# Sums that are closer than this may be equal.
EQUAL = 1e-9
CERTAIN = math.inf
NOTHING_WON = np.zeros(SPLIT)


@compiled
def tell_scores(state: Capitals, rows: Any) -> int:
    """Counts the scores of rows in turn, one for each candidate; how many rows were needed.

    Scores of candidates that are out are not read.
    """
    told: int = rows.shape[0]
    for row in range(told):
        if state.clock[ENDED]:
            return row
        choose(state)
        _bet(state, rows[row])
        _add(state, rows[row])
        _judge(state)
    return told


@compiled
def _bet(state: Capitals, row: Any) -> None:
    """Bets on the next example for every candidate that is in, against each of its opponents."""
    top = state.leaders.size - 1
    for j in range(state.sums.size):
        if not state.inside[j]:
            continue
        squares, is_leader = 0.0, holds(state.leaders, top, j)
        for slot in range(top):
            other = state.leaders[slot]
            if other == j:
                other = state.leaders[top]
            lead, difference = state.sums[other] - state.sums[j], row[other] - row[j]
            squares += difference * difference
            _stake(state, state.stakes[j, slot], state.squares[j], lead, difference, 0.0)
            if state.near.shape[1] and not is_leader:
                epsilon = state.epsilon
                _stake(state, state.near[j, slot], state.squares[j], lead, difference, epsilon)
        state.squares[j] += squares / top


@inlined
def _stake(
    state: Capitals, stakes: Any, squares: float, lead: float, difference: float, epsilon: float
) -> None:
    """One bet of each fraction that the opponent is better, or worse by less than epsilon."""
    rows = state.clock[ROWS]
    left = state.examples - rows
    fair = -(lead + epsilon * state.examples) / left
    if fair < -1.0 - EQUAL:
        # Even if the opponent failed in all examples left it would not fall behind.
        for fraction in range(SPLIT):
            stakes[fraction] = CERTAIN
        return
    weight = rows + FIRST_WEIGHT
    mean = lead / weight
    edge = mean - fair
    if edge <= 0.0:
        return
    variance = (squares + FIRST_WEIGHT * FIRST_VARIANCE) / weight - mean * mean
    kelly = edge / (max(variance, 0.0) + edge * edge)
    most = MOST_LOST / max(1.0 + fair, EQUAL)
    for fraction in range(SPLIT):
        size = min(FRACTIONS[fraction] * kelly, most)
        stakes[fraction] += math.log1p(size * max(difference - fair, -1.0 - fair))


@compiled
def _add(state: Capitals, row: Any) -> None:
    for i in range(state.sums.size):
        if state.inside[i]:
            state.sums[i] += row[i]
            state.met[i] += 1
    state.clock[ROWS] += 1


@inlined
def _together(first: Any, stakes: Any, j: int) -> float:
    """The logarithm of the capital of all fractions: the least against any opponent."""
    largest = -math.inf
    for fraction in range(SPLIT):
        largest = max(largest, first[fraction] + least(stakes, j, fraction))
    if largest == CERTAIN:
        return largest
    total = 0.0
    for fraction in range(SPLIT):
        total += math.exp(first[fraction] + least(stakes, j, fraction) - largest)
    return largest + math.log(total / SPLIT)


@compiled
def _judge(state: Capitals) -> None:
    """Puts out whoever is surely not among the best, the lowest first, and ends the race."""
    top = state.leaders.size - 1
    while state.clock[INSIDE] > top:
        worst = -1
        for j in range(state.sums.size):
            lower = state.inside[j] and (worst < 0 or is_ahead(state, worst, j))
            if lower and _together(state.carried[j], state.stakes, j) >= state.level + MARGIN:
                worst = j
        if worst < 0:
            break
        state.inside[worst] = 0
        state.clock[INSIDE] -= 1
    used_up = state.clock[ROWS] == state.examples
    state.clock[ENDED] = state.clock[INSIDE] == top or used_up or _near_enough(state)


@inlined
def _near_enough(state: Capitals) -> bool:
    """Whether nobody who is in is better than a leader by more than epsilon."""
    if not state.near.shape[1]:
        return False
    top = state.leaders.size - 1
    # The choice of leaders costs: the m-th has a share of 1 / (m (m+1)).
    chosen = float(state.clock[CHOSEN])
    level = state.near_level + math.log(chosen * (chosen + 1.0)) + MARGIN
    enough = True
    for place in range(top):
        enough &= state.inside[state.leaders[place]] > 0
    for j in range(state.sums.size):
        if enough and state.inside[j] and not holds(state.leaders, top, j):
            enough &= _together(NOTHING_WON, state.near, j) >= level
    return enough
