"""A lower bound from the votes since an item was appointed, with bets that suit it; compiled.

When an item is appointed, its past says which bet will do best against the bar that the race needs.
Most of the capital goes there, and to its neighbours. A bet that the past chose is as fair as any.

`together` multiplies this capital with that of a rival. So a leader needs far less evidence at the
bar than its own lower bound does, and the rule of asking aims for that.
"""

import math
from typing import Any

import numpy as np

from plaudit.bounds.bets import BETS, SIZES
from plaudit.bounds.kernels import betting_lower
from plaudit.compiled import compiled, inlined, rarely
from plaudit.race.state import LOWER_SIDE, State

# How delta is shared: upper bounds, lower bounds from all votes, those of appointed items, and what
# an appointed item and a rival win together.
UPPER, ALL_VOTES, APPOINTED, TOGETHER = 0.92, 0.001, 0.005, 0.074
# Weights fall around the bet that suits as those of a normal law do, whose width is this many bets.
WIDTH = 1.0
# This share of the capital is spread over all bets alike, in case that none suits.
SPREAD = 0.05
# More than the logarithms of the weights can be wrong: together they hold no more than 1.
SHADE = 1e-12
# More than the logarithms of two capitals can be wrong.
MARGIN = 1e-9


@inlined
def share_of(rank: int) -> float:
    """The share of the b-th item that is appointed: 1/2, 1/6, 1/12, …; together at most 1."""
    return 1.0 / (rank * (rank + 1.0))


@inlined
def level_of_rank(level: float, rank: int) -> float:
    """The evidence that the lower bound of the b-th item needs; `level` is that of delta itself."""
    return level - math.log(APPOINTED * share_of(rank))


@inlined
def level_together(level: float, rank: int) -> float:
    """The evidence that the b-th item and a rival need together."""
    return level - math.log(TOGETHER * share_of(rank)) + MARGIN


@inlined
def level_aimed(rank: int) -> float:
    """The part of it that is left for the item, where the rival's upper bound is: ln(w/w' s)."""
    return math.log(UPPER / (TOGETHER * share_of(rank))) + 2.0 * MARGIN


@rarely(0.0)
def fresh_lower_at(state: State, item: int, votes: int) -> float:
    """The lower bound since an item was appointed, if it had `votes` in all; 0 before."""
    fresh = state.rare.lead.fresh[item]
    if fresh.votes == 0:
        return 0.0
    level = level_of_rank(state.rare.lead.book[0].level, fresh.rank)
    return _lower_at(state, item, votes, level)


@rarely(0.0)
def aim_of(state: State, item: int) -> float:
    """The mean above which an appointed item has what it needs beside a rival; 0 before.

    No bound: what lies below it is not excluded.
    """
    fresh = state.rare.lead.fresh[item]
    if fresh.votes == 0:
        return 0.0
    return _lower_at(state, item, state.items[item].votes, level_aimed(fresh.rank))


@compiled
def _lower_at(state: State, item: int, votes: int, level: float) -> float:
    lead = state.rare.lead
    fresh = lead.fresh[item]
    if lead.book[0].leader != item:
        spread_capital(state, item)
    own = float(fresh.votes)
    share = (own + votes - state.items[item].votes) / own
    return betting_lower(level, own, fresh.total, share, lead.levels[item], lead.logs)


@compiled
def spread_capital(state: State, item: int) -> None:
    """Shares the capital of an appointed item out over the bets, for the lower bounds that follow.

    Only the leader's lower bound is asked for again and again, so one table is enough.
    """
    lead, logs = state.rare.lead, state.logs[LOWER_SIDE]
    bet, last = lead.fresh[item].bet, lead.logs.shape[0] - 1
    whole = 0.0
    for k in range(BETS):
        whole += _bell(k - bet)
    for k in range(BETS):
        weight = (1.0 - SPREAD) * _bell(k - bet) / whole + SPREAD / BETS
        lead.logs[last, k] = math.log(weight) - SHADE
        for level in range(last):
            lead.logs[level, k] = logs[level, k]
    lead.book[0].leader = item


@inlined
def _bell(steps: int) -> float:
    return math.exp(-0.5 * (steps / WIDTH) * (steps / WIDTH))


@compiled
def suiting_bet(votes: float, total: float, counts: Any, logs: Any, foot: float) -> Any:
    """The bet that votes like these win most with against "the mean is `foot` or less".

    And how much, for each vote. Half a vote of 0 and half a vote of 1 are added, so that no bet
    suits which a single vote could ruin.
    """
    best, most = 0, -math.inf
    for bet in range(BETS):
        won = total * math.log1p(SIZES[bet])
        if counts.size > 0:
            won = 0.0
            for level in range(counts.size):
                won += counts[level] * logs[level, bet]
        won += 0.5 * math.log1p(SIZES[bet]) - (votes + 1.0) * math.log1p(SIZES[bet] * foot)
        if won > most:
            best, most = bet, won
    return np.int64(best), most / (votes + 1.0)


@rarely(None)
def count_afresh(state: State, item: int, value: float, level: int) -> None:
    """Counts a vote on an item that was appointed, unless it was asked for before that.

    And a vote on any item, unless it was asked for in company. Answers come in the order of asking,
    so the first ones are those that were on their way. Where it is unclear whether it was, the vote
    counts as the worst that it could be.
    """
    lead = state.rare.lead
    fresh = lead.fresh[item]
    if fresh.ahead == 0 and fresh.unclear > 0:
        fresh.unclear -= 1
        fresh.worst += 1
    elif fresh.ahead == 0 and fresh.company > 0:
        fresh.company -= 1
    else:
        fresh.ahead -= min(fresh.ahead, 1)
        fresh.apart += 1
        fresh.apart_total += value
        if level >= 0:
            lead.apart[item, level] += 1
    if fresh.rank == 0:
        return
    if fresh.waits > 0:
        fresh.waits -= 1
        return
    fresh.votes += 1
    fresh.total += value
    if level >= 0:
        lead.levels[item, level] += 1


@rarely(None)
def note_asked(state: State, item: int, together: bool) -> None:
    """Notes whether an item that was just asked about is asked about in company.

    Items that one rater is asked about together are, since somebody was appointed: such votes may
    depend on each other, so they are not multiplied. It is settled here, and not when the answer
    comes, since what is slow may differ from what is quick. Whatever is asked for behind an answer
    in company, or an unclear one, that is still to come is taken for one in company too.
    """
    lead = state.rare.lead
    fresh, before = lead.fresh[item], state.items[item].pending - 1
    if before == 0:
        fresh.ahead = fresh.unclear = fresh.company = 0
    if fresh.company + fresh.unclear > 0:
        fresh.company += 1
    elif together and lead.book[0].appointed > 0:
        fresh.ahead, fresh.company = before, 1
        _set_mark(state, item)


@rarely(False)
def note_forgotten(state: State, item: int) -> bool:
    """Notes that an answer was given up, nobody says which; whether less is apart by that.

    If it was one in company, as many as before are ahead of these; if not, one less. So the last
    that was ahead becomes unclear. It must not be left out: what was quick is counted already. And
    later answers may have overtaken it: what has counted as apart since a list was asked for may
    have been in company.
    """
    fresh = state.rare.lead.fresh[item]
    fewer, less = min(fresh.ahead, 1), min(fresh.company, 1)
    if fresh.company + fresh.unclear == 0:
        return False
    fresh.ahead -= fewer
    fresh.company -= less
    fresh.unclear += fewer + less - 1
    return bool(_back_to_mark(state, item))


@compiled
def _set_mark(state: State, item: int) -> None:
    """Notes which votes on an item count as apart now."""
    lead = state.rare.lead
    fresh = lead.fresh[item]
    fresh.mark, fresh.mark_total = fresh.apart, fresh.apart_total
    for level in range(lead.apart.shape[1]):
        lead.marked[item, level] = lead.apart[item, level]


@compiled
def _back_to_mark(state: State, item: int) -> bool:
    """Counts what was apart since the mark as the worst that it could be; whether that is any."""
    lead = state.rare.lead
    fresh = lead.fresh[item]
    since = fresh.apart - fresh.mark
    fresh.worst += since
    fresh.apart, fresh.apart_total = fresh.mark, fresh.mark_total
    for level in range(lead.apart.shape[1]):
        lead.apart[item, level] = lead.marked[item, level]
    return bool(since > 0)


@rarely(0)
def votes_since(state: State, item: int) -> Any:
    """The votes that an item is weighed by: those since it was appointed, or all."""
    fresh = state.rare.lead.fresh[item]
    return fresh.votes if fresh.rank > 0 else state.items[item].votes


@rarely(0.0)
def total_since(state: State, item: int) -> float:
    """The sum of these votes."""
    fresh = state.rare.lead.fresh[item]
    return float(fresh.total if fresh.rank > 0 else state.items[item].total)
